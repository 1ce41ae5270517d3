"""A distributed loop's body cut into pieces, so that a strip of iterations can be run side by side.

    x = a[i]                    group    x = a[i]
    scale = 0.0                 uniform  scale = 0.0            (moved in front: it is the same for all lanes)
    for k in range(n):          around   for k in range(n):
        scale = scale + c[k]        uniform  scale = scale + c[k]
        x = x * x + scale           group    x = x * x + scale
    b[i] = x                    group    b[i] = x

In: the body of the innermost distributed loop as the slave has it, and which names vary from lane to lane. Out: groups
of statements that every lane runs for itself, and what is the same for all lanes around and between them. A body that
is not understood has no pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from somd.transforms.multicore.flow import (
    Statements,
    Varying,
    all_small,
    assigned,
    loops_in,
    read,
    reads,
    small_of,
    target_names,
    targets,
    values,
)
from somd.transforms.multicore.lane_functions import has_lane_calls, lane_call
from somd.transforms.tree.loops import else_statements, statements_of


@dataclass
class Group:
    """Statements that every lane runs for itself.

    `exposed`: names that it reads before it assigns them; `certain` and `possible`: names that it assigns, in any
    case or on some path; `after`: names that are read behind it.
    """

    statements: list[cst.BaseStatement]
    exposed: set[str] = field(default_factory=set)
    certain: set[str] = field(default_factory=set)
    possible: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)

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

    node: cst.For | cst.If
    body: list[Piece]
    orelse: list[Piece]


@dataclass(frozen=True)
class LaneCall:
    """A function that is taken of a name's value in all lanes at once, in its place."""

    function: str
    name: str


#: a statement is one that is the same for all lanes
Piece = Group | Around | LaneCall | cst.BaseStatement


def pieces_of(statements: Statements, varying: Varying) -> list[Piece] | None:
    """The pieces of a body; None where a loop's range or a condition around a loop varies."""
    found: list[Piece] = []
    group: list[cst.BaseStatement] = []
    for statement in statements:
        assert isinstance(statement, cst.BaseStatement)
        call = lane_call(statement)
        if call is not None:
            found += [*_grouped(group), LaneCall(*call)]
            group = []
        elif is_uniform(statement, varying):
            if not assigned([statement]).isdisjoint(_mentioned(group)):
                found += _grouped(group)
                group = []
            found.append(statement)
        elif isinstance(statement, cst.SimpleStatementLine) or not _parts(statement):
            group.append(statement)
        elif isinstance(statement, cst.For | cst.If) and not varying(header_of(statement)):
            body = pieces_of(statements_of(statement.body), varying)
            orelse = pieces_of(else_statements(statement), varying) if isinstance(statement, cst.If) else []
            if body is None or orelse is None:
                return None
            found += [*_grouped(group), Around(statement, body, orelse)]
            group = []
        else:
            return None
    return [*found, *_grouped(group)]


def _parts(statement: cst.CSTNode) -> bool:
    """Whether a compound statement holds what is not run for one lane after another: loops, functions of all lanes."""
    return any(loops_in([statement])) or has_lane_calls(statement)


def header_of(node: cst.For | cst.If) -> cst.BaseExpression:
    """What a loop goes over, or the test of a condition."""
    return node.iter if isinstance(node, cst.For) else node.test


def is_uniform(statement: cst.CSTNode, varying: Varying) -> bool:
    """Whether a statement does the same for all lanes and stores no element."""
    if isinstance(statement, cst.If | cst.For):
        other = else_statements(statement) if isinstance(statement, cst.If) else ()
        inner = (*statements_of(statement.body), *other)
        return not varying(header_of(statement)) and all(is_uniform(s, varying) for s in inner)
    return all(
        not any(varying(value) for value in values(small))
        and all(isinstance(t, cst.Name) and t.value not in varying.names for t in targets(small))
        for small in small_of(statement)
    )


def groups_in(pieces: Sequence[Piece]) -> Iterator[Group]:
    """All groups, those inside loops and conditions too."""
    for piece in pieces:
        if isinstance(piece, Group):
            yield piece
        elif isinstance(piece, Around):
            yield from groups_in(piece.body)
            yield from groups_in(piece.orelse)


def _mentioned(statements: Statements) -> set[str]:
    names: set[str] = assigned(statements)
    for statement in statements:
        names |= read(statement)
    return names


def _grouped(statements: list[cst.BaseStatement]) -> list[Piece]:
    if not statements:
        return []
    group = Group(statements)
    group.possible = {name for small in all_small(statements) for name in target_names(small)}
    group.certain = _through(statements, set(), group.exposed)
    return [group]


def _through(statements: Statements, certain: set[str], exposed: set[str]) -> set[str]:
    """The names that are assigned behind `statements` in any case; what is read before that goes to `exposed`."""
    for statement in statements:
        for small in small_of(statement):
            exposed |= reads(small) - certain
            certain = certain | set(target_names(small))
        if isinstance(statement, cst.If):
            exposed |= read(statement.test) - certain
            body = _through(statements_of(statement.body), certain, exposed)
            orelse = _through(else_statements(statement), certain, exposed)
            certain = body & orelse
    return certain


def note_needs(pieces: Sequence[Piece], after: set[str]) -> set[str]:
    """Enter into every group what is needed behind it, `after` being needed at the end; gives what is needed before."""
    for piece in reversed(pieces):
        if isinstance(piece, Group):
            piece.after = piece.after | after
            after = (after - piece.certain) | piece.exposed
        elif isinstance(piece, LaneCall):
            after = after | {piece.name}
        elif isinstance(piece, Around):
            body = note_needs(piece.body, after)
            if isinstance(piece.node, cst.For):
                body = note_needs(piece.body, after | body)
            after = after | body | note_needs(piece.orelse, after)
    return after
