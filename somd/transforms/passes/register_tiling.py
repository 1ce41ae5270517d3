"""Some trips of a region's loop at once, so that their chains overlap and what they share is loaded once.

    >>> from functools import partial
    >>> before_and_after(partial(register_tiling, rows=2, most=32, room=1 << 14), '''
    ... def matrix_vector(a: A, x: np.ndarray, y: A):
    ...     for i in range(a.shape[0]):
    ...         s = 0.0
    ...         for j in range(a.shape[1]):
    ...             s += a[i, j] * x[j]
    ...         y[i] = s
    ... ''', a="float64[:, :]", x="float64[:]", y="float64[:]")
    s: float64 = 0.0
    for j from 0 to length(a, 1)
        s: float64 = s + (a[i, j] * x[j])
    y[i] = s
    ->
    s: float64 = 0.0
    for j from 0 to length(a, 1)
        s: float64 = s + (a[i, j] * x[j])
    y[i] = s
    2 trips of i at once
        s: float64 = 0.0
        s'1: float64 = 0.0
        for j from 0 to length(a, 1)
            s: float64 = s + (a[i, j] * x[j])
            s'1: float64 = s'1 + (a[i + 1, j] * x[j])
        y[i] = s
        y[i + 1] = s'1

A sum in order is a chain: each addition waits for the one before. Iterations of a region are independent, so several
chains may be in flight, each in its order. Around strips, trips of the outer loop share what only the lanes choose: it
is loaded once for all of them. Both are one transformation, unroll and jam of a loop of the region: scalars that differ
from trip to trip get a name for each, loops whose limits are the same for all trips are run once for all of them.

It is done where an innermost loop adds to floats by plain arithmetic, but where LLVM unrolls all loops inside and makes
vectors of the trips themselves, whose elements lie side by side (a stencil of 3 by 3); around strips that hand a scalar
from trip to trip of a loop in which they read what all rows share; and in regions whose iterations strips could take
side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from somd.transforms.loops.apart import reads_of
from somd.transforms.loops.making import operation, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    Assign,
    Constant,
    Element,
    Evaluate,
    Expression,
    If,
    Interval,
    Lanes,
    Loop,
    Operation,
    Program,
    Raise,
    Region,
    Statement,
    Store,
    Tile,
    Variable,
)
from somd.transforms.loops.rewriting import each_region, renamed
from somd.transforms.loops.rows import is_steady, moves_with
from somd.transforms.loops.scopes import assigned, exposed_in, read, set_by
from somd.transforms.loops.varying import Varying, limits
from somd.transforms.loops.walking import bodies, called, expressions_in, statements_in
from somd.transforms.passes.strip_gains import OF_VECTORS, Shape, unrolls, vectorises
from somd.transforms.passes.strip_mining import may_take_turns
from somd.transforms.passes.strip_pieces import pieces_of
from somd.transforms.passes.unroll_and_jam import again, as_many

Block = tuple[Statement, ...]
#: arithmetic of which several are under way at once
OF_CHAINS = OF_VECTORS - {"/", "math.sqrt", "np.sqrt"}
#: sums of one trip that are enough to have under way
ENOUGH = 16
#: the fewest lanes in the strips of a tile
SHORTEST = 64


def register_tiling(program: Program, rows: int, most: int, room: int) -> Program:
    """The program with tiles of `rows` trips, or as many as are a power of 2 and have `most` operations in an innermost
    loop; what strips in them keep takes `room` bytes."""
    names = NewNames(program)
    raising = {each.name for each in program.functions if any(isinstance(n, Raise) for n in statements_in(each.body))}

    def of_region(region: Region) -> Region:
        return region if called(region.body) & raising else _tiled(region, names, rows, most, room)

    return each_region(program, of_region)


def _tiled(region: Region, names: NewNames, rows: int, most: int, room: int) -> Region:
    other = region.packed is not None or region.loops[-1].in_vectors
    if other or region.tiled < 0 or region.reductions or not may_take_turns(region):
        return region
    loop, strips = region.loops[region.tiled], region.strips
    steps = loop.by == 1
    if not steps or (strips is not None and not strips.always):
        return region
    body = region.body if strips is None else strips.body
    varying = Varying(region, body, loop=loop)
    loops = list(_innermost(body))
    # what is the same for all lanes of a strip is computed once
    counts = Varying(region, body, loop=region.loops[-1])
    count = min((as_many(rows, most, each.body, counts) for each in loops), default=1)
    gains = _adds(loops, varying) if strips is None else _shares(loops, varying)
    if strips is None and gains and _vectorised(body, Shape(varying, loop.variable.name, 1)):
        return region
    known = loop.variable.range
    if count < 2 or not gains or known is None or known.high - known.low < count:
        return region
    place = replace(loop.variable, range=Interval(known.low, known.high - (count - 1)))
    moves = strips is not None and loop.variable.name in read(*limits(region.loops[-1]))
    inner = _shared(region.loops[-1], place, count) if moves else None
    made = None if moves and inner is None else _Rows(place, varying, names, count).block(body)
    if made is None:
        return region
    length = 0 if strips is None else _lanes(made, strips.length, room)
    return replace(region, tile=Tile(place, count, length, made, inner))


def _shared(loop: Loop, place: Variable, count: int) -> tuple[Expression, Expression] | None:
    """The limits of the trips of a loop that are the same for so many trips of the one around it: it begins with
    the last of them, or ends with the first. None where both limits move, or one does other than with its variable."""
    changed = {place.name}
    start, stop, step = limits(loop)
    if isinstance(step, Constant) and step.value == 1:
        if is_steady(stop, set()) and not is_steady(stop, changed) and is_steady(start, changed):
            return (start, stop) if moves_with(stop, place.name) else None
        if is_steady(start, set()) and is_steady(stop, changed) and moves_with(start, place.name):
            [last] = renamed((Evaluate(start),), {}, {place.name: operation("+", place, whole_number(count - 1))})
            assert isinstance(last, Evaluate)
            return last.value, stop
    return None


def _innermost(body: Block) -> Iterator[Loop]:
    """The loops of a body in which there are none."""
    for node in statements_in(body):
        if isinstance(node, Loop) and not any(isinstance(each, Loop) for each in statements_in(node.body)):
            yield node


def _adds(loops: list[Loop], varying: Varying) -> bool:
    """Whether each innermost loop adds, by plain arithmetic, to floats that differ from trip to trip."""
    return bool(loops) and all(_adds_to(each, varying) for each in loops)


def _adds_to(loop: Loop, varying: Varying) -> bool:
    if not all(isinstance(node, Assign | Store) for node in loop.body):
        return False
    operators = {each.operator for each in expressions_in(loop.body) if isinstance(each, Operation)}
    targets = [node.target for node in loop.body if isinstance(node, Assign)]
    sums = [each for each in targets if each.type.kind in "fc" and each.name in exposed_in(loop.body) & varying.names]
    return 0 < len(sums) < ENOUGH and operators <= OF_CHAINS


def _vectorised(body: Block, shape: Shape) -> bool:
    """Whether LLVM makes vectors of the trips, with all loops inside unrolled."""
    pieces = pieces_of(body, shape.varying)
    return pieces is not None and unrolls(pieces, shape.varying) and vectorises(pieces, shape)


def _shares(loops: list[Loop], varying: Varying) -> bool:
    """Whether lanes in a loop hand a scalar on, and read elements that are the same for all trips of the tile."""
    lanes = [node for loop in loops for node in loop.body if isinstance(node, Lanes)]
    return any(_hands_on(node) and _reads_alike(node, varying) for node in lanes)


def _hands_on(lanes: Lanes) -> bool:
    return bool({each.name for each in lanes.loaded} & {each.name for each in lanes.stored})


def _reads_alike(lanes: Lanes, varying: Varying) -> bool:
    alike = any(each.name not in varying.names for each in lanes.loaded)
    return alike or any(isinstance(each, Element) and not varying(each) for each in expressions_in(lanes.body))


def _lanes(body: Block, length: int, room: int) -> int:
    """How many lanes take `room`, no more than the arrays have that keep them."""
    lanes = [node for node in statements_in(body) if isinstance(node, Lanes)]
    kept = {each for node in lanes for each in (*node.loaded, *node.stored)}
    width = sum(np.dtype(each.type.dtype).itemsize for each in kept)
    while length > SHORTEST and length * width > room:
        length //= 2
    return length


class _Rows:
    """Makes, of what one trip does, what some trips do at once."""

    def __init__(self, place: Variable, varying: Varying, names: NewNames, count: int) -> None:
        self.place = place
        self.varying = varying
        self.count = count
        #: by trip: the names of the scalars that differ
        self.own: list[dict[str, str]] = [{}]
        for _ in range(1, count):
            differ = sorted(varying.names - {place.name})
            self.own.append({each: names.name(each.partition("'")[0]) for each in differ})

    def block(self, body: Block) -> Block | None:
        """The statements for all trips; None where a loop does not run alike for all of them."""
        made: list[Statement] = []
        for node in body:
            each = self.statement(node)
            if each is None:
                return None
            made += each
        return tuple(made)

    def statement(self, node: Statement) -> Block | None:
        if isinstance(node, Loop):
            return self.loop(node)
        if isinstance(node, Lanes):
            loaded, stored = (self.variables(each) for each in (node.loaded, node.stored))
            return (Lanes(loaded, stored, self.copies(node.body)),)
        if any(isinstance(each, Loop | Lanes) for block in bodies(node) for each in statements_in(block)):
            return self.around(node)
        return self.copies((node,))

    def loop(self, node: Loop) -> Block | None:
        if self.varying(*limits(node)) or node.variable.name in self.varying.names:
            return None
        body = self.block(node.body)
        return None if body is None else (replace(node, body=body, hull=None),)

    def around(self, node: Statement) -> Block | None:
        """A condition around loops."""
        if not isinstance(node, If) or self.varying(node.test):
            return None
        body, orelse = self.block(node.body), self.block(node.orelse)
        return None if body is None or orelse is None else (replace(node, body=body, orelse=orelse),)

    def variables(self, names: tuple[Variable, ...]) -> tuple[Variable, ...]:
        rows = (replace(each, name=own.get(each.name, each.name)) for own in self.own for each in names)
        return tuple(dict.fromkeys(rows))

    def copies(self, body: Block) -> Block:
        """The statements for each trip; those that do the same for all, once, where each trip needs what they set."""
        made: list[Statement] = []
        group: list[Statement] = []
        for node in body:
            alike = assigned((node,)) - self.varying.names
            if alike & (assigned(tuple(group)) | set(reads_of(tuple(group)))):
                made += self.copied(tuple(group))
                group = []
            inner = self.around(node) if alike and isinstance(node, If) else None
            if inner is None:
                group.append(node)
            else:
                made += (*self.copied(tuple(group)), *inner)
                group = []
        return (*made, *self.copied(tuple(group)))

    def copied(self, body: Block) -> Block:
        """All statements for a trip, then for the next."""
        made: list[Statement] = []
        for k, own in enumerate(self.own):
            place = operation("+", self.place, whole_number(k)) if k else self.place
            mine = body if k == 0 else self.differing(body)
            copy = renamed(mine, own, {self.place.name: place})
            made += again(copy) if k else copy
        return tuple(made)

    def differing(self, body: Block) -> Block:
        """The statements without those that set what is the same for all trips."""
        made: list[Statement] = []
        for node in body:
            if isinstance(node, If):
                yes, no = self.differing(node.body), self.differing(node.orelse)
                made += [replace(node, body=yes, orelse=no)] if yes or no else []
            elif isinstance(node, Store) or set_by(node) & self.varying.names:
                made.append(node)
        return tuple(made)
