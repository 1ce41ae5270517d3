"""A phase whose iterations go along long stretches, or rows, of their own -> a kernel that brings them in by pieces.

for w in range(n // 256):                    for (long at = 0; at < most; at += COLUMNS) {
    s = 0.0                                      a_tile = ROWS pieces of COLUMNS elements, the next ones under way
    for i in range(256 * w, 256 * w + 256):      if (active)
        t = a[i]                          ->         for (int column = 0; column < COLUMNS; column++)
        a[i] = s                                         t = a_tile[lane][column]; a_tile[lane][column] = s; s = s + t;
        s += t                                   a = a_tile
    total[w] = s                             }

The first ROWS work-items of a group run iterations, and all of them load and store, neighbours neighbouring elements.
Where there is one iteration, a group is for it alone: a chain of trips costs what its operations cost, and no memory is
waited for in it. There may be several loops, one behind the other: each brings in what it reads, and stores its own.
What a trip stores first, and makes of its own elements and of what its loop does not change, all work-items compute,
each for some trips of all rows: `out[r, k] = exp(x[r, k] - largest)` in front of `whole += out[r, k]`.
Rows of matrices that one loop only reads are the matter of `tiled_kernels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import libcst as cst

from somd.transforms.emit.c import IN_ORDER
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import assigned, read_in
from somd.transforms.loops.program import Break, Constant, Element, Loop, Proved, Region, Statement, Store, While
from somd.transforms.loops.walking import goes_on, inside, statements_in
from somd.transforms.loops.work import operations
from somd.transforms.opencl.arguments import Kernel, of_scope
from somd.transforms.opencl.kernels import is_plain, kernel_text, own_variables, with_bounds
from somd.transforms.opencl.row_groups import RowGroups
from somd.transforms.opencl.striped import (
    BARRIER,
    MOST_LOCAL,
    Striped,
    Tiles,
    coefficient,
    key_of,
    stepped,
    striped_along,
    striped_in,
    trips_between,
)
from somd.transforms.opencl.unrolling import unroll_lines
from somd.transforms.stages import Nest

#: work-items of a group, rows and columns of a tile, and columns where there is one row
LANES, ROWS, COLUMNS, ALONE = 128, 32, 32, 2048
#: rows that begin so many trips apart are taken for long: fewer of them, by longer pieces, wait less for memory
LONG, ROWS_OF_LONG, COLUMNS_OF_LONG = 512, 8, 128
#: trips whose loads from the tile are under way together
AT_ONCE = 32
#: between two loops: what one has stored, work-items of the group load in the other
FENCE = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"


@dataclass(frozen=True)
class Walk:
    """Loops along stretches, each with what stands before it and the arrays that it goes along; and what is behind."""

    loops: tuple[tuple[tuple[Statement, ...], Loop, list[Striped]], ...]
    behind: tuple[Statement, ...]
    arrays: list[Striped]
    rows: int
    columns: int


def walk_of(nest: Nest, region: Region) -> Walk | None:
    """The loops of a region along stretches; None where it has none."""
    outer = region.loop.variable.name
    plain = is_plain(region) and region.depth == 1 and not nest.tests and not nest.raises
    if not plain or any(map(goes_on, region.body)) or outer in assigned(region.body):
        return None
    parts: list[tuple[tuple[Statement, ...], Loop]] = []
    before: list[Statement] = []
    for node in region.body:
        if not any(isinstance(each, Loop | While) for each in statements_in((node,))):
            before.append(node)
        elif isinstance(node, Loop) and _walks(node, region):
            parts, before = [*parts, (tuple(before), node)], []
        else:
            return None
    loops = [loop for _, loop in parts]
    alone = isinstance(region.loop.stop, Constant) and region.loop.stop.value == 1 and _from_zero(region.loop)
    apart = [abs(coefficient(loop.start, outer) or 0) for loop in loops]
    moving = all(apart)
    if not loops or (alone and len(loops) > 1):
        return None
    rows, columns = (ROWS_OF_LONG, COLUMNS_OF_LONG) if min(apart) >= LONG else (ROWS, COLUMNS)
    if alone:
        rows, columns = 1, ALONE
    # where loops do not move, rows of matrices do
    arrays = striped_in(loops, region, region.body, "" if alone or moving else outer, by_loop=True)
    while arrays and sum(rows * each.bytes_of(columns) for each in arrays) > MOST_LOCAL:
        arrays = arrays[:-1]
    if not arrays:
        return None
    return Walk(
        tuple((first, loop, striped_along(loop, arrays)) for first, loop in parts),
        tuple(before),
        arrays,
        rows,
        columns,
    )


def _walks(loop: Loop, region: Region) -> bool:
    """Whether the trips of a loop follow each other by one step, and all of them are made."""
    own = loop.variable.name in own_variables(region).scoped and loop.variable.name not in assigned(loop.body)
    left = any(isinstance(node, Break) for node in statements_in(loop.body))
    return own and not left and bool(loop.by)


def _from_zero(loop: Loop) -> bool:
    return isinstance(loop.start, Constant) and loop.start.value == 0


def walked_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest with long stretches."""
    walk = walk_of(nest, region)
    return None if walk is None else _Writer(walk, nest, region, unit).kernel(name)


