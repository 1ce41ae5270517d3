"""A phase whose iterations go along short stretches of their own -> a kernel that loads and stores them striped.

for w in range(n // 16):                     a_tile = the elements of all work-items of the group
    s = 0.0                                  if (active) {
    for i in range(16 * w, 16 * w + 16):         s = 0.0;
        s += a[i]                     ->         for (int column = 0; column < 16; column++)
        out[i] = s                                   s = s + a_tile[lane][column]; out_tile[lane][column] = s;
    total[w] = s                                 total[w] = s;
                                             }
                                             out = out_tile, as far as each has come

The loops may stand in branches. Long stretches are brought in piece by piece, in `walked_kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from somd.transforms.emit.c import IN_ORDER, Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import assigned
from somd.transforms.loops.making import operation, whole_number
from somd.transforms.loops.program import Break, Constant, Expression, If, Loop, Operation, Region, Statement
from somd.transforms.loops.walking import goes_on, statements_in
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import is_plain, kernel_text, own_variables, scope_of, with_bounds
from somd.transforms.opencl.ranges import range_in_c
from somd.transforms.opencl.striped import (
    BARRIER,
    MOST_LOCAL,
    Key,
    Striped,
    Tiles,
    coefficient,
    in_tiles_of_others,
    stepped,
    striped_in,
    trips_between,
)
from somd.transforms.stages import Nest

#: trips of a stretch at most, and the work-items of a group: the first number for which there is local memory
MOST_TRIPS, LANES = 32, (128, 64)


@dataclass(frozen=True)
class Stretch:
    """Loops from one start, by one step, of `trips` trips at most."""

    loops: tuple[Loop, ...]
    trips: int
    step: int

    @property
    def start(self) -> Expression:
        return self.loops[0].start


def stretch_of(region: Region, declared: frozenset[str]) -> Stretch | None:
    """The loops that go along the stretch of an iteration."""
    outer = region.loop.variable.name
    by_length: dict[tuple[Expression, int, int], list[Loop]] = {}
    for loop in _outermost(region.body):
        trips = _trips(loop, outer)
        if trips is None or loop.variable.name not in declared or loop.variable.name in assigned(loop.body):
            continue
        assert isinstance(loop.step, Constant)
        by_length.setdefault((loop.start, trips, int(loop.step.value.real)), []).append(loop)
    if len(by_length) != 1 or outer in assigned(region.body):
        return None
    [((_, trips, step), loops)] = by_length.items()
    left = any(isinstance(node, Break) for node in statements_in(tuple(loops)))
    return None if left else Stretch(tuple(loops), trips, step)


def _outermost(body: tuple[Statement, ...]) -> Iterator[Loop]:
    """The loops of an iteration that stand in no other loop."""
    for node in body:
        if isinstance(node, Loop):
            yield node
        elif isinstance(node, If):
            yield from _outermost((*node.body, *node.orelse))


def _trips(loop: Loop, outer: str) -> int | None:
    """The trips of a loop at most, where those of the next iteration follow on them."""
    by = coefficient(loop.start, outer)
    step = loop.by or 0
    if not by or not step or by % step or not 1 < by // step <= MOST_TRIPS:
        return None
    end = _end(loop.start, by)
    ends = [loop.stop]
    if isinstance(loop.stop, Operation) and loop.stop.operator == ("min" if step > 0 else "max"):
        ends += loop.stop.operands
    return by // step if end in ends else None


def _end(start: Expression, by: int) -> Expression:
    return operation("+" if by > 0 else "-", start, whole_number(abs(by)))


def striped_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest whose iterations have stretches."""
    plain = is_plain(region) and region.depth == 1 and not nest.tests and not nest.raises
    ahead = region.loop.step == whole_number(1) and region.loop.hull is None
    if not plain or not ahead or any(map(goes_on, region.body)):
        return None
    stretch = stretch_of(region, own_variables(region).scoped)
    if stretch is None:
        return None
    arrays = striped_in(stretch.loops, region, region.body)
    within = in_tiles_of_others(region.body, stretch.loops, arrays)
    kept, lanes = fitting([each for each in arrays if each.key not in within], stretch.trips)
    within = {key: other for key, other in within.items() if any(each.key == other for each in kept)}
    kept += [each for each in arrays if each.key in within]
    return _Writer(stretch, kept, lanes, nest, region, unit, within).kernel(name) if kept else None


def fitting(arrays: list[Striped], trips: int, extra: int = 8) -> tuple[list[Striped], int]:
    """The arrays of which tiles have room, with `extra` bytes a work-item, and the work-items of a group."""
    while arrays:
        size = sum(each.bytes_of(trips) for each in arrays) + extra
        for lanes in LANES:
            if size * lanes <= MOST_LOCAL:
                return arrays, lanes
        arrays = arrays[:-1]
    return [], 0


