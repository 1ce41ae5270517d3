"""Long rows of a kernel whose groups add up rows: the groups take them in turns, wherever they lie.

for (int alone = 1; alone;) {                 first the long ones among its every `groups`-th row, one after the other,
    const long trip = alone ? ... : first_row + lane;
    ...                                       then the rows that lie together, but for long ones
}

So long rows that are neighbours go to different groups. Every row is one that some group looks at: that, and the group
whose rows it lies among, ask the same of the same limits, whatever they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from somd.transforms.emit.c_declarations import declarations
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.declared import read_in
from somd.transforms.loops.program import Element, Loop, Region
from somd.transforms.loops.walking import inside
from somd.transforms.opencl.striped import BARRIER

if TYPE_CHECKING:
    from somd.transforms.opencl.term_kernels import TermWriter

#: trips of a row that is long
LONG = 1 << 14


def may_be_dealt_out(region: Region, loop: Loop) -> bool:
    """Whether the limits of the loop that adds up a row depend on nothing but the iteration and what stays."""
    limits = (loop.start, loop.stop)
    steady = {*region.scalars, *region.arrays, region.loops[0].variable.name}
    arrays = {each.array for limit in limits for each in inside(limit) if isinstance(each, Element)}
    return all(read_in(limit) <= steady for limit in limits) and arrays.isdisjoint(region.written)


class LongRows:
    """What the kernel `of` rows, each added up by a `loop`, has for long ones."""

    def __init__(self, of: TermWriter, loop: Loop) -> None:
        self.of, self.loop = of, loop
        fresh = of.scope.names.fresh
        self.alone, self.waits, self.chosen, self.taken = (fresh(n) for n in ("alone", "waits", "chosen", "taken"))
        self.groups, self.lowest, self.upto, self.left = (fresh(n) for n in ("groups", "lowest", "upto", "left"))
        self.elsewhere = fresh("elsewhere")

    def begin(self) -> None:
        """Which long rows the group takes, and the loop over what it adds up, which is left open."""
        of, write, lane, rows = self.of, self.of.write, self.of.lane, self.of.rows
        write.local += [f"    __local long {self.upto};", f"    __local int {self.chosen}, {self.left};"]
        write.line(f"const int {lane} = get_local_id(0);")
        write.line(f"const long {of.first} = (long)get_group_id(0) * {rows};")
        # of the part of a launch that one of several devices has
        write.line(f"const long {self.groups} = get_num_groups(0);")
        write.line(f"const long {self.lowest} = (long)(get_global_offset(0) / get_local_size(0));")
        taken = f"{self.lowest} * {rows} + ((long)get_group_id(0) - {self.lowest})"
        write.line(f"int {self.waits} = 0;")
        with write.braces():
            self._row(f"{taken} + {lane} * {self.groups}")
            with write.braces(f"if ({lane} < {rows} && !({of.trips.beyond(C(of.trip, 'int64'))}))"):
                write.line(f"const long {of.start} = {write.value(self.loop.start).loose};")
                write.line(f"const long {of.stop} = {write.value(self.loop.stop).loose};")
                write.line(f"{self.waits} = {self._is_long()};")
        write.open(f"for (int {self.alone} = 1; {self.alone};)")
        write.line(f"if ({lane} == 0)")
        write.line(f"    {self.chosen} = {rows};")
        write.line(BARRIER)
        write.line(f"if ({self.waits})")
        write.line(f"    atomic_min(&{self.chosen}, {lane});")
        write.line(BARRIER)
        write.line(f"const int {self.taken} = {self.chosen};")
        write.line(f"{self.alone} = {self.taken} < {rows};")
        write.line(f"{self.waits} &= {lane} != {self.taken};")
        self._row(f"{self.alone} ? {taken} + {self.taken} * {self.groups} : {of.first} + {lane}")
        mine = f"({self.alone} ? {lane} == 0 : {lane} < {rows})"
        write.line(f"int {of.active} = {mine} && !({of.trips.beyond(C(of.trip, 'int64'))});")
        for line in declarations(of.declared.private, of.scope):
            write.line(line)

    def _row(self, trip: str) -> None:
        """Lines that declare an iteration and its variables."""
        self.of.write.line(f"const long {self.of.trip} = {trip};")
        for line in self.of.trips.variables(C(self.of.trip, "int64")):
            self.of.write.line(line)

    def _is_long(self) -> str:
        start, stop = self.of.start, self.of.stop
        return f"{start} < {stop} && (ulong){stop} - (ulong){start} >= {LONG}"

    def none_left(self) -> None:
        """What one work-item sets before: no row of the group is one that others take."""
        self.of.write.line(f"{self.left} = 0;")
        self.of.write.line(f"{self.upto} = LONG_MIN;")

    def left_to_others(self) -> None:
        """Whether the row is one that some group takes alone; there may be such a one only where `left` is set."""
        of, write = self.of, self.of.write
        write.line(f"const int {self.elsewhere} = !{self.alone} && {of.mine} && {self._is_long()};")
        with write.braces(f"if ({self.elsewhere})"):
            write.line(f"{of.active} = {of.mine} = 0;")
            write.line(f"atomic_or(&{self.left}, 1);")

    def passed_over(self, at: str) -> None:
        """Where the next terms begin in a row that others take: behind it, then."""
        of, write, end = self.of, self.of.write, f"{self.taken}_end"
        with write.braces(f"if ({self.left})"):
            write.line(f"if ({self.elsewhere} && {of.start} <= {at} && {at} < {of.stop})")
            write.line(f"    {self.upto} = {of.stop};")
            write.line(BARRIER)
            write.line(f"const long {end} = {self.upto};")
            write.line(BARRIER)
            write.line(f"{at} = max({at}, {end});")
