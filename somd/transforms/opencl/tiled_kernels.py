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

from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.c_expressions import Expressions
from somd.transforms.opencl.c_statements import Statements
from somd.transforms.opencl.c_tree import C
from somd.transforms.opencl.c_types import CTYPES, zero
from somd.transforms.opencl.kernels import kernel_text, scope_of
from somd.transforms.opencl.locals import declarations, loop_scoped
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.opencl.steady_reads import array_of, reads_elements, steady_reads
from somd.transforms.opencl.strides import unit_stride
from somd.transforms.opencl.unit import Unit
from somd.transforms.opencl.unrolling import unroll_lines
from somd.transforms.stages import Method, Nest
from somd.transforms.tree.loops import exits_of, integer_constant, range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import children_of
from somd.transforms.types.typing_table import Types

#: rows and columns of a tile, work-items of a group, and bytes of local memory that the tiles of a kernel may take
ROWS, TILE, GROUP, MOST_LOCAL = 16, 32, 128, 30000
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"


@dataclass(frozen=True)
class Walk:
    """The loop along the rows and what stands before and behind it; its reads of rows, and of what all rows share."""

    before: tuple[cst.CSTNode, ...]
    loop: cst.For
    behind: tuple[cst.CSTNode, ...]
    rows: dict[str, list[cst.Subscript]]
    shared: dict[str, list[cst.Subscript]]


def walk_of(nest: Nest, method: Method, types: Types) -> Walk | None:
    """The one loop of a nest along rows; None where it has none."""
    other = nest.reductions or nest.combined or nest.copies or nest.in_order_if or nest.local_arrays or nest.tests
    if len(nest.dims) != 1 or other or nest.relaxed is not None or nest.partition is not None:
        return None
    body = list(small_statements(nest.body))
    loops = [k for k, node in enumerate(body) if isinstance(node, cst.For | cst.While)]
    if len(loops) != 1 or any(_goes_on(node) for node in body):
        return None
    loop = body[loops[0]]
    header = range_of(loop) if isinstance(loop, cst.For) else None
    if not isinstance(loop, cst.For) or header is None or integer_constant(header.step, method) != 1:
        return None
    known = {*nest.scalars, *nest.arrays}
    for limit in (header.start, header.stop):
        if reads_elements(limit, types) or not names_read(limit) & method.local_names <= known:
            return None
    if exits_of(loop) or header.variable in assigned_names(loop.body):
        return None
    outer, inner = nest.dims[0].variable, header.variable

    def along(indexes: tuple[cst.BaseExpression, ...]) -> bool:
        return unit_stride(indexes[-1], inner) and not any(inner in names_read(index) for index in indexes[:-1])

    reads = steady_reads(statements_of(loop.body), nest, {outer, inner}, types, along)
    mine = {text: any(outer in names_read(part) for part in nodes[0].slice) for text, nodes in reads.items()}
    rows = {t: ns for t, ns in reads.items() if mine[t] and not unit_stride(_last(ns[0]), outer)}
    shared = {text: nodes for text, nodes in reads.items() if not mine[text]}
    sizes = [_itemsize(nodes[0], types) * (ROWS * (TILE + 1)) for nodes in rows.values()]
    sizes += [_itemsize(nodes[0], types) * TILE for nodes in shared.values()]
    if not rows or 2 * sum(sizes) > MOST_LOCAL:
        return None
    return Walk(tuple(body[: loops[0]]), loop, tuple(body[loops[0] + 1 :]), rows, shared)


def _last(node: cst.Subscript) -> cst.BaseExpression:
    index = node.slice[-1].slice
    assert isinstance(index, cst.Index)
    return index.value


def _goes_on(node: cst.CSTNode) -> bool:
    """Whether a statement goes on with the next iteration of the nest."""
    if isinstance(node, cst.Continue):
        return True
    return not isinstance(node, cst.For | cst.While) and any(_goes_on(child) for child in children_of(node))


