"""A phase whose iterations add up rows that follow on each other -> a kernel whose groups share out what is added.

for i in range(n):                                for (the rows of the group, TERMS trips of their loops at a time) {
    s = 0.0                                           terms[...] = value[k] * x[column[k]];   neighbours, neighbouring k
    for k in range(start[i], start[i + 1]):    ->     for (those of the work-item's row)
        s += value[k] * x[column[k]]                      s = s + terms[...];
    y[i] = s                                      }

A work-item runs an iteration, and its sum keeps the order of plain Python. Where one row has all of these terms, the
group adds them up together (`shared_sums.py`), to the bit; long rows go to groups in turns (`long_rows.py`). What is
added depends on nothing but the trip of the loop, so that any work-item may compute it. That rows follow on each other
is known when they are there: a group where they do not, or where an index that data gives is outside or counts from the
end, runs its loops as they stand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from somd.transforms.emit.c import IN_ORDER, noting, without_casts
from somd.transforms.emit.c_expressions import Speculation
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.parts import parts_of
from somd.transforms.loops.program import (
    Assign,
    Element,
    Expression,
    HelperCall,
    Loop,
    Operation,
    Raise,
    Region,
    Statement,
    Store,
    Variable,
    While,
)
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.walking import goes_on, inside, reads_elements, statements_in, tested_in, tests_accesses
from somd.transforms.opencl.arguments import Argument, Kernel, of_scope
from somd.transforms.opencl.fast_loops import MOST_TRIPS, guess_of
from somd.transforms.opencl.kernels import is_plain, kernel_text, own_variables, with_bounds
from somd.transforms.opencl.long_rows import LongRows, may_be_dealt_out
from somd.transforms.opencl.row_groups import RowGroups
from somd.transforms.opencl.shared_sums import GROUP, ROOM, TERMS, bank_row, can_be_shared, shared_sum, word_of
from somd.transforms.opencl.striped import BARRIER
from somd.transforms.stages import Nest

#: work-items of a group, and terms in local memory at most, in number and in bytes
LANES, MOST_TERMS, MOST_LOCAL = 256, 2048, 1 << 14
#: trips of a group's rows at most where no index shows that there are elements for all
FAR = "1UL << 28"
#: terms that a work-item loads ahead of the additions of those before
COPIES = 8
#: what a trip adds
TERM = "term'"


@dataclass(frozen=True)
class Sums:
    """The loop of an iteration, which does nothing but to add its term; the guard that it stands behind."""

    before: tuple[Statement, ...]
    guard: Expression | None
    loop: Loop
    behind: tuple[Statement, ...]
    added: Assign
    term: Expression

    @property
    def terms(self) -> int:
        """How many there are in local memory at once."""
        return min(MOST_TERMS, MOST_LOCAL // np.dtype(self.term.type.dtype).itemsize)

    @property
    def row(self) -> int:
        """The binary logarithm of how many fill the banks of local memory once."""
        return bank_row(self.term.type.dtype)

    def place(self, slot: str) -> str:
        """Where one lies: those that lie a multiple of the banks apart, as in rows of one length, have others."""
        return f"{slot} + ({slot} >> {self.row})"

    @property
    def shared(self) -> bool:
        """Whether a group may add up the terms of a long row together: those of a float, from elements side by side."""
        value, kind = self.added.value, self.added.target.type.dtype
        assert isinstance(value, Operation)
        alike = all(each.type.dtype == kind for each in (value, *value.operands))
        fits = alike and can_be_shared(kind) and (self.terms, LANES) == (TERMS, GROUP)
        # to load what indexes from data choose takes longer than the additions, and short rows would wait for nothing
        loaded = [each for each in inside(self.term) if isinstance(each, Element)]
        fits = fits and not any(isinstance(e, Element) for each in loaded for at in each.indices for e in inside(at))
        return fits and value.operator in ("+", "-") and isinstance(value.operands[0], Variable)


def sums_of(nest: Nest, region: Region) -> Sums | None:
    """The sums of a region over rows that data gives; None where it has none."""
    plain = is_plain(region) and region.depth == 1 and not nest.raises and not region.aliased
    parts = parts_of(region.body)
    if not plain or parts is None or any(map(goes_on, region.body)):
        return None
    before, guard, loop, behind = parts
    counts = loop.by == 1
    if not counts or any(isinstance(each, Raise | While) for each in statements_in(region.body)):
        return None
    # rows that data gives may follow on each other; what is computed for them, once more in each group, is simple
    if not all(reads_elements(limit) and not any(tested_in(inside(limit))) for limit in (loop.start, loop.stop)):
        return None
    added = loop.body[0] if len(loop.body) == 1 else None
    if not isinstance(added, Assign) or not isinstance(added.value, Operation) or len(added.value.operands) != 2:
        return None
    whole, term = added.value.operands
    known = without_casts(whole) == added.target and added.value.operator in ("+", "-", "*")
    found = Sums(before, guard, loop, behind, added, term)
    return found if known and _is_of_trips(term, loop, region) else None


def _is_of_trips(term: Expression, loop: Loop, region: Region) -> bool:
    """Whether what is added has one value for each trip of the loop, whichever iteration asks, and costs loads."""
    variable = loop.variable.name
    if variable not in own_variables(region).scoped or any(isinstance(e, HelperCall) for e in inside(term)):
        return False
    elements = [each for each in inside(term) if isinstance(each, Element)]
    if any(each.array in region.written or each.relaxed is not None for each in elements):
        return False
    steady = {*region.scalars, *region.arrays, variable}
    return read_in(term) <= steady and any(variable in read_in(each) for each in elements)


def term_kernel_of(nest: Nest, region: Region, name: str, unit: Unit) -> Kernel | None:
    """The kernel of a nest whose iterations add up rows."""
    sums = sums_of(nest, region)
    if sums is None:
        return None
    writer = TermWriter(sums, nest, region, unit)
    return writer.kernel(name) if writer.may_be_written() else None


class TermWriter(RowGroups):
    """Writes such a kernel."""

    def __init__(self, sums: Sums, nest: Nest, region: Region, unit: Unit) -> None:
        super().__init__(sums.loop, LANES, nest, region, unit)
        self.sums = sums
        fresh = self.scope.names.fresh
        self.rows = fresh("group_rows")
        self.bounds.append(Argument("tile", self.rows))
        self.lane, self.slot, self.terms, self.stops, self.apart = (
            fresh(n) for n in ("lane", "slot", "terms", "stops", "apart")
        )
        self.start, self.stop, self.at = (fresh(f"{self.variable}_{part}") for part in ("start", "stop", "tile"))
        self.first_trip, self.last_trip, self.mine, self.together, self.slot_stop = (
            fresh(n) for n in ("first_trip", "last_trip", "mine", "together", "slot_stop")
        )
        self.whole, self.total, self.after = (fresh(n) for n in ("whole", "total", "after"))
        self.next, self.ahead, self.batch = (fresh(n) for n in (f"{self.variable}_next", "ahead", "batch"))
        self.scope.noted = fresh("noted") if tests_accesses(region.body) else ""
        self.guess = guess_of(sums.loop, region.body)
        self.failed = fresh("failed")
        #: whether it is looked at last if a kernel before has failed, as to wait for it first costs more. Limits may be
        #: any numbers then, so they must be compared with lengths before anything is done for each trip
        stores = any(isinstance(each, Store) for each in statements_in(sums.before))
        self.late = bool(self.scope.noted) and not stores
        dealt = sums.shared and sums.guard is None and not stores and may_be_dealt_out(region, sums.loop)
        self.long = LongRows(self, sums.loop) if dealt else None

    def may_be_written(self) -> bool:
        """Whether a group may run its loops once more."""
        if self.guess is None:
            return not tests_accesses(self.sums.loop.body)
        return self.write.may_be_run_again(self.guess)

    def kernel(self, name: str) -> Kernel:
        write, scope, sums = self.write, self.scope, self.sums
        kind = CTYPES[sums.term.type.dtype]
        write.local += [
            f"    __local {kind} {self.terms}[{sums.terms + (sums.terms >> sums.row)}];",
            f"    __local long {self.stops}[{max(LANES + 1, ROOM) if sums.shared else LANES + 1}];",
            f"    __local long {self.first_trip}, {self.last_trip};",
            f"    __local int {self.apart};",
        ]
        if sums.shared:
            write.local += [
                f"    __local long {self.whole};",
                f"    __local {CTYPES[sums.added.target.type.dtype]} {self.total};",
            ]
        if self.late:
            write.line(f"const int {self.failed} = faults[1] < turn;")
        if self.long is None:
            self.begin(self.lane)
        else:
            self.long.begin()
        write.number(self.trip)
        place = write.room()
        self.where_active(sums.before)
        outside, kept = ("", {}) if self.guess is None else write.guessed(self.guess)
        self.limits(outside)
        if self.long is not None:
            self.long.left_to_others()
        self.tested_at_the_ends()
        with write.braces(f"if ({self.together})"):
            self.shared_out(outside)
        mine = self.active if sums.guard is None else f"{self.active} && {self.mine}"
        if self.late:
            self.active = f"{self.active} && !{self.failed}"
            mine = f"{mine} && !{self.failed}"
        write.again(sums.loop, f"{mine} && (!{self.together} || {self.apart})", kept)
        self.where_active(sums.behind)
        if scope.noted:
            noting(scope.noted, place, write, write.unit, unless=self.failed if self.late else "")
        if self.long is not None:
            write.close()
        arguments = with_bounds(of_scope(scope, frozenset(self.region.written)), self.bounds)
        lines, late = write.finished(), self.late
        text = kernel_text(name, arguments, lines, scope, after_faults=late, group=str(LANES), local=write.local)
        return Kernel(name, text, tuple(arguments), rows=LANES, lanes=LANES)

    def limits(self, outside: str) -> None:
        """Where each row begins and ends, whether they follow on each other, and the trips of all of them."""
        write, lane, stops, last = self.write, self.lane, self.stops, "LONG_MIN"
        write.line(f"long {self.start} = 0, {self.stop} = {last};")
        write.line(f"int {self.mine} = 0;")
        guard = self.sums.guard
        test = "1" if guard is None else write.value(guard).text
        write.line(f"if ({self.active})")
        write.line(f"    {self.mine} = {test};")
        # the guard may be what keeps the limits inside their arrays
        with write.braces(f"if ({self.mine})"):
            write.line(f"{self.start} = {write.value(self.sums.loop.start).loose};")
            write.line(f"{self.stop} = {write.value(self.sums.loop.stop).loose};")
        write.line(f"{stops}[{lane} + 1] = {last};")
        write.line(BARRIER)
        write.line(f"{stops}[{lane}] = {self.stop};")
        with write.braces(f"if ({lane} == 0)"):
            write.line(f"{self.apart} = {outside or '0'};")
            write.line(f"{self.first_trip} = {self.start};")
            if self.sums.shared:
                write.line(f"{self.whole} = LONG_MIN;")
            if self.long is not None:
                self.long.none_left()
        write.line(BARRIER)
        follows = f"({lane} > 0 && {self.start} != {stops}[{lane} - 1])"
        apart = f"{self.start} > {self.stop} || {follows}"
        apart = apart if guard is None else f"!{self.mine} || {apart}"
        write.line(f"if ({self.active} && ({apart}))")
        write.line(f"    atomic_or(&{self.apart}, 1);")
        write.line(f"if ({self.mine} && {stops}[{lane} + 1] == {last})")
        write.line(f"    {self.last_trip} = {self.stop};")
        write.line(BARRIER)

    def tested_at_the_ends(self) -> None:
        """Whether the group goes together: rows follow on each other, and indexes that go along with the loop are
        inside at both of its ends; where there are none, rows are not as long as anybody may say."""
        write, together = self.write, self.together
        ends = self.along
        far = "" if ends else f" && !{write.unit.far_apart()}({self.first_trip}, {self.last_trip}, {MOST_TRIPS})"
        write.line(f"int {together} = !{self.apart}{far};")
        if ends:
            with write.braces(f"if ({together} && {self.first_trip} < {self.last_trip})"):
                for trip in (self.first_trip, f"{self.last_trip} - 1"):
                    with write.braces():
                        write.line(f"const long {self.variable} = {trip};")
                        for array, axis, index in ends:
                            place, length = write.value(index), self.scope.length(array, axis)
                            write.line(f"{together} &= (ulong)({place.text}) < (ulong){length.text};")
        else:
            trips = f"(ulong){self.last_trip} - (ulong){self.first_trip}"
            write.line(f"{together} &= {self.first_trip} >= {self.last_trip} || {trips} <= {FAR};")
        write.line(BARRIER)

    @property
    def along(self) -> list[tuple[str, int, Expression]]:
        """The indexes that grow with the loop, with the arrays and axes of which they are tested."""
        variable = self.sums.loop.variable.name
        tested = tested_in(inside(self.sums.term))
        each = ((e.array, axis, index) for e in tested for axis, index in enumerate(e.indices))
        return list(dict.fromkeys(found for found in each if moves_with(found[2], variable)))

    def shared_out(self, outside: str) -> None:
        """All trips of the group's rows, so many at a time."""
        write, at = self.write, self.at
        if self.sums.shared:
            self.pipelined(outside)
            return
        with write.braces(f"for (long {at} = {self.first_trip}; {at} < {self.last_trip}; {at} += {self.sums.terms})"):
            self.loaded(at, f"{self.terms}[{self.sums.place(self.slot)}]", outside)
            write.line(BARRIER)
            self.added()
            write.line(BARRIER)

    def pipelined(self, outside: str) -> None:
        """The same; terms are loaded while those before them are added up, from local memory."""
        write, many, next_, ahead = self.write, self.sums.terms, self.next, self.ahead
        write.line(f"{CTYPES[self.sums.term.type.dtype]} {ahead}[{many // LANES}] = {{0}};")
        write.line(f"long {next_} = {self.first_trip};")
        self.loaded(next_, f"{ahead}[load]", outside)
        with write.braces(f"while ({next_} < {self.last_trip})"):
            write.line(f"const long {self.at} = {next_};")
            write.lines.append("#pragma unroll")
            with write.braces(f"for (int load = 0; load < {many // LANES}; load++)"):
                write.line(f"const int {self.slot} = {self.lane} + load * {LANES};")
                write.line(f"{self.terms}[{self.sums.place(self.slot)}] = {ahead}[load];")
            write.line(BARRIER)
            write.line(f"{next_} += {many};")
            if self.long is not None:
                self.long.passed_over(next_)
            self.loaded(next_, f"{ahead}[load]", outside)
            self.together_on_one()
            write.line(BARRIER)

    def loaded(self, at: str, into: str, outside: str) -> None:
        """The terms from trip `at` on; neighbours load neighbouring ones."""
        write, many, last = self.write, self.sums.terms, self.last_trip
        write.lines.append("#pragma unroll")
        with write.braces(f"for (int load = 0; load < {many // LANES}; load++)"):
            write.line(f"const int {self.slot} = {self.lane} + load * {LANES};")
            write.line(f"const long {self.variable} = {at} + {self.slot};")
            with write.braces(f"if ({self.variable} < {last})"):
                if self.guess is not None:
                    steady = {index for index, _, _ in self.guess.steady} | {index for _, _, index in self.along}
                    write.expressions.speculation = Speculation(outside, frozenset(steady))
                write.where(self.sums.added.origin.position)
                write.line(f"{into} = {write.value(self.sums.term).loose};")
                write.expressions.speculation = None
        if outside:
            write.line(f"if ({outside})")
            write.line(f"    atomic_or(&{self.apart}, 1);")

    def together_on_one(self) -> None:
        """All add to the sum of the row that has all terms, where one has."""
        write, at, many, added = self.write, self.at, self.sums.terms, self.sums.added
        mine, total = f"{self.mine} && {self.start} <= {at}", self.scope.text_of(added.target.name)
        mine = f"{mine} && {self.stop} - {at} >= {many}"
        with write.braces(f"if ({mine})"):
            write.line(f"{self.whole} = {at};")
            write.line(f"{self.total} = {total};")
        write.line(BARRIER)
        with write.braces(f"if ({self.whole} == {at})"):
            assert isinstance(added.value, Operation)
            name, minus = shared_sum(write.unit, added.target.type.dtype), int(added.value.operator == "-")
            kind = CTYPES[added.target.type.dtype]
            word = word_of(added.target.type.dtype)
            # the limits of rows are not needed any more
            made = f"{name}({self.total}, {self.terms}, {minus}, (__local {word} *){self.stops}, {self.lane})"
            write.line(f"const {kind} {self.after} = {made};")
            write.line(f"if ({mine})")
            write.line(f"    {total} = {self.after};")
        with write.braces("else"):
            self.added()

    def added(self) -> None:
        """What is added to the sum of a work-item's own row."""
        write, slot, at = self.write, self.slot, self.at
        with write.braces(f"if ({self.mine})"):
            first, last = (f"(int)clamp({end} - {at}, 0L, {self.sums.terms}L)" for end in (self.start, self.stop))
            write.line(f"const int {self.slot_stop} = {last};")
            write.line(f"int {slot} = {first};")
            if self.sums.shared:
                self.added_in_batches()
            unrolled = [] if self.sums.shared else ["#ifdef AHEAD", f"#pragma unroll {COPIES}", "#endif"]
            write.lines += [*unrolled, IN_ORDER]
            with write.braces(f"for (; {slot} < {self.slot_stop}; {slot}++)"):
                self.added_one(f"{self.terms}[{self.sums.place(slot)}]")

    def added_in_batches(self) -> None:
        """So many terms at a time, all of them loaded before the first is added: beside loads for the next terms
        drivers do not see to that themselves."""
        write, slot = self.write, self.slot
        write.lines.append("#ifdef AHEAD")
        with write.braces(f"for (; {slot} + {COPIES} <= {self.slot_stop}; {slot} += {COPIES})"):
            write.line(f"{CTYPES[self.sums.term.type.dtype]} {self.batch}[{COPIES}];")
            write.lines.append("#pragma unroll")
            write.line(f"for (int load = 0; load < {COPIES}; load++)")
            write.line(f"    {self.batch}[load] = {self.terms}[{self.sums.place(f'({slot} + load)')}];")
            write.lines.append("#pragma unroll")
            with write.braces(f"for (int load = 0; load < {COPIES}; load++)"):
                self.added_one(f"{self.batch}[load]")
        write.lines.append("#endif")

    def added_one(self, term: str) -> None:
        """One term more of a sum."""
        self.scope.held[TERM] = term
        made = self.sums.added.value
        assert isinstance(made, Operation)
        made = replace(made, operands=(made.operands[0], Variable(TERM, self.sums.term.type)))
        self.write.block((replace(self.sums.added, value=made),))
