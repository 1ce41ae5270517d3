"""The master's statements for a scan: the totals of blocks, the values before them, then the iterations.

part_ranges, part_owners = evenly(run, 0, a.shape[0], 1)
s_partials = run.full(part_owners.shape[0] - 1, s, np.int64)
if part_owners.shape[0] - 1 > 1:
    s_totals = run.full(part_owners.shape[0] - 1, 0, np.int64)
    run.launch("prefix_1", (part_owners.shape[0] - 1,), (a, s_totals, ...), reads=(a, ...), writes=(s_totals,))
    s_partials = scanned(run, "+", s, s_totals)
run.launch("prefix_2", (part_owners.shape[0] - 1,), (a, out, s_partials, ...), reads=(a, ...), writes=(out, s_partials))
s = behind(s_partials)

No work-item waits for another: between the kernels the host brings the totals together; on devices for which groups
bring in tiles, a kernel of one group does (`scan_kernels`):

if run.striped_lanes("prefix_2_striped", 128) and run.striped_lanes("prefix_2_carries_0", 256):
    groups = tiles(trips(0, a.shape[0], 1), 2048)
    s_made_0, s_before, s_partials = run.empty(groups, np.int64), run.empty(groups, np.int64), run.empty(1, np.int64)
    run.launch_groups("prefix_2_totals", groups, 128, (a, s_made_0, ...), reads=(a,), writes=(s_made_0,))
    run.launch_groups("prefix_2_carries_0", 1, 256, (s_made_0, s_before, s_partials, s, groups), ...)
    run.launch_groups("prefix_2_striped", groups, 128, (a, out, s_before, ...), reads=(a, s_before), writes=(out,))
"""

from __future__ import annotations

import functools
from dataclasses import replace

import libcst as cst
import numpy as np

from somd.language.scanning import SCANS
from somd.transforms.emit.c_names import Names
from somd.transforms.opencl import host_tree as tree
from somd.transforms.opencl.arguments import Argument, Kernel
from somd.transforms.opencl.host_code import HostCode
from somd.transforms.opencl.launches import Shared
from somd.transforms.opencl.partial_launches import PartialLaunch
from somd.transforms.opencl.scan_kernels import ScanKernels
from somd.transforms.stages import Carry, Scan