def _dtype(node: cst.Subscript, types: Types) -> str:
    found = array_of(node, types)
    assert found is not None
    return found.dtype


def _itemsize(node: cst.Subscript, types: Types) -> int:
    return np.dtype(_dtype(node, types)).itemsize


def tiled_kernel_of(nest: Nest, name: str, method: Method, types: Types, unit: Unit) -> Kernel | None:
    """The kernel of a nest with a walk along rows."""
    walk = walk_of(nest, method, types)
    return None if walk is None else _Writer(walk, nest, method, types, unit).kernel(name)


class _Writer:
    def __init__(self, walk: Walk, nest: Nest, method: Method, types: Types, unit: Unit) -> None:
        self.walk, self.nest, self.types = walk, nest, types
        self.scope = scope_of(nest, method, types, unit)
        self.write = Statements(Expressions(self.scope, unit), loop_scoped(nest.body))
        fresh = self.scope.names.fresh
        self.lane, self.trip, self.active, self.first = (fresh(n) for n in ("lane", "trip", "active", "first_row"))
        header = range_of(walk.loop)
        assert header is not None
        self.header, self.variable = header, self.scope.names.of(header.variable)
        wanted = [f"{self.variable}_{part}" for part in ("tile", "start", "stop")]
        self.at, self.start, self.stop = (fresh(n) for n in wanted)
        self.column, self.slot, self.side, self.whole = (fresh(n) for n in ("column", "slot", "side", "whole"))
        reads = {**walk.rows, **walk.shared}
        arrays = {text: self.scope.array(nodes[0].value.value) for text, nodes in reads.items()}  # type: ignore[attr-defined]
        self.tiles = {text: fresh(f"{array}_tile") for text, array in arrays.items()}
        self.next = {text: fresh(f"{arrays[text]}_next") for text in reads}
        self.kinds = {text: CTYPES[_dtype(nodes[0], types)] for text, nodes in reads.items()}
        self.bounds: list[Argument] = []

    def kernel(self, name: str) -> Kernel:
        write, scope, walk = self.write, self.scope, self.walk
        within = range_in_c(0, self.nest.dims[0], write.expressions, self.bounds)
        trip = C(self.trip, "int64")
        for text, tile in self.tiles.items():
            size = "[ROWS][TILE + 1]" if text in walk.rows else "[TILE]"
            write.line(f"__local {self.kinds[text]} {tile}[2]{size};")
        write.line(f"const int {self.lane} = get_local_id(0);")
        write.line(f"const long {self.first} = (long)get_group_id(0) * ROWS;")
        write.line(f"const long {self.trip} = {self.first} + {self.lane};")
        write.line(f"const long {within.variable} = {within.value(trip)};")
        write.line(f"const int {self.active} = {self.lane} < ROWS && !({within.beyond(trip)});")
        for line in declarations(set(self.nest.privates) - write.scoped, scope):
            write.line(line)
        reads = {**walk.rows, **walk.shared}
        for text, register in self.next.items():
            first = zero(_dtype(reads[text][0], self.types))
            size = "[ROWS * TILE / GROUP]" if text in walk.rows else f" = {first}"
            write.line(f"{self.kinds[text]} {register}{size};")
        self.where_active(walk.before)
        start, limit = (write.expressions.of_type(n, "int64") for n in (self.header.start, self.header.stop))
        write.line(f"const long {self.start} = {start.loose};")
        write.line(f"const long {self.stop} = {limit.loose};")
        self.whole_rows(within)
        self.loads(within, self.start)
        write.line(f"int {self.side} = 0;")
        write.open(f"for (long {self.at} = {self.start}; {self.at} < {self.stop}; {self.at} += TILE)")
        self.tile()
        write.open(f"if ({self.at} + TILE < {self.stop})")
        self.loads(within, f"{self.at} + TILE")
        write.close()
        self.along()
        write.line(f"{self.side} = !{self.side};")
        write.close()
        self.where_active(walk.behind)
        arguments = of_scope(scope, frozenset(self.nest.arrays_written))
        place = next((k for k, a in enumerate(arguments) if a.kind in ("scalar", "kept")), len(arguments))
        arguments[place:place] = self.bounds
        return Kernel(name, kernel_text(name, arguments, write.lines, scope, group="GROUP"), tuple(arguments))

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
        self.write.line("{")
        self.write.depth += 1

    def loads(self, within: CRange, at: str) -> None:
        """Elements of the tile at column `at` into registers, by rows; a whole tile without tests."""
        write = self.write
        if self.walk.shared:
            write.open(f"if ({self.lane} < TILE && {at} + {self.lane} < {self.stop})")
            write.line(f"const long {self.variable} = {at} + {self.lane};")
            for text, nodes in self.walk.shared.items():
                write.line(f"{self.next[text]} = {write.expressions.expression(nodes[0]).text};")
            write.close()
        write.open(f"if ({self.whole} && {at} + TILE <= {self.stop})")
        self.load_rows(within, at, tested=False)
        write.close("} else {")
        write.depth += 1
        self.load_rows(within, at, tested=True)
        write.close()

    def load_rows(self, within: CRange, at: str, tested: bool) -> None:
        write, trip = self.write, C(self.trip, "int64")
        write.lines.append("#pragma unroll")
        write.open("for (int load = 0; load < ROWS * TILE / GROUP; load++)")
        write.line(f"const int {self.slot} = {self.lane} + load * GROUP;")
        write.line(f"const long {self.trip} = {self.first} + {self.slot} / TILE;")
        write.line(f"const long {within.variable} = {within.value(trip)};")
        write.line(f"const long {self.variable} = {at} + {self.slot} % TILE;")
        inside = f"{self.variable} < {self.stop} && !({within.beyond(trip)})"
        for text, nodes in self.walk.rows.items():
            element = write.expressions.expression(nodes[0])
            chosen = f"{inside} ? {element.text} : {zero(element.dtype)}"
            write.line(f"{self.next[text]}[load] = {chosen if tested else element.text};")
        write.close()

    def tile(self) -> None:
        """What is in the registers into one side of local memory: the other one may still be walked along."""
        write = self.write
        write.lines.append("#pragma unroll")
        write.open("for (int load = 0; load < ROWS * TILE / GROUP; load++)")
        write.line(f"const int {self.slot} = {self.lane} + load * GROUP;")
        for text in self.walk.rows:
            place = f"[{self.side}][{self.slot} / TILE][{self.slot} % TILE]"
            write.line(f"{self.tiles[text]}{place} = {self.next[text]}[load];")
        write.close()
        if self.walk.shared:
            write.open(f"if ({self.lane} < TILE)")
            for text in self.walk.shared:
                write.line(f"{self.tiles[text]}[{self.side}][{self.lane}] = {self.next[text]};")
            write.close()
        write.line(BARRIER)

    def along(self) -> None:
        """The walk along a tile: a whole one, or what is left of the row."""
        write = self.write
        for text, nodes in {**self.walk.rows, **self.walk.shared}.items():
            row = f"[{self.lane}]" if text in self.walk.rows else ""
            place = f"{self.tiles[text]}[{self.side}]{row}[{self.column}]"
            self.scope.staged.update(dict.fromkeys(nodes, place))
        write.open(f"if ({self.active} && {self.at} + TILE <= {self.stop})")
        write.lines += unroll_lines(16, statements_of(self.walk.loop.body), self.scope)
        self.columns("TILE")
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
        write.block(statements_of(self.walk.loop.body))
        write.loops -= 1
        write.close()

    def where_active(self, statements: tuple[cst.CSTNode, ...]) -> None:
        if statements:
            self.write.open(f"if ({self.active})")
            self.write.block(statements)
            self.write.close()
