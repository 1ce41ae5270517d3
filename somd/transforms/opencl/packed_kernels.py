"""A phase of two loops that is `packed` -> a kernel of work-groups, each for a tile of sums that stay in registers.

for i in range(n):                            for (long k_tile = 0; k_tile < m; k_tile += DEPTH) {
    for j in range(n):                            a_tile[side] = ROWS x DEPTH elements of a, the next ones under way
        s = 0.0                                   b_tile[side] = DEPTH x COLUMNS of b
        for k in range(m):             ->         for (int step = 0; step < DEPTH; step++)
            s += a[i, k] * b[k, j]                    for (row, column: the work-item's) {
        c[i, j] = s                                       s = sums[row][column];
                                                          s = s + a_now[row] * b_now[column];
                                                          sums[row][column] = s;
                                                      }
                                              }

The pass `packing` says where (`passes/packing.py`): what a trip adds is made of elements that are chosen by the row or
by the column, and that the region does not write. Each of them is loaded once for a tile, neighbours neighbouring
elements, and read from local memory as often as there are rows, or columns, in it. A work-item has sums that lie as
many rows, or columns, apart as there are work-items along them, so that neighbours read neighbouring places of a tile.
Each sum sees its operands in the order of the loop, and nothing is contracted.

Few such tiles would leave most of a device idle, where a sum is long and rows and columns are few: a second kernel has
smaller ones, fewer work-items, and deeper pieces, since fewer trips hide how long memory takes to answer.

At the edge of a matrix a tile is a whole one in registers; what is none of the region's is not loaded, nor stored.
Whole pieces of whole tiles are loaded without tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C, infix
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import Element, Packed, Region, Statement
from somd.transforms.loops.rows import moves_with, one_moves_along
from somd.transforms.loops.symmetric_sums import are_symmetric
from somd.transforms.loops.walking import inside, tests_accesses
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.kernels import is_plain, kernel_text, own_variables, scope_of, with_bounds
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.opencl.striped import BARRIER, MOST_LOCAL
from somd.transforms.stages import Nest


@dataclass(frozen=True)
class Shape:
    """Work-items of a group along the rows and the columns of its tile, and trips of the loop in a piece: as many as
    there is memory for. `finer` is how many times as many tiles there are along rows, and along columns; or a work-item
    has so many `sums` along each. With two `sides` the next piece is stored while one is read; with one side pieces may
    be twice as deep."""

    down: int
    across: int
    depths: tuple[int, ...]
    finer: int = 1
    sums: int = 0
    sides: int = 2

    @property
    def lanes(self) -> int:
        return self.down * self.across

    def of(self, packed: Packed) -> Packed:
        """The packed region with tiles of this shape."""
        if self.sums:
            return replace(packed, rows=self.sums * self.down, columns=self.sums * self.across)
        return replace(packed, rows=packed.rows // self.finer, columns=packed.columns // self.finer)


#: of large tiles; of smaller ones, whose work-items would have too few sums if they were as many; and of these where
#: they are half as many, so that a unit of the device has one at a time, and only deep pieces hide how long loads take
LARGE, SMALL = Shape(16, 16, (8, 4, 2)), Shape(8, 16, (16, 8, 4, 2), finer=4)
SMALL_FOLDED = Shape(8, 16, (48, 32, 16, 8, 4, 2), sums=3, sides=1)
#: trips that are written out one behind the other
MOST_STEPS = 16


@dataclass(frozen=True)
class Staged:
    """An element that is read in each trip: chosen by the row, by the column, or by neither (`lead` is then 1), and
    whether neighbouring ones along the loop lie side by side, and not those of neighbouring rows or columns."""

    element: Element
    by: str
    lead: int
    along: bool

    def bytes_of(self, depth: int) -> int:
        """One side of its tile."""
        width = depth + 1 if self.along and self.lead > 1 else depth
        return np.dtype(self.element.type.dtype).itemsize * self.lead * width


def staged_in(packed: Packed, region: Region) -> list[Staged]:
    """What the term of a packed region is made of."""
    row, column = (loop.variable.name for loop in region.loops)
    found: dict[Element, Staged] = {}
    for each in inside(packed.sum.value):
        if not isinstance(each, Element):
            continue
        names = {name for index in each.indices for name in read_in(index)}
        by, lead = ("row", packed.rows) if row in names else ("column", packed.columns) if column in names else ("", 1)
        along = not moves_with(each.indices[-1], row if by == "row" else column)
        found[each] = Staged(each, by, lead, along)
    return list(found.values())


def packed_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest with tiles of sums; None where it has none."""
    return _kernel_of(nest, region, LARGE, name, unit)


