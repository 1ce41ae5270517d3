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
from somd.transforms.multicore.casts import Rewriting
from somd.transforms.multicore.guarding import SlaveRewriter
from somd.transforms.multicore.names import FAR, Fresh
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.stages import Dim, Nest, Phase, Plan, Sweeps
from somd.transforms.tree.names import names_read
from somd.transforms.tree.rewriting import parsed, transformed_block
from somd.transforms.tree.walking import Reader, children_of


def packed_name(array: str, fresh: Fresh) -> str:
    """The name of the array taken apart."""
    return fresh.name(f"{array}_packed")


class PackedSlaveBuilder(SlaveBuilder):
    """Builds the slave of a phase over the packed arrays of a loop."""

    def __init__(self, plan: Plan, phase: Phase, rewriting: Rewriting, fresh: Fresh, name: str, sweeps: Sweeps) -> None:
        super().__init__(plan, rewriting.types, phase, rewriting, fresh, name)
        self.sweeps = sweeps

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
            texts += [f"assume(0 <= {part} < {stride} and 0 <= {place} < {FAR})"]
        loop = self.loop(dim, f"range(trips({base}, {stop}, {stride}))", [*self.variable(dim), *self.body()])
        loop = loop.with_changes(target=cst.Name(turn))
        return [*parsed(*texts), loop]

    def variable(self, dim: Dim) -> list[cst.BaseStatement]:
        """What stands before the body in the innermost loop."""
        base, turn = self.fresh.name("base"), self.fresh.name("turn")
        texts = [f"assume(0 <= {turn} < {FAR})"]
        if any(dim.variable in _names_outside(statement, self.offsets()) for statement in self.nest.body):
            texts.append(f"{dim.variable} = {base} + {turn} * {self.sweeps.stride}")
        return parsed(*texts)

    def offsets(self) -> Mapping[cst.Subscript, int]:
        """The packed accesses of this phase."""
        found: dict[cst.Subscript, int] = {}
        sweeps = self.sweeps

        class Accesses(Reader):
            def visit_Subscript(self, node: cst.Subscript) -> None:
                if node in sweeps.offsets:
                    found[node] = sweeps.offsets[node]

        for statement in self.nest.body:
            statement.visit(Accesses())
        return found

    def rewritten(self, statement: cst.BaseStatement) -> list[cst.BaseStatement]:
        rewriter = PackedRewriter(self.rewriting, self.nest, self.fresh, self.offsets())
        return transformed_block([statement], rewriter)


class PackedRewriter(SlaveRewriter):
    """Rewrites one statement of a nest's body, its strided accesses going to the packed arrays."""

    def __init__(self, rewriting: Rewriting, nest: Nest, fresh: Fresh, offsets: Mapping[cst.Subscript, int]) -> None:
        super().__init__(rewriting, nest, fresh)
        self.offsets = offsets

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        if original_node in self.offsets:
            part, place = _part(self.offsets[original_node], self.fresh)
            assert isinstance(updated_node.value, cst.Name)
            row = index_expressions(updated_node)[0]
            last = cst.parse_expression(f"{place} + {self.fresh.name('turn')}")
            elements = [cst.SubscriptElement(cst.Index(index)) for index in (cst.Name(part), row, last)]
            array = cst.Name(packed_name(updated_node.value.value, self.fresh))
            updated_node = updated_node.with_changes(value=array, slice=elements)
        return super().leave_Subscript(original_node, updated_node)


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
