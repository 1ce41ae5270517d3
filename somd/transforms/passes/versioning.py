"""Loops that test accesses where they happen get a version without tests, for where all accesses are inside.

    >>> before_and_after(versioning, '''
    ... def halves(x: A, y: A, stride: int):
    ...     for j in range(y.shape[0]):
    ...         for k in range(stride):
    ...             y[j] += x[2 * j * stride + k]
    ... ''', x="float64[:]", y="float64[:]", stride="int64")  # doctest: +ELLIPSIS
    for k from 0 to stride
        y[j] = y[j] + x[test ((2 * j) * stride) + k]
    ->
    if (((((2 * j) * stride) >= 0) and (((2 * j) * stride) < length(x, 0))) and ...
        for k from 0 to stride
            y[j] = y[j] + x[((2 * j) * stride) + k]
    else
        for k from 0 to stride
            y[j] = y[j] + x[test ((2 * j) * stride) + k]

A test in each trip keeps a loop from being vectorised, and other passes from touching it. Where an index is a variable
of a loop, plus or minus something that stays, it is inside in all trips if it is for the first and the last one, which
is asked once before the outermost loop that leaves the rest of the index alone. An index that counts from the end, or
is outside, is left to the loop as it was.

It is done where a loop adds to something: that is what other passes then hold in registers, and take in tiles.

In an innermost loop, accesses whose indexes are found in the loop (`x[column[k]]`) go on being tested in both versions.
An index may be made of elements that stay. These are proved to be inside only where they are read, so it is asked first
whether the loops around them have trips.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import product

from somd.transforms.loops.making import INT64, length, operation, whole_number
from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Constant,
    Copy,
    Element,
    Expression,
    HelperCall,
    If,
    Interval,
    Loop,
    Operation,
    Origin,
    Program,
    Proved,
    Rebind,
    Region,
    Statement,
    Store,
    Tested,
    Variable,
    While,
)
from somd.transforms.loops.ranges import LONGEST
from somd.transforms.loops.rewriting import each_region, each_statement, renamed, with_bodies, with_operands
from somd.transforms.loops.scopes import assigned, exposed_in, read, set_by
from somd.transforms.loops.varying import limits
from somd.transforms.loops.walking import bodies, expressions, inside, operands, reads_elements, statements_in
from somd.transforms.passes.strip_guards import proved_in, where_inside

Block = tuple[Statement, ...]
#: comparisons before a loop, at most
TESTS = 32


def versioning(program: Program) -> Program:
    """The program with such versions of loops."""

    def of_region(region: Region) -> Region:
        if region.relaxed or where_inside(region) is not None:  # which strips ask for the whole region
            return region
        made = with_bodies(region, _versions)
        assert isinstance(made, Region)
        return made

    return each_region(program, of_region)


def _versions(body: Block) -> Block:
    made: list[Statement] = []
    for node in body:
        versions = _Versions(node) if isinstance(node, Loop) and _accumulates(node) else None
        test = None if versions is None else versions.test()
        if versions is None or test is None:
            made.append(with_bodies(node, _versions))
        else:
            assert isinstance(node, Loop)
            origin = Origin(node.origin.position, node.origin.comments)
            slow = replace(node, origin=replace(node.origin, comments=()))
            fast = versions.fast(replace(slow, body=each_statement(node.body, partial(proved_in, left=versions.left))))
            made.append(If(test, (fast,), (slow,), origin))
    return body if all(new is old for new, old in zip(made, body, strict=True)) else tuple(made)


def _accumulates(loop: Loop) -> bool:
    """Whether a loop hands scalars or elements from trip to trip, or one in it does: others gain nothing by it."""
    loops = [node for node in statements_in((loop,)) if isinstance(node, Loop)]
    stores = [node for node in statements_in(loop.body) if isinstance(node, Store)]
    chained = any(exposed_in(each.body) & assigned(each.body) for each in loops)
    return chained or any(node.element in inside(node.value) for node in stores)


@dataclass(frozen=True)
class _Access:
    """A tested access in a loop, with the loops around it from that on; `always` if no condition is around it."""

    element: Element
    loops: tuple[Loop, ...]
    always: bool


class _Versions:
    """When all accesses of a loop are inside."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        nodes = list(statements_in((loop,)))
        self.changed = assigned((loop,))
        #: elements that are tested in both versions
        self.left: set[Element] = set()
        self.innermost = not any(isinstance(node, Loop) for node in statements_in(loop.body))
        self.arrays = {node.element.array for node in nodes if isinstance(node, Store)}
        #: arrays that are made in the loop
        self.made = {node.array for node in nodes if isinstance(node, Allocate | AllocateLike | Copy)}
        self.made |= {name for node in nodes if isinstance(node, Rebind) for name in node.targets}
        #: the loops that set a variable, where nothing else does
        self.loops: dict[str, list[Loop]] = {}
        others = {name for node in nodes if not isinstance(node, Loop) for name in set_by(node)}
        for node in nodes:
            if isinstance(node, Loop) and node.variable.name not in others:
                self.loops.setdefault(node.variable.name, []).append(node)

    def test(self) -> Expression | None:
        """What tells that before the loop; None where nothing does, or no access is tested."""
        trips: dict[Expression, None] = {}
        found: dict[Expression, None] = {}
        for access in _tested(self.loop.body, (self.loop,), True):
            known = [self.corners(index, access) for index in access.element.indices]
            if None in known or access.element.array in self.made or access.element.relaxed is not None:
                if not self.innermost:
                    return None
                self.left.add(access.element)
                continue
            for axis, (index, corners) in enumerate(zip(access.element.indices, known, strict=True)):
                assert corners is not None
                if reads_elements(index):
                    trips.update(dict.fromkeys(map(_has_trips, access.loops)))
                for each in corners:
                    if each.range is not None and each.range.high < 0:
                        return None
                    if each.range is None or each.range.low < 0:
                        found[operation(">=", each, whole_number(0))] = None
                    found[operation("<", each, length(access.element.array, axis))] = None
        if self.asks_for_few() and found:
            found[operation(">=", _lowest(self.loop), whole_number(0))] = None
        tests = [*(each for each in trips if not _is_certain(each)), *found]
        return reduce(lambda one, other: operation("and", one, other), tests) if 0 < len(tests) <= TESTS else None

    def asks_for_few(self) -> bool:
        """Whether it is asked that the loop's variable is not below 0."""
        return self.innermost and isinstance(self.loop.step, Constant) and not _is_few(self.loop)

    def fast(self, loop: Loop) -> Loop:
        """The version without tests, its variable between what has been asked of it where that is an index itself."""
        tested = _tested(self.loop.body, (self.loop,), True)
        indexes = {index for each in tested if each.element not in self.left for index in each.element.indices}
        if not self.asks_for_few() or self.loop.variable not in indexes or loop.variable.name in assigned(loop.body):
            return loop
        place = replace(loop.variable, range=Interval(0, LONGEST))
        return replace(loop, variable=place, body=renamed(loop.body, {}, {place.name: place}))

    def corners(self, index: Expression, access: _Access) -> list[Expression] | None:
        """The index where its loop variables are first and last; None where it is not known before the loop."""
        names = sorted(read(index) & self.changed)
        if index.type != INT64 or not self.may_be_asked(index, access):
            return None
        ends: list[list[dict[str, Expression]]] = []
        for name in names:
            loops = self.loops.get(name, [])
            if not loops or not _once(index, name) or not all(map(self.is_known, loops)):
                return None
            ends.append([{name: each} for loop in loops for each in _ends(loop)])
        made = []
        for corner in product(*ends):
            made.append(_at(index, {name: each for end in corner for name, each in end.items()}))
        return made

    def is_known(self, loop: Loop) -> bool:
        """Whether the limits of a loop stay, and it has fewer trips than there are whole numbers above 0. Of the loop
        itself they are taken once, so that they may be elements; whether it has so few trips is asked."""
        parts = [each for limit in limits(loop) for each in inside(limit)]
        if not isinstance(loop.step, Constant) or any(isinstance(each, HelperCall) for each in parts):
            return False
        if loop is self.loop and self.innermost:
            elements = (each for each in parts if isinstance(each, Element))
            return all(isinstance(each.access, Proved) and each.relaxed is None for each in elements)
        stay = read(*limits(loop)).isdisjoint(self.changed) and not any(isinstance(each, Element) for each in parts)
        return stay and _is_few(loop)

    def may_be_asked(self, index: Expression, access: _Access) -> bool:
        """Whether the index may be computed before the loop: what elements it has stay, and are inside."""
        for each in inside(index):
            if isinstance(each, HelperCall):
                return False
            if isinstance(each, Element):
                stays = each.array not in self.arrays | self.made and read(each).isdisjoint(self.changed)
                known = isinstance(each.access, Proved) and each.relaxed is None and access.always
                if not stays or not known or not all(map(self.is_known, access.loops)):
                    return False
        return True