def finer_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The same with smaller tiles, for nests that have few."""
    packed = region.packed
    folded = packed is not None and region.depth == 2 and are_symmetric(packed, region)
    return _kernel_of(nest, region, SMALL_FOLDED if folded else SMALL, name, unit)


def _kernel_of(nest: Nest, region: Region, shape: Shape, name: str, unit: Unit) -> Kernel | None:
    packed = region.packed
    plain = is_plain(region) and region.depth == 2 and not nest.tests and not nest.raises
    if packed is None or not plain or tests_accesses(region.body):
        return None
    if len(packed.loops) != 1 or any(each.hull is not None for each in region.loops):
        return None
    if one_moves_along(packed.loops, region.loops[0].variable.name):
        return None  # the sums of a tile would have trips of their own
    packed = shape.of(packed)
    reads = staged_in(packed, region)
    for depth in shape.depths:
        if shape.sides * sum(each.bytes_of(depth) for each in reads) <= MOST_LOCAL:
            return _Writer(packed, reads, shape, depth, nest, region, unit).kernel(name)
    return None


class _Writer:
    def __init__(
        self, packed: Packed, reads: list[Staged], shape: Shape, depth: int, nest: Nest, region: Region, unit: Unit
    ) -> None:
        self.packed, self.reads, self.shape, self.depth, self.region = packed, reads, shape, depth, region
        self.scope = scope_of(nest, unit)
        self.declared = own_variables(region)
        self.write = Statements(self.scope, unit, self.declared)
        fresh = self.scope.names.fresh
        self.variable = self.scope.text_of(packed.loop.variable.name)
        self.lane, self.across, self.slot, self.side, self.step, self.whole = (
            fresh(n) for n in ("lane", "across", "slot", "side", "step", "whole")
        )
        if shape.sides == 1:
            self.side = "0"
        self.row, self.column, self.sums = (fresh(n) for n in ("row", "column", "sums"))
        self.at, self.start, self.stop = (fresh(f"{self.variable}_{part}") for part in ("tile", "start", "stop"))
        self.first = {"row": fresh("first_row"), "column": fresh("first_column")}
        names = {each: self.scope.array(each.element.array) for each in reads}
        self.tiles, self.next, self.now = (
            {each: fresh(f"{name}_{part}") for each, name in names.items()} for part in ("tile", "next", "now")
        )
        self.places: dict[str, CRange] = {}
        self.bounds: list[Argument] = []
        #: whether only tiles with sums at or above the diagonal have a group
        self.folded = are_symmetric(packed, region) and packed.columns % packed.rows == 0
        #: the sums of a work-item in a row of them, and in a column
        self.rows, self.columns = packed.rows // shape.down, packed.columns // shape.across
        #: which of the work-items along a side one is
        self.lanes = {"row": f"{self.lane} / {shape.across}", "column": f"{self.lane} % {shape.across}"}
        self.strides = {"row": shape.down, "column": shape.across}

    def kernel(self, name: str) -> Kernel:
        write, scope, packed = self.write, self.scope, self.packed
        for number, by in enumerate(("row", "column")):
            self.places[by] = range_in_c(number, self.region.loops[number], write.expressions, self.bounds)
        for each in self.reads:
            shape = f"[{self.depth}][{each.lead}]"
            if each.along:
                shape = f"[{each.lead}][{self.depth + (each.lead > 1)}]"
            write.local.append(f"    __local {self.kind(each)} {self.tiles[each]}[{self.shape.sides}]{shape};")
        self.begin()
        write.line(f"{CTYPES[packed.sum.target.type.dtype]} {self.sums}[{self.rows}][{self.columns}];")
        for each in self.reads:
            write.line(f"{self.kind(each)} {self.next[each]}[{self.loads(each)}];")
        self.each_sum(self.before)
        if packed.guard is not None:
            write.open(f"if ({write.value(packed.guard).text})")
        self.pieces()
        if packed.guard is not None:
            write.close()
        self.each_sum(self.behind)
        arguments = with_bounds(of_scope(scope, frozenset(self.region.written)), self.bounds)
        lanes = self.shape.lanes
        text = kernel_text(name, arguments, write.finished(), scope, group=str(lanes), local=write.local)
        rows, columns, folded = packed.rows, packed.columns, self.folded
        return Kernel(name, text, tuple(arguments), rows=rows, columns=columns, lanes=lanes, folded=folded)

    def begin(self) -> None:
        """Which tile a group has."""
        write, packed = self.write, self.packed
        write.line(f"const int {self.lane} = get_local_id(0);")
        if self.folded:
            self.begin_folded()
        else:
            columns = self.places["column"]
            zero_start = columns.start.value == 0
            count = columns.stop if zero_start else infix("-", columns.stop, columns.start, "int64")
            more = infix("+", count, C(str(packed.columns - 1), "int64"), "int64")
            write.line(f"const long {self.across} = ({more.loose}) / {packed.columns};")
            group = "(long)get_group_id(0)"
            write.line(f"const long {self.first['row']} = {group} / {self.across} * {packed.rows};")
            write.line(f"const long {self.first['column']} = {group} % {self.across} * {packed.columns};")
        for line in declarations(self.declared.private, self.scope):
            write.line(line)

    def begin_folded(self) -> None:
        """The same where a column of tiles has those whose first row is not below its last column."""
        write, packed = self.write, self.packed
        down, across = self.first["row"], self.first["column"]
        count = f"{packed.columns // packed.rows} * ({across} + 1)"
        write.line(f"long {across} = 0, {down} = get_group_id(0);")
        write.line(f"for (; {down} >= {count}; {across}++)")
        write.line(f"    {down} -= {count};")
        write.line(f"{down} *= {packed.rows};")
        write.line(f"{across} *= {packed.columns};")

    def kind(self, each: Staged) -> str:
        return CTYPES[each.element.type.dtype]

    def loads(self, each: Staged) -> int:
        """How many elements of a piece a work-item loads."""
        return -(-each.lead * self.depth // self.shape.lanes)

    # --- sums ------------------------------------------------------------------------------------------------------

    def over_sums(self) -> Iterator[None]:
        """Opens and closes the loops over the sums of a work-item."""
        for name, count in ((self.row, self.rows), (self.column, self.columns)):
            self.write.lines.append("#pragma unroll")
            self.write.open(f"for (int {name} = 0; {name} < {count}; {name}++)")
        yield
        self.write.close()
        self.write.close()

    def each_sum(self, written: Callable[[], None]) -> None:
        """What is done for each of them that the region has."""
        for _ in self.over_sums():
            self.place(swapped=False)
            written()

    def place(self, swapped: bool) -> None:
        """The row and the column of a sum, or these in each other's places."""
        trips = []
        for by, counter in (("row", self.row), ("column", self.column)):
            trips.append(C(f"({self.first[by]} + {self.lanes[by]} + {self.strides[by]} * {counter})", "int64"))
        for by, trip in zip(("row", "column"), reversed(trips) if swapped else trips, strict=True):
            self.write.line(f"const long {self.places[by].variable} = {self.places[by].value(trip)};")

    @property
    def is_inside(self) -> str:
        return " && ".join(each.inside() for each in self.places.values())

    @property
    def sum(self) -> tuple[str, str]:
        """The variable of a sum in the statements, and its place."""
        target = self.packed.sum.target
        return self.scope.value(target).text, f"{self.sums}[{self.row}][{self.column}]"

    def before(self) -> None:
        name, place = self.sum
        self.write.line(f"{name} = {zero(self.packed.sum.target.type.dtype)};")
        self.where_inside(self.packed.before)
        self.write.line(f"{place} = {name};")

    def behind(self) -> None:
        name, place = self.sum
        row, column = (self.places[by].variable for by in ("row", "column"))
        self.write.line(f"{name} = {place};")
        self.where_inside(self.packed.behind, f"{row} <= {column}" if self.folded else "")
        if self.folded:
            self.write.open(f"if ({row} < {column})")
            self.place(swapped=True)
            self.write.line(f"{name} = {place};")
            self.where_inside(self.packed.behind)
            self.write.close()

    def where_inside(self, statements: tuple[Statement, ...], test: str = "") -> None:
        if statements:
            self.write.open(f"if ({self.is_inside}{test and f' && {test}'})")
            self.write.block(statements)
            self.write.close()

    # --- pieces of the loop ----------------------------------------------------------------------------------------

    def pieces(self) -> None:
        write, loop = self.write, self.packed.loop
        start, stop = (write.value(each).loose for each in (loop.start, loop.stop))
        write.line(f"const long {self.start} = {start};")
        write.line(f"const long {self.stop} = {stop};")
        self.whole_tile()
        if self.shape.sides > 1:
            write.line(f"int {self.side} = 0;")
        self.fetch(self.start)
        write.open(f"for (long {self.at} = {self.start}; {self.at} < {self.stop}; {self.at} += {self.depth})")
        self.put()
        write.line(BARRIER)
        write.open(f"if ({self.at} + {self.depth} < {self.stop})")
        self.fetch(f"{self.at} + {self.depth}")
        write.close()
        write.open(f"if ({self.at} + {self.depth} <= {self.stop})")
        self.steps(str(self.depth), f"#pragma unroll {min(self.depth, MOST_STEPS)}")
        write.close("} else {")
        write.depth += 1
        self.steps(f"{self.stop} - {self.at}", "#pragma unroll 1")
        write.close()
        write.line(f"{self.side} = !{self.side};" if self.shape.sides > 1 else BARRIER)
        write.close()

    def slots(self, each: Staged) -> tuple[str, str]:
        """Opens the loop over what a work-item loads of an element; the row or column of a slot, and its step."""
        write = self.write
        write.lines.append("#pragma unroll")
        write.open(f"for (int load = 0; load < {self.loads(each)}; load++)")
        write.line(f"const int {self.slot} = {self.lane} + load * {self.shape.lanes};")
        if each.along:
            return f"{self.slot} / {self.depth}", f"{self.slot} % {self.depth}"
        return f"{self.slot} % {each.lead}", f"{self.slot} / {each.lead}"

    def whole_tile(self) -> None:
        """Whether all rows and columns of the tile are inside the nest: the last ones are."""
        write = self.write
        write.line(f"int {self.whole};")
        write.open()
        for by, length in (("row", self.packed.rows), ("column", self.packed.columns)):
            place = self.places[by]
            trip = C(f"({self.first[by]} + {length - 1})", "int64")
            write.line(f"const long {place.variable} = {place.value(trip)};")
        write.line(f"{self.whole} = {self.is_inside};")
        write.close()

    def fetch(self, at: str) -> None:
        """The elements of the piece at `at` into registers: of a whole one in a whole tile without tests."""
        write = self.write
        write.open(f"if ({self.whole} && {at} + {self.depth} <= {self.stop})")
        self.fetch_each(at, tested=False)
        write.close("} else {")
        write.depth += 1
        self.fetch_each(at, tested=True)
        write.close()

    def fetch_each(self, at: str, tested: bool) -> None:
        write = self.write
        for each in self.reads:
            lead, step = self.slots(each)
            write.line(f"const long {self.variable} = {at} + {step};")
            tests = [f"{self.variable} < {self.stop}"] if tested else []
            if each.by:
                place = self.places[each.by]
                trip = C(f"({self.first[each.by]} + {lead})", "int64")
                write.line(f"const long {place.variable} = {place.value(trip)};")
                tests = [place.inside(), *tests] if tested else []
            tests += [few] if (few := self.is_slot(each)) else []
            value = write.value(each.element)
            chosen = f"{' && '.join(tests)} ? {value.text} : {zero(value.dtype)}" if tests else value.text
            write.line(f"{self.next[each]}[load] = {chosen};")
            write.close()

    def is_slot(self, each: Staged) -> str:
        """Whether there is a slot, where work-items are more."""
        count = each.lead * self.depth
        return f"{self.slot} < {count}" if count % self.shape.lanes else ""

    def put(self) -> None:
        """What is in the registers into one side of local memory: the other one, if there is one, may still be read."""
        write = self.write
        for each in self.reads:
            lead, step = self.slots(each)
            place = f"[{lead}][{step}]" if each.along else f"[{step}][{lead}]"
            few = self.is_slot(each)
            if few:
                write.line(f"if ({few})")
            indent = "    " if few else ""
            write.line(f"{indent}{self.tiles[each]}[{self.side}]{place} = {self.next[each]}[load];")
            write.close()

    def steps(self, count: str, unrolled: str) -> None:
        """The trips of a piece: what they read from local memory, and the sums."""
        write, scope = self.write, self.scope
        write.lines.append(unrolled)
        write.open(f"for (int {self.step} = 0; {self.step} < {count}; {self.step}++)")
        for each in self.reads:
            self.read(each)
        texts = {"row": f"[{self.row}]", "column": f"[{self.column}]", "": ""}
        scope.staged.update({each.element: self.now[each] + texts[each.by] for each in self.reads})
        name, place = self.sum
        for _ in self.over_sums():
            write.line(f"{name} = {place};")
            write.block(self.packed.loop.body)
            write.line(f"{place} = {name};")
        scope.staged.clear()
        write.close()

    def read(self, each: Staged) -> None:
        """What the sums of a work-item read of an element in one trip."""
        write, now, tile = self.write, self.now[each], f"{self.tiles[each]}[{self.side}]"
        if not each.by:
            write.line(f"const {self.kind(each)} {now} = {tile}[0][{self.step}];")
            return
        count = self.rows if each.by == "row" else self.columns
        lead = f"[{self.lanes[each.by]} + {self.strides[each.by]} * load]"
        place = f"{lead}[{self.step}]" if each.along else f"[{self.step}]{lead}"
        write.line(f"{self.kind(each)} {now}[{count}];")
        write.lines.append("#pragma unroll")
        write.line(f"for (int load = 0; load < {count}; load++)")
        write.line(f"    {now}[load] = {tile}{place};")
