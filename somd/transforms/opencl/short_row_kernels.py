"""A phase whose iterations go along short rows of a matrix, one each -> a kernel that brings in the rows of a group.

for i in range(n):                        c_tile = 32 rows of c, neighbours loading neighbouring elements
    for j in range(m):                    for (int share = 0; share < 4; share++) {
        s = 0.0                               const long i = ...; const long j = ...;
        for k in range(c.shape[1]):   ->      if (i < n && j < m) {
            s += a[i, k] * c[j, k]                s = 0.0;
        d[i, j] = s                               for (...) s = s + a[i, k] * c_tile[lane % 32][k];
                                                  d[i, j] = s;
                                          }

Work-items that are neighbours read elements that lie a row apart, and each such load asks memory for as many lines as
there are work-items. Rows of at most MOST_WIDE elements, which the runtime asks for, fit into local memory, where
neighbours' rows lie an odd number of elements apart. What is stored, and in which order all is computed, stays.

Rows are those of the loop in which work-items are neighbours. Long rows are brought in piece by piece (`tiled_kernels`,
`walked_kernels`), for one walk along them. Iterations of one loop that go along theirs several times, as to find where
the least element is, have rows of MOST_WALKED elements brought in for all walks, by more work-items than have one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C, infix
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.making import INT64
from somd.transforms.loops.program import Element, Expression, Loop, Proved, Raise, Region, Statement, Variable, While
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.walking import expressions_in, goes_on, reads_elements, statements_in, tests_accesses
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.fast_loops import FastLoops
from somd.transforms.opencl.kernels import is_plain, kernel_text, own_variables, scope_of, with_bounds
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.opencl.strides import fastest_first
from somd.transforms.opencl.striped import BARRIER, MOST_LOCAL
from somd.transforms.stages import Nest

#: elements of a row at most
MOST_WIDE = 16
#: iterations of a group and its work-items where one loop has them; iterations of each of two loops
ROWS, SIDE = 128, 32
#: the work-items of a group with iterations of two loops, each of which takes some of them
LANES = 256
#: elements of a row at most, iterations of a group, and its work-items, where iterations walk along rows several times
MOST_WALKED, WALKS, WALKING = 64, 32, 128

Rows = tuple[str, tuple[Expression, ...]]


def rows_of(region: Region, variable: str) -> dict[Rows, list[Element]]:
    """The elements of rows that a trip of `variable` has for itself, which it goes along in loops; by array and index
    of the row."""
    steady, found = {*region.scalars, *region.arrays}, dict[Rows, list[Element]]()
    for node in _in_loops(region.body):
        *leading, last = node.indices
        moving = [each for each in leading if variable in read_in(each)]
        if not isinstance(node.access, Proved) or node.array in region.written or node.array not in region.arrays:
            continue
        if len(moving) != 1 or not moves_with(moving[0], variable) or variable in read_in(last):
            continue
        others = {name for each in leading for name in read_in(each)} - {variable}
        if others <= steady and not read_in(last) <= steady and not any(map(reads_elements, leading)):
            found.setdefault((node.array, tuple(leading)), []).append(node)
    return found


def _in_loops(body: tuple[Statement, ...]) -> Iterator[Element]:
    """The elements that are read in loops of a body."""
    loops = [node for node in statements_in(body) if isinstance(node, Loop | While)]
    for each in expressions_in(tuple(loops)):
        if isinstance(each, Element):
            yield each


def short_row_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest with short rows; None where iterations have none."""
    count, lanes = (SIDE, LANES) if region.depth > 1 else (ROWS, ROWS)
    return _kernel_of(nest, region, name, unit, count, lanes, MOST_WIDE)


