"""A phase that updates integer arrays wherever data says -> kernels that do so by atomic operations, in any order.

for i in range(n):       ->   for (element of the group's slice of h) h_own[element] = 0;
    h[a[i]] += 1              for (trips of the work-item) if (a[i] is in the slice) h_own[...] += 1, atomically
                              for (element of the slice) h[...] += h_own[element], atomically

Integers give the same bits in any order, so no copies in a fixed order are needed, and a GPU gets the work-items that
its memory wants. Where an array is larger than local memory, groups take slices of it; where it is far larger, the
second kernel updates the array itself. The reads of some trips are made together, before what they update.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from somd.transforms.emit.c import Statements, noting
from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_reductions import identity
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES, converted
from somd.transforms.emit.c_unit import Unit
from somd.transforms.loops.program import Element, Region, Statement, Store, Tested
from somd.transforms.loops.work import operations
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.atomic_functions import BUILTIN, pair_name, pair_text
from somd.transforms.opencl.counted import Counted, combined_with, counted_in, has_loops
from somd.transforms.opencl.kernels import in_order, kernel_text, own_variables, scope_of
from somd.transforms.opencl.ranges import CRange, range_in_c
from somd.transforms.opencl.steady_reads import staged, steady_reads
from somd.transforms.opencl.unrolling import bytes_ahead
from somd.transforms.stages import Nest

#: trips whose reads are made together
BATCH = 8


@dataclass(frozen=True)
class Atomic:
    """The two kernels, and what they count."""

    local: Kernel
    shared: Kernel
    counted: tuple[Counted, ...]


def atomic_kernels_of(nest: Nest, region: Region, names: Sequence[str], unit: Unit) -> Atomic | None:
    """The kernels of a nest; None where its updates must keep their order, or have no atomic operation."""
    counted = counted_in(region)
    if counted is None or nest.raises:
        return None
    local, shared = (_Writer(nest, region, counted, unit, own) for own in (True, False))
    return Atomic(local.kernel(names[0]), shared.kernel(names[1]), counted)


class _Updates(Statements):
    """Statements of which some update an array atomically: its slice in local memory, or the array itself."""

    counted: tuple[Counted, ...] = ()
    own: Mapping[str, tuple[str, str, str]] = {}

    def statement(self, node: Statement) -> None:
        of_store = node.element.array if isinstance(node, Store) else None
        each = next((each for each in self.counted if each.array == of_store), None)
        if each is None or not isinstance(node, Store):
            super().statement(node)
            return
        with self.braces():
            self.update(each, node)

    def update(self, each: Counted, node: Store) -> None:
        place = self.place(node.element)
        if each.array in self.own:
            slots, low, width = self.own[each.array]
            at = self.scope.names.fresh("own_at")
            self.line(f"const int {at} = {place} - {low};")
            self.open(f"if ((uint){at} < (uint){width})")
        else:
            slots, at = self.scope.array(each.array), place
            self.open(f"if ({place} >= 0)")
        value, subtracted = combined_with(node)
        operand = converted(self.value(value), each.dtype)
        unsigned = CTYPES[each.dtype if each.dtype.startswith("u") else f"u{each.dtype}"]
        text = f"0 - ({unsigned}){operand.text}" if subtracted else operand.loose
        self.line(f"{self.combined(each, slots, at, text, local=each.array in self.own)};")
        self.close()

    def combined(self, each: Counted, slots: str, at: str, value: str, local: bool) -> str:
        """The call that combines an element with `value`."""
        if not each.wide or (local and each.words == 1):
            kind = "int" if each.wide else CTYPES[each.dtype]
            return f"{BUILTIN[each.op]}(&{slots}[{at}], ({kind})({value}))"
        space = "local" if local else "global"
        name = pair_name(each.op, space)
        self.unit.functions.setdefault(name, pair_text(each.op, space))
        where = f"&{slots}[2 * ({at})]" if local else f"(volatile __global uint *)&{slots}[{at}]"
        return f"{name}({where}, (ulong)({value}))"

    def place(self, target: Element) -> str:
        """The place of an element in the flat array, in a variable; negative where an index is outside."""
        fresh = self.scope.names.fresh
        place = fresh("place")
        access = target.access
        if not isinstance(access, Tested):
            self.line(f"const long {place} = {self.expressions.flat_index(target)};")
            return place
        self.scope.tests_accesses = True
        function, site = self.unit.fault_later(), access.sites[0].number
        flat, inside, number = "", [], self.scope.iteration()
        for axis, index in enumerate(target.indices):
            length = self.scope.length(target.array, axis).text
            part = fresh("index")
            found = self.value(index).loose
            self.line(
                f"const long {part} = {function}({found}, {length}, &{self.scope.noted}, {number}, {site + axis});"
            )
            flat = f"({flat}) * {length} + {part}" if flat else part
            inside.append(f"{part} >= 0")
        tests = " && ".join(inside)
        self.line(f"const long {place} = {flat if len(inside) == 1 else f'{tests} ? {flat} : -1'};")
        return place


class _Writer:
    def __init__(
        self, nest: Nest, region: Region, counted: tuple[Counted, ...], unit: Unit,
        own: bool,
    ) -> None:  # fmt: skip
        self.nest, self.region, self.counted = nest, region, counted
        self.operations = operations(region.body, unit.by_name)
        self.scope = scope_of(nest, unit)
        self.body = in_order(region, min(region.depth, 2))
        declared = own_variables(region, min(region.depth, 2))
        self.private = declared.private
        self.write = _Updates(self.scope, unit, declared, next_iteration="continue;")
        self.write.counted = counted
        fresh = self.scope.names.fresh
        self.lane, self.items, self.team, self.teams = (fresh(n) for n in ("lane", "items", "team", "teams"))
        self.trips, self.slices, self.slice = (fresh(n) for n in ("all_trips", "slices", "slice"))
        self.across, self.at, self.slot, self.element = (fresh(n) for n in ("across", "at", "slot", "element"))
        self.scope.noted = fresh("noted")
        self.bounds: list[Argument] = []
        self.extents: list[Argument] = []
        self.shares: list[Argument] = []
        if own:
            self.write.own = {each.array: self.owned(each) for each in counted}

    def owned(self, each: Counted) -> tuple[str, str, str]:
        """The names of an array's slice in local memory, of where it begins, and of its width."""
        array, fresh = self.scope.array(each.array), self.scope.names.fresh
        slots, low, width, most, size = (fresh(f"{array}_{part}") for part in ("own", "low", "width", "slice", "size"))
        dtype = each.dtype if not each.wide else "int32" if each.words == 1 else "uint32"
        self.shares += [
            Argument("own", slots, each.array, dtype=dtype),
            Argument("width", most, each.array),
            Argument("size", size, each.array),
        ]
        return slots, low, width

    def kernel(self, name: str) -> Kernel:
        write = self.write
        for each in self.counted:
            self.scope.array(each.array)
        write.line(f"const int {self.lane} = get_local_id(0), {self.items} = get_local_size(0);")
        if write.own:
            write.line(f"const long {self.slice} = get_group_id(0) % {self.slices};")
            write.line(f"const long {self.team} = get_group_id(0) / {self.slices};")
            write.line(f"const long {self.teams} = get_num_groups(0) / {self.slices};")
            self.begun()
        else:
            write.guards_end()
            write.line(f"const long {self.team} = get_group_id(0), {self.teams} = get_num_groups(0);")
        place = write.room()
        self.loops()
        if self.scope.tests_accesses:
            noting(self.scope.noted, place, write, write.unit)
        if write.own:
            self.ended()
        found = of_scope(self.scope, frozenset(self.region.written))
        arguments = [a for a in found if a.kind == "array"]
        arguments += [*self.shares, *([Argument("slices", self.slices)] if write.own else [])]
        arguments += [Argument("trips", self.trips, number=0)]
        arguments += [Argument("across", self.across)] if self.region.depth > 1 else []
        arguments += [*self.bounds, *(self.extents if self.scope.numbered else [])]
        arguments += [a for a in found if a.kind != "array"]
        return Kernel(name, kernel_text(name, arguments, write.finished(), self.scope), tuple(arguments))

    def begun(self) -> None:
        """Every element of the slices as if nothing had been combined yet."""
        write = self.write
        for each, (most, size) in zip(self.counted, self._sizes(), strict=True):
            slots, low, width = write.own[each.array]
            write.line(f"const long {low} = {self.slice} * {most};")
            write.line(f"const int {width} = clamp({size} - {low}, 0L, {most});")
            words = f"2 * {width}" if each.words == 2 else width
            write.line(
                f"for (long {self.element} = {self.lane}; {self.element} < {words}; {self.element} += {self.items})"
            )
            write.line(f"    {slots}[{self.element}] = {self.neutral(each)};")
        write.line("barrier(CLK_LOCAL_MEM_FENCE);")

    def ended(self) -> None:
        """What has been combined in the slices is combined with the arrays."""
        write = self.write
        write.line("barrier(CLK_LOCAL_MEM_FENCE);")
        for each in self.counted:
            slots, low, width = write.own[each.array]
            with write.braces(
                f"for (long {self.element} = {self.lane}; {self.element} < {width}; {self.element} += {self.items})"
            ):
                at, value = self.element, self.scope.names.fresh("value")
                if each.words == 2:
                    neutral = "ULONG_MAX" if each.op == "&" else "0"
                    pair = f"{slots}[2 * {at}] | ((ulong){slots}[2 * {at} + 1] << 32)"
                    write.line(f"const ulong {value} = {pair};")
                else:
                    neutral = self.neutral(each)
                    write.line(f"const {'long' if each.wide else CTYPES[each.dtype]} {value} = {slots}[{at}];")
                write.line(f"if ({value} != {neutral})")
                array = self.scope.array(each.array)
                write.line(f"    {write.combined(each, array, f'{low} + {at}', value, local=False)};")

    def neutral(self, each: Counted) -> str:
        """What a word of a slice begins with."""
        if each.wide:
            return "UINT_MAX" if each.op == "&" else "0"
        return identity(each.op, each.dtype).loose

    def _sizes(self) -> list[tuple[str, str]]:
        texts = {(a.kind, a.name): a.text for a in self.shares}
        return [(texts["width", each.array], texts["size", each.array]) for each in self.counted]

    def loops(self) -> None:
        """The trips of the last of two dimensions are shared out among work-items, those of the first among groups."""
        write, loops = self.write, self.region.loops
        outer = range_in_c(0, loops[0], write.expressions, self.bounds)
        if outer.stop.value is None and outer.invariant:
            self.bounds.pop()  # the number of trips stands for it
        if len(loops) == 1:
            start, stride = f"{self.team} * {self.items} + {self.lane}", f"{self.teams} * {self.items}"
            self.along(outer, start, stride, self.trips, "{trip}")
            return
        fresh = self.scope.names.fresh
        row, rows = fresh("row"), fresh("rows")
        write.line(f"const int {rows} = {self.items} / {self.across};")
        begin = f"{self.team} * {rows} + {self.lane} / {self.across}"
        with write.braces(f"for (long {row} = {begin}; {row} < {self.trips}; {row} += {self.teams} * {rows})"):
            write.line(f"const long {outer.variable} = {outer.value(C(row, 'int64'))};")
            inner = range_in_c(1, loops[1], write.expressions, self.bounds)
            count, extent = fresh(f"{inner.variable}_count"), fresh(f"{inner.variable}_trips")
            self.extents.append(Argument("extent", extent, number=1))
            write.line(f"const long {count} = {_trips(inner)};")
            self.along(inner, f"{self.lane} % {self.across}", self.across, count, f"{row} * {extent} + {{trip}}")

    def along(self, within: CRange, start: str, stride: str, count: str, place: str) -> None:
        """The trips `start`, `start + stride`, ... below `count`, by batches where reads can be made together."""
        write, at = self.write, self.at
        step = self.scope.names.fresh("stride")
        write.line(f"const long {step} = {stride};")
        write.line(f"long {at} = {start};")
        reads = [] if has_loops(self.region) or self.region.depth > 2 else self.steady()
        if reads and bytes_ahead(0, self.operations) is not None:
            self.batches(reads, within, step, count, place)
        with write.braces(f"for (; {at} < {count}; {at} += {step})"):
            write.line(f"const long {within.variable} = {within.value(C(at, 'int64'))};")
            self.iteration(place.format(trip=at))

    def steady(self) -> list[Element]:
        """The reads that can be made together: of other arrays than those updated, which have no second name."""
        variables = {loop.variable.name for loop in self.region.loops[:2]}
        return steady_reads(self.region.body, self.region, variables, updated=[each.array for each in self.counted])

    def batches(self, reads: Sequence[Element], within: CRange, step: str, count: str, place: str) -> None:
        write, at, slot, fresh = self.write, self.at, self.slot, self.scope.names.fresh
        registers = {read: fresh(f"{self.scope.array(read.array)}_next") for read in reads}
        trip = fresh("trip")

        @contextmanager
        def slots() -> Iterator[None]:
            write.lines.append("#pragma unroll")
            with write.braces(f"for (int {slot} = 0; {slot} < {BATCH}; {slot}++)"):
                write.line(f"const long {trip} = {at} + {slot} * {step};")
                write.line(f"const long {within.variable} = {within.value(C(trip, 'int64'))};")
                yield

        with write.braces(f"for (; {at} + {BATCH - 1} * {step} < {count}; {at} += {BATCH} * {step})"):
            for read in reads:
                write.line(f"{CTYPES[read.type.dtype]} {registers[read]}[{BATCH}];")
            with slots():
                for read in reads:
                    write.line(f"{registers[read]}[{slot}] = {write.value(read).text};")
            with slots():
                self.scope.staged.update(staged(reads, [f"{registers[read]}[{slot}]" for read in reads], self.body))
                self.iteration(place.format(trip=trip))
                self.scope.staged.clear()

    def iteration(self, place: str) -> None:
        """The body of one iteration, whose place in the order of the loops is `place`."""
        write = self.write
        write.number(place)
        for line in declarations(self.private, self.scope):
            write.line(line)
        write.block(self.body)


def _trips(within: CRange) -> str:
    """How many trips a range has, in C."""
    step, (low, high) = abs(within.step), (within.start.text, within.stop.text)
    if within.step < 0:
        low, high = high, low
    return f"{low} < {high} ? ({high} - {low} + {step - 1}) / {step} : 0"
