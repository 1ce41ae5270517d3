"""What kernels begin with whose groups run some iterations, `rows` of them, and share what these load.

const int lane = get_local_id(0);
const long first_row = (long)get_group_id(0) * 16;
const long trip = first_row + lane;
const long i = trip;
const int active = lane < 16 && !(i >= i_stop);
"""

from __future__ import annotations

from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.program import Loop, Region, Statement
from somd.transforms.loops.work import operations
from somd.transforms.opencl.arguments import Argument
from somd.transforms.opencl.fast_loops import FastLoops
from somd.transforms.opencl.kernels import own_variables, scope_of
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.stages import Nest


class RowGroups:
    """Writes a kernel of a region whose iterations have a `loop`, and run in groups of `rows`. `lane` is the C name of
    a work-item's number in its group; `bounds` are the arguments for the limits of the region's loop."""

    def __init__(self, loop: Loop, rows: int, nest: Nest, region: Region, unit: Unit) -> None:
        self.region, self.rows = region, rows
        self.scope = scope_of(nest, unit)
        self.declared = own_variables(region)
        self.write = FastLoops(self.scope, unit, self.declared)
        self.write.of = region.body
        self.variable = self.scope.text_of(loop.variable.name)
        self.operations = operations(loop.body, unit.by_name)
        fresh = self.scope.names.fresh
        self.first, self.trip, self.active = (fresh(n) for n in ("first_row", "trip", "active"))
        self.bounds: list[Argument] = []

    def begin(self, lane: str) -> CRange:
        """Which iteration a work-item runs, and whether it runs one; the variables of iterations."""
        write = self.write
        within = range_in_c(0, self.region.loop, write.expressions, self.bounds)
        trip = C(self.trip, "int64")
        write.line(f"const int {lane} = get_local_id(0);")
        write.line(f"const long {self.first} = (long)get_group_id(0) * {self.rows};")
        write.line(f"const long {self.trip} = {self.first} + {lane};")
        write.line(f"const long {within.variable} = {within.value(trip)};")
        tests = [f"{lane} < {self.rows}", f"!({within.beyond(trip)})", *self.tests()]
        write.line(f"const int {self.active} = {' && '.join(tests)};")
        for line in declarations(self.declared.private, self.scope):
            write.line(line)
        return within

    def tests(self) -> list[str]:
        """What else an iteration stands behind."""
        return []

    def where_active(self, statements: tuple[Statement, ...]) -> None:
        if statements:
            self.write.open(f"if ({self.active})")
            self.write.block(statements)
            self.write.close()
