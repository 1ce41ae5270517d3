"""A phase whose iterations walk along a loop in order -> a kernel that brings in what they read, tile by tile.

for i in range(n):                    ->   for (long j_tile = 0; j_tile < m; j_tile += TILE) {
    s = 0.0                                    A_tile[side] = ROWS x TILE elements of A, x_tile[side] = TILE of x
    for j in range(m):                         if (active)
        s += A[i, j] * x[j]                        for (int column = 0; column < TILE; column++)
    y[i] = s                                           s = s + A_tile[side][lane][column] * x_tile[side][column];
                                           }

A work-item runs an iteration, and its sum keeps the order of plain Python. What is read is of three kinds:

- rows, `A[i, j]`. Were each work-item to load its own, neighbours would ask for elements that lie far apart.
- columns, `A[j, i]`. Neighbours load neighbours as it is, but where a work-item has a whole column for itself, too few
  loads are under way.
- what all iterations share, `x[j]`, or `x[j, 0]`. It would be loaded by each.

So the first work-items of a group run iterations, and all of them load, neighbours neighbouring elements. The loads of
the next tile are under way while a tile is walked along, and the other side of local memory takes it, so that a tile
costs one barrier. What an iteration reads again in each trip, it reads once, before them: drivers do not move loads
across barriers. Where columns are few, how long a chain of additions takes is all that counts: a second kernel has
groups of half as many, in which who goes along a chain loads nothing.

The iterations may be those of two loops, where the inner one is short, as in sums along the middle one of three axes:
what they have for themselves are rows then, wherever its elements lie. Neighbours in a long one do as well alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

import libcst as cst
import numpy as np

from somd.transforms.emit.c_expressions import Speculation, in_steps
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
    Store,
    While,
)
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.walking import expressions_in, goes_on, reads_elements, statements_in
from somd.transforms.opencl.arguments import Kernel, of_scope
from somd.transforms.opencl.fast_loops import guess_of
from somd.transforms.opencl.kernels import is_plain, kernel_text, with_bounds
from somd.transforms.opencl.row_groups import RowGroups
from somd.transforms.opencl.steady_reads import staged, steady_reads
from somd.transforms.opencl.unrolling import unroll_lines
from somd.transforms.stages import Nest

BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"


@dataclass(frozen=True)
class Shape:
    """Iterations of a group, trips in a tile and work-items, for elements of so many bytes at `most`. `copies` of the
    loop's body are made, at most. The first `apart` of the work-items load nothing."""

    rows: int
    tile: int
    lanes: int
    most: int
    copies: int = 16
    apart: int = 0

    @property
    def loaders(self) -> int:
        return self.lanes - self.apart


#: the shapes where rows are brought in, columns, or only what is shared. Tiles of small elements are wide, as fewer
#: bytes would not hide how long memory takes to answer
OF_ROWS = (Shape(16, 128, 128, 4), Shape(16, 96, 128, 8), Shape(16, 32, 128, 16))
OF_COLUMNS = (Shape(16, 128, 128, 4), Shape(16, 96, 128, 8), Shape(16, 32, 128, 16))
OF_FEW_COLUMNS = tuple(
    Shape(8, tile, 160, most, 32, apart=32) for tile, most in ((256, 4), (192, 8), (128, 8), (64, 16))
)
OF_SHARED = (Shape(128, 128, 128, 16, copies=4),)
#: copies of a trip that divides singles, or takes their roots, in steps
MOST_STEPPED = 2
#: bytes of local memory that the tiles of a kernel may take: every device has 32 KiB
MOST_LOCAL = 30000
#: elements that an iteration keeps in registers all along its loop, at most
MOST_SAME = 8


@dataclass(frozen=True)
class Walk:
    """The loop and what stands before and behind it; its reads of rows, of columns, of what all iterations share, and
    of what is the same in all trips of one. `test` is what all of it stands behind, the same for all iterations."""

    test: Expression | None
    before: tuple[Statement, ...]
    loop: Loop
    behind: tuple[Statement, ...]
    rows: list[Element]
    columns: list[Element]
    shared: list[Element]
    same: list[Element]
    shape: Shape

    @property
    def reads(self) -> list[Element]:
        return [*self.rows, *self.columns, *self.shared]


