"""A uniform loop with a radius -> code that runs several of its sweeps between two fences.

Every MI goes through the sweeps of some turns of the loop in its own rows, the rows it may still touch shrinking by the
radius from sweep to sweep; behind a fence MIs fill the wedges that were left between neighbours. Inside, rows are taken
in blocks that stay in the cache, each sweep a radius behind the one before. With radius 0 there are no wedges, and one
region runs the whole loop:

    for rank in prange(n_slaves):
        lo, hi = slave_range(1, n - 1, 1, rank, n_slaves)
        for block in row_blocks(lo, hi, ...):
            heat_sweeps_1(block, block + width, lo, hi, 1, -1, first, upto, a, b)

In: the uniform step, its phases' slaves, and the loop as it stands, for what is too small or would raise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.frontend.loops import range_of
from somd.transforms.frontend.names import assigned_names, names_read
from somd.transforms.frontend.tree import parsed, transformed_expression, transformed_statement
from somd.transforms.multicore.casts import Rewriter, Rewriting
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.slaves import Slave, SlaveBuilder
from somd.transforms.stages import Phase, Plan, Serial, Step, Uniform, nested_steps

Built = dict[int, tuple[SlaveBuilder, Slave]]


@dataclass(frozen=True)
class Joint:
    """What a master needs of a loop whose sweeps are joined: a function, and the statements that stand for the loop."""

    function: cst.FunctionDef
    statements: list[cst.BaseStatement]


class SweepsBuilder:
    """Builds the code of one loop."""

    def __init__(
        self,
        step: Uniform,
        plan: Plan,
        built: Built,
        fresh: Fresh,
        rewriting: Callable[[], Rewriting],
        number: int,
    ) -> None:
        assert isinstance(step.node, cst.For) and step.radius is not None
        self.step = step
        self.node = step.node
        self.radius = step.radius
        self.fresh = fresh
        self.rewriting = rewriting()
        phases = [each for each in nested_steps(step.body) if isinstance(each, Phase)]
        self.phases = [built[phase.number] for phase in phases]
        self.built = built
        self.name = fresh.name(f"{plan.method.name}_sweeps_{number}")
        arrays = {name for builder, _ in self.phases for name in builder.nest.arrays}
        self.arrays = sorted(arrays)
        header = range_of(step.node)
        assert header is not None
        self.variable = header.variable
        self.exchanged = sorted(assigned_names(step.node.body) & set(plan.ranks))
        self.checks = list(dict.fromkeys(c.condition for b, _ in self.phases for c in b.nest.checks))
        start, stop, turn = (self.text(limit) for limit in (*header.limits, header.step))
        self.start, self.stop, self.turn = start, stop, turn

    def build(self, ordinary: cst.BaseStatement) -> Joint:
        function = self.function()
        return Joint(function, self.statements(ordinary))

    # --- the function that runs the sweeps of one block of rows ------------------------------------------------------

    def function(self) -> cst.FunctionDef:
        left, right, lo, hi, below, above, first, upto = map(self.fresh.name, LIMITS)
        header = f"@slave\ndef {self.name}({', '.join((*self.limit_names(), *self.arguments()))}):\n    pass\n"
        function = cst.ensure_type(cst.parse_statement(header), cst.FunctionDef)
        variables = f"range({first}, {upto}{'' if self.turn == '1' else f', {self.turn}'})"
        loop = self.node.with_changes(
            iter=cst.parse_expression(variables), body=cst.IndentedBlock(self.sweeps(self.step.body)), leading_lines=[]
        )
        numbers = ", ".join(str(b.number) for b, _ in self.phases)
        text = f"# sweeps of phase {numbers} over rows {left} to {right}, as far as they lie between {lo} and {hi}"
        comment = cst.EmptyLine(comment=cst.Comment(text))
        return function.with_changes(
            body=cst.IndentedBlock([loop]), leading_lines=[cst.EmptyLine(), cst.EmptyLine(), comment]
        )

    def limit_names(self) -> list[str]:
        return [self.fresh.name(name) for name in LIMITS]

    def arguments(self) -> list[str]:
        """The names that the function takes besides its limits."""
        given = {name for _, slave in self.phases for name in slave.arguments}
        statements = [s for each in nested_steps(self.step.body) if isinstance(each, Serial) for s in each.statements]
        assigned = {name for s in statements for name in assigned_names(s)}
        read = {name for s in statements for name in names_read(s)}
        own = {self.variable} | {header.variable for header in self.inner_headers()}
        return sorted((given | assigned | read) - own)

    def inner_headers(self) -> list[object]:
        return []

    def sweeps(self, steps: Sequence[Step]) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for step in steps:
            if isinstance(step, Phase):
                made += self.sweep(*self.built[step.number])
            elif isinstance(step, Serial):
                made += [transformed_statement(s, Rewriter(self.rewriting)) for s in step.statements]
            else:
                assert isinstance(step, Uniform) and isinstance(step.node, cst.For)
                header = transformed_expression(step.node.iter, Rewriter(self.rewriting))
                made.append(step.node.with_changes(iter=header, body=cst.IndentedBlock(self.sweeps(step.body))))
        return made