class StretchStatements(Statements):
    """Writes the loops of a stretch by columns of a tile."""

    stretch: Stretch
    tiles: Tiles
    #: the variable that takes how far a work-item has come, in that of its loops which goes farthest
    come = ""

    def loop(self, node: Loop) -> None:
        if not any(node is each for each in self.stretch.loops):
            super().loop(node)
            return
        step, trips, column = self.stretch.step, self.stretch.trips, self.tiles.column
        variable, count = self.scope.text_of(node.variable.name), str(trips)
        with self.braces():
            start, stop = (self.scope.names.fresh(f"{variable}_{part}") for part in ("start", "stop"))
            self.line(f"const long {start} = {self.value(node.start).loose};")
            if node.stop != _end(node.start, step * trips):
                count = self.scope.names.fresh(f"{variable}_trips")
                self.line(f"const long {stop} = {self.value(node.stop).loose};")
                self.line(f"const int {count} = (int)max(0L, {trips_between(start, stop, step)});")
            if self.come:
                farthest = count if len(self.stretch.loops) == 1 else f"max({self.come}, {count})"
                self.line(f"{self.come} = {farthest};")
            self.lines.append(f"#pragma unroll {trips}" if count == str(trips) else IN_ORDER)
            with self.braces(f"for (int {column} = 0; {column} < {count}; {column}++)"):
                self.line(f"const long {variable} = {stepped(start, step, column)};")
                self.scope.staged.update(self.tiles.staged(node.variable.name, node.body))
                self.loops += 1
                self.block(node.body)
                self.loops -= 1
                self.scope.staged.clear()


class _Writer:
    def __init__(
        self,
        stretch: Stretch,
        arrays: list[Striped],
        lanes: int,
        nest: Nest,
        region: Region,
        unit: Unit,
        within: Mapping[Key, Key],
    ) -> None:
        self.stretch, self.region, self.lanes = stretch, region, lanes
        self.scope = scope_of(nest, unit)
        self.declared = own_variables(region)
        self.write = StretchStatements(self.scope, unit, self.declared)
        variable = self.scope.text_of(stretch.loops[0].variable.name)
        self.tiles = Tiles(arrays, lanes, stretch.trips, lanes, variable, self.write, within)
        self.write.stretch, self.write.tiles = stretch, self.tiles
        fresh = self.scope.names.fresh
        self.first, self.trip, self.base = (fresh(n) for n in ("first_row", "trip", f"{variable}_base"))
        self.come, self.ends, self.whole, self.active = (fresh(n) for n in ("come", "ends", "whole", "active"))
        self.bounds: list[Argument] = []

    def kernel(self, name: str) -> Kernel:
        write, scope, tiles = self.write, self.scope, self.tiles
        within = range_in_c(0, self.region.loop, write.expressions, self.bounds)
        trip, step, count = C(self.trip, "int64"), self.stretch.step, self.lanes * self.stretch.trips
        write.line(f"const int {tiles.lane} = get_local_id(0);")
        write.line(f"const long {self.first} = (long)get_group_id(0) * {self.lanes};")
        write.line(f"long {self.base};")
        with write.braces():
            write.line(f"const long {within.variable} = {within.value(C(self.first, 'int64'))};")
            write.line(f"{self.base} = {write.value(self.stretch.start).loose};")
        write.line(f"const long {self.trip} = {self.first} + {tiles.lane};")
        write.line(f"const long {within.variable} = {within.value(trip)};")
        write.line(f"const int {self.active} = !({within.beyond(trip)});")
        for line in declarations(self.declared.private, scope):
            write.line(line)
        fetch_stretches(tiles, self.base, step, count, self.whole)
        if tiles.stored:
            write.local.append(f"    __local int {self.ends}[{self.lanes}];")
            write.line(f"int {self.come} = 0;")
            write.come = self.come
        write.guards_end()
        with write.braces(f"if ({self.active})"):
            write.block(self.region.body)
        if tiles.stored:
            write.line(f"{self.ends}[{tiles.lane}] = {self.come};")
            write.line(BARRIER)
            tiles.store(stepped(self.base, step, tiles.slot), f"{tiles.place} < {self.ends}[{tiles.row}]")
        arguments = with_bounds(of_scope(scope, frozenset(self.region.written)), self.bounds)
        text = kernel_text(name, arguments, write.finished(), scope, group=str(self.lanes), local=write.local)
        return Kernel(name, text, tuple(arguments), rows=self.lanes, lanes=self.lanes)


def fetch_stretches(tiles: Tiles, base: str, step: int, count: int, whole: str) -> None:
    """Brings in the stretches of a group, `count` elements from `base` on; all of them without tests, if they are
    inside their arrays."""
    write = tiles.write
    if not tiles.loaded:
        return
    write.line(f"int {whole} = 1;")
    for at in (base, stepped(base, step, str(count - 1))):
        with write.braces():
            write.line(f"const long {tiles.variable} = {at};")
            write.line(f"{whole} = {' && '.join([whole, *map(tiles.within, tiles.loaded)])};")
    tiles.registers()
    with write.braces(f"if ({whole})"):
        tiles.fetch(stepped(base, step, tiles.slot), tested=False)
    with write.otherwise():
        tiles.fetch(stepped(base, step, tiles.slot))
    tiles.put()
    write.line(BARRIER)
