"""Loops inside an iteration of which one trip touches what the others read, in three pieces: two free loops around it.

    >>> before_and_after(index_set_splitting, '''
    ... def cleared(a: A):
    ...     for k in range(a.shape[1]):
    ...         for i in range(a.shape[0]):
    ...             for j in range(a.shape[1]):
    ...                 a[i, j] -= a[i, k]
    ... ''', master=True, a="float64[:, :]")
    for k from 0 to length(a, 1), reach 0
        region 1, line 3
            takes a, k
            writes a
            free i from 0 to length(a, 0)
                for j from 0 to length(a, 1)
                    a[i, j] = a[i, j] - a[i, k]
    ->
    for k from 0 to length(a, 1), reach 0
        region 1, line 3
            takes a, k
            writes a
            free i from 0 to length(a, 0)
                free j from 0 to min(k, length(a, 1))
                    a[i, j] = a[i, j] - a[i, k]
                if (0 <= k) and (k < length(a, 1))
                    a[i, k] = a[i, k] - a[i, k]
                free j from max(0, k + 1) to length(a, 1)
                    a[i, j] = a[i, j] - a[i, k]

The front end does this with loops that are distributed (`frontend/index_set_splitting.py`); this is for devices that
run a loop of an iteration side by side, too. A trip writes the elements that have its number along one axis, and reads
of these arrays elements that have it there, too, or one number that stays: that of the trip between the pieces. So
neither of the two others has trips that meet, whatever the other indexes are. The order of the pieces is that of the
trips.

It is done where the loop's step is 1, no access of it is tested, it hands no scalar on, and nothing reads its variable
behind it. An array has one name.
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.loops.making import operation, whole_number
from somd.transforms.loops.program import (
    Assign,
    Element,
    Expression,
    If,
    Loop,
    Program,
    Proved,
    Region,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.rewriting import each_region, renamed, with_bodies
from somd.transforms.loops.rows import is_steady
from somd.transforms.loops.scopes import assigned, exposed_in, read_beside
from somd.transforms.loops.walking import called, expressions_in, statements_in

Block = tuple[Statement, ...]


def index_set_splitting(program: Program) -> Program:
    """The program with such loops, of regions of one loop, in pieces."""
    return each_region(program, _with_split_loops)


def _with_split_loops(region: Region) -> Region:
    taken = region.aliased or region.relaxed or region.ordered_if or region.carried or region.combined
    if region.depth != 1 or taken or region.reductions or region.local_arrays or region.partition is not None:
        return region
    made: list[Statement] = []
    for node in region.body:
        made += _pieces(node, region) if isinstance(node, Loop) and node.order != "free" else [node]
    if len(made) == len(region.body):
        return region
    whole = with_bodies(region, lambda _: tuple(made))
    assert isinstance(whole, Region)
    return whole


def _pieces(loop: Loop, region: Region) -> list[Statement]:
    """The loop as it stands, or its pieces."""
    trip, body = loop.variable, loop.body
    counts = loop.by == 1
    changed = assigned((loop,))
    plain = all(isinstance(node, Assign | Store | If) for node in statements_in(body)) and not called(body)
    steady = is_steady(loop.start, changed) and is_steady(loop.stop, changed)
    alone = not changed & read_beside(region.body, loop) and not exposed_in(body) & assigned(body)
    point = _point(loop) if counts and plain and steady and alone and trip.name not in assigned(body) else None
    if point is None or point.type != trip.type:
        return [loop]
    first = replace(loop, stop=operation("min", point, loop.stop), order="free")
    behind = operation("+", point, whole_number(1))
    last = replace(loop, start=operation("max", loop.start, behind), order="free")
    test = operation("and", operation("<=", loop.start, point), operation("<", point, loop.stop))
    middle = If(test, renamed(body, {}, {trip.name: point}), (), loop.origin)
    return [first, middle, last]


def _point(loop: Loop) -> Expression | None:
    """The trip that touches what others read, where there is one."""
    changed, trip = assigned((loop,)), loop.variable.name
    elements = [each for each in expressions_in(loop.body) if isinstance(each, Element)]
    stored = [node.element for node in statements_in(loop.body) if isinstance(node, Store)]
    if not all(isinstance(each.access, Proved) and each.relaxed is None for each in (*elements, *stored)):
        return None
    points: set[Expression] = set()
    for array in {each.array for each in stored}:
        axis = _axis([each for each in stored if each.array == array], trip)
        if axis is None:
            return None
        for index in (each.indices[axis] for each in elements if each.array == array):
            if _is(index, trip):
                continue
            if not is_steady(index, changed):
                return None
            points.add(index)
    return points.pop() if len(points) == 1 else None


def _axis(stored: list[Element], trip: str) -> int | None:
    """The axis along which all these elements have the number of the trip."""
    for axis in range(len(stored[0].indices)):
        if all(_is(each.indices[axis], trip) for each in stored):
            return axis
    return None


def _is(index: Expression, trip: str) -> bool:
    return isinstance(index, Variable) and index.name == trip