class ScanLaunch(PartialLaunch):
    """Writes the phase of a scan, with that of its totals before it."""

    def __init__(
        self,
        scan: Scan,
        kernel: Kernel,
        of_totals: Kernel,
        code: HostCode,
        names: Names,
        shared: Shared,
        scanning: ScanKernels | None = None,
    ) -> None:
        super().__init__(scan.phase.nest, kernel, code, names, shared)
        self.carries, self.scanning = scan.carries, scanning
        self.scanned = [carry for carry in scan.carries if carry.by is not None]
        self.totals = PartialLaunch(scan.totals.nest, of_totals, code, names, shared)
        self.totals.part = self.part
        most = max(len(SCANS[carry.by or ""].points) for carry in self.scanned)
        if any(argument.kind == "faults" for argument in of_totals.arguments):
            self.totals.shared = replace(shared, faults=names.fresh("ignored"))
        self.made = [{carry.name: names.fresh(f"{carry.name}_totals") for carry in self.scanned} for _ in range(most)]
        if scanning is not None:
            self.groups = names.fresh("groups")
            self.befores = {carry.name: names.fresh(f"{carry.name}_before") for carry in scan.carries}

    def statements(self) -> list[cst.BaseStatement]:
        usual = [self.cut(), *(self.room(self.partials[c.name], tree.name(c.name), c) for c in self.carries)]
        several = cst.Comparison(self.owner_count(), [cst.ComparisonTarget(cst.GreaterThan(), tree.integer(1))])
        usual += [cst.If(several, tree.block(self.before())), *self.with_rows(self.owner_count())]
        found = [*self.checks(), *(usual if self.scanning is None else [self.chosen(self.scanning, usual)])]
        for carry in self.carries:
            last = tree.call(tree.brought("behind"), tree.name(self.partials[carry.name]))
            found.append(tree.assign(tree.name(carry.name), self._of_type(last, carry.name)))
        return [found[0].with_changes(leading_lines=self.nest.dims[0].node.leading_lines), *found[1:]]

    def chosen(self, kernels: ScanKernels, usual: list[cst.BaseStatement]) -> cst.BaseStatement:
        """The scan by groups of stretches where the device has those, else by owners of parts."""
        asked = [kernels.iterations, *kernels.carries.values()]
        tests: list[cst.BaseExpression] = [
            tree.call(
                tree.attribute(self.code.run, "striped_lanes"),
                cst.SimpleString(f'"{each.name}"'),
                tree.integer(each.lanes),
            )
            for each in asked
        ]
        if self.nest.in_order_if:
            tests.insert(0, tree.negated(self.in_order_test()))
        test = functools.reduce(lambda one, other: cst.BooleanOperation(one, cst.And(), other), tests)
        return cst.If(test, tree.block(self.by_stretches(kernels)), cst.Else(tree.block(usual)))

    def by_stretches(self, kernels: ScanKernels) -> list[cst.BaseStatement]:
        groups, count = tree.name(self.groups), self.extent(self.nest.dims[0], exact=True)
        made = tree.call(tree.brought("tiles"), count, tree.integer(kernels.iterations.rows))
        found: list[cst.BaseStatement] = [tree.assign(groups, made)]
        for carry in self.carries:
            totals = [names[carry.name] for names in self.made[: len(SCANS[carry.by or ""].points)]]
            rooms = [(name, groups) for name in (*totals, self.befores[carry.name])]
            for name, length in (*rooms, (self.partials[carry.name], tree.integer(1))):
                dtype = tree.dtype(self._type(carry.name).dtype)
                empty = tree.call(tree.attribute(self.code.run, "empty"), length, dtype)
                found.append(tree.assign(tree.name(name), empty))
        all_made = [
            names[carry.name]
            for place, names in enumerate(self.made)
            for carry in self.carries
            if place < len(SCANS[carry.by or ""].points)
        ]
        reads = [*self.totals.nest.arrays_read]
        found.append(self.launched_by_groups(kernels.totals, groups, reads, all_made))
        for carry in self.carries:
            mine = [names[carry.name] for names in self.made[: len(SCANS[carry.by or ""].points)]]
            writes = [self.befores[carry.name], self.partials[carry.name]]
            found.append(self.launched_by_groups(kernels.carries[carry.name], tree.integer(1), mine, writes))
        reads = [*self.nest.arrays_read, *self.befores.values()]
        found.append(self.launched_by_groups(kernels.iterations, groups, reads, [*self.nest.arrays_written]))
        return found

    def launched_by_groups(
        self, kernel: Kernel, groups: cst.BaseExpression, reads: list[str], writes: list[str]
    ) -> cst.BaseStatement:
        sides = {"reads": tree.tuple_of([tree.name(n) for n in reads])} if reads else {}
        sides |= {"writes": tree.tuple_of([tree.name(n) for n in writes])} if writes else {}
        arguments = tree.tuple_of([self.passed(each) for each in kernel.arguments])
        name, launch = cst.SimpleString(f'"{kernel.name}"'), tree.attribute(self.code.run, "launch_groups")
        return tree.line(tree.call(launch, name, groups, tree.integer(kernel.lanes), arguments, **sides))

    def passed(self, argument: Argument) -> cst.BaseExpression:
        """What the master passes for an argument."""
        kind, number = argument.kind, argument.number
        if kind == "made" and number is not None:
            return tree.name(self.made[number][argument.name])
        if kind in ("before", "last"):
            return tree.name((self.befores if kind == "before" else self.partials)[argument.name])
        if kind == "groups":
            return tree.name(self.groups)
        if kind == "carried":
            value = tree.name(argument.name)
            return value if argument.dtype == "int64" else tree.call(tree.dtype(argument.dtype), value)
        return super().passed(argument)

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