class _Writer(RowGroups):
    def __init__(self, walk: Walk, nest: Nest, region: Region, unit: Unit) -> None:
        super().__init__(walk.loops[0][1], walk.rows, nest, region, unit)
        self.walk, self.unit = walk, unit
        self.tiles = Tiles(walk.arrays, walk.rows, walk.columns, LANES, self.variable, self.write)
        fresh = self.scope.names.fresh
        self.start, self.count, self.at, self.most = (
            fresh(n) for n in (f"{self.variable}_start", "count", f"{self.variable}_tile", "most")
        )
        self.starts, self.counts = fresh("starts"), fresh("counts")
        #: for scalars of iterations that all work-items read: where those of each row are
        self.of_row: dict[str, str] = {}

    def kernel(self, name: str) -> Kernel:
        write, scope, tiles, walk = self.write, self.scope, self.tiles, self.walk
        write.local += [f"    __local long {name}[{walk.rows}];" for name in (self.starts, self.counts)]
        within = self.begin(tiles.lane)
        tiles.outer = within, f"{self.first} + {tiles.row}"
        tiles.registers()
        for number, (before, loop, arrays) in enumerate(walk.loops):
            self.where_active(before)
            if number:
                write.line(FENCE)
            with write.braces() if len(walk.loops) > 1 else nullcontext():
                self.walked(loop, arrays)
        self.where_active(walk.behind)
        arguments = with_bounds(of_scope(scope, frozenset(self.region.written)), self.bounds)
        text = kernel_text(name, arguments, write.finished(), scope, group=str(LANES), local=write.local)
        return Kernel(name, text, tuple(arguments), self.of_rows(), rows=walk.rows, lanes=LANES)

    def of_rows(self) -> tuple[cst.For, ...]:
        """The loops whose number of trips tells whether tiles pay: those along rows."""
        nodes = (loop.origin.node for _, loop, _ in self.walk.loops)
        return tuple(node for node in nodes if isinstance(node, cst.For)) if self.tiles.of_rows else ()

    def walked(self, loop: Loop, arrays: Sequence[Striped]) -> None:
        write, tiles, columns = self.write, self.tiles, self.walk.columns
        self.loop, self.step = loop, loop.by or 1
        self.variable = tiles.variable = self.scope.text_of(loop.variable.name)
        tiles.arrays = arrays
        free = self.free(loop, arrays)
        self.limits()
        self.publish(free)
        self.fetch("0")
        with write.braces(f"for (long {self.at} = 0; {self.at} < {self.most}; {self.at} += {columns})"):
            write.line(BARRIER)
            tiles.put()
            write.line(BARRIER)
            if tiles.loaded:
                with write.braces(f"if ({self.at} + {columns} < {self.most})"):
                    self.fetch(f"{self.at} + {columns}")
            if free:
                self.freely(free)
            if len(free) < len(loop.body):
                if free:
                    write.line(BARRIER)
                self.along(loop.body[len(free) :])
            if tiles.stored:
                write.line(BARRIER)
                tiles.store(self.place(self.at), self.valid(self.at))

    def limits(self) -> None:
        """Where each row of the group begins, how long it is, and how long the longest one is."""
        write, lane, step = self.write, self.tiles.lane, self.step
        write.line(f"long {self.start} = 0;")
        write.line(f"long {self.count} = 0;")
        with write.braces(f"if ({self.active})"):
            start, stop = (write.value(each).loose for each in (self.loop.start, self.loop.stop))
            write.line(f"{self.start} = {start};")
            write.line(f"{self.count} = max(0L, {trips_between(self.start, f'({stop})', step)});")
        with write.braces(f"if ({lane} < {self.walk.rows})"):
            write.line(f"{self.starts}[{lane}] = {self.start};")
            write.line(f"{self.counts}[{lane}] = {self.count};")
        write.line(BARRIER)
        write.line(f"long {self.most} = {self.counts}[0];")
        if self.walk.rows > 1:
            row = self.scope.names.fresh("row")
            write.line(f"for (int {row} = 1; {row} < {self.walk.rows}; {row}++)")
            write.line(f"    {self.most} = max({self.most}, {self.counts}[{row}]);")

    def free(self, loop: Loop, arrays: Sequence[Striped]) -> tuple[Statement, ...]:
        """What a trip stores first, where no other trip, nor the order of trips, has to do with it."""
        private, changed = self.declared.private, assigned(loop.body)
        known = {*self.region.scalars, *self.region.arrays, *private} - changed | {loop.variable.name}
        if self.tiles.of_rows:
            known |= {self.region.loop.variable.name}
        keys = {each.key for each in arrays}

        def has(node: Element) -> bool:
            return key_of(node) in keys and node.indices[-1] == loop.variable and isinstance(node.access, Proved)

        def steady(node: Element) -> bool:
            return has(node) or (node.array in known - {*self.region.written} and isinstance(node.access, Proved))

        number = 0
        for node in loop.body:
            if not isinstance(node, Store) or not has(node.element) or not read_in(node.value) <= known:
                break
            if not all(steady(each) for each in inside(node.value) if isinstance(each, Element)):
                break
            number += 1
        return loop.body[:number]

    def publish(self, free: tuple[Statement, ...]) -> None:
        """The scalars of each row that all work-items read, into local memory."""
        write, private = self.write, self.declared.private
        read = {name for node in free if isinstance(node, Store) for name in read_in(node.value)}
        self.published = sorted(read & {*private})
        for name in self.published:
            if name not in self.of_row:
                self.of_row[name] = self.scope.names.fresh(f"{self.scope.text_of(name)}_of_row")
                write.local.append(f"    __local {CTYPES[private[name]]} {self.of_row[name]}[{self.walk.rows}];")
        if self.published:
            with write.braces(f"if ({self.active})"):
                for name in self.published:
                    write.line(f"{self.of_row[name]}[{self.tiles.lane}] = {self.scope.text_of(name)};")

    def freely(self, free: tuple[Statement, ...]) -> None:
        """What all work-items compute of a piece."""
        write, tiles, private = self.write, self.tiles, self.declared.private
        each_slot = tiles.slots(unroll_lines(tiles.loads, operations(free, self.unit.by_name)))
        with each_slot, write.braces(f"if ({self.valid(self.at)})"):
            write.line(f"const long {self.variable} = {self.place(self.at)};")
            for name in self.published:
                text = f"{CTYPES[private[name]]} {self.scope.text_of(name)} = {self.of_row[name]}[{tiles.row}];"
                write.line(f"const {text}")
            self.scope.staged.update(tiles.staged(self.loop.variable.name, free, f"[{tiles.row}][{tiles.place}]"))
            write.loops += 1
            write.block(free)
            write.loops -= 1
            self.scope.staged.clear()

    def place(self, at: str) -> str:
        """The loop variable of a slot of the piece at `at`."""
        by = self.tiles.place if at == "0" else f"({at} + {self.tiles.place})"
        return stepped(f"{self.starts}[{self.tiles.row}]", self.step, by)

    def valid(self, at: str) -> str:
        """Whether there is a trip for a slot."""
        place = self.tiles.place if at == "0" else f"{at} + {self.tiles.place}"
        return f"{place} < {self.counts}[{self.tiles.row}]"

    def fetch(self, at: str) -> None:
        self.tiles.fetch(self.place(at), self.valid(at))

    def along(self, body: tuple[Statement, ...]) -> None:
        """The walk along a piece by a body: a whole one, or what is left."""
        write, columns = self.write, self.walk.columns
        with write.braces(f"if ({self.active} && {self.at} + {columns} <= {self.count})"):
            write.lines += unroll_lines(AT_ONCE, operations(body, self.unit.by_name))
            self.columns(str(columns), body)
        with write.otherwise(f"if ({self.active})"):
            write.lines.append(IN_ORDER)
            self.columns(f"{self.count} - {self.at}", body)

    def columns(self, count: str, body: tuple[Statement, ...]) -> None:
        write, column = self.write, self.tiles.column
        with write.braces(f"for (int {column} = 0; {column} < {count}; {column}++)"):
            write.line(f"const long {self.variable} = {stepped(self.start, self.step, f'({self.at} + {column})')};")
            self.scope.staged.update(self.tiles.staged(self.loop.variable.name, body))
            write.loops += 1
            write.block(body)
            write.loops -= 1
            self.scope.staged.clear()
