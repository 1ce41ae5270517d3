"""Conditions, asked once for a region, under which accesses that are tested where they happen are inside.

In: a region, some accesses of which stand under conditions, so that nothing was proved of them before the loops. Out:
comparisons of lengths and limits of loops, and the body in which these accesses are proved; nothing where an index is
not the variable of a loop whose limits are known before the region, plus a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

from somd.transforms.loops.making import length, operation, variable, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.printer import expression_text
from somd.transforms.loops.program import (
    PROVED,
    Assign,
    Constant,
    Element,
    Expression,
    FromEnd,
    If,
    Length,
    Loop,
    Operation,
    Origin,
    Proved,
    Region,
    Statement,
    Store,
    Tested,
    Variable,
)
from somd.transforms.loops.ranges import whole
from somd.transforms.loops.rewriting import each_statement, with_bodies, with_expressions, with_operands
from somd.transforms.loops.scopes import assigned, read, set_by
from somd.transforms.loops.varying import Varying, limits
from somd.transforms.loops.walking import asks, expressions_in, statements_in
from somd.transforms.passes.register_accumulation import with_variable

Block = tuple[Statement, ...]


@dataclass(frozen=True)
class Guarded:
    """A body of a region in which every access is proved, where the conditions hold; `anywhere` are elements that are
    inside in all trips of the loops around them, whatever conditions they stand under."""

    body: Block
    conditions: tuple[Expression, ...] = ()
    anywhere: frozenset[Element] = frozenset()


def where_inside(region: Region) -> Guarded | None:
    """The region's body, and where all its accesses are inside; None where that is not known, or some count from the
    end."""
    elements = {each for each in expressions_in(region.body) if isinstance(each, Element)}
    if any(isinstance(each.access, FromEnd) for each in elements):
        return None
    tested = [each for each in elements if isinstance(each.access, Tested)]
    loops = _known_loops(region)
    found: dict[Expression, None] = {}
    for element in tested:
        for axis, index in enumerate(element.indices):
            conditions = _of_index(index, element.array, axis, loops)
            if conditions is None:
                return None
            found.update(dict.fromkeys(conditions))
    anywhere = frozenset(each for each in elements if isinstance(each.access, Proved) and _always_inside(each, loops))
    if not tested:
        return Guarded(region.body, anywhere=anywhere)
    made = each_statement(region.body, proved_in)
    conditions = tuple(sorted(found, key=expression_text))
    return Guarded(made, conditions, anywhere.union(replace(each, access=PROVED) for each in tested))


def _always_inside(element: Element, loops: Mapping[str, list[Loop]]) -> bool:
    """Whether nothing need be asked: each index counts through its axis."""
    conditions = [_of_index(index, element.array, axis, loops) for axis, index in enumerate(element.indices)]
    return all(each is not None and all(map(_holds, each)) for each in conditions)


def _holds(condition: Expression) -> bool:
    """Whether the limits of a loop are those of an axis, as they are written."""
    assert isinstance(condition, Operation)
    ours, bound = condition.operands
    if isinstance(ours, Constant):
        return condition.operator == ">=" and ours.value.real >= 0
    if not isinstance(ours, Length) or not isinstance(bound, Length):
        return False
    return condition.operator == "<=" and (ours.array, ours.axis) == (bound.array, bound.axis)


def proved(node: Expression, left: Collection[Element] = ()) -> Expression:
    """An expression whose tested accesses are proved, but for those that are `left`; those that may count from the end
    go on doing so."""
    made = with_operands(node, partial(proved, left=left))
    return _proved(made) if isinstance(made, Element) and node not in left else made


def proved_in(node: Statement, left: Collection[Element] = ()) -> Statement:
    made = with_expressions(node, partial(proved, left=left))
    if not isinstance(node, Store) or not isinstance(made, Store) or node.element in left:
        return made
    return replace(made, element=_proved(made.element))


def _proved(element: Element) -> Element:
    return replace(element, access=PROVED) if isinstance(element.access, Tested) else element


def read_before(guarded: Guarded, varying: Varying, names: NewNames) -> Block:
    """The body with elements that are the same for all lanes read before the conditions under which they are needed:
    processors do not load under a condition for some lanes what they can load for all."""

    def block(body: Block) -> Block:
        made: list[Statement] = []
        for node in body:
            if isinstance(node, If) and varying(node.test):
                found = (each for each in expressions_in((node,)) if isinstance(each, Element))
                whole_: Block = (node,)
                for element in dict.fromkeys(found):
                    if element in guarded.anywhere and not varying(element):
                        place = variable(names.name(element.array), element.type)
                        made.append(Assign(place, element, Origin(node.origin.position)))
                        whole_ = with_variable(whole_, element, place)
                made += whole_
            else:
                made.append(with_bodies(node, block))
        return body if all(new is old for new, old in zip(made, body, strict=False)) else tuple(made)

    return block(guarded.body) if guarded.anywhere else guarded.body


def read_once(guarded: Guarded, region: Region, wanted: Callable[[Element], bool], names: NewNames) -> Guarded:
    """The body with those of the elements `wanted` that are the same for all trips of a loop inside read before it, and
    what must hold for it, since the loop may have no trips: their indexes are constants, or as those of tested ones."""
    known, conditions = _known_loops(region), dict.fromkeys(guarded.conditions)

    def block(body: Block) -> Block:
        made = [
            part for node in body for part in (loop(node) if isinstance(node, Loop) else (with_bodies(node, block),))
        ]
        return body if all(new is old for new, old in zip(made, body, strict=False)) else tuple(made)

    def loop(node: Loop) -> Block:
        moved, origin = assigned((node,)), Origin(node.origin.position)
        changed: Block = (node,)
        reads: list[Statement] = []
        for element in dict.fromkeys(each for each in expressions_in((node,)) if isinstance(each, Element)):
            alike = isinstance(element.access, Proved) and read(*element.indices).isdisjoint(moved)
            asked = inside_all(element) if alike and wanted(element) else None
            if asked is not None:
                conditions.update(dict.fromkeys(each for each in asked if not _holds(each)))
                place = variable(names.name(element.array), element.type)
                reads.append(Assign(place, element, origin))
                changed = with_variable(changed, element, place)
        return (*reads, *changed)

    def inside_all(element: Element) -> list[Expression] | None:
        found: list[Expression] = []
        for axis, index in enumerate(element.indices):
            fixed = isinstance(index, Constant) and index.value.real >= 0
            least = operation("<", index, length(element.array, axis))
            asked = (least,) if fixed else _of_index(index, element.array, axis, known)
            if asked is None:
                return None
            found += asked
        return found

    made = block(guarded.body)
    if made is guarded.body:
        return guarded
    return replace(guarded, body=made, conditions=tuple(sorted(conditions, key=expression_text)))


def _known_loops(region: Region) -> Mapping[str, list[Loop]]:
    """By their variables, which nothing else sets: loops that count by one between limits that hold for the region."""
    inner = [node for node in statements_in(region.body) if isinstance(node, Loop)]
    others = {name for node in statements_in(region.body) if not isinstance(node, Loop) for name in set_by(node)}
    known: dict[str, list[Loop]] = {}
    for loop in (*region.loops, *inner):
        name = loop.variable.name
        steps = loop.by == 1
        before = read(*limits(loop)) <= set(region.scalars) and not any(map(asks, limits(loop)))
        if not steps or not before:
            others.add(name)
        known.setdefault(name, []).append(loop)
    return {name: loops for name, loops in known.items() if name not in others}


def _of_index(
    index: Expression, array: str, axis: int, loops: Mapping[str, list[Loop]]
) -> tuple[Expression, ...] | None:
    """Where an index is inside its array for all trips of the loop whose variable it has."""
    offset, counter = 0, index
    if isinstance(index, Operation) and index.operator in ("+", "-") and isinstance(index.operands[1], Constant):
        counter = index.operands[0]
        offset = int(index.operands[1].value.real) * (1 if index.operator == "+" else -1)
    if not isinstance(counter, Variable) or counter.name not in loops:
        return None
    found: list[Expression] = []
    for loop in loops[counter.name]:
        ends = [operation("+", each, whole_number(offset)) if offset else each for each in (loop.start, loop.stop)]
        if any(each.range is None or (offset and each.range == whole(each.type)) for each in ends):
            return None
        first, last = ends
        if first.range is None or first.range.low < 0:
            found.append(operation(">=", first, whole_number(0)))
        found.append(operation("<=", last, length(array, axis)))
    return tuple(found)