def _tested(body: Block, loops: tuple[Loop, ...], always: bool) -> Iterator[_Access]:
    for node in body:
        tops = (*expressions(node), *([node.element] if isinstance(node, Store) else ()))
        for each in (part for top in tops for part in inside(top)):
            if isinstance(each, Element) and isinstance(each.access, Tested):
                yield _Access(each, loops, always and not _is_conditional(node))
        inner = (*loops, node) if isinstance(node, Loop) else loops
        for block in bodies(node):
            yield from _tested(block, inner, always and not isinstance(node, If | While))


def _is_conditional(node: Statement) -> bool:
    """Whether a statement may not evaluate all of its expressions."""
    found = (each for top in expressions(node) for each in inside(top))
    return any(not isinstance(each, Element | Variable | Constant | Operation) or _is_lazy(each) for each in found)


def _is_lazy(node: Expression) -> bool:
    return isinstance(node, Operation) and node.operator in ("and", "or")


def _once(index: Expression, name: str) -> bool:
    """Whether an index is the variable, plus or minus something that does not have it."""
    if isinstance(index, Variable):
        return index.name == name
    parts = [each for each in operands(index) if name in read(each)]
    plain = isinstance(index, Operation) and index.operator in ("+", "-", "neg")
    return plain and len(parts) == 1 and _once(parts[0], name)


