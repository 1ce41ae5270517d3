"""Accumulators that stand side by side -> work-items of a group that have one of them each.

s_0 = e[r, at]; ...; s_7 = e[r, at + 7]              mine = e[r, at + own]
for k in range(8, n, 8):                             for k in range(8, n, 8):
    s_0 += e[r, at + k]                        ->        mine += e[r, at + k + own]
    ...                                              barrier; all[lane] = mine; barrier
    s_7 += e[r, at + k + 7]                          s_0 = all[first]; ...; s_7 = all[first + 7]

What they add is the same but for a number, from 0 on, in the indexes. An iteration that has them, and little else, is
run by as many work-items as there are accumulators, each of which does all else as well; the first one stores. So
each accumulator sees its operands in the order of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.declared import OWN as CONSTANT
from somd.transforms.emit.declared import read_in, scalars_set
from somd.transforms.loops.making import INT64
from somd.transforms.loops.program import (
    Assign,
    Break,
    Constant,
    Continue,
    Element,
    Expression,
    If,
    Loop,
    Operation,
    Raise,
    Return,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.rewriting import with_operands
from somd.transforms.loops.walking import expressions, expressions_in, operands, reads_elements, statements_in
from somd.transforms.opencl.wide_kernels import BARRIER

#: accumulators that may stand side by side
COUNTS = (2, 4, 8, 16, 32)
#: which of them a work-item has, and its value
OWN, MINE = Variable("own'", INT64), "mine'"


@dataclass(frozen=True)
class SideBySide:
    """A loop that has accumulators side by side, and `first` in front of it, which sets them; what a work-item does
    that has one of them."""

    loop: Loop
    first: tuple[Assign, ...]
    own_first: Assign
    own_loop: Loop
    #: all that stands in front of the loop for these
    before: tuple[Statement, ...] = ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(node.target for node in self.first)

    @property
    def constants(self) -> set[str]:
        """The constants of passes that are not set any more."""
        return {name for name, _ in scalars_set((*self.before, *self.loop.body)) if CONSTANT in name}


def side_by_side(body: tuple[Statement, ...]) -> SideBySide | None:
    """The accumulators of an iteration, where it has one such loop, which all iterations come to in the same loops;
    what it stores stands in no branch or loop, and it reads nothing of it."""
    stores = [node for node in statements_in(body) if isinstance(node, Store)]
    stored = {node.element.array for node in stores}
    if any(not any(node is each for each in body) for node in stores):
        return None
    if any(
        isinstance(e, Element) and e.array in stored and e not in [s.element for s in stores]
        for e in expressions_in(body)
    ):
        return None
    found = [made for block in _blocks(body) for made in _in_block(block)]
    if len(found) != 1:
        return None
    gone = [*found[0].before, found[0].loop, *statements_in(found[0].loop.body)]
    left = [node for node in statements_in(body) if not any(node is each for each in gone)]
    asked = {name for node in left for each in expressions(node) for name in read_in(each)}
    return None if found[0].constants & asked else found[0]


def _blocks(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    """The blocks that are come to whatever happens, but for a test."""
    yield body
    for node in body:
        if isinstance(node, If):
            yield node.body
        elif isinstance(node, Loop) and _is_of_all(node):
            yield from _blocks(node.body)


def _is_of_all(loop: Loop) -> bool:
    """Whether the trips of a loop are the same wherever it stands."""
    known = all(isinstance(each, Constant) for each in (loop.start, loop.stop, loop.step))
    return known and not any(isinstance(node, Break | Continue | Return | Raise) for node in statements_in(loop.body))


def _in_block(block: Sequence[Statement]) -> Iterator[SideBySide]:
    for at, loop in enumerate(block):
        if isinstance(loop, Loop) and loop.body:
            added = _whole(loop.body)
            begin = at
            while begin and len(first := _whole(block[begin:at])) < len(added) + 1:
                begin -= 1
            while len(first := _whole(block[begin:at])) > len(added):
                begin += 1
            made = _of(loop, added, first) if len(added) in COUNTS else None
            if made is not None:
                yield replace(made, before=tuple(block[begin:at]))


def _whole(nodes: Sequence[Statement]) -> list[Statement]:
    """The statements, with what constants of passes are in place of these."""
    values: dict[str, Expression] = {}
    found: list[Statement] = []

    def inlined(node: Expression) -> Expression:
        return values[node.name] if isinstance(node, Variable) and node.name in values else with_operands(node, inlined)

    for node in nodes:
        if isinstance(node, Assign) and CONSTANT in node.target.name:
            values[node.target.name] = inlined(node.value)
        else:
            found.append(replace(node, value=inlined(node.value)) if isinstance(node, Assign) else node)
    return found


def _of(loop: Loop, all_added: Sequence[Statement], before: Sequence[Statement]) -> SideBySide | None:
    first = [node for node in before if isinstance(node, Assign)]
    added = [node for node in all_added if isinstance(node, Assign)]
    if len(first) != len(before) or len(added) != len(all_added) or len(first) != len(added):
        return None
    names = [node.target.name for node in first]
    if len(set(names)) < len(names) or names != [node.target.name for node in added]:
        return None
    terms = list[Expression]()
    for node in added:
        if (
            not isinstance(node.value, Operation)
            or len(node.value.operands) != 2
            or node.value.operands[0] != node.target
        ):
            return None
        terms.append(node.value.operands[1])
    if set(names) & (read_in(loop.start) | read_in(loop.stop)):
        return None
    kinds = {(node.target.type, node.value.type) for node in (*first, *added)}
    words = {node.value.operator for node in added if isinstance(node.value, Operation)}
    whole, term = _numbered([node.value for node in first]), _numbered(terms)
    if len(kinds) > 1 or len(words) > 1 or whole is None or term is None:
        return None
    if any({*names} & read_in(each) for each in (whole, term)):
        return None
    mine = Variable(MINE, first[0].target.type)
    assert isinstance(added[0].value, Operation)
    made = replace(added[0].value, operands=(mine, term), range=None)
    own_loop = replace(loop, body=(replace(added[0], target=mine, value=made),))
    return SideBySide(loop, tuple(first), replace(first[0], target=mine, value=whole), own_loop)


def _numbered(nodes: Sequence[Expression]) -> Expression | None:
    """An expression that is each of the nodes where `OWN` is its number; None where there is none."""
    if not reads_elements(nodes[1]):
        return None
    made = _with_number(nodes[1], nodes[2] if len(nodes) > 2 else nodes[0])
    if made is None:
        return None
    given = (_given(made, number) for number in range(len(nodes)))
    return made if all(_same(one, other) for one, other in zip(given, nodes, strict=True)) else None


def _with_number(node: Expression, other: Expression) -> Expression | None:
    """The node with `OWN` for each 1 where the other one has 2."""
    if isinstance(node, Constant) and isinstance(other, Constant):
        numbers = node.type.dtype == other.type.dtype == "int64" and (node.value, other.value) == (1, 2)
        return OWN if numbers else (node if node.value == other.value else None)
    mine, theirs = operands(node), operands(other)
    if type(node) is not type(other) or len(mine) != len(theirs):
        return None
    made = [_with_number(one, two) for one, two in zip(mine, theirs, strict=True)]
    if any(each is None for each in made):
        return None
    parts = iter(made)
    return _without_range(with_operands(node, lambda _: next(parts)))  # type: ignore[arg-type, return-value]


def _given(node: Expression, number: int) -> Expression:
    """The node with a number for `OWN`; what adds 0 is left out."""
    if node == OWN:
        return Constant(number, INT64)
    made = with_operands(node, lambda each: _given(each, number))
    if isinstance(made, Operation) and made.operator == "+" and number == 0 and OWN in operands(node):
        return made.operands[0] if operands(node)[1] == OWN else made.operands[1]
    return made


def _same(one: Expression, other: Expression) -> bool:
    """Whether two expressions are the same, whatever is known of the numbers that they are."""
    mine, theirs = operands(one), operands(other)
    if len(mine) != len(theirs) or not all(map(_same, mine, theirs)):
        return False
    if isinstance(one, Constant) or isinstance(other, Constant):
        return isinstance(one, Constant) and isinstance(other, Constant) and one.value == other.value
    bare = [_without_range(with_operands(each, lambda _: OWN)) for each in (one, other)]
    return bare[0] == bare[1]


def _without_range(node: Expression) -> Expression:
    return replace(node, range=None)


class Sharing:
    """Writes an iteration that several work-items run: `active` says in C whether there is one, `trip` which of those
    that a group runs at a time it is; `places` are in local memory, one for each of its work-items."""

    def __init__(self, found: SideBySide, lane: str, places: str, write: Statements) -> None:
        self.found, self.write, self.lane = found, write, lane
        self.count = len(found.first)
        fresh = write.scope.names.fresh
        self.active, self.all, self.taken = fresh("active"), places, fresh("taken")
        self.trip = f"{lane} / {self.count}"
        self.own, self.mine = write.scope.text_of(OWN.name), write.scope.text_of(MINE)
        write.line(f"const long {self.own} = {lane} % {self.count};")

    def has(self, node: Statement) -> bool:
        """Whether the accumulators are in a statement."""
        return any(each is self.found.loop for each in statements_in((node,)))

    def block(self, body: Sequence[Statement]) -> None:
        """A block that has the accumulators in it."""
        write, waiting = self.write, list[Statement]()
        at = next((k for k, node in enumerate(body) if node is self.found.loop), None)
        if at is not None:
            self.exchanged((), body, ())
            return
        for node in body:
            if not self.has(node):
                waiting.append(node)
                continue
            self.where_active(waiting)
            waiting = []
            if isinstance(node, If):
                self.exchanged((node,), node.body, node.orelse)
                continue
            assert isinstance(node, Loop)
            name, (start, stop, step) = write.scope.text_of(node.variable.name), _numbers(node)
            test = f"{name} {'<' if step > 0 else '>'} {stop}"
            with write.braces(f"for (long {name} = {start}; {test}; {name} += {step})"):
                self.block(node.body)
        self.where_active(waiting)

    def where_active(self, body: Sequence[Statement]) -> None:
        if not body:
            return
        write = self.write
        with write.braces(f"if ({self.active})"):
            for node in body:
                if isinstance(node, Store):
                    write.line(f"if ({self.own} == 0)")
                    write.depth += 1
                write.block((node,))
                if isinstance(node, Store):
                    write.depth -= 1

    def exchanged(self, test: Sequence[If], body: Sequence[Statement], orelse: Sequence[Statement]) -> None:
        """A block with the loop: each work-item has one accumulator; then all know all of them."""
        write, found = self.write, self.found
        at = next(k for k, node in enumerate(body) if node is found.loop)
        kind, dtype = CTYPES[found.first[0].target.type.dtype], found.first[0].target.type.dtype
        with write.braces():
            asked = [f"({write.value(each.test).text})" for each in test]
            write.line(f"const int {self.taken} = {' && '.join([self.active, *asked])};")
            write.line(f"{kind} {self.mine} = {zero(dtype)};")
            with write.braces(f"if ({self.taken})"):
                write.block(tuple(body[: at - len(found.before)]))
                write.block((found.own_first,))
                write.block((found.own_loop,))
            write.line(BARRIER)
            write.line(f"{self.all}[{self.lane}] = {self.mine};")
            write.line(BARRIER)
            with write.braces(f"if ({self.taken})"):
                for number, each in enumerate(found.variables):
                    write.line(f"{write.scope.value(each).text} = {self.all}[{self.lane} - {self.own} + {number}];")
                write.block(tuple(body[at + 1 :]))
            if orelse:
                with write.braces(f"if ({self.active} && !{self.taken})"):
                    write.block(tuple(orelse))


def _numbers(loop: Loop) -> tuple[int, int, int]:
    start, stop, step = (
        int(each.value.real) for each in (loop.start, loop.stop, loop.step) if isinstance(each, Constant)
    )
    return start, stop, step
