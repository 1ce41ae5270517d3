"""`Plan` -> a master and one function an iteration, as plain Python.

    def f(a, b):
        s = 0.0
        s, = phase_1(locals())
        return s

    def iteration_1(i, a, b, s):
        for turn_ in (0,):
            s += a[_somd_place(0, 'r', a, i)]
        return s,

What an iteration calls has names of its own: a user may have a variable `place`.
Private scalars are locals of the iteration's function: one that leaks from an iteration to another is unbound there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import CodeType

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.reference.accumulators import KIND
from somd.transforms.reference.witness import Watched
from somd.transforms.stages import (
    Joined,
    Nest,
    PartialResults,
    Phase,
    Plan,
    Reduction,
    RelaxedRead,
    Serial,
    Snapshot,
    Step,
)
from somd.transforms.taken import flag_texts, flagged_branch, flagged_line
from somd.transforms.tree.loops import range_of
from somd.transforms.tree.names import assigned_names, names_read, unused
from somd.transforms.tree.rewriting import list_of_one, transformed_statement
from somd.transforms.tree.walking import Transformer

#: the functions that an iteration calls at an access, at a relaxed one, and where something is claimed
PLACE, RELAXED, CLAIM = "_somd_place", "_somd_relaxed", "_somd_claim"


@dataclass(frozen=True)
class IterationCode:
    """The function of one nest, compiled: its parameters behind the loop variables, and its accesses by number,
    the relaxed ones among them."""

    code: CodeType
    parameters: tuple[str, ...]
    accesses: tuple[Watched, ...]
    relaxed: Mapping[int, RelaxedRead]


def master_text(plan: Plan) -> str:
    """The function that runs serial code and calls the phases."""
    body = cst.IndentedBlock(_steps(plan.body))
    if plan.method.combine is not None:
        body = cst.ensure_type(body.visit(_Listed()), cst.IndentedBlock)
    header = cst.parse_statement(f"def {plan.method.name}({', '.join(plan.method.param_names)}):\n    pass\n")
    return cst.Module([cst.ensure_type(header, cst.FunctionDef).with_changes(body=body)]).code


def _steps(steps: Sequence[Step]) -> list[cst.BaseStatement]:
    built: list[cst.BaseStatement] = []
    for step in steps:
        if isinstance(step, Serial):
            built.extend(step.statements)
        elif isinstance(step, PartialResults):
            built.extend(_partial_results(step))
        elif isinstance(step, Joined):
            number = step.phase.number
            built.append(cst.parse_statement(f"{', '.join(step.names)}, = joined_{number}(partials_{number})"))
        elif isinstance(step, Phase) and step.nest.copies:
            built.append(cst.parse_statement(f"partials_{step.number} = phase_{step.number}(locals())"))
        elif isinstance(step, Phase):
            targets = "".join(f"{name}, " for name in reduced_names(step.nest))
            built.append(cst.parse_statement(f"{f'{targets}= ' if targets else ''}phase_{step.number}(locals())"))
        elif isinstance(step, Snapshot):
            built += [cst.parse_statement(f"{copy} = {array}.copy()") for array, copy in step.copies.items()]
        else:
            orelse = cst.Else(cst.IndentedBlock(_steps(step.orelse))) if step.orelse else None
            node = step.node.with_changes(body=cst.IndentedBlock(_steps(step.body)))
            built.append(node.with_changes(orelse=orelse))
    return built or [cst.parse_statement("pass")]


def _partial_results(step: PartialResults) -> list[cst.BaseStatement]:
    """The rest of the method as a function of an MI's copies, and the list of what it returns."""
    number, copies = step.phase.number, step.phase.nest.copies
    inputs = ", ".join(f"{name}={name}" for name in step.inputs)
    header = f"def result_{number}({', '.join((*copies, *step.inputs))}):\n    pass\n"
    function = cst.ensure_type(cst.parse_statement(header), cst.FunctionDef)
    call = f"return [result_{number}(*partial, {inputs}) for partial in partials_{number}]"
    return [function.with_changes(body=cst.IndentedBlock(step.statements)), cst.parse_statement(call)]


def reduced_names(nest: Nest) -> list[str]:
    """The scalars that an iteration hands to the next one of its block: accumulators, each with its companions, or the
    copies of an MI."""
    reduced = [name for reduction in nest.reductions for name in (reduction.name, *reduction.companions)]
    return [*reduced, *nest.copies]


def handed_on(nest: Nest) -> list[str]:
    """As `reduced_names`, and the flags of what accumulators took, each behind its companions."""
    found: list[str] = []
    for reduction in nest.reductions:
        found += [reduction.name, *reduction.companions, *([flag_of(reduction)] if reduction.flagged(KIND) else [])]
    return [*found, *nest.copies]