def row_walks_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest of one loop whose iterations walk along a row several times; None where they do not."""
    if region.depth > 1:
        return None
    loops = [node for node in statements_in(region.body) if isinstance(node, Loop)]
    walks = [loop for loop in loops if not any(isinstance(node, Loop) for node in statements_in(loop.body))]
    rows = rows_of(region, region.loop.variable.name)
    often = [sum(any(each in reads for each in expressions_in(walk.body)) for walk in walks) for reads in rows.values()]
    return _kernel_of(nest, region, name, unit, WALKS, WALKING, MOST_WALKED) if max(often, default=0) > 1 else None


def _kernel_of(nest: Nest, region: Region, name: str, unit: Unit, count: int, lanes: int, widest: int) -> Kernel | None:
    scope = scope_of(nest, unit)
    private = all(local.name in scope.own for local in nest.local_arrays)
    plain = is_plain(replace(region, local_arrays=())) and private and not nest.tests and not nest.raises
    plain = plain and region.depth <= 2 and all(loop.hull is None for loop in region.loops)
    if not plain or tests_accesses(region.body) or any(map(goes_on, region.body)):
        return None
    if any(isinstance(node, Raise) for node in statements_in(region.body)):
        return None
    fastest = fastest_first(region)[0]
    rows = rows_of(region, region.loops[fastest].variable.name)
    sizes = [np.dtype(reads[0].type.dtype).itemsize * count * (widest + 1) for reads in rows.values()]
    if not rows or sum(sizes) > MOST_LOCAL:
        return None
    return _Writer(rows, fastest, nest, region, unit, (count, lanes, widest)).kernel(name)


class _Writer:
    def __init__(
        self,
        rows: dict[Rows, list[Element]],
        fastest: int,
        nest: Nest,
        region: Region,
        unit: Unit,
        sizes: tuple[int, int, int],
    ) -> None:
        self.rows, self.fastest, self.region = rows, fastest, region
        self.count, self.lanes, self.widest = sizes
        self.scope = scope_of(nest, unit)
        self.declared = own_variables(region)
        self.write = FastLoops(self.scope, unit, self.declared)
        self.write.of = region.body
        fresh = self.scope.names.fresh
        self.lane, self.across, self.share, self.slot, self.wide = (
            fresh(n) for n in ("lane", "across", "share", "slot", "wide")
        )
        self.first = tuple(fresh(n) for n in ("first_row", "first_column")[: region.depth])
        self.tiles = {key: fresh(f"{self.scope.array(key[0])}_tile") for key in rows}
        self.bounds: list[Argument] = []
        ranges = (range_in_c(k, loop, self.write.expressions, self.bounds) for k, loop in enumerate(region.loops))
        self.ranges: tuple[CRange, ...] = tuple(ranges)

    def kernel(self, name: str) -> Kernel:
        write, scope, region = self.write, self.scope, self.region
        for key, tile in self.tiles.items():
            kind = CTYPES[self.rows[key][0].type.dtype]
            write.local.append(f"    __local {kind} {tile}[{self.count}][{self.widest} + 1];")
        write.line(f"const int {self.lane} = get_local_id(0);")
        self.place_of_group()
        for line in declarations(self.declared.private, scope):
            write.line(line)
        for key in self.rows:
            self.bring_in(key)
        write.line(BARRIER)
        self.iterations()
        arguments = with_bounds(of_scope(scope, frozenset(region.written)), self.bounds)
        text = kernel_text(name, arguments, write.finished(), scope, group=str(self.lanes), local=write.local)
        columns = self.count if region.depth > 1 else 1
        short = tuple((array, len(reads[0].indices) - 1) for (array, _), reads in self.rows.items())
        return Kernel(
            name,
            text,
            tuple(arguments),
            rows=self.count,
            columns=columns,
            lanes=self.lanes,
            short=short,
            widest=self.widest,
        )

    def place_of_group(self) -> None:
        write, group = self.write, "(long)get_group_id(0)"
        if self.region.depth == 1:
            write.line(f"const long {self.first[0]} = {group} * {self.count};")
            return
        first_of_tile(write, self.ranges[1], (self.count, self.count), (self.first[0], self.first[1]), self.across)

    def bring_in(self, key: Rows) -> None:
        """The rows of the group that the nest has, and the array."""
        write, (array, leading), place = self.write, key, self.ranges[self.fastest]
        read = self.rows[key][0]
        column = Variable("column'", INT64)
        wide = self.scope.length(array, len(leading)).text
        with write.braces():
            write.line(f"const int {self.wide} = (int){wide};")
            count = f"{self.count} * {self.wide}"
            with write.braces(
                f"for (int {self.slot} = {self.lane}; {self.slot} < {count}; {self.slot} += {self.lanes})"
            ):
                trip = C(f"({self.first[self.fastest]} + {self.slot} / {self.wide})", "int64")
                write.line(f"const long {place.variable} = {place.value(trip)};")
                write.line(f"const int {self.scope.text_of(column.name)} = {self.slot} % {self.wide};")
                inside = [f"!({place.beyond(trip)})"]
                for axis, index in enumerate(leading):
                    value, length = write.value(index).text, self.scope.length(array, axis).text
                    inside.append(f"{value} >= 0 && {value} < {length}")
                element = write.value(replace(read, indices=(*leading, column), range=None))
                target = f"{self.tiles[key]}[{self.slot} / {self.wide}][{self.scope.text_of(column.name)}]"
                write.line(f"if ({' && '.join(inside)})")
                write.line(f"    {target} = {element.text};")

    def iterations(self) -> None:
        """The iterations of a work-item, which reads its row from the tile."""
        write, two = self.write, self.region.depth > 1
        row = f"{self.lane} % {self.count}" if two else self.lane
        shares = self.count * self.count // self.lanes
        each_share = write.braces(f"for (int {self.share} = 0; {self.share} < {shares}; {self.share}++)")
        with each_share if two else nullcontext():
            places = {self.fastest: row}
            if two:
                step = self.lanes // self.count
                places[1 - self.fastest] = f"{self.lane} / {self.count} + {step} * {self.share}"
            inside = [f"{self.lane} < {self.count}"] if not two and self.count < self.lanes else []
            for place, first in zip(self.ranges, self.first, strict=True):
                trip = C(f"({first} + {places[place.number]})", "int64")
                write.line(f"const long {place.variable} = {place.value(trip)};")
                inside.append(f"!({place.beyond(trip)})")
            with write.braces(f"if ({' && '.join(inside)})"):
                for key, reads in self.rows.items():
                    for each in reads:
                        column = write.value(each.indices[-1])
                        self.scope.staged[each] = f"{self.tiles[key]}[{row}][{column.loose}]"
                write.block(self.region.body)
                self.scope.staged.clear()


def first_of_tile(
    write: Statements, inner: CRange, sizes: tuple[int, int], first: tuple[str, str], across: str
) -> None:
    """Declares the first iterations of a group with a tile of so many iterations of two loops, the `inner` one second,
    and as `across` how many tiles lie beside each other."""
    size = inner.stop if inner.start.value == 0 else infix("-", inner.stop, inner.start, "int64")
    if inner.step < 0:
        size = infix("-", inner.start, inner.stop, "int64")
    rows, columns = sizes
    tile, group = columns * abs(inner.step), "(long)get_group_id(0)"
    more = infix("+", size, C(str(tile - 1), "int64"), "int64")
    write.line(f"const long {across} = ({more.loose}) / {tile};")
    write.line(f"const long {first[0]} = {group} / {across} * {rows};")
    write.line(f"const long {first[1]} = {group} % {across} * {columns};")
