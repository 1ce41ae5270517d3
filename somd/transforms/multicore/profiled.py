"""A master that keeps time of its phases: the same master, with clocks around what runs them.

def f(a, n_slaves, profile, events):
    ...
        counted(profile, 1, 1, trips(0, len(a), 1) * (2), min(trips(0, len(a), 1), a.size) * 8, 0)
        begun = now()
        for rank in prange(n_slaves):
            share_begun = now()
            lo, hi = slave_range(0, len(a), 1, rank, n_slaves)
            f_slave_1(lo, hi, a)
            worked(profile, 1, rank, share_begun)
        ran(profile, events, 1, begun)

In: a built master, with the plan. Out: that. Slaves are as they were. A phase is known by the functions that run it,
whose names end in its number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

import libcst as cst

from somd.transforms.multicore.masters import MasterBuilder
from somd.transforms.plan.counts import Counts, counts_of
from somd.transforms.plan.statement_words import loops_of
from somd.transforms.stages import Phase, Plan, Uniform, all_steps, nested_steps
from somd.transforms.tree.loops import range_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.rewriting import parsed
from somd.transforms.tree.walking import Transformer, nodes_of
from somd.transforms.types.typing_table import Types


def profiled(master: cst.FunctionDef, builder: MasterBuilder, plan: Plan, types: Types) -> cst.FunctionDef:
    """The master with clocks."""
    profile, events = builder.fresh.name("profile"), builder.fresh.name("events")
    clocks = _Clocks(builder, plan, types, profile, events)
    body = cast(cst.BaseSuite, master.body.visit(clocks))
    added = [cst.Param(cst.Name(name)) for name in (profile, events)]
    params = master.params.with_changes(params=[*master.params.params, *added])
    return master.with_changes(body=body, params=params)


def phases_text(plan: Plan) -> str:
    """The table from the number of a phase to its line and its loops, or the statement that they go through."""
    rows = []
    for phase in plan.phases():
        rows.append(f"    {phase.number}: ({phase.nest.position.line}, {loops_of(phase.nest, plan.method)!r}),")
    return "\n".join(["{", *rows, "}"])


class _Clocks(Transformer):
    """Puts clocks around loops over `prange`, and around calls of slaves outside of them."""

    _anew = False

    def __init__(self, builder: MasterBuilder, plan: Plan, types: Types, profile: str, events: str) -> None:
        super().__init__()
        self.builder, self.plan, self.types = builder, plan, types
        self.profile, self.events = profile, events
        self.begun, self.share = builder.fresh.name("begun"), builder.fresh.name("share_begun")
        slaves = {slave.name: number for number, (_, slave) in builder.built.items()}
        self.slaves = slaves
        others = {function.name.value: _number(function.name.value) for function in builder.functions}
        self.numbers: Mapping[str, int] = {**{name: k for name, k in others.items() if k in builder.built}, **slaves}
        self.sweeping = [step for step in all_steps(plan) if isinstance(step, Uniform) and step.sweeps is not None]
        self.depth = 0

    def visit_For(self, node: cst.For) -> None:
        self.depth += _over_ranks(node)

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.BaseStatement | cst.FlattenSentinel:  # type: ignore[type-arg]
        if not _over_ranks(original_node):
            return updated_node
        self.depth -= 1
        name = self.runs(original_node)
        number = self.numbers.get(name, 0)
        rank = cst.ensure_type(original_node.target, cst.Name).value
        assert isinstance(updated_node.body, cst.IndentedBlock)
        share = [
            *parsed(f"{self.share} = now()"),
            *updated_node.body.body,
            *parsed(f"worked({self.profile}, {number}, {rank}, {self.share})"),
        ]
        loop = updated_node.with_changes(body=cst.IndentedBlock(share), leading_lines=[])
        return cst.FlattenSentinel([*self.before(name, original_node.leading_lines), loop, *self.after(number)])

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        small = original_node.body[0]
        if self.depth == 0 and isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
            name = self.runs(small)
            if name:
                number = self.numbers[name]
                alone = parsed(f"worked({self.profile}, {number}, 0, {self.begun})")
                before = self.before(name, original_node.leading_lines)
                call = updated_node.with_changes(leading_lines=[])
                return cst.FlattenSentinel([*before, call, *alone, *self.after(number)])
        if isinstance(small, cst.Assign) and _calls(small.value, "sweeps_at_a_time") and self.sweeping:
            step = self.sweeping.pop(0)
            turns = cst.ensure_type(small.value, cst.Call).args[0].value
            return cst.FlattenSentinel([updated_node, *self.swept(step, cst.Module([]).code_for_node(turns))])
        return updated_node

    def runs(self, node: cst.CSTNode) -> str:
        """The first function that runs a phase among those that are called."""
        called = (n.func.value for n in nodes_of(node, cst.Call) if isinstance(n.func, cst.Name))
        return next((name for name in called if name in self.numbers), "")

    def before(self, name: str, lines: Sequence[cst.EmptyLine]) -> list[cst.BaseStatement]:
        built = parsed(f"{self.begun} = now()")
        if name in self.slaves:
            phase = next(p for p in self.plan.phases() if p.number == self.slaves[name])
            built = [*self.count(phase.number, self.counts(phase), "1"), *built]
        return [built[0].with_changes(leading_lines=lines), *built[1:]]

    def after(self, number: int) -> list[cst.BaseStatement]:
        return parsed(f"ran({self.profile}, {self.events}, {number}, {self.begun})")

    def counts(self, phase: Phase) -> Counts:
        of_phase, _ = self.builder.built[phase.number]
        return counts_of(phase.nest, self.plan.method, self.types, of_phase.text)

    def count(self, number: int, found: Counts, times: str) -> list[cst.BaseStatement]:
        operations, integers = ("-1" if each is None else each for each in (found.operations, found.integers))
        return parsed(f"counted({self.profile}, {number}, {times}, {operations}, {found.bytes}, {integers})")

    def swept(self, step: Uniform, turns: str) -> list[cst.BaseStatement]:
        """What all turns of a loop count for, if each counts for what the first does."""
        own = assigned_names(step.node) - set(self.plan.ranks)
        header = range_of(step.node) if isinstance(step.node, cst.For) else None
        built: list[cst.BaseStatement] = []
        for phase in nested_steps(step.body):
            if not isinstance(phase, Phase):
                continue
            found = self.counts(phase)
            if header is not None:
                first = self.builder.text(header.start)
                operations, integers = (
                    None if each is None else _with(header.variable, first, each)
                    for each in (found.operations, found.integers)
                )
                found = Counts(operations, _with(header.variable, first, found.bytes), integers)
            texts = (found.operations or "0", found.bytes, found.integers or "0")
            if any(names_read(cst.parse_expression(text)) & own for text in texts):
                found = Counts(None, "0")
            built += self.count(phase.number, found, turns)
        return built


def _with(name: str, value: str, text: str) -> str:
    """An expression with a value for a name."""

    class Value(cst.CSTTransformer):
        def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
            return cst.parse_expression(f"({value})") if updated_node.value == name else updated_node

    changed = cst.parse_expression(text).visit(Value())
    assert isinstance(changed, cst.BaseExpression)
    return cst.Module([]).code_for_node(changed)


def _over_ranks(node: cst.For) -> bool:
    return _calls(node.iter, "prange")


def _calls(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == name


def _number(name: str) -> int:
    """The number at the end of a function's name."""
    found = re.search(r"_(\d+)_*$", name)
    return int(found[1]) if found else 0
