"""What kernels begin with whose groups run some iterations, `rows` of them, and share what these load.

const int lane = get_local_id(0);
const long first_row = (long)get_group_id(0) * 16;
const long trip = first_row + lane;
const long i = trip;
const int active = lane < 16 && !(i >= i_stop);
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Trips:
    """The iterations of one loop, or of two, by one number; the inner loop begins at 0 then."""

    ranges: tuple[CRange, ...]

    def variables(self, trip: C) -> list[str]:
        """What declares the variables of the loops in a trip."""
        found = [f"const long {each.variable} = {each.value(self._outer(trip))};" for each in self.ranges[:1]]
        return found + [f"const long {each.variable} = {trip.text} % {each.stop.text};" for each in self.ranges[1:]]

    def beyond(self, trip: C) -> str:
        """Whether that trip is beyond the last one; its variables are declared."""
        return self.ranges[0].beyond(self._outer(trip))

    def _outer(self, trip: C) -> C:
        return C(f"({trip.text} / {self.ranges[1].stop.text})", "int64") if len(self.ranges) > 1 else trip


class RowGroups:
    """Writes a kernel of a region whose iterations have a `loop`, and run in groups of `rows`. `lane` is the C name of
    a work-item's number in its group; `bounds` are the arguments for the limits of the region's loop."""

    def __init__(self, loop: Loop, rows: int, nest: Nest, region: Region, unit: Unit) -> None:
        self.region = region
        #: how many iterations a group runs, in C
        self.rows = str(rows)
        self.scope = scope_of(nest, unit)
        self.declared = own_variables(region)
        self.write = FastLoops(self.scope, unit, self.declared)
        self.write.of = region.body
        self.variable = self.scope.text_of(loop.variable.name)
        self.operations = operations(loop.body, unit.by_name)
        fresh = self.scope.names.fresh
        self.first, self.trip, self.active = (fresh(n) for n in ("first_row", "trip", "active"))
        self.bounds: list[Argument] = []
        ranges = (range_in_c(k, each, self.write.expressions, self.bounds) for k, each in enumerate(region.loops))
        self.trips = Trips(tuple(ranges))

    def begin(self, lane: str) -> CRange:
        """Which iteration a work-item runs, and whether it runs one; the variables of iterations."""
        self.write.line(f"const int {lane} = get_local_id(0);")
        return self.begin_row(lane)

    def begin_row(self, row: str) -> CRange:
        """The same, where a work-item's iteration is the group's one of this number."""
        write = self.write
        trip = C(self.trip, "int64")
        write.line(f"const long {self.first} = (long)get_group_id(0) * {self.rows};")
        write.line(f"const long {self.trip} = {self.first} + {row};")
        for line in self.trips.variables(trip):
            write.line(line)
        tests = [f"{row} < {self.rows}", f"!({self.trips.beyond(trip)})", *self.tests()]
        write.line(f"const int {self.active} = {' && '.join(tests)};")
        for line in declarations(self.declared.private, self.scope):
            write.line(line)
        return self.trips.ranges[0]

    def whole_rows(self, whole: str, rows: int) -> None:
        """Whether all of the group's `rows` iterations are inside the nest: the last one is."""
        write, trip = self.write, C(self.trip, "int64")
        write.line(f"int {whole};")
        with write.braces():
            write.line(f"const long {self.trip} = {self.first} + {rows - 1};")
            for line in self.trips.variables(trip):
                write.line(line)
            write.line(f"{whole} = !({self.trips.beyond(trip)});")

    def tests(self) -> list[str]:
        """What else an iteration stands behind."""
        return []

    def where_active(self, statements: tuple[Statement, ...]) -> None:
        if statements:
            with self.write.braces(f"if ({self.active})"):
                self.write.block(statements)