def flag_of(reduction: Reduction) -> str:
    return f"_somd_{reduction.name}_taken"


def iteration_code(phase: Phase, positions: Mapping[cst.CSTNode, Position]) -> IterationCode:
    """The function that runs one iteration of the nest of `phase`."""
    nest = phase.nest
    variables = [dim.variable for dim in nest.dims]
    reductions = handed_on(nest)
    parameters = tuple(dict.fromkeys([*nest.arrays, *nest.scalars, *reductions]))
    header = f"def iteration_{phase.number}({', '.join([*variables, *parameters])}):\n"
    inside = {name for s in nest.body for name in (*names_read(s), *assigned_names(s))}
    turn = unused("turn_", variables, parameters, inside)
    once = f"    for {turn} in (0,):\n        pass\n    return ({''.join(f'{name}, ' for name in reductions)})\n"
    function = cst.ensure_type(cst.parse_statement(header + once), cst.FunctionDef)
    rewriter = _Accesses(nest, positions)
    body = [transformed_statement(s, rewriter) for s in nest.body]
    assert isinstance(function.body, cst.IndentedBlock)
    loop = function.body.body[0].with_changes(body=cst.IndentedBlock(body))
    function = function.with_changes(body=cst.IndentedBlock([loop, *function.body.body[1:]]))
    code = compile(cst.Module([function]).code, f"<reference: phase {phase.number}>", "exec")
    return IterationCode(code, parameters, tuple(rewriter.found), rewriter.relaxed)


class _Listed(Transformer):
    """Before the loop that makes partial results `return x` gives a list of one: all MIs return the same."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        if updated_node.value is None or isinstance(updated_node.value, cst.ListComp):
            return updated_node
        return updated_node.with_changes(value=list_of_one(updated_node.value))


class _Accesses(Transformer):
    """Sends the index of every array access, and what is claimed of inner loop variables, past the witness."""

    def __init__(self, nest: Nest, positions: Mapping[cst.CSTNode, Position]) -> None:
        super().__init__()
        self.nest = nest
        self.positions = positions
        self.modes: dict[cst.Subscript, str] = {}
        self.found: list[Watched] = []
        self.relaxed: dict[int, RelaxedRead] = {}
        texts = [flag_texts(reduction, flag_of(reduction), KIND) for reduction in nest.reductions]
        self.flagged = {node: text for each in texts for node, text in each.items()}

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        return flagged_branch(original_node, updated_node, self.flagged)

    def leave_Assign(
        self, original_node: cst.Assign, updated_node: cst.Assign
    ) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
        return flagged_line(original_node, updated_node, self.flagged)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._writes(node.target, "w")

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._writes(node.target, "w")

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._writes(node.target, "rw")

    def _writes(self, target: cst.BaseExpression, mode: str) -> None:
        if isinstance(target, cst.Subscript):
            self.modes[target] = mode
        elif isinstance(target, cst.Tuple):
            for element in target.elements:
                self._writes(element.value, mode)

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        array = original_node.value
        own = {local.name for local in self.nest.local_arrays}
        if not isinstance(array, cst.Name) or array.value not in {*self.nest.arrays, *own}:
            return updated_node
        text = " ".join(cst.Module([]).code_for_node(original_node).split())
        sites = self.nest.guarded.get(original_node, ())
        place = self.positions.get(original_node)
        line = None if place is None else place.line
        self.found.append(Watched(text, sites, original_node in self.nest.wrapping, line))
        private = array.value in own or any(array.value == each.array for each in self.nest.combined)
        mode = cst.SimpleString(repr("" if private else self.modes.get(original_node, "r")))
        number = cst.Integer(str(len(self.found) - 1))
        arguments = [number, mode, array, *index_expressions(updated_node)]
        relaxed = self.nest.relaxed
        if relaxed is not None and original_node in relaxed.reads:
            self.relaxed[len(self.found) - 1] = relaxed.reads[original_node]
            return cst.Call(cst.Name(RELAXED), [cst.Arg(a) for a in (number, *arguments[2:])])
        call = cst.Call(cst.Name(PLACE), [cst.Arg(argument) for argument in arguments])
        return updated_node.with_changes(slice=[cst.SubscriptElement(cst.Index(call))])

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        lowest, header = self.nest.lowest.get(original_node), range_of(original_node)
        if lowest is None or header is None or not isinstance(updated_node.body, cst.IndentedBlock):
            return updated_node
        text = f"{CLAIM}({header.variable} >= {lowest}, 'lowest value of {header.variable}')"
        body = [cst.parse_statement(text), *updated_node.body.body]
        return updated_node.with_changes(body=updated_node.body.with_changes(body=body))
