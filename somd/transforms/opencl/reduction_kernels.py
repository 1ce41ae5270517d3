"""A phase with reductions -> a kernel of one work-group a logical block, LANES work-items in each.

The association is that of the multicore target, bit for bit: in a block, trip t of the last dimension goes to lane
t % LANES; the lanes are combined by pairs of neighbours, level by level; the master combines the blocks likewise.
Of equal float minima the one of the earliest iteration wins, so its number is kept beside the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import numpy as np

from somd.transforms.emit.c import IN_ORDER, Statements
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_reductions import by_position, identity
from somd.transforms.emit.c_taking import Taker, flag_name, flagged, takes
from somd.transforms.emit.c_tree import C, infix
from somd.transforms.emit.c_types import CTYPES, literal
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.program import Region
from somd.transforms.loops.work import operations
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.counted import has_loops
from somd.transforms.opencl.kernels import flags_of, iterating, kernel_text, own_variables, scope_of
from somd.transforms.opencl.lane_tree import Accumulator, write_tree
from somd.transforms.opencl.local_tables import fill_tables
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.opencl.rows import rows_of
from somd.transforms.opencl.steady_reads import staged, steady_reads
from somd.transforms.opencl.unrolling import bytes_ahead, unroll_lines
from somd.transforms.stages import FIRST, Nest, Reduction
from somd.transforms.types.scalars import ScalarType


def reduction_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel:
    """The kernel of a nest with reductions."""
    return _Writer(nest, region, unit).kernel(name)


#: reads of an iteration at most that are made ahead
MOST_AHEAD = 4


class _Writer:
    def __init__(self, nest: Nest, region: Region, unit: Unit) -> None:
        self.region = region
        self.operations = operations(region.body, unit.by_name)
        self.scope = scope_of(nest, unit)
        self.accumulators = [self.accumulator(r) for r in nest.reductions]
        fresh = self.scope.names.fresh
        self.lane, self.trip, self.first, self.last = (fresh(n) for n in ("lane", "trip", "block_start", "block_stop"))
        self.block, self.trips = fresh("block_trips"), fresh("all_trips")
        declared = own_variables(region)
        self.private = declared.private
        takers = [a.taker for a in self.accumulators if a.taker is not None]
        self.statements = Statements(self.scope, unit, declared, 1, "continue;")
        self.statements.tracked = {a.name: a.position for a in self.accumulators if a.position}
        self.statements.takes = takes(takers)
        self.statements.flags = flags_of(region)
        self.expressions = self.statements.expressions
        #: among how many lanes the trips are dealt out, where that may be fewer than there are
        self.dealt = fresh("dealt") if any(t.taking.unordered for t in takers) else ""
        self.statements.barrier_follows = True
        self.loops_inside = has_loops(region)
        self.bounds: list[Argument] = []
        self.extents: list[Argument] = []
        self.rows: list[Argument] = []

    def accumulator(self, reduction: Reduction) -> Accumulator:
        made = self.slot(reduction.name, reduction.op)
        if not reduction.companions and not by_position(reduction.op, made.dtype):
            return made
        position = self.scope.names.fresh(f"{made.text}_at")
        companions = tuple(self.slot(name, "or") for name in reduction.companions)
        flag = None
        if flagged(reduction, made.dtype):
            text = self.scope.names.fresh(f"{made.text}_taken")
            flag = self.slot_of(flag_name(reduction), "or", "bool", text)
        taker = Taker(reduction, made.dtype, made.text, position, flag.text if flag is not None else "")
        return replace(made, position=position, companions=companions, taker=taker, flag=flag)

    def slot(self, name: str, op: str) -> Accumulator:
        found = self.scope.types[name]
        assert isinstance(found, ScalarType)
        return self.slot_of(name, op, found.dtype, self.scope.names.of(name))

    def slot_of(self, name: str, op: str, dtype: str, text: str) -> Accumulator:
        fresh = self.scope.names.fresh
        slots = fresh(f"{text}_lanes")
        return Accumulator(name, op, dtype, text, "", slots, fresh(f"{slots}_at"), fresh(f"{text}_partials"))

    def kernel(self, name: str) -> Kernel:
        write = self.statements
        write.unit.needs.add("LANES")
        flags = [a.flag for a in self.accumulators if a.flag is not None]
        for a in (*self.accumulators, *flags):
            for each in a.all:
                write.local.append(f"    __local {CTYPES[each.dtype]} {each.slots}[LANES];")
            if a.position:
                write.local.append(f"    __local long {a.position_slots}[LANES];")
        write.line(f"const long {self.lane} = get_local_id(0);")
        write.line(f"const long {self.first} = (long)get_group_id(0) * {self.block};")
        write.line(f"const long {self.last} = min({self.first} + {self.block}, {self.trips});")
        fill_tables(self.region, name, write, f"{self.last} - {self.first}")
        for a in (*self.accumulators, *flags):
            taking = FIRST if a.taker is None else a.taker.taking
            for each in a.all:
                start = literal(np.nan, a.dtype) if each is a and taking.unordered else identity(each.op, each.dtype)
                write.line(f"{CTYPES[each.dtype]} {each.text} = {start.loose};")
            if a.position:
                write.line(f"long {a.position} = {'LONG_MAX' if taking == FIRST else '-1'};")
        lines, self.rows = rows_of(self.scope, "(long)get_global_id(0)")
        for line in lines:
            write.line(line)
        with write.braces(f"if ({self.lane} < {self.dealt})") if self.dealt else nullcontext():
            self.loops()
        write_tree(self.accumulators, self.lane, write)
        arguments = self.arguments()
        text = kernel_text(name, arguments, write.finished(), self.scope, local=write.local)
        return Kernel(name, text, tuple(arguments))

    def loops(self) -> None:
        """The loops over the block: the first dimension by trips, the last one by lanes."""
        write, loops = self.statements, self.region.loops
        alone = len(loops) == 1
        start, by = (f"{self.first} + {self.lane}", self.lanes) if alone else (self.first, "1")
        outer = range_in_c(0, loops[0], self.expressions, self.bounds)
        if alone and not self.dealt:
            start = self.ahead(start, outer)
        self.in_order(last=alone)
        write.open(f"for (long {self.trip} = {start}; {self.trip} < {self.last}; {self.trip} += {by})")
        iterating(self.scope, self.region, outer)
        if outer.stop.value is None and outer.invariant and not self.region.relaxed:
            self.bounds.pop()  # the number of trips stands for it
        write.line(f"const long {outer.variable} = {outer.value(C(self.trip, 'int64'))};")
        place = C(self.trip, "int64")
        for number, loop in list(enumerate(loops))[1:]:
            inner = range_in_c(number, loop, self.expressions, self.bounds)
            self.inner_loop(inner, last=number == len(loops) - 1)
            extent = C(self.scope.names.fresh(f"{inner.variable}_trips"), "int64")
            self.extents.append(Argument("extent", extent.text, number=number))
            place = infix("+", infix("*", place, extent, "int64"), inner.trip(), "int64")
        self.iteration_of(place)
        for _ in loops:
            write.close()

    def ahead(self, start: str, outer: CRange) -> str:
        """Trips by batches, the loads of the next one under way while a batch is added, where the device wants that;
        the first trip after them. AHEAD is the bytes that a lane loads in a batch."""
        reads = steady_reads(self.region.body, self.region, {self.region.loop.variable.name})
        if not reads or len(reads) > MOST_AHEAD or self.loops_inside or self.region.relaxed:
            return start
        write, fresh = self.statements, self.scope.names.fresh
        at, slot, source = (fresh(n) for n in ("at", "slot", "source"))
        arrays = {read: self.scope.array(read.array) for read in reads}
        kinds = {read: CTYPES[read.type.dtype] for read in reads}
        following = {read: fresh(f"{name}_next") for read, name in arrays.items()}
        present = {read: fresh(f"{name}_now") for read, name in arrays.items()}
        loaded = sum(np.dtype(read.type.dtype).itemsize for read in reads)
        size = bytes_ahead(loaded, self.operations)
        if size is None:
            return start
        batch = f"AHEAD / {size}"

        def loads(trip: str) -> None:
            with self.each_slot(slot, batch):
                write.line(f"const long {source} = {trip};")
                write.line(f"const long {outer.variable} = {outer.value(C(source, 'int64'))};")
                for read in reads:
                    write.line(f"{following[read]}[{slot}] = {write.value(read).text};")

        write.line(f"long {at} = {start};")
        write.lines.append("#ifdef AHEAD")
        for read in reads:
            write.line(f"{kinds[read]} {following[read]}[{batch}];")
        with write.braces(f"if ({at} + ({batch} - 1) * LANES < {self.last})"):
            loads(f"{at} + {slot} * LANES")
        with write.braces(f"for (; {at} + ({batch} - 1) * LANES < {self.last}; {at} += {batch} * LANES)"):
            for read in reads:
                write.line(f"{kinds[read]} {present[read]}[{batch}];")
            with self.each_slot(slot, batch):
                for read in reads:
                    write.line(f"{present[read]}[{slot}] = {following[read]}[{slot}];")
            with write.braces(f"if ({at} + (2 * ({batch}) - 1) * LANES < {self.last})"):
                loads(f"{at} + ({batch} + {slot}) * LANES")
            with self.each_slot(slot, batch):
                write.line(f"const long {self.trip} = {at} + {slot} * LANES;")
                write.line(f"const long {outer.variable} = {outer.value(C(self.trip, 'int64'))};")
                taken = [f"{present[read]}[{slot}]" for read in reads]
                self.scope.staged.update(staged(reads, taken, self.region.body))
                self.iteration_of(C(self.trip, "int64"))
                self.scope.staged.clear()
        write.lines.append("#endif")
        return at

    @contextmanager
    def each_slot(self, slot: str, batch: str) -> Iterator[None]:
        """A loop over the slots of a batch."""
        self.statements.lines.append("#pragma unroll")
        with self.statements.braces(f"for (int {slot} = 0; {slot} < {batch}; {slot}++)"):
            yield

    def iteration_of(self, place: C) -> None:
        """The body of one iteration, whose place in the order of the loops is `place`."""
        write = self.statements
        write.number(place.text)
        for declaration in declarations(self.private, self.scope):
            write.line(declaration)
        write.block(self.region.body)

    def inner_loop(self, inner: CRange, last: bool) -> None:
        step = inner.step
        begin, advance = inner.start.loose, str(step)
        if last:
            begin = inner.value(C(self.lane, "int64"))
            advance = f"{self.lanes} * {step}" if step != 1 else self.lanes
        v = inner.variable
        self.in_order(last)
        self.statements.open(f"for (long {v} = {begin}; {inner.inside()}; {v} += {advance})")

    @property
    def lanes(self) -> str:
        """How many lanes take the trips in turns."""
        return self.dealt or "LANES"

    def in_order(self, last: bool) -> None:
        """Keep the order of trips; let loads of several be under way in the last loop, where it has none inside."""
        if last and not self.loops_inside:
            self.statements.lines += unroll_lines(8, self.operations)
        self.statements.lines.append(IN_ORDER)

    def arguments(self) -> list[Argument]:
        found = of_scope(self.scope, frozenset(self.region.written))
        arrays = [a for a in found if a.kind == "array"]
        rest = [a for a in found if a.kind != "array"]
        slots = [each for a in self.accumulators for each in a.all]
        slots += [a.flag for a in self.accumulators if a.flag is not None]
        partials = [Argument("partials", each.partials, each.name, dtype=each.dtype) for each in slots]
        own = [Argument("trips", self.trips, number=0), Argument("block", self.block)]
        own += [Argument("dealt", self.dealt)] if self.dealt else []
        extents = self.extents if self.scope.numbered else []
        return [*arrays, *self.rows, *partials, *own, *self.bounds, *extents, *rest]
