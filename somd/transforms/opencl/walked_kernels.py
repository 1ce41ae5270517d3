"""A phase whose iterations go along long stretches of their own -> a kernel that brings these in piece by piece.

for w in range(n // 256):                    for (long at = 0; at < most; at += COLUMNS) {
    s = 0.0                                      a_tile = ROWS pieces of COLUMNS elements, the next ones under way
    for i in range(256 * w, 256 * w + 256):      if (active)
        t = a[i]                          ->         for (int column = 0; column < COLUMNS; column++)
        a[i] = s                                         t = a_tile[lane][column]; a_tile[lane][column] = s; s = s + t;
        s += t                                   a = a_tile
    total[w] = s                             }

The first ROWS work-items of a group run iterations, and all of them load and store, neighbours neighbouring elements.
Where there is one iteration, a group is for it alone: a chain of trips costs what its operations cost, and no memory is
waited for in it. Rows of matrices that are only read are the matter of `tiled_kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass

from somd.transforms.emit.c import IN_ORDER
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import assigned
from somd.transforms.loops.program import Break, Constant, Loop, Region, Statement, While
from somd.transforms.loops.walking import goes_on, statements_in
from somd.transforms.opencl.arguments import Kernel, of_scope
from somd.transforms.opencl.kernels import is_plain, kernel_text, own_variables, with_bounds
from somd.transforms.opencl.row_groups import RowGroups
from somd.transforms.opencl.striped import (
    BARRIER,
    MOST_LOCAL,
    Striped,
    Tiles,
    coefficient,
    stepped,
    striped_in,
    trips_between,
)
from somd.transforms.opencl.unrolling import unroll_lines
from somd.transforms.stages import Nest

#: work-items of a group, rows and columns of a tile, and columns where there is one row
LANES, ROWS, COLUMNS, ALONE = 128, 32, 32, 2048
#: trips whose loads from the tile are under way together
AT_ONCE = 32


@dataclass(frozen=True)
class Walk:
    """The loop and what stands before and behind it."""

    before: tuple[Statement, ...]
    loop: Loop
    behind: tuple[Statement, ...]
    step: int
    arrays: list[Striped]
    rows: int
    columns: int


def walk_of(nest: Nest, region: Region) -> Walk | None:
    """The one loop of a region along stretches; None where it has none."""
    if not is_plain(region) or region.depth != 1 or nest.tests or nest.raises or any(map(goes_on, region.body)):
        return None
    found = [
        k for k, node in enumerate(region.body) if any(isinstance(e, Loop | While) for e in statements_in((node,)))
    ]
    loop = region.body[found[0]] if len(found) == 1 else None
    outer = region.loop.variable.name
    if not isinstance(loop, Loop) or not isinstance(loop.step, Constant) or not loop.step.value:
        return None
    declared = own_variables(region).scoped
    if (
        loop.variable.name not in declared
        or loop.variable.name in assigned(loop.body)
        or outer in assigned(region.body)
    ):
        return None
    if any(isinstance(node, Break) for node in statements_in(loop.body)):
        return None
    alone = isinstance(region.loop.stop, Constant) and region.loop.stop.value == 1 and _from_zero(region.loop)
    if not alone and not coefficient(loop.start, outer):
        return None
    rows, columns = (1, ALONE) if alone else (ROWS, COLUMNS)
    arrays = striped_in((loop,), region, region.body)
    while arrays and sum(rows * each.bytes_of(columns) for each in arrays) > MOST_LOCAL:
        arrays = arrays[:-1]
    place = found[0]
    step = int(loop.step.value.real)
    made = Walk(region.body[:place], loop, region.body[place + 1 :], step, arrays, rows, columns)
    return made if arrays else None


def _from_zero(loop: Loop) -> bool:
    return isinstance(loop.start, Constant) and loop.start.value == 0


def walked_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest with long stretches."""
    walk = walk_of(nest, region)
    return None if walk is None else _Writer(walk, nest, region, unit).kernel(name)