def _at(index: Expression, values: Mapping[str, Expression]) -> Expression:
    """An index for values of variables; its interval is what these make it, whether the loop has trips or not."""
    if isinstance(index, Variable):
        return values.get(index.name, index)
    made = with_operands(index, lambda each: _at(each, values))
    if isinstance(made, Operation) and made is not index:
        made = operation(made.operator, *made.operands)
    nothing = isinstance(made, Operation) and made.operator in ("+", "-") and made.operands[1] == whole_number(0)
    return operands(made)[0] if nothing else made


def _ends(loop: Loop) -> tuple[Expression, Expression]:
    """The first value of a loop's variable, and the last one, or one beyond it."""
    assert isinstance(loop.step, Constant)
    up = loop.step.value.real > 0
    return loop.start, operation("-" if up else "+", loop.stop, whole_number(1))


def _lowest(loop: Loop) -> Expression:
    """The limit below which no trip's variable is, but for one beyond the last of a loop that counts down."""
    assert isinstance(loop.step, Constant)
    return loop.start if loop.step.value.real > 0 else loop.stop


def _is_few(loop: Loop) -> bool:
    """Whether a loop is known to have fewer trips than there are whole numbers above 0."""
    lowest = _lowest(loop).range
    return lowest is not None and lowest.low >= -1


def _has_trips(loop: Loop) -> Expression:
    assert isinstance(loop.step, Constant)
    return operation("<" if loop.step.value.real > 0 else ">", loop.start, loop.stop)


def _is_certain(test: Expression) -> bool:
    """Whether a comparison of constants holds."""
    found = [each.value.real for each in operands(test) if isinstance(each, Constant)]
    up = isinstance(test, Operation) and test.operator == "<"
    return len(found) == 2 and (found[0] < found[1] if up else found[0] > found[1])
