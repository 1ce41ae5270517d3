"""A phase whose iterations walk along rows of their own, in order -> a kernel that brings the rows in by tiles.

for i in range(n):                    ->   for (long j_tile = 0; j_tile < m; j_tile += TILE) {
    s = 0.0                                    A_tile[side] = ROWS x TILE elements of A, x_tile[side] = TILE of x
    for j in range(m):                         if (active)
        s += A[i, j] * x[j]                        for (int column = 0; column < TILE; column++)
    y[i] = s                                           s = s + A_tile[side][lane][column] * x_tile[side][column];
                                           }

A work-item runs an iteration, and its sum keeps the order of plain Python. Were each to load its own row, neighbours
would ask for elements that lie far apart; so the first ROWS work-items of a group run iterations, and all of them load,
neighbours neighbouring elements. The loads of the next tile are under way while a tile is walked along, and the other
side of local memory takes it, so that a tile costs one barrier.
"""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import numpy as np

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import assigned, read_in
from somd.transforms.loops.program import (
    Break,
    Constant,
    Element,
    Expression,
    If,
    Loop,
    Raise,
    Region,
    Return,
    Statement,
    While,
)
from somd.transforms.loops.walking import goes_on, statements_in
from somd.transforms.loops.work import operations
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import is_plain, kernel_text, own_variables, scope_of, with_bounds
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.opencl.steady_reads import reads_elements, staged, steady_reads
from somd.transforms.opencl.strides import unit_stride
from somd.transforms.opencl.unrolling import unroll_lines
from somd.transforms.stages import Nest

#: rows and columns of a tile, work-items of a group, and bytes of local memory that the tiles of a kernel may take;
#: tiles of elements up to 4 bytes are wide, as fewer bytes would not hide how long memory takes to answer
ROWS, TILE, WIDE_TILE, GROUP, MOST_LOCAL = 16, 32, 128, 128, 30000
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"


@dataclass(frozen=True)
class Walk:
    """The loop along the rows and what stands before and behind it; its reads of rows, and of what all rows share.
    `test` is what all of it stands behind, the same for all iterations."""

    test: Expression | None
    before: tuple[Statement, ...]
    loop: Loop
    behind: tuple[Statement, ...]
    rows: list[Element]
    shared: list[Element]
    #: the constant of the columns of a tile
    tile: str

    @property
    def reads(self) -> list[Element]:
        return [*self.rows, *self.shared]


def walk_of(nest: Nest, region: Region) -> Walk | None:
    """The one loop of a region along rows; None where it has none."""
    if region.depth != 1 or nest.tests or not is_plain(region):
        return None
    known = {*region.scalars, *region.arrays}
    test, body = _behind_test(region.body, known)
    loops = [k for k, node in enumerate(body) if isinstance(node, Loop | While)]
    if len(loops) != 1 or any(goes_on(node) for node in body):
        return None
    loop = body[loops[0]]
    if not isinstance(loop, Loop) or not isinstance(loop.step, Constant) or loop.step.value != 1:
        return None
    if any(reads_elements(limit) or not read_in(limit) <= known for limit in (loop.start, loop.stop)):
        return None
    outer, inner = region.loop.variable.name, loop.variable.name
    if _left(loop.body) or inner in assigned(loop.body):
        return None

    def along(indices: tuple[Expression, ...]) -> bool:
        return unit_stride(indices[-1], inner) and not any(inner in read_in(index) for index in indices[:-1])

    reads = steady_reads(loop.body, region, {outer, inner}, along)
    mine = [any(outer in read_in(index) for index in read.indices) for read in reads]
    rows = [e for e, own in zip(reads, mine, strict=True) if own and not unit_stride(e.indices[-1], outer)]
    shared = [e for e, own in zip(reads, mine, strict=True) if not own]
    for tile, columns, most in (("WIDE_TILE", WIDE_TILE, 4), ("TILE", TILE, 16)):
        sizes = [_itemsize(e) * (ROWS * (columns + 1)) for e in rows] + [_itemsize(e) * columns for e in shared]
        if rows and all(_itemsize(read) <= most for read in rows) and 2 * sum(sizes) <= MOST_LOCAL:
            return Walk(test, body[: loops[0]], loop, body[loops[0] + 1 :], rows, shared, tile)
    return None


