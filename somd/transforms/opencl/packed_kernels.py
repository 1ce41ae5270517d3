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
by the column, and that the region does not write. Each of them is loaded once for a tile, and read from local memory as
often as there are rows, or columns, in it, both by words of 16 bytes: so a work-item has sums of rows, and of columns,
that lie beside each other for a word, and words apart as there are work-items along them. Where elements in memory do
not begin at a word, a work-item loads those of one by one. Each sum sees its operands in the order of the loop, and
nothing is contracted, unless the method asks for that.

The next piece is asked for before the barrier, across which compilers move no load: behind it NVIDIA's put off the
loads until after the sums, to have more registers, and every piece waited for memory.

Few such tiles would leave most of a device idle, where a sum is long and rows and columns are few: a second kernel has
smaller ones, fewer work-items, and deeper pieces, since fewer trips hide how long memory takes to answer.

At the edge of a matrix a tile is a whole one in registers; what is none of the region's is not loaded, nor stored.
Whole pieces of whole tiles are loaded without tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C, infix
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import Element, Packed, Region, Statement
from somd.transforms.loops.rows import moves_with, one_moves_along
from somd.transforms.loops.symmetric_sums import are_symmetric
from somd.transforms.loops.walking import inside, tests_accesses
from somd.transforms.opencl.arguments import Kernel, of_scope
from somd.transforms.opencl.kernels import is_plain, kernel_text, with_bounds
from somd.transforms.opencl.packed_pieces import MOST_LOCAL, WORD, Pieces, Shape, Staged
from somd.transforms.opencl.ranges import range_in_c
from somd.transforms.opencl.striped import BARRIER
from somd.transforms.stages import Nest

#: of large tiles; of smaller ones, whose work-items would have too few sums if they were as many; and of these where
#: they are half as many, so that a unit of the device has one at a time, and only deep pieces hide how long loads take
LARGE, SMALL = Shape(16, 16, (8, 4, 2)), Shape(8, 16, (16, 8, 4, 2), finer=4)
SMALL_FOLDED = Shape(8, 16, (48, 32, 16, 8, 4, 2), sums=3, sides=1)
#: trips that are written out one behind the other
MOST_STEPS = 16


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
        writer = _Writer(packed, reads, shape, depth, nest, region, unit)
        if writer.bytes <= MOST_LOCAL:
            return writer.kernel(name)
    return None


class _Writer(Pieces):
    def kernel(self, name: str) -> Kernel:
        write, scope, packed = self.write, self.scope, self.packed
        for number, by in enumerate(("row", "column")):
            self.places[by] = range_in_c(number, self.region.loops[number], write.expressions, self.bounds)
        for each in self.reads:
            shape = f"[{self.shape.sides}][{self.depth}][{self.width(each)}]"
            aligned = f"__attribute__((aligned({max(WORD, each.size * self.words[each.by])})))"
            write.local.append(f"    __local {self.kind(each)} {self.tiles[each]}{shape} {aligned};")
        self.begin()
        write.line(f"{CTYPES[packed.sum.target.type.dtype]} {self.sums}[{self.rows}][{self.columns}];")
        for each in self.reads:
            write.line(f"{self.kind(each)} {self.next[each]}[{self.loads(each) * self.together(each)}];")
            if self.is_beside(each):
                write.line(f"__global const {self.kind(each)} *{self.from_[each]}[{self.loads(each)}];")
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
            word = self.words[by]
            place = f"{self.lanes[by]} + {self.strides[by]} * {counter}"
            if word > 1:
                place = f"({self.lanes[by]} + {self.strides[by]} * ({counter} / {word})) * {word} + {counter} % {word}"
            trips.append(C(f"({self.first[by]} + {place})", "int64"))
        for by, trip in zip(("row", "column"), reversed(trips) if swapped else trips, strict=True):
            self.write.line(f"const long {self.places[by].variable} = {self.places[by].value(trip)};")

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
        self.aim(self.start)
        self.fetch(self.start)
        self.aim(f"{self.start} + {self.depth}")
        write.open(f"for (long {self.at} = {self.start}; {self.at} < {self.stop}; {self.at} += {self.depth})")
        self.put()
        if self.shape.sides == 1:
            write.line(BARRIER)
        self.fetch(f"{self.at} + {self.depth}")
        if self.shape.sides > 1:
            write.line(BARRIER)
        self.aim(f"{self.at} + {2 * self.depth}")
        write.open(f"if ({self.at} + {self.depth} <= {self.stop})")
        self.steps(str(self.depth), f"#pragma unroll {min(self.depth, MOST_STEPS)}")
        write.close("} else {")
        write.depth += 1
        self.steps(f"{self.stop} - {self.at}", "#pragma unroll 1")
        write.close()
        write.line(f"{self.side} = !{self.side};" if self.shape.sides > 1 else BARRIER)
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
