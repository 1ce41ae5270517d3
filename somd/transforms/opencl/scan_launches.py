"""The master's statements for a scan: the totals of blocks, the values before them, then the iterations.

part_ranges, part_owners = evenly(run, 0, a.shape[0], 1)
s_partials = run.full(part_owners.shape[0] - 1, s, np.int64)
if part_owners.shape[0] - 1 > 1:
    s_totals = run.full(part_owners.shape[0] - 1, 0, np.int64)
    run.launch("prefix_1", (part_owners.shape[0] - 1,), (a, s_totals, ...), reads=(a, ...), writes=(s_totals,))
    s_partials = scanned(run, "+", s, s_totals)
run.launch("prefix_2", (part_owners.shape[0] - 1,), (a, out, s_partials, ...), reads=(a, ...), writes=(out, s_partials))
s = behind(s_partials)

No work-item waits for another: between the kernels the host brings the totals together.
"""

from __future__ import annotations

from dataclasses import replace

import libcst as cst
import numpy as np

from somd.language.scanning import SCANS
from somd.transforms.emit.c_names import Names
from somd.transforms.opencl import host_tree as tree
from somd.transforms.opencl.arguments import Kernel
from somd.transforms.opencl.host_code import HostCode
from somd.transforms.opencl.launches import Shared
from somd.transforms.opencl.partial_launches import PartialLaunch
from somd.transforms.stages import Carry, Scan


class ScanLaunch(PartialLaunch):
    """Writes the phase of a scan, with that of its totals before it."""

    def __init__(
        self, scan: Scan, kernel: Kernel, of_totals: Kernel, code: HostCode, names: Names, shared: Shared
    ) -> None:
        super().__init__(scan.phase.nest, kernel, code, names, shared)
        self.carries = scan.carries
        self.scanned = [carry for carry in scan.carries if carry.by is not None]
        self.totals = PartialLaunch(scan.totals.nest, of_totals, code, names, shared)
        self.totals.part = self.part
        most = max(len(SCANS[carry.by or ""].points) for carry in self.scanned)
        if any(argument.kind == "faults" for argument in of_totals.arguments):
            self.totals.shared = replace(shared, faults=names.fresh("ignored"))
        self.made = [{carry.name: names.fresh(f"{carry.name}_totals") for carry in self.scanned} for _ in range(most)]

    def statements(self) -> list[cst.BaseStatement]:
        found = [*self.checks(), self.cut()]
        found += [self.room(self.partials[c.name], tree.name(c.name), c) for c in self.carries]
        several = cst.Comparison(self.owner_count(), [cst.ComparisonTarget(cst.GreaterThan(), tree.integer(1))])
        found.append(cst.If(several, tree.block(self.before())))
        found += self.with_rows(self.owner_count())
        for carry in self.carries:
            last = tree.call(tree.brought("behind"), tree.name(self.partials[carry.name]))
            found.append(tree.assign(tree.name(carry.name), self._of_type(last, carry.name)))
        return [found[0].with_changes(leading_lines=self.nest.dims[0].node.leading_lines), *found[1:]]

    def room(self, slots: str, value: cst.BaseExpression, carry: Carry) -> cst.BaseStatement:
        dtype = tree.dtype(self._type(carry.name).dtype)
        made = tree.call(tree.attribute(self.code.run, "full"), self.owner_count(), value, dtype)
        return tree.assign(tree.name(slots), made)

    def before(self) -> list[cst.BaseStatement]:
        """What finds the values before each block."""
        found: list[cst.BaseStatement] = []
        if self.totals.shared is not self.shared:  # the iteration itself will fail, if it counts
            made = tree.call(tree.brought("ignored_faults"), tree.name(self.code.run), tree.brought("SITES"))
            found.append(tree.assign(tree.name(self.totals.shared.faults), made))
        for place, names in enumerate(self.made):
            found += [self.room(names[c.name], self.point(c, place), c) for c in self.scanned]
            self.totals.partials = names
            found += self.totals.with_rows(self.owner_count())
        for carry in self.scanned:
            symbol = cst.SimpleString(f'"{carry.by}"')
            totals = [tree.name(each[carry.name]) for each in self.made[: len(SCANS[carry.by or ""].points)]]
            value = tree.call(tree.brought("scanned"), tree.name(self.code.run), symbol, tree.name(carry.name), *totals)
            found.append(tree.assign(tree.name(self.partials[carry.name]), value))
        return found

    def point(self, carry: Carry, place: int) -> cst.BaseExpression:
        """What blocks are started from in order to see what they make of it."""
        points = SCANS[carry.by or ""].points
        return tree.number(points[min(place, len(points) - 1)](np.dtype(self._type(carry.name).dtype)))