def walk_of(nest: Nest, region: Region, of_columns: tuple[Shape, ...] = OF_COLUMNS) -> Walk | None:
    """The one loop of a region; None where it has none that tiles would help. Columns have the shapes `of_columns`."""
    if region.depth > 2 or nest.tests or not is_plain(region) or not all(map(_is_flat, region.loops[1:])):
        return None
    if region.packed is not None:  # whose sums stay in registers
        return None
    known = {*region.scalars, *region.arrays}
    test, body = _behind_test(region.body, known)
    loops = [k for k, node in enumerate(body) if isinstance(node, Loop | While)]
    if len(loops) != 1 or any(goes_on(node) for node in body):
        return None
    loop = body[loops[0]]
    if not isinstance(loop, Loop) or loop.by != 1:
        return None
    if any(reads_elements(limit) or not read_in(limit) <= known for limit in (loop.start, loop.stop)):
        return None
    outer, inner = {each.variable.name for each in region.loops}, loop.variable.name
    if _left(loop.body) or inner in assigned(loop.body):
        return None
    reads = steady_reads(loop.body, region, outer | {inner}, lambda indices: _moves(indices, inner))
    kinds: dict[str, list[Element]] = {"row": [], "column": [], "shared": []}
    for read in reads:
        kind = _kind(read, outer, inner)
        if kind is not None:
            kinds[kind].append(read)
    rows, columns, shared = kinds.values()
    columns = [] if rows else columns
    same = steady_reads(loop.body, region, outer)[:MOST_SAME]
    if region.depth > 1 and (not rows or all(isinstance(each, Constant) for each in (loop.start, loop.stop))):
        return None
    alone = len(shared) > 1 and _computes(loop, outer)
    for shape in OF_ROWS if rows else of_columns if columns else OF_SHARED if alone else ():
        sizes = [_itemsize(e) * shape.rows * (shape.tile + 1) for e in rows]
        sizes += [_itemsize(e) * shape.rows * shape.tile for e in columns]
        sizes += [_itemsize(e) * shape.tile for e in shared]
        fits = all(_itemsize(read) <= shape.most for read in (*rows, *columns, *shared))
        fits = fits and (shape.tile <= shape.loaders or not shared)
        if sizes and fits and 2 * sum(sizes) <= MOST_LOCAL:
            return Walk(test, body[: loops[0]], loop, body[loops[0] + 1 :], rows, columns, shared, same, shape)
    return None


def _moves(indices: tuple[Expression, ...], inner: str) -> bool:
    """Whether an element moves by one along one axis, and along no other, from trip to trip."""
    moving = [index for index in indices if inner in read_in(index)]
    return len(moving) == 1 and moves_with(moving[0], inner)


def _is_flat(loop: Loop) -> bool:
    """Whether an inner loop of a region goes from 0 to the same end, whatever the trip of the outer one."""
    step = loop.by == 1
    return step and loop.hull is None and isinstance(loop.start, Constant) and loop.start.value == 0


def _kind(read: Element, outer: set[str], inner: str) -> str | None:
    """Whether it is an element of a row, of a column, or of what all iterations share. Where two loops have the
    iterations, all that these have for themselves is a row."""
    if not any(outer & read_in(index) for index in read.indices):
        return "shared"
    if len(outer) > 1:
        return "row"
    *leading, last = read.indices
    along = any(moves_with(last, name) for name in outer)
    if inner in read_in(last):
        return None if along else "row"
    return "column" if along and not any(outer & read_in(each) for each in leading) else None


def _computes(loop: Loop, outer: set[str]) -> bool:
    """Whether a loop has all that it reads for each trip from what iterations share, and stores nothing: then it waits
    for loads of that."""
    inner = loop.variable.name
    if any(isinstance(node, Store | Loop | While) for node in statements_in(loop.body)):
        return False
    for each in (e for e in expressions_in(loop.body) if isinstance(e, Element)):
        names = {name for index in each.indices for name in read_in(index)}
        if inner in names and (outer & names or not _moves(each.indices, inner)):
            return False
    return True


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


