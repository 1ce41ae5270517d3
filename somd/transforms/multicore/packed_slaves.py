"""`Nest` -> slave over packed arrays: column j of an array with stride m is column j // m of part j % m.

    for i in range(lo, hi):
        base = 1 + (i + p) % 2
        part_0, place_0 = base % 2, base // 2
        for turn in range(trips(base, n - 1, 2)):
            G_packed[part_0, i, place_0 + turn] = ...

so that the innermost loop runs over neighbouring elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.emit.python_expressions import Faults, Scope
from somd.transforms.loops.program import Element
from somd.transforms.multicore.names import FAR, Fresh
from somd.transforms.multicore.printing import Printing
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.stages import Dim, Phase, Plan, Sweeps
from somd.transforms.tree.names import names_read
from somd.transforms.tree.verbatim import verbatim
from somd.transforms.tree.walking import children_of, nodes_of


def packed_name(array: str, fresh: Fresh) -> str:
    """The name of the array taken apart."""
    return fresh.name(f"{array}_packed")


class PackedSlaveBuilder(SlaveBuilder):
    """Builds the slave of a phase over the packed arrays of a loop."""

    def __init__(
        self, plan: Plan, phase: Phase, printing: Printing, faults: Faults, fresh: Fresh, name: str, sweeps: Sweeps
    ) -> None:
        super().__init__(plan, phase, printing, faults, fresh, name)
        self.sweeps = sweeps
        self.strips, self.pieces = None, ()  # lanes lie side by side anyway

    def build(self) -> Slave:
        slave = super().build()
        apart = tuple(packed_name(name, self.fresh) for name in self.nest.arrays if name in self.sweeps.packed)
        parameters = slave.function.params
        added = [*parameters.params, *(cst.Param(cst.Name(name)) for name in apart)]
        function = slave.function.with_changes(params=parameters.with_changes(params=added))
        return replace(slave, function=function, arguments=(*slave.arguments, *apart))

    def place(self) -> str:
        return f"{super().place()}, in packed arrays"

    def loops(self, level: int, outer: tuple[str, str] | None = None) -> list[cst.BaseStatement]:
        if level != len(self.nest.dims) - 1:
            return super().loops(level, outer)
        dim, stride = self.nest.dims[level], self.sweeps.stride
        start, stop = self.limits(dim, level, outer)
        base, turn = self.fresh.name("base"), self.fresh.name("turn")
        texts = [f"{base} = {start}"]
        for offset in sorted(set(self.offsets().values())):
            part, place = _part(offset, self.fresh)
            at = base if offset == 0 else f"({base} {'+' if offset > 0 else '-'} {abs(offset)})"
            texts += [f"{part}, {place} = {at} % {stride}, {at} // {stride}"]
            texts += [f"assume(0 <= {part}, {part} < {stride}, 0 <= {place}, {place} < {FAR})"]
        loop = self.loop(dim, f"range(trips({base}, {stop}, {stride}))", [*self.variable(dim), *self.body()])
        loop = loop.with_changes(target=cst.Name(turn))
        return [*verbatim(*texts), loop]

    def variable(self, dim: Dim) -> list[cst.BaseStatement]:
        """What stands before the body in the innermost loop."""
        base, turn = self.fresh.name("base"), self.fresh.name("turn")
        texts = [f"assume(0 <= {turn}, {turn} < {FAR})"]
        if any(dim.variable in _names_outside(statement, self.offsets()) for statement in self.nest.body):
            texts.append(f"{dim.variable} = {base} + {turn} * {self.sweeps.stride}")
        return verbatim(*texts)

    def offsets(self) -> Mapping[cst.Subscript, int]:
        """The packed accesses of this phase."""
        known = self.sweeps.offsets
        accesses = (node for statement in self.nest.body for node in nodes_of(statement, cst.Subscript))
        return {node: known[node] for node in accesses if node in known}

    def scope(self) -> Scope:
        offsets, fresh = self.offsets(), self.fresh

        def placed(node: Element, indexes: list[str]) -> str | None:
            access = node.origin.node
            if not isinstance(access, cst.Subscript) or access not in offsets:
                return None
            part, place = _part(offsets[access], fresh)
            return f"{packed_name(node.array, fresh)}[{part}, {indexes[0]}, {place} + {fresh.name('turn')}]"

        return replace(super().scope(), placed=placed)


def _part(offset: int, fresh: Fresh) -> tuple[str, str]:
    """The names of: the part in which column base + offset lies, and its place there."""
    tail = "" if offset == 0 else f"_{offset}" if offset > 0 else f"_m{-offset}"
    return fresh.name(f"part{tail}"), fresh.name(f"place{tail}")


def _names_outside(node: cst.CSTNode, accesses: Mapping[cst.Subscript, int]) -> set[str]:
    """The names that `node` reads, the last indexes of `accesses` left out."""
    if isinstance(node, cst.Subscript) and node in accesses:
        return names_read(index_expressions(node)[0])
    if isinstance(node, cst.Name):
        return {node.value}
    return {name for child in children_of(node) for name in _names_outside(child, accesses)}
