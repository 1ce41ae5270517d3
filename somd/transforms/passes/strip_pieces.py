"""A distributed loop's body cut into pieces, so that a strip of iterations can be run side by side.

    x = a[i]                    group    x = a[i]
    scale = 0.0                 uniform  scale = 0.0            (moved in front: it is the same for all lanes)
    for k in range(n):          around   for k in range(n):
        scale = scale + c[k]        uniform  scale = scale + c[k]
        x = x * x + scale           group    x = x * x + scale
    b[i] = x                    group    b[i] = x

In: the body of the innermost distributed loop, and which names vary from lane to lane. Out: groups of statements that
every lane runs for itself, and what is the same for all lanes around and between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from somd.transforms.loops.program import (
    If,
    Lanes,
    Loop,
    Statement,
    Variable,
)
from somd.transforms.loops.scopes import assigned, read, set_by, set_through
from somd.transforms.loops.varying import Varying, limits, of_lanes
from somd.transforms.loops.walking import expressions, statements_in

Block = tuple[Statement, ...]


@dataclass
class Group:
    """Statements that every lane runs for itself.

    `exposed`: names that it reads before it sets them; `certain` and `possible`: names that it sets, in any case or on
    some path; `after`: names that are read behind it.
    """

    statements: Block
    exposed: set[str] = field(default_factory=set)
    certain: set[str] = field(default_factory=set)
    possible: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)

    @property
    def all(self) -> tuple[Statement, ...]:
        """The statements, those inside others too."""
        return tuple(statements_in(self.statements))

    @property
    def loaded(self) -> set[str]:
        """What it takes from before: what it reads, and what stays as it is where a condition does not hold."""
        return self.exposed | (self.possible - self.certain) & self.after

    @property
    def stored(self) -> set[str]:
        """What it leaves for those behind it."""
        return self.possible & self.after


@dataclass
class Around:
    """A loop or condition that is the same for all lanes, with the pieces inside."""

    node: Loop | If
    body: list[Piece]
    orelse: list[Piece]


@dataclass(frozen=True)
class Uniform:
    """A statement that is the same for all lanes."""

    node: Statement


Piece = Group | Around | Uniform


def pieces_of(body: Block, varying: Varying, loads: frozenset[str] = frozenset()) -> list[Piece] | None:
    """The pieces of a body; None where the trips of a loop, or a condition around a loop, vary. Statements that set
    `loads` are in groups of their own."""
    found: list[Piece] = []
    group: list[Statement] = []

    def end() -> None:
        if group:
            found.append(_group(tuple(group)))
            group.clear()

    for node in body:
        if of_lanes(node):
            end()
            found.append(_group((node,)))
        elif varying.uniform(node):
            if not assigned((node,)).isdisjoint(_mentioned(group)):
                end()
            found.append(Uniform(node))
        elif not _has_parts(node, varying):
            if group and bool(set_by(node) & loads) != bool(set_by(group[-1]) & loads):
                end()
            group.append(node)
        elif isinstance(node, Loop | If) and not (
            varying(*limits(node)) if isinstance(node, Loop) else varying(node.test)
        ):
            inner = pieces_of(node.body, varying, loads)
            other = pieces_of(node.orelse, varying, loads) if isinstance(node, If) else []
            if inner is None or other is None:
                return None
            end()
            found.append(Around(node, inner, other))
        else:
            return None
    end()
    return found


def _has_parts(node: Statement, varying: Varying) -> bool:
    """Whether a statement holds what is not run for one lane after another: loops, functions of all lanes, and what is
    the same for all."""
    return any(
        isinstance(each, Loop) or of_lanes(each) or not set_by(each) <= varying.names for each in statements_in((node,))
    )


def groups_in(pieces: Sequence[Piece]) -> Iterator[Group]:
    """All groups, those inside loops and conditions too."""
    for piece in pieces:
        if isinstance(piece, Group):
            yield piece
        elif isinstance(piece, Around):
            yield from groups_in((*piece.body, *piece.orelse))


def groups_in_loops(pieces: Sequence[Piece]) -> Iterator[Group]:
    """The groups inside loops."""
    for piece in pieces:
        if isinstance(piece, Around):
            inner = (*piece.body, *piece.orelse)
            yield from groups_in(inner) if isinstance(piece.node, Loop) else groups_in_loops(inner)


def _mentioned(body: Sequence[Statement]) -> set[str]:
    block = tuple(body)
    return assigned(block) | {name for node in statements_in(block) for name in read(*expressions(node))}


def _group(body: Block) -> Group:
    group = Group(body, possible=assigned(body))
    group.certain = set_through(body, set(), group.exposed)
    return group


def note_needs(pieces: Sequence[Piece], after: set[str]) -> set[str]:
    """Enter into every group what is needed behind it, `after` being needed at the end; gives what is needed before."""
    for piece in reversed(pieces):
        if isinstance(piece, Group):
            piece.after = piece.after | after
            after = (after - piece.certain) | piece.exposed
        elif isinstance(piece, Around):
            body = note_needs(piece.body, after)
            if isinstance(piece.node, Loop):
                body = note_needs(piece.body, after | body)
            after = after | body | note_needs(piece.orelse, after)
    return after


def written_out(pieces: Sequence[Piece], kept: Callable[[set[str]], tuple[Variable, ...]]) -> Block:
    """The statements of a strip: groups as lanes, with those of their names that are `kept` for each lane."""
    made: list[Statement] = []
    for piece in pieces:
        if isinstance(piece, Group):
            made.append(Lanes(kept(piece.loaded), kept(piece.stored), piece.statements))
        elif isinstance(piece, Uniform):
            made.append(piece.node)
        else:
            body, orelse = written_out(piece.body, kept), written_out(piece.orelse, kept)
            node = piece.node
            made.append(replace(node, body=body) if isinstance(node, Loop) else replace(node, body=body, orelse=orelse))
    return tuple(made)