def _behind_test(body: tuple[Statement, ...], known: set[str]) -> tuple[Expression | None, tuple[Statement, ...]]:
    """The test that all of a body stands behind, one of what is `known` before the region, and what is behind it."""
    only = body[0] if len(body) == 1 else None
    if not isinstance(only, If) or only.orelse or reads_elements(only.test) or not read_in(only.test) <= known:
        return None, body
    return only.test, only.body


def _left(body: tuple[Statement, ...]) -> bool:
    """Whether a loop with this body is left early."""
    return any(isinstance(node, Break | Raise | Return) for node in statements_in(body))


def _itemsize(read: Element) -> int:
    return np.dtype(read.type.dtype).itemsize


def tiled_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest with a walk along rows."""
    walk = walk_of(nest, region)
    return None if walk is None else _Writer(walk, nest, region, unit).kernel(name)


class _Writer:
    def __init__(self, walk: Walk, nest: Nest, region: Region, unit: Unit) -> None:
        self.walk, self.region = walk, region
        self.scope = scope_of(nest, unit)
        self.declared = own_variables(region)
        self.write = Statements(self.scope, unit, self.declared)
        fresh = self.scope.names.fresh
        self.lane, self.trip, self.active, self.first = (fresh(n) for n in ("lane", "trip", "active", "first_row"))
        self.variable = self.scope.text_of(walk.loop.variable.name)
        self.user = cst.ensure_type(walk.loop.origin.node, cst.For)
        self.operations = operations(walk.loop.body, unit.by_name)
        wanted = [f"{self.variable}_{part}" for part in ("tile", "start", "stop")]
        self.at, self.start, self.stop = (fresh(n) for n in wanted)
        self.column, self.slot, self.side, self.whole = (fresh(n) for n in ("column", "slot", "side", "whole"))
        arrays = {read: self.scope.array(read.array) for read in walk.reads}
        self.tiles = {read: fresh(f"{array}_tile") for read, array in arrays.items()}
        self.next = {read: fresh(f"{array}_next") for read, array in arrays.items()}
        self.kinds = {read: CTYPES[read.type.dtype] for read in walk.reads}
        self.bounds: list[Argument] = []

    def kernel(self, name: str) -> Kernel:
        write, scope, walk = self.write, self.scope, self.walk
        within = range_in_c(0, self.region.loop, write.expressions, self.bounds)
        trip = C(self.trip, "int64")
        for read, tile in self.tiles.items():
            size = f"[ROWS][{walk.tile} + 1]" if read in walk.rows else f"[{walk.tile}]"
            write.local.append(f"    __local {self.kinds[read]} {tile}[2]{size};")
        write.line(f"const int {self.lane} = get_local_id(0);")
        write.line(f"const long {self.first} = (long)get_group_id(0) * ROWS;")
        write.line(f"const long {self.trip} = {self.first} + {self.lane};")
        write.line(f"const long {within.variable} = {within.value(trip)};")
        test = "" if walk.test is None else f" && ({write.value(walk.test).text})"
        write.line(f"const int {self.active} = {self.lane} < ROWS && !({within.beyond(trip)}){test};")
        for line in declarations(self.declared.private, scope):
            write.line(line)
        for read, register in self.next.items():
            size = f"[ROWS * {walk.tile} / GROUP]" if read in walk.rows else f" = {zero(read.type.dtype)}"
            write.line(f"{self.kinds[read]} {register}{size};")
        self.where_active(walk.before)
        start, limit = (write.value(n) for n in (walk.loop.start, walk.loop.stop))
        write.line(f"const long {self.start} = {start.loose};")
        write.line(f"const long {self.stop} = {limit.loose};")
        self.whole_rows(within)
        self.loads(within, self.start)
        write.line(f"int {self.side} = 0;")
        write.open(f"for (long {self.at} = {self.start}; {self.at} < {self.stop}; {self.at} += {walk.tile})")
        self.tile()
        write.open(f"if ({self.at} + {self.walk.tile} < {self.stop})")
        self.loads(within, f"{self.at} + {walk.tile}")
        write.close()
        self.along()
        write.line(f"{self.side} = !{self.side};")
        write.close()
        self.where_active(walk.behind)
        arguments = with_bounds(of_scope(scope, frozenset(self.region.written)), self.bounds)
        write.unit.needs |= {"ROWS", walk.tile, "GROUP"}
        text = kernel_text(name, arguments, write.finished(), scope, group="GROUP", local=write.local)
        return Kernel(name, text, tuple(arguments), (self.user,), rows=ROWS)

    def whole_rows(self, within: CRange) -> None:
        """Whether all rows of the group are inside the nest: the last one is."""
        write = self.write
        write.line(f"int {self.whole};")
        self.scoped()
        write.line(f"const long {self.trip} = {self.first} + ROWS - 1;")
        write.line(f"const long {within.variable} = {within.value(C(self.trip, 'int64'))};")
        write.line(f"{self.whole} = !({within.beyond(C(self.trip, 'int64'))});")
        write.close()

    def scoped(self) -> None:
        self.write.open()

    def loads(self, within: CRange, at: str) -> None:
        """Elements of the tile at column `at` into registers, by rows; a whole tile without tests."""
        write = self.write
        if self.walk.shared:
            write.open(f"if ({self.lane} < {self.walk.tile} && {at} + {self.lane} < {self.stop})")
            write.line(f"const long {self.variable} = {at} + {self.lane};")
            for read in self.walk.shared:
                write.line(f"{self.next[read]} = {write.value(read).text};")
            write.close()
        write.open(f"if ({self.whole} && {at} + {self.walk.tile} <= {self.stop})")
        self.load_rows(within, at, tested=False)
        write.close("} else {")
        write.depth += 1
        self.load_rows(within, at, tested=True)
        write.close()

    def load_rows(self, within: CRange, at: str, tested: bool) -> None:
        write, trip = self.write, C(self.trip, "int64")
        write.lines.append("#pragma unroll")
        write.open(f"for (int load = 0; load < ROWS * {self.walk.tile} / GROUP; load++)")
        write.line(f"const int {self.slot} = {self.lane} + load * GROUP;")
        write.line(f"const long {self.trip} = {self.first} + {self.slot} / {self.walk.tile};")
        write.line(f"const long {within.variable} = {within.value(trip)};")
        write.line(f"const long {self.variable} = {at} + {self.slot} % {self.walk.tile};")
        inside = f"{self.variable} < {self.stop} && !({within.beyond(trip)})"
        for read in self.walk.rows:
            element = write.value(read)
            chosen = f"{inside} ? {element.text} : {zero(element.dtype)}"
            write.line(f"{self.next[read]}[load] = {chosen if tested else element.text};")
        write.close()

    def tile(self) -> None:
        """What is in the registers into one side of local memory: the other one may still be walked along."""
        write = self.write
        write.lines.append("#pragma unroll")
        write.open(f"for (int load = 0; load < ROWS * {self.walk.tile} / GROUP; load++)")
        write.line(f"const int {self.slot} = {self.lane} + load * GROUP;")
        for read in self.walk.rows:
            place = f"[{self.side}][{self.slot} / {self.walk.tile}][{self.slot} % {self.walk.tile}]"
            write.line(f"{self.tiles[read]}{place} = {self.next[read]}[load];")
        write.close()
        if self.walk.shared:
            write.open(f"if ({self.lane} < {self.walk.tile})")
            for read in self.walk.shared:
                write.line(f"{self.tiles[read]}[{self.side}][{self.lane}] = {self.next[read]};")
            write.close()
        write.line(BARRIER)

    def along(self) -> None:
        """The walk along a tile: a whole one, or what is left of the row."""
        write = self.write
        lane = {read: f"[{self.lane}]" if read in self.walk.rows else "" for read in self.walk.reads}
        places = [f"{self.tiles[read]}[{self.side}]{lane[read]}[{self.column}]" for read in self.walk.reads]
        self.scope.staged.update(staged(self.walk.reads, places, self.walk.loop.body))
        write.open(f"if ({self.active} && {self.at} + {self.walk.tile} <= {self.stop})")
        write.lines += unroll_lines(16, self.operations)
        self.columns(self.walk.tile)
        write.close(f"}} else if ({self.active}) {{")
        write.depth += 1
        self.columns(f"{self.stop} - {self.at}")
        write.close()
        self.scope.staged.clear()

    def columns(self, count: str) -> None:
        write = self.write
        write.open(f"for (int {self.column} = 0; {self.column} < {count}; {self.column}++)")
        write.line(f"const long {self.variable} = {self.at} + {self.column};")
        write.loops += 1
        write.block(self.walk.loop.body)
        write.loops -= 1
        write.close()

    def where_active(self, statements: tuple[Statement, ...]) -> None:
        if statements:
            self.write.open(f"if ({self.active})")
            self.write.block(statements)
            self.write.close()