class _Writer(RowGroups):
    def __init__(self, walk: Walk, nest: Nest, region: Region, unit: Unit) -> None:
        super().__init__(walk.loop, walk.rows, nest, region, unit)
        self.walk = walk
        self.tiles = Tiles(walk.arrays, walk.rows, walk.columns, LANES, self.variable, self.write)
        fresh = self.scope.names.fresh
        self.start, self.count, self.at, self.most = (
            fresh(n) for n in (f"{self.variable}_start", "count", f"{self.variable}_tile", "most")
        )
        self.starts, self.counts = fresh("starts"), fresh("counts")

    def kernel(self, name: str) -> Kernel:
        write, scope, tiles, walk = self.write, self.scope, self.tiles, self.walk
        write.local += [f"    __local long {name}[{walk.rows}];" for name in (self.starts, self.counts)]
        self.begin(tiles.lane)
        self.where_active(walk.before)
        self.limits()
        tiles.registers()
        self.fetch("0")
        write.open(f"for (long {self.at} = 0; {self.at} < {self.most}; {self.at} += {walk.columns})")
        write.line(BARRIER)
        tiles.put()
        write.line(BARRIER)
        if tiles.loaded:
            write.open(f"if ({self.at} + {walk.columns} < {self.most})")
            self.fetch(f"{self.at} + {walk.columns}")
            write.close()
        self.along()
        if tiles.stored:
            write.line(BARRIER)
            tiles.store(self.place(self.at), self.valid(self.at))
        write.close()
        self.where_active(walk.behind)
        arguments = with_bounds(of_scope(scope, frozenset(self.region.written)), self.bounds)
        text = kernel_text(name, arguments, write.finished(), scope, group=str(LANES), local=write.local)
        return Kernel(name, text, tuple(arguments), rows=walk.rows, lanes=LANES)

    def limits(self) -> None:
        """Where each row of the group begins, how long it is, and how long the longest one is."""
        write, lane, step = self.write, self.tiles.lane, self.walk.step
        write.line(f"long {self.start} = 0;")
        write.line(f"long {self.count} = 0;")
        write.open(f"if ({self.active})")
        start, stop = (write.value(each).loose for each in (self.walk.loop.start, self.walk.loop.stop))
        write.line(f"{self.start} = {start};")
        write.line(f"{self.count} = max(0L, {trips_between(self.start, f'({stop})', step)});")
        write.close()
        write.open(f"if ({lane} < {self.walk.rows})")
        write.line(f"{self.starts}[{lane}] = {self.start};")
        write.line(f"{self.counts}[{lane}] = {self.count};")
        write.close()
        write.line(BARRIER)
        write.line(f"long {self.most} = {self.counts}[0];")
        if self.walk.rows > 1:
            row = self.scope.names.fresh("row")
            write.line(f"for (int {row} = 1; {row} < {self.walk.rows}; {row}++)")
            write.line(f"    {self.most} = max({self.most}, {self.counts}[{row}]);")

    def place(self, at: str) -> str:
        """The loop variable of a slot of the piece at `at`."""
        by = self.tiles.place if at == "0" else f"({at} + {self.tiles.place})"
        return stepped(f"{self.starts}[{self.tiles.row}]", self.walk.step, by)

    def valid(self, at: str) -> str:
        """Whether there is a trip for a slot."""
        place = self.tiles.place if at == "0" else f"{at} + {self.tiles.place}"
        return f"{place} < {self.counts}[{self.tiles.row}]"

    def fetch(self, at: str) -> None:
        self.tiles.fetch(self.place(at), self.valid(at))

    def along(self) -> None:
        """The walk along a piece: a whole one, or what is left."""
        write, columns = self.write, self.walk.columns
        write.open(f"if ({self.active} && {self.at} + {columns} <= {self.count})")
        write.lines += unroll_lines(AT_ONCE, self.operations)
        self.columns(str(columns))
        write.close(f"}} else if ({self.active}) {{")
        write.depth += 1
        write.lines.append(IN_ORDER)
        self.columns(f"{self.count} - {self.at}")
        write.close()

    def columns(self, count: str) -> None:
        write, column = self.write, self.tiles.column
        write.open(f"for (int {column} = 0; {column} < {count}; {column}++)")
        write.line(f"const long {self.variable} = {stepped(self.start, self.walk.step, f'({self.at} + {column})')};")
        self.scope.staged.update(self.tiles.staged(self.walk.loop.variable.name, self.walk.loop.body))
        write.loops += 1
        write.block(self.walk.loop.body)
        write.loops -= 1
        self.scope.staged.clear()
        write.close()
