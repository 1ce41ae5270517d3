"""The master's statements for a phase with copies, and for the partial results that follow it.

part_ranges, part_owners = evenly(run, 0, a.shape[0], 1)
best_partials = run.full(part_owners.shape[0] - 1, best, np.float64)
run.launch("longest_1", (part_owners.shape[0] - 1,), (a, best_partials, ...), reads=(a, ...), writes=(best_partials,))
return [longest_result(best_partials.to_host()[part], a) for part in range(best_partials.shape[0])]
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.opencl import host_tree as tree
from somd.transforms.opencl.launches import Launch
from somd.transforms.stages import PartialResults
from somd.transforms.tree.rewriting import list_of_one
from somd.transforms.tree.walking import Transformer


class PartialLaunch(Launch):
    """Writes one phase in which each owner of a part has its copies of scalars."""

    def statements(self) -> list[cst.BaseStatement]:
        found = self.checks()
        found.append(self.cut())
        for name in self.nest.copies:
            made = tree.call(tree.attribute(self.code.run, "full"), self.owner_count(), *self._filled(name))
            found.append(tree.assign(tree.name(self.partials[name]), made))
        found += self.with_rows(self.owner_count())
        return [found[0].with_changes(leading_lines=self.nest.dims[0].node.leading_lines), *found[1:]]

    def cut(self) -> cst.BaseStatement:
        """The parts and who owns them: those of the partitioner that have trips, or even ones."""
        dim = self.nest.dims[0]
        limits = [self.limit(dim.start), self.limit(dim.stop), tree.integer(dim.step)]
        if self.nest.in_order_if:
            limits.append(self.in_order_test())
        function, given = "evenly", [tree.name(self.code.run)]
        if self.nest.partition is not None:
            function = "with_trips"
            root = self.shared.root(self.nest.partition)
            given += [tree.name(f"{root}_{what}") for what in ("ranges", "owners")]
        pair = [cst.Element(tree.name(f"{self._root()}_{what}")) for what in ("ranges", "owners")]
        return tree.assign(cst.Tuple(pair, lpar=[], rpar=[]), tree.call(tree.brought(function), *given, *limits))

    def _filled(self, name: str) -> list[cst.BaseExpression]:
        return [tree.name(name), tree.dtype(self._type(name).dtype)]

    def owner_count(self) -> cst.BaseExpression:
        return cst.parse_expression(f"{self._root()}_owners.shape[0] - 1")

    def _root(self) -> str:
        return self.part

    def joined(self, name: str, number: int) -> cst.BaseStatement:
        """`x = joined(run, 0, x_partials)`"""
        slots = tree.name(self.partials[name])
        value = tree.call(tree.brought("joined"), tree.name(self.code.run), tree.integer(number), slots)
        return tree.assign(tree.name(name), value)

    def results(self, step: PartialResults, function: str, part: str) -> cst.BaseStatement:
        """The list of what the MIs return."""
        slots = [self._of_type(tree.subscript(self._on_host(name), tree.name(part)), name) for name in step.names]
        value = tree.call(function, *slots, *map(tree.name, step.inputs))
        count = tree.call(tree.brought("range"), tree.shape(self.partials[step.names[0]], 0))
        listed = cst.ListComp(value, cst.CompFor(tree.name(part), count))
        return tree.line(cst.Return(listed))


class Listed(Transformer):
    """`return x` before the loop as `return [x]`: all MIs return the same, so one is enough."""

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        if updated_node.value is None:
            return updated_node
        return updated_node.with_changes(value=list_of_one(updated_node.value))
