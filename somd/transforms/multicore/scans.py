"""Scans: what blocks of iterations make of a scalar, then its values before them, then the iterations.

mi_count = part_count(trips(0, len(a), 1), n_slaves)
if trips(0, len(a), 1) * 3 < small_work():
    mi_count = 1
s_partials = np.full(mi_count, s, np.int64)
if mi_count == 1:
    prefix_slave_2(0, len(a), a, out, s_partials, rank)
else:
    s_totals = np.full(mi_count, 0, np.int64)
    for rank in prange(mi_count):
        lo, hi = slave_range(0, len(a), 1, rank, mi_count)
        prefix_slave_1(lo, hi, a, s_totals, rank)
    for rank in range(1, mi_count):
        s_partials[rank] = s_partials[rank - 1] + s_totals[rank - 1]
    for rank in prange(mi_count):
        lo, hi = slave_range(0, len(a), 1, rank, mi_count)
        prefix_slave_2(lo, hi, a, out, s_partials, rank)
s = s_partials[mi_count - 1]
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.language.scanning import SCANS
from somd.transforms.emit.python_text import numpy_name
from somd.transforms.multicore.exact_tests import ExactTests
from somd.transforms.multicore.identities import number_text
from somd.transforms.multicore.nodes import indented
from somd.transforms.multicore.partials import alone_text
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.stages import Carry, Plan, Scan
from somd.transforms.tree.verbatim import verbatim
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types

Built = tuple[SlaveBuilder, Slave]


class ScanPhase:
    """Writes the master's statements for a scan, whose slaves are `totals` and `main`."""

    def __init__(self, scan: Scan, totals: Built, main: Built, plan: Plan, types: Types) -> None:
        self.scan, self.plan, self.types = scan, plan, types
        self.totals, self.main = totals, main
        self.fresh = main[0].fresh
        self.scanned = [carry for carry in scan.carries if carry.by is not None]
        names = ("rank", "lo", "hi", "mi_count", "n_slaves")
        self.rank, self.lo, self.hi, self.count, self.workers = map(self.fresh.name, names)

    def statements(self, exact: ExactTests) -> list[cst.BaseStatement]:
        builder, slave = self.main
        dim = builder.nest.dims[0]
        start, stop = builder.text(dim.start), builder.text(dim.stop)
        slots = [self.room(builder.partials(carry.name), carry.name, carry) for carry in self.scan.carries]
        whole = f"{slave.name}({', '.join((start, stop, *slave.arguments))})"
        last = [f"{carry.name} = {builder.partials(carry.name)}[{self.count} - 1]" for carry in self.scan.carries]
        return verbatim(
            f"{self.count} = part_count(trips({start}, {stop}, {dim.step}), {self.workers})",
            f"if {alone_text(builder, self.plan, exact)}:\n    {self.count} = 1\n",
            *slots,
            f"if {self.count} == 1:\n    {self.rank} = 0\n    {whole}\nelse:\n{indented(self.in_blocks())}",
            *last,
        )

    def room(self, slots: str, value: str, carry: Carry) -> str:
        return f"{slots} = np.full({self.count}, {value}, np.{numpy_name(self.type_of(carry).dtype)})"

    def type_of(self, carry: Carry) -> ScalarType:
        found = self.types.names[carry.name]
        assert isinstance(found, ScalarType)
        return found

    def in_blocks(self) -> str:
        """The three steps."""
        most = max(len(SCANS[carry.by or ""].points) for carry in self.scanned)
        totals = [[self.totals_of(carry, place) for carry in self.scanned] for place in range(most)]
        room = [
            self.room(name, self.point(carry, place), carry)
            for place, names in enumerate(totals)
            for name, carry in zip(names, self.scanned, strict=True)
        ]
        slots = [self.main[0].partials(carry.name) for carry in self.scan.carries]
        carried = indented("\n".join(map(self.carried, self.scanned)))
        return (
            "\n".join(room)
            + f"\n{self.side_by_side(self.totals, totals)}for {self.rank} in range(1, {self.count}):\n{carried}"
            + self.side_by_side(self.main, [slots])
        )

    def totals_of(self, carry: Carry, place: int) -> str:
        return self.fresh.name(f"{carry.name}_totals" if place == 0 else f"{carry.name}_totals_{place + 1}")

    def point(self, carry: Carry, place: int) -> str:
        """What blocks are started from in order to see what they make of it."""
        points = SCANS[carry.by or ""].points
        return number_text(points[min(place, len(points) - 1)], self.type_of(carry))

    def carried(self, carry: Carry) -> str:
        """The value before a block, from that before the one in front of it."""
        slots, known = self.main[0].partials(carry.name), SCANS[carry.by or ""]
        before = f"{self.rank} - 1"
        made = [f"{self.totals_of(carry, place)}[{before}]" for place in range(len(known.points))]
        return f"{slots}[{self.rank}] = {known.of(f'{slots}[{before}]', *made)}"

    def side_by_side(self, built: Built, runs: Sequence[Sequence[str]]) -> str:
        """A loop in which each MI runs its block, once from each of these slots."""
        builder, slave = built
        calls = []
        for slots in runs:
            own = dict(zip(map(builder.partials, builder.nest.copies), slots, strict=True))
            arguments = [own.get(each, each) for each in slave.arguments]
            calls.append(f"    {slave.name}({', '.join((self.lo, self.hi, *arguments))})\n")
            if built is self.totals and slave.faults:  # the iteration itself will fail, if this counts
                calls.append(f"    {self.fresh.name('faults')}[{self.rank}, 0] = 0\n")
        dim = builder.nest.dims[0]
        limits = f"{builder.text(dim.start)}, {builder.text(dim.stop)}, {dim.step}, {self.rank}, {self.count}"
        return (
            f"for {self.rank} in prange({self.count}):\n"
            f"    {self.lo}, {self.hi} = slave_range({limits})\n"
            f"{''.join(calls)}"
        )
