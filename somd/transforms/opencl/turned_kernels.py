"""A phase of two loops that reads arrays across -> a kernel that brings in tiles of them along their rows.

for i in range(n):                  for (int share = 0; share < 4; share++)    neighbours read neighbouring elements
    for j in range(m):       ->         A_tile[...][...] = A[j * A_1 + i];
        B[i, j] = A[j, i]           barrier(CLK_LOCAL_MEM_FENCE);
                                    for (int share = 0; share < 4; share++)    and store neighbouring elements
                                        B[i * B_1 + j] = A_tile[lane % 32][lane / 32 + share * 8];

Work-items that are neighbours store elements beside each other. What they read lies in as many lines of memory where it
is rows apart, so a group has a tile of iterations, and reads for it with other neighbours. An element of a tile is one
that its iteration reads whatever happens, of an array that the phase does not write: so all else stays as it is.
"""

from __future__ import annotations

import numpy as np

from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import Element, Expression, Loop, Raise, Region, Store, While
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.walking import goes_on, statements_in, tests_accesses
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.fast_loops import FastLoops
from somd.transforms.opencl.kernels import is_plain, kernel_text, own_variables, scope_of, with_bounds
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.opencl.short_row_kernels import first_of_tile
from somd.transforms.opencl.steady_reads import steady_reads
from somd.transforms.opencl.striped import BARRIER, MOST_LOCAL
from somd.transforms.stages import Nest

#: the work-items of a group; its iterations of the loop along which elements are stored, and the bytes of a tile's row,
#: which lie along that of the other loop
LANES, STORED, READ = 256, 32, 256


def turned_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest of two loops that reads across what it stores along; None for others."""
    plain = is_plain(region) and region.depth == 2 and not nest.tests and not nest.raises and not region.aliased
    if not plain or tests_accesses(region.body) or any(map(goes_on, region.body)):
        return None
    statements = list(statements_in(region.body))
    if any(isinstance(node, Raise | Loop | While) for node in statements) or any(each.hull for each in region.loops):
        return None
    names = [loop.variable.name for loop in region.loops]
    stored = [node.element.indices[-1] for node in statements if isinstance(node, Store)]
    for along, across in ((1, 0), (0, 1)):
        if stored and all(_goes(index, names[along], names[across]) for index in stored):
            return _kernel_of(nest, region, name, unit, along, names[across])
    return None


def _kernel_of(nest: Nest, region: Region, name: str, unit: Unit, along: int, across: str) -> Kernel | None:
    other = region.loops[along].variable.name
    variables = {across, other}
    reads = steady_reads(region.body, region, variables, lambda indices: _goes(indices[-1], across, other))
    reads = [each for each in reads if any(other in read_in(index) for index in each.indices)]
    if not reads:
        return None
    count = READ // max(np.dtype(each.type.dtype).itemsize for each in reads)
    room = sum(np.dtype(each.type.dtype).itemsize for each in reads) * STORED * (count + 1)
    return _Writer(reads, along, count, nest, region, unit).kernel(name) if room <= MOST_LOCAL else None


def _goes(index: Expression, variable: str, other: str) -> bool:
    """Whether an index moves with one variable, and not with the other."""
    return moves_with(index, variable) and other not in read_in(index)


class _Writer:
    def __init__(self, reads: list[Element], along: int, count: int, nest: Nest, region: Region, unit: Unit) -> None:
        self.reads, self.along, self.region = reads, along, region
        self.sizes = (count, STORED) if along else (STORED, count)
        self.scope = scope_of(nest, unit)
        self.declared = own_variables(region)
        self.write = FastLoops(self.scope, unit, self.declared)
        self.write.of = region.body
        fresh = self.scope.names.fresh
        self.lane, self.share, self.beyond = fresh("lane"), fresh("share"), fresh("across")
        self.first = (fresh("first_row"), fresh("first_column"))
        self.tiles = {each: fresh(f"{self.scope.array(each.array)}_tile") for each in reads}
        self.bounds: list[Argument] = []
        ranges = (range_in_c(k, loop, self.write.expressions, self.bounds) for k, loop in enumerate(region.loops))
        self.ranges: tuple[CRange, ...] = tuple(ranges)

    def kernel(self, name: str) -> Kernel:
        write, scope, count = self.write, self.scope, self.sizes[1 - self.along]
        for each, tile in self.tiles.items():
            write.local.append(f"    __local {CTYPES[each.type.dtype]} {tile}[{STORED}][{count} + 1];")
        write.line(f"const int {self.lane} = get_local_id(0);")
        first_of_tile(write, self.ranges[1], self.sizes, self.first, self.beyond)
        for line in declarations(self.declared.private, scope):
            write.line(line)
        self.bring_in(count)
        write.line(BARRIER)
        self.iterations(count)
        arguments = with_bounds(of_scope(scope, frozenset(self.region.written)), self.bounds)
        text = kernel_text(name, arguments, write.finished(), scope, group=str(LANES), local=write.local)
        rows, columns = self.sizes
        return Kernel(name, text, tuple(arguments), rows=rows, columns=columns, lanes=LANES)

    def place(self, stored: str, read: str) -> str:
        """Sets the variables to those of an iteration of the tile; the test that there is such a one."""
        inside = []
        for number, within in enumerate(self.ranges):
            place = stored if number == self.along else read
            trip = C(f"({self.first[number]} + {place})", "int64")
            self.write.line(f"const long {within.variable} = {within.value(trip)};")
            inside.append(f"!({within.beyond(trip)})")
        return " && ".join(inside)

    def bring_in(self, count: int) -> None:
        """The tiles, neighbours elements that are neighbours in memory: all loads, and then all stores."""
        write, shares = self.write, STORED * count // LANES
        stored, read = f"{self.lane} / {count} + {LANES // count} * {self.share}", f"{self.lane} % {count}"
        registers = {each: self.scope.names.fresh(f"{self.scope.array(each.array)}_next") for each in self.reads}
        for each, register in registers.items():
            write.line(f"{CTYPES[each.type.dtype]} {register}[{shares}];")
        write.lines.append("#pragma unroll")
        with write.braces(f"for (int {self.share} = 0; {self.share} < {shares}; {self.share}++)"):
            inside = self.place(stored, read)
            for each, register in registers.items():
                value = f"{inside} ? {write.value(each).text} : {zero(each.type.dtype)}"
                write.line(f"{register}[{self.share}] = {value};")
        write.lines.append("#pragma unroll")
        with write.braces(f"for (int {self.share} = 0; {self.share} < {shares}; {self.share}++)"):
            for each, register in registers.items():
                write.line(f"{self.tiles[each]}[{stored}][{read}] = {register}[{self.share}];")

    def iterations(self, count: int) -> None:
        """The iterations of a work-item, which read the tiles."""
        write, step = self.write, LANES // STORED
        stored, read = f"{self.lane} % {STORED}", f"{self.lane} / {STORED} + {step} * {self.share}"
        write.lines.append("#pragma unroll")
        each_share = write.braces(f"for (int {self.share} = 0; {self.share} < {count // step}; {self.share}++)")
        with each_share, write.braces(f"if ({self.place(stored, read)})"):
            self.scope.staged.update({each: f"{tile}[{stored}][{read}]" for each, tile in self.tiles.items()})
            write.block(self.region.body)
            self.scope.staged.clear()
