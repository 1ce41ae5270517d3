"""Some trips of a loop at once for each trip of the loop in it, so that what they update stays in registers.

    >>> from functools import partial
    >>> before_and_after(partial(unroll_and_jam, trips=2, streams=2, most=32, shared=8), '''
    ... def updates(a: A, b: np.ndarray, c: A):
    ...     for i in range(c.shape[0]):
    ...         for k in range(a.shape[1]):
    ...             for j in range(c.shape[1]):
    ...                 c[i, j] += a[i, k] * b[k, j]
    ... ''', a="float64[:, :]", b="float64[:, :]", c="float64[:, :]")
    for k from 0 to length(a, 1)
        for j from 0 to length(c, 1)
            c[i, j] = c[i, j] + (a[i, k] * b[k, j])
    ->
    for k from 0 to length(a, 1) - 1 by 2
        for j from 0 to length(c, 1)
            c_held'1: float64 = c[i, j]
            c_held'1: float64 = c_held'1 + (a[i, k] * b[k, j])
            c_held'1: float64 = c_held'1 + (a[i, k + 1] * b[k + 1, j])
            c[i, j] = c_held'1
    for k from (length(a, 1) // 2) * 2 to length(a, 1)
        for j from 0 to length(c, 1)
            c[i, j] = c[i, j] + (a[i, k] * b[k, j])

An element is loaded and stored once for some trips of the outer loop, which it sees in their order: so each sum keeps
its bits. The loop inside may be the lanes of a strip, which have nothing to do with each other, or one whose trips
reach, of the arrays that they store to, elements of their own in all trips of the outer loop: there is an axis on which
each access has the inner loop's variable, plus something that stays.

It is done where the inner loop adds to something that the outer one does not choose, and `trips` trips, or as many as
are a power of 2, have `most` operations. Around lanes there are `streams` of them, since each reads memory of its own,
and then `trips` of those that are left. Where lanes first load what rows of a tile share, they have `shared` at most
that differ by lane: a tile then has all its rows, and such loads, from anywhere, are made once for all of them. What is
set before the inner loop, such as a factor of a row, gets a name for each of the trips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import libcst as cst

from somd.transforms.loops.apart import have_their_own, reads_of
from somd.transforms.loops.making import operation, variable, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    NOWHERE,
    Assign,
    Constant,
    Element,
    Expression,
    HelperCall,
    Interval,
    Lanes,
    Loop,
    Operation,
    Origin,
    Program,
    Region,
    Statement,
    Store,
)
from somd.transforms.loops.rewriting import each_region, each_statement, renamed, with_bodies
from somd.transforms.loops.rows import is_steady
from somd.transforms.loops.scopes import assigned, exposed_in, read, set_by
from somd.transforms.loops.varying import Varying, is_straight, limits, of_lanes
from somd.transforms.loops.walking import (
    expressions,
    expressions_in,
    inside,
    origin_of,
    outside_indexes,
    statements_in,
    tested_in,
)
from somd.transforms.passes.register_accumulation import with_variable

Block = tuple[Statement, ...]


def unroll_and_jam(program: Program, trips: int, streams: int, most: int, shared: int) -> Program:
    """The program with so many trips of such loops at once."""
    names = NewNames(program)

    def of_region(region: Region) -> Region:
        if region.relaxed or region.packed is not None:
            return region
        if region.strips is None:
            made = with_bodies(region, lambda body: _Jamming(region, body, names, trips, trips, most).block(body))
            assert isinstance(made, Region)
            return made
        jamming = _Jamming(region, region.strips.body, names, trips, streams, most)
        if region.tiled >= 0 and region.strips.always:
            jamming.shared, jamming.lanes = shared, Varying(region, region.strips.body, loop=region.loops[-1])
        body = jamming.block(region.strips.body)
        return region if body is region.strips.body else replace(region, strips=replace(region.strips, body=body))

    return each_region(program, of_region)


class _Jamming:
    """The loops of one body of a region."""

    def __init__(self, region: Region, body: Block, names: NewNames, trips: int, streams: int, most: int) -> None:
        self.names = names
        self.trips = trips
        self.streams = streams
        self.most = most
        #: where strips may be in tiles, the most operations of lanes that load first, and what differs by lane
        self.shared: int | None = None
        self.lanes: Varying | None = None
        self.aliased = region.aliased
        #: how often each name is read in the body
        self.reads = reads_of(body)

    def block(self, body: Block) -> Block:
        made: list[Statement] = []
        for node in body:
            inner = with_bodies(node, self.block)
            made += (self.jammed(inner) if isinstance(inner, Loop) else ()) or (inner,)
        return body if all(new is old for new, old in zip(made, body, strict=False)) else tuple(made)

    def jammed(self, loop: Loop) -> Block:
        """Some trips of the loop at once, then those that are left; nothing where it is no such loop."""
        if not loop.body:  # `pass`
            return ()
        *before, last = loop.body
        if not isinstance(last, Loop | Lanes) or not counts_by_one(loop) or not self.may_take_turns(loop, before, last):
            return ()
        trips = as_many(self.streams if isinstance(last, Lanes) else self.trips, self.most, last.body)
        if self.shared is not None and self.lanes is not None and any(isinstance(node, Lanes) for node in before):
            trips = as_many(min(trips, self.trips), self.shared, last.body, self.lanes)
        known = loop.variable.range
        if trips < 2 or known is None or known.high - known.low < trips or not self.gains(loop, last):
            return ()
        whole, upto = cut(loop, trips)
        made = [self.at_once(replace(loop, stop=whole), trips)]
        rest = replace(loop, start=upto, body=again(loop.body), hull=None, origin=Origin(loop.origin.position))
        if trips > self.trips:
            _, upto = cut(loop, self.trips)
            made.append(self.at_once(replace(rest, stop=upto), self.trips))
            rest = replace(rest, start=upto)
        return *made, rest

    def at_once(self, loop: Loop, trips: int) -> Loop:
        """The loop, with so many of its trips at once."""
        *before, last = loop.body
        assert isinstance(last, Loop | Lanes) and loop.variable.range is not None
        low, high = loop.variable.range.low, loop.variable.range.high
        first = replace(loop.variable, range=Interval(low, high - (trips - 1)))
        sets: list[Statement] = []
        work: list[Statement] = []
        loads, loaded = last.loaded if isinstance(last, Lanes) else (), []
        for k in range(trips):
            place = operation("+", first, whole_number(k)) if k else first
            values, own = {first.name: place}, self.own_names(before) if k else {}
            first_time = (renamed(tuple(before), own, values), renamed(last.body, own, values))
            mine = map(again, first_time) if k else first_time
            for made, block in zip((sets, work), mine, strict=True):
                made += block
            loaded += [replace(each, name=own.get(each.name, each.name)) for each in loads]
        last = replace(last, body=self.held(tuple(work)))
        if isinstance(last, Lanes):
            last = replace(last, loaded=tuple(dict.fromkeys(loaded)))
        return replace(loop, variable=first, step=whole_number(trips), hull=None, body=(*_together(sets), last))

    def own_names(self, before: list[Statement]) -> dict[str, str]:
        return {name: self.names.name(name.partition("'")[0]) for name in sorted(assigned(tuple(before)))}

    # --- whether it may be done -----------------------------------------------------------------------------------

    def may_take_turns(self, loop: Loop, before: list[Statement], last: Loop | Lanes) -> bool:
        """Whether each trip of the loop inside may take its turn of some trips of the outer one before the next."""
        values = list(expressions_in(loop.body))
        calls = any(isinstance(each, HelperCall) for each in values)
        if calls or any(tested_in(values)):
            return False
        if not is_straight(last.body) or any(isinstance(node, Loop) or of_lanes(node) for node in last.body):
            return False
        # read behind the loop it would be that of the first trip of those at once
        name = loop.variable.name
        if name in assigned(loop.body) or self.reads[name] or not self.are_set_first(loop, before, last):
            return False
        return isinstance(last, Lanes) or (not self.aliased and self.are_apart(loop, last))

    def are_set_first(self, loop: Loop, before: list[Statement], last: Loop | Lanes) -> bool:
        """Whether statements before the loop inside set scalars for this trip alone, by what that loop leaves alone."""
        stored = {node.element.array for node in statements_in(last.body) if isinstance(node, Store)}
        own, inner = assigned(tuple(before)), assigned((last,))
        known: set[str] = set()
        for node in _with_loads(before):
            if not isinstance(node, Assign) or not (read(node.value) & own) <= known:
                return False
            elements = {each.array for each in inside(node.value) if isinstance(each, Element)}
            if elements & stored or read(node.value) & inner or node.target.name in inner:
                return False
            known |= set_by(node)
        return self.are_its_own(own, loop)

    def are_its_own(self, names: set[str], loop: Loop) -> bool:
        """Whether names are read in the loop alone."""
        mine = reads_of(loop.body)
        return all(mine[name] == self.reads[name] for name in names)

    def are_apart(self, loop: Loop, inner: Loop) -> bool:
        """Whether each trip of the loop inside, in all trips of the outer one, has scalars and elements of its own."""
        own = assigned(inner.body)
        if exposed_in(inner.body) & own or not self.are_its_own({*own, inner.variable.name}, loop):
            return False
        steady = all(is_steady(each, assigned((loop,))) for each in limits(inner))
        return steady and have_their_own(loop, inner.variable.name)

    # --- whether it gains -----------------------------------------------------------------------------------------

    def gains(self, loop: Loop, last: Loop | Lanes) -> bool:
        """Whether each trip of the loop inside adds to what the trips of the outer one have in common."""
        if isinstance(last, Lanes) and {each.name for each in last.loaded} & {each.name for each in last.stored}:
            return True
        return not self.aliased and any(True for _ in updated(last.body, assigned((loop,)) - assigned((last,))))

    def held(self, body: Block) -> Block:
        """The statements with the elements that they update in variables."""
        if self.aliased:
            return body
        for element in list(updated(body, set())):
            place = variable(self.names.name(f"{element.array}_held"), element.type)
            body = (Assign(place, element), *with_variable(body, element, place), Store(element, place))
        return body


def _with_loads(body: list[Statement]) -> Iterator[Statement]:
    """The statements, with those of lanes that take nothing from others in their place."""
    for node in body:
        yield from node.body if isinstance(node, Lanes) and not node.loaded else (node,)


def _together(body: list[Statement]) -> Block:
    """The statements, with lanes that load as one."""
    lanes = [node for node in body if isinstance(node, Lanes)]
    if len(lanes) < 2 or len(lanes) < len(body):
        return tuple(body)
    stored = tuple(variable for node in lanes for variable in node.stored)
    return (Lanes((), stored, tuple(each for node in lanes for each in node.body)),)


def counts_by_one(loop: Loop) -> bool:
    """Whether a loop counts by one between limits that stay, and these are not too far from each other to subtract."""
    if loop.by != 1 or loop.start.range is None:
        return False
    changed = {*assigned(loop.body), loop.variable.name}
    return loop.start.range.low >= 0 and is_steady(loop.start, changed) and is_steady(loop.stop, changed)


def cut(loop: Loop, trips: int) -> tuple[Expression, Expression]:
    """Where trips at once end, and where those that are left begin."""
    start, stop, many = loop.start, loop.stop, whole_number(trips)
    from_zero = isinstance(start, Constant) and start.value == 0
    if not (from_zero and stop.range is not None and stop.range.low >= 0):
        stop = operation("max", start, stop)
    whole = operation("-", stop, whole_number(trips - 1))
    if from_zero:
        return whole, operation("*", operation("//", stop, many), many)
    return whole, operation("-", stop, operation("%", operation("-", stop, start), many))


def as_many(trips: int, most: int, body: Block, counts: Callable[[Expression], bool] = lambda node: True) -> int:
    """How many trips, halved until they have no more operations that count than `most`."""
    nodes = list(statements_in(body))
    values = [each for node in nodes for each in ((node.value,) if isinstance(node, Store) else expressions(node))]
    parts = (each for value in values for each in outside_indexes(value))
    work = sum(isinstance(each, Operation) and counts(each) for each in parts)
    while trips > 1 and trips * work > most:
        trips //= 2
    return trips


def updated(body: Block, changed: set[str]) -> Iterator[Element]:
    """The elements that plain statements add to, where no other element of their arrays is accessed and none of what
    is `changed`, or is set by the statements, chooses them."""
    if not all(isinstance(node, Assign | Store) for node in body):
        return
    within = [each for each in expressions_in(body) if isinstance(each, Element)]
    for first in dict.fromkeys(node.element for node in body if isinstance(node, Store)):
        alone = all(each == first for each in within if each.array == first.array)
        chosen = all(is_steady(index, changed | assigned(body)) for index in first.indices)
        loads = [first in inside(each) for node in body for each in expressions(node)]
        if alone and chosen and any(loads):
            yield first


def again(body: Block) -> Block:
    """Statements that are there already once more: comments stand at the first, and none is part of an assignment of
    several names."""

    def bare(node: Statement) -> Statement:
        made: Any = node
        origin = origin_of(node)
        kept = origin.node if isinstance(origin.node, cst.AugAssign) else None
        return node if origin is NOWHERE else replace(made, origin=Origin(origin.position, (), kept))

    return each_statement(body, bare)