def kernel_of_few_columns(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The same for few columns; None where it walks along none."""
    walk = walk_of(nest, region, OF_FEW_COLUMNS)
    return _Writer(walk, nest, region, unit).kernel(name) if walk is not None and walk.columns else None


class _Writer(RowGroups):
    def __init__(self, walk: Walk, nest: Nest, region: Region, unit: Unit) -> None:
        super().__init__(walk.loop, walk.shape.rows, nest, region, unit)
        self.walk, self.shape = walk, walk.shape
        self.user = cst.ensure_type(walk.loop.origin.node, cst.For)
        fresh = self.scope.names.fresh
        wanted = [f"{self.variable}_{part}" for part in ("tile", "start", "stop")]
        self.at, self.start, self.stop = (fresh(n) for n in wanted)
        self.lane, self.column, self.slot, self.side, self.whole = (
            fresh(n) for n in ("lane", "column", "slot", "side", "whole")
        )
        self.loader = fresh("loader") if walk.shape.apart else self.lane
        arrays = {read: self.scope.array(read.array) for read in walk.reads}
        self.tiles = {read: fresh(f"{array}_tile") for read, array in arrays.items()}
        self.next = {read: fresh(f"{array}_next") for read, array in arrays.items()}
        self.kinds = {read: CTYPES[read.type.dtype] for read in walk.reads}
        self.same = [fresh(f"{self.scope.array(read.array)}_same") for read in walk.same]

    @property
    def own(self) -> list[Element]:
        """What each iteration has for itself."""
        return [*self.walk.rows, *self.walk.columns]

    def tests(self) -> list[str]:
        return [] if self.walk.test is None else [f"({self.write.value(self.walk.test).text})"]

    def kernel(self, name: str) -> Kernel:
        write, scope, walk, shape = self.write, self.scope, self.walk, self.shape
        for read, tile in self.tiles.items():
            own = f"[{shape.rows}][{shape.tile} + 1]" if read in walk.rows else f"[{shape.tile}]"
            size = f"[{shape.tile}][{shape.rows}]" if read in walk.columns else own
            write.local.append(f"    __local {self.kinds[read]} {tile}[2]{size};")
        self.begin(self.lane)
        if shape.apart:
            write.line(f"const int {self.loader} = {self.lane} - {shape.apart};")
        for read, register in self.next.items():
            size = f" = {zero(read.type.dtype)}" if read in walk.shared else f"[{self.loads_of_one}]"
            write.line(f"{self.kinds[read]} {register}{size};")
        self.where_active(walk.before)
        start, limit = (write.value(n) for n in (walk.loop.start, walk.loop.stop))
        # where the test fails no limit is computed, and nothing loaded: it may be what keeps elements inside arrays
        test = " && ".join(self.tests())
        tested = test and not isinstance(walk.loop.start, Constant)
        write.line(f"const long {self.start} = {f'{test} ? {start.text} : 0' if tested else start.loose};")
        write.line(f"const long {self.stop} = {f'{test} ? {limit.text} : {self.start}' if test else limit.loose};")
        for read, same in zip(walk.same, self.same, strict=True):  # without a trip they may be outside
            chosen = f"{self.active} && {self.start} < {self.stop} ? {write.value(read).text} : {zero(read.type.dtype)}"
            write.line(f"const {CTYPES[read.type.dtype]} {same} = {chosen};")
        guess = guess_of(walk.loop, self.region.body, doubles=True)
        if guess is not None and (guess.steady or guess.arrays or not write.may_be_run_again(guess)):
            guess = None
        outside, kept = ("", {}) if guess is None else write.guessed(guess)
        if outside:
            write.expressions.speculation = Speculation(outside, frozenset(), doubles=True)
        self.walked()
        write.expressions.speculation = None
        if outside:
            write.again(walk.loop, f"{self.active} && {outside}", kept)
        self.where_active(walk.behind)
        arguments = with_bounds(of_scope(scope, frozenset(self.region.written)), self.bounds)
        lanes = str(shape.lanes)
        text = kernel_text(name, arguments, write.finished(), scope, group=lanes, local=write.local)
        loops = self.region.depth
        return Kernel(name, text, tuple(arguments), (self.user,), shape.rows, lanes=shape.lanes, loops=loops)

    @property
    def copies(self) -> int:
        """The copies of a trip at most: of quotients and roots of singles in steps two, as registers for more are not
        had without waiting."""
        steps = self.write.expressions.speculation is not None and self.shape in OF_SHARED
        singles = steps and any(map(in_steps, expressions_in(self.walk.loop.body)))
        return min(self.shape.copies, MOST_STEPPED) if singles else self.shape.copies

    @property
    def loads_of_one(self) -> int:
        """How many elements of a tile a work-item loads."""
        return self.shape.rows * self.shape.tile // self.shape.loaders

    def walked(self) -> None:
        write, tile = self.write, self.shape.tile
        if self.own:
            self.whole_rows(self.whole, self.shape.rows)
        self.loads(self.start)
        write.line(f"int {self.side} = 0;")
        with write.braces(f"for (long {self.at} = {self.start}; {self.at} < {self.stop}; {self.at} += {tile})"):
            self.put()
            with write.braces(f"if ({self.at} + {tile} < {self.stop})"):
                self.loads(f"{self.at} + {tile}")
            self.along()
            write.line(f"{self.side} = !{self.side};")

    def loads(self, at: str) -> None:
        """Elements of the tile at `at` into registers; a whole tile without tests."""
        write, tile = self.write, self.shape.tile
        with self.by_loaders():
            if self.walk.shared:
                with write.braces(f"if ({self.loader} < {tile} && {at} + {self.loader} < {self.stop})"):
                    write.line(f"const long {self.variable} = {at} + {self.loader};")
                    for read in self.walk.shared:
                        write.line(f"{self.next[read]} = {write.value(read).text};")
            if self.own:
                with write.braces(f"if ({self.whole} && {at} + {tile} <= {self.stop})"):
                    self.load_own(at, tested=False)
                with write.otherwise():
                    self.load_own(at, tested=True)

    def by_loaders(self) -> AbstractContextManager[None]:
        """What only those who load do."""
        return self.write.braces(f"if ({self.loader} >= 0)") if self.shape.apart else nullcontext()

    @contextmanager
    def slots(self) -> Iterator[tuple[str, str]]:
        """A loop over what a work-item loads; the row of a slot, and its place along the loop."""
        write, shape = self.write, self.shape
        write.lines.append("#pragma unroll")
        with write.braces(f"for (int load = 0; load < {self.loads_of_one}; load++)"):
            write.line(f"const int {self.slot} = {self.loader} + load * {shape.loaders};")
            if self.walk.rows:
                yield f"{self.slot} / {shape.tile}", f"{self.slot} % {shape.tile}"
            else:
                yield f"{self.slot} % {shape.rows}", f"{self.slot} / {shape.rows}"

    def load_own(self, at: str, tested: bool) -> None:
        write, trip = self.write, C(self.trip, "int64")
        with self.slots() as (row, place):
            write.line(f"const long {self.trip} = {self.first} + {row};")
            for line in self.trips.variables(trip):
                write.line(line)
            write.line(f"const long {self.variable} = {at} + {place};")
            inside = f"{self.variable} < {self.stop} && !({self.trips.beyond(trip)})"
            for read in self.own:
                element = write.value(read)
                chosen = f"{inside} ? {element.text} : {zero(element.dtype)}"
                write.line(f"{self.next[read]}[load] = {chosen if tested else element.text};")

    def tile_of(self, read: Element) -> str:
        return f"{self.tiles[read]}[{self.side}]"

    def put(self) -> None:
        """What is in the registers into one side of local memory: the other one may still be walked along."""
        write = self.write
        with self.by_loaders():
            if self.own:
                with self.slots() as (row, place):
                    for read in self.own:
                        where = f"[{row}][{place}]" if read in self.walk.rows else f"[{place}][{row}]"
                        write.line(f"{self.tile_of(read)}{where} = {self.next[read]}[load];")
            if self.walk.shared:
                with write.braces(f"if ({self.loader} < {self.shape.tile})"):
                    for read in self.walk.shared:
                        write.line(f"{self.tile_of(read)}[{self.loader}] = {self.next[read]};")
        write.line(BARRIER)

    def along(self) -> None:
        """The walk along a tile: a whole one, or what is left of the loop."""
        write, tile = self.write, self.shape.tile
        places = []
        for read in self.walk.reads:
            row = f"[{self.lane}]" if read in self.walk.rows else ""
            places.append(f"{self.tile_of(read)}{row}[{self.column}]")
            places[-1] += f"[{self.lane}]" if read in self.walk.columns else ""
        reads = [*self.walk.reads, *self.walk.same]
        self.scope.staged.update(staged(reads, [*places, *self.same], self.walk.loop.body))
        with write.braces(f"if ({self.active} && {self.at} + {tile} <= {self.stop})"):
            write.lines += unroll_lines(self.copies, self.operations)
            self.columns(str(tile))
        with write.otherwise(f"if ({self.active})"):
            self.columns(f"{self.stop} - {self.at}")
        self.scope.staged.clear()

    def columns(self, count: str) -> None:
        write = self.write
        with write.braces(f"for (int {self.column} = 0; {self.column} < {count}; {self.column}++)"):
            write.line(f"const long {self.variable} = {self.at} + {self.column};")
            write.loops += 1
            write.block(self.walk.loop.body)
            write.loops -= 1
