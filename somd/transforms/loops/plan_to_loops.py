"""`Plan` and `Types` -> the loop program of a signature.

for i in range(len(a)):            region 1
    c[i] = a[i] * 2          ->        check: length(a, 0) >= length(c, 0) + 1 fails at site 1
                                       free i from 0 to length(a, 0):
                                           c[i] = a[i] * 2.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from somd.language.operators import OPERATORS
from somd.settings.targets import TargetLacks
from somd.transforms.library import library_numbers
from somd.transforms.loops.expressions_to_loops import Accesses, Expressions
from somd.transforms.loops.making import BOOL8, INT64, cast, constant, operation, truth, variable, whole_number
from somd.transforms.loops.program import (
    Assign,
    CarriedScalar,
    Check,
    CombinedArray,
    Expression,
    Function,
    If,
    Interval,
    Join,
    Loop,
    Origin,
    Parameter,
    Partials,
    Program,
    Reduced,
    Region,
    Scan,
    Snapshot,
    Statement,
    While,
)
from somd.transforms.loops.ranges import LONGEST
from somd.transforms.loops.statements_to_loops import Names, Statements, comments_of
from somd.transforms.stages import (
    NEAR,
    Dim,
    Joined,
    Near,
    Nest,
    PartialResults,
    Phase,
    Plan,
    Reduction,
    Serial,
    Step,
    Uniform,
)
from somd.transforms.stages import Scan as PlanScan
from somd.transforms.stages import Snapshot as PlanSnapshot
from somd.transforms.tree.loops import range_of, statements_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType, Type
from somd.transforms.types.typing_table import HelperInstance, Types


@dataclass(frozen=True)
class Built:
    """A program, and what the steps of its plan became, by their identity; `expressions` builds further ones."""

    program: Program
    of_step: Mapping[int, tuple[Statement, ...]]
    expressions: Expressions


def plan_to_loops(plan: Plan, types: Types) -> Program:
    """The program of a plan.

    Raises:
        TargetLacks: it has something that a program does not express yet.
    """
    return built_from(plan, types).program


def built_from(plan: Plan, types: Types) -> Built:
    """The program of a plan with what its steps became.

    Raises:
        TargetLacks: it has something that a program does not express yet.
    """
    builder = _Builder(plan, types)
    body = builder.steps(plan.body)
    method = plan.method
    parameters = tuple(Parameter(name, types.names[name]) for name in method.param_names)
    functions = tuple(_function(helper) for helper in types.helpers.values())
    program = Program(method.name, parameters, types.result, body, functions, method.combine)
    return Built(program, builder.of_step, builder.expressions)


class _Builder:
    def __init__(self, plan: Plan, types: Types) -> None:
        self.plan = plan
        self.types = types
        self.expressions = Expressions(plan.method, types)
        self.names = Names()
        self.statements = Statements(self.expressions, self.names, types.result, plan.raises)
        self.statements.libraries = library_numbers(plan)
        #: what the region at hand accumulates, by name
        self.reductions: dict[str, Reduced] = {}
        #: what an iteration of the region at hand begins with
        self.firsts: list[Statement] = []
        #: what steps became, by their identity
        self.of_step: dict[int, tuple[Statement, ...]] = {}

    # --- steps ---------------------------------------------------------------------------------------------------

    def steps(self, steps: Sequence[Step]) -> tuple[Statement, ...]:
        return tuple(made for step in steps for made in self.step(step))

    def step(self, step: Step) -> tuple[Statement, ...]:
        made = self.of_step[id(step)] = self.made(step)
        return made

    def made(self, step: Step) -> tuple[Statement, ...]:
        if isinstance(step, Serial):
            self.expressions.accesses = Accesses(step.guarded, all_wrap=True)
            return self.statements.block(step.statements)
        if isinstance(step, Uniform):
            return (self.uniform(step),)
        if isinstance(step, Phase):
            return (self.region(step),)
        if isinstance(step, PlanScan):
            return (self.scan(step),)
        if isinstance(step, PlanSnapshot):
            return (Snapshot(tuple(step.copies.items())),)
        if isinstance(step, Joined):
            return (self.joined(step),)
        return (self.partials(step),)

    def uniform(self, step: Uniform) -> Statement:
        """A loop or branch that the master takes, with what is in it."""
        node, origin = step.node, self.origin(step.node)
        self.expressions.accesses = Accesses(step.guarded, all_wrap=True)
        if isinstance(node, cst.For):
            return self.uniform_loop(step, node, origin)
        test = self.expressions.test(node.test)
        if isinstance(node, cst.While):
            return While(test, self.steps(step.body), origin)
        return If(test, self.steps(step.body), self.steps(step.orelse), origin)

    def uniform_loop(self, step: Uniform, node: cst.For, origin: Origin) -> Loop:
        header = range_of(node)
        if header is None or step.orelse:
            raise self.expressions.lacks("this loop", node)
        start, stop, by = (self.expressions.limit(each) for each in (header.start, header.stop, header.step))
        values = self.statements.values_of(node, start, stop, by)
        before = self.statements.entered(node, header.variable, values)
        body = self.steps(step.body)
        self.statements.left(header.variable, before)
        place, first = self.statements.loop_variable(header.variable, values)
        made = Loop(place, start, stop, by, (*first, *body), "in order", None, origin)
        reach = None if step.sweeps is None else step.sweeps.radius
        return replace(made, reach=reach, margin=None if step.delay is None else step.delay.margin)

    def origin(self, node: cst.CSTNode) -> Origin:
        return Origin(self.plan.method.positions.get(node), comments_of(node), node)

    def partials(self, step: PartialResults) -> Partials:
        self.expressions.accesses = Accesses(step.guarded, all_wrap=True)
        names = tuple(self.statements.place(name) for name in step.names)
        return Partials(step.phase.number, names, self.statements.block(step.statements))

    def joined(self, step: Joined) -> Join:
        kinds = [self.types.names[name] for name in step.names]
        scalars = tuple(ScalarType(kind.dtype, kind.weak) for kind in kinds if isinstance(kind, ScalarType))
        names = tuple(self.statements.place(name) for name in step.names)
        return Join(step.phase.number, names, scalars, step.function, step.text)

    def scan(self, step: PlanScan) -> Scan:
        carries = tuple(CarriedScalar(self.statements.place(each.name), each.by) for each in step.carries)
        return Scan(self.region(step.totals), self.region(step.phase), carries)

    # --- regions -------------------------------------------------------------------------------------------------

    def region(self, phase: Phase) -> Region:
        nest = phase.nest
        checks = self.checks(nest)
        ordered_if = tuple(truth(self.expressions.text(text)) for text in nest.in_order_if)
        self.reductions = {each.name: self.reduced(each) for each in nest.reductions}
        kept = dict(self.expressions.ranges)
        for name, lowest in nest.lowest_scalars.items():
            self.expressions.ranges[name] = Interval(lowest, LONGEST)
        self.firsts = []
        loop = self.loops(nest, nest.dims)
        self.expressions.ranges = kept
        relaxed = nest.relaxed
        return Region(
            number=phase.number,
            checks=checks,
            loop=loop,
            depth=len(nest.dims),
            scalars=tuple(name for name in nest.scalars if isinstance(self.types.names.get(name), ScalarType))
            + self.tuple_parts(nest),
            arrays=nest.arrays,
            written=nest.arrays_written,
            local_arrays=tuple(local.name for local in nest.local_arrays),
            reductions=tuple(self.reductions.values()),
            combined=tuple(CombinedArray(each.array, each.op) for each in nest.combined),
            handed_on=tuple(self.statements.place(name) for name in nest.copies),
            ordered_if=ordered_if,
            partition=nest.partition,
            snapshots=() if relaxed is None else tuple(relaxed.snapshots.items()),
            relaxed=relaxed is not None,
            fresh=relaxed is not None and relaxed.fresh,
            aliased=nest.aliased,
            origin=self.origin(nest.dims[0].node),
        )

    def tuple_parts(self, nest: Nest) -> tuple[str, ...]:
        """The parts of the tuples that iterations read."""
        found = ((name, self.types.names.get(name)) for name in nest.scalars)
        tuples = ((name, kind) for name, kind in found if isinstance(kind, TupleType))
        return tuple(self.expressions.part_name(n, k) for n, kind in tuples for k in range(len(kind.elements)))

    def checks(self, nest: Nest) -> tuple[Check, ...]:
        """What is tested before the region, the nearness of scalars to 0 before what is reckoned from them."""
        first, last = nest.near
        made = [Check(truth(self.expressions.text(check.condition)), check.site) for check in nest.checks]
        return (*self.near(first), *made, *self.near(last))

    def near(self, near: Near | None) -> tuple[Check, ...]:
        if near is None:
            return ()
        condition: Expression | None = None
        for name in near.scalars:
            scalar = self.expressions.scalar(name)
            scalar = scalar if scalar.type.kind in "iu" else cast(scalar, INT64)
            far = operation(
                "or",
                operation(">", scalar, whole_number(NEAR)),
                operation("<", scalar, whole_number(-NEAR)),
            )
            condition = far if condition is None else operation("or", condition, far)
        return () if condition is None else (Check(condition, near.site),)

    def reduced(self, reduction: Reduction) -> Reduced:
        place = self.statements.place(reduction.name)
        companions = tuple(self.statements.place(name) for name in reduction.companions)
        flagged = reduction.flagged(place.type.kind)
        flag = variable(self.names.fresh(f"{reduction.name}.taken"), BOOL8) if flagged else None
        return Reduced(place, reduction.op, companions, reduction.taking(place.type.kind), flag)

    def loops(self, nest: Nest, dims: Sequence[Dim]) -> Loop:
        """The distributed loops, those in them, and the body of the innermost one."""
        dim, *inner = dims
        start, stop = self.expressions.limit(dim.start), self.expressions.limit(dim.stop)
        step = whole_number(dim.step)
        self.statements.lowest = nest.lowest
        values = self.statements.values_of(dim.node, start, stop, step)
        before = self.statements.entered(dim.node, dim.variable, values)
        place, first = self.statements.loop_variable(dim.variable, values)
        self.firsts += first
        body = (self.loops(nest, inner),) if inner else (*self.firsts, *self.body(nest))
        self.statements.left(dim.variable, before)
        hull = None if dim.invariant else (self.expressions.text(dim.low), self.expressions.text(dim.high))
        origin = self.origin(dim.node)
        return Loop(place, start, stop, step, body, "free", hull, origin)

    def body(self, nest: Nest) -> tuple[Statement, ...]:
        """What an iteration runs."""
        self.expressions.accesses = Accesses(nest.guarded, nest.wrapping, relaxed=nest.relaxed)
        self.statements.own = {local.name: local for local in nest.local_arrays}
        self.statements.independent = nest.independent
        self.statements.flags = self.flags(nest)
        self.expressions.joining = _joining(nest, self.types)
        made = self.statements.block(nest.body)
        self.statements.own, self.statements.independent, self.statements.flags = {}, (), {}
        self.statements.lowest, self.expressions.joining = {}, frozenset()
        return made

    def flags(self, nest: Nest) -> Mapping[cst.CSTNode, Statement]:
        """By each update of an accumulator that has a flag: what sets it."""
        found: dict[cst.CSTNode, Statement] = {}
        for reduction in nest.reductions:
            made = self.reductions[reduction.name]
            if made.flag is not None:
                value: Expression = constant(True, BOOL8)
                if made.taking.unordered:  # whether nan was taken: what was before counts no more
                    value = operation("or", made.flag, operation("!=", made.variable, made.variable))
                found.update(dict.fromkeys(reduction.updates, Assign(made.flag, value)))
        return found


def _function(helper: HelperInstance) -> Function:
    """A helper for given argument types."""
    method, types = helper.method, helper.types
    expressions = Expressions(method, types)
    statements = Statements(expressions, Names(), types.result, {})
    body = statements.block(statements_of(method.function.body))
    parameters = tuple(statements.place(name) for name in method.param_names)
    return Function(helper.name, parameters, _parts(types.result), body)


def _parts(result: Type | None) -> tuple[ScalarType, ...]:
    parts = result.elements if isinstance(result, TupleType) else (result,)
    scalars = tuple(ScalarType(part.dtype) for part in parts if isinstance(part, ScalarType))
    if len(scalars) < len(parts):
        raise TargetLacks("a function that returns no numbers cannot be expressed yet")
    return scalars


def _joining(nest: Nest, types: Types) -> frozenset[cst.CSTNode]:
    """The multiplications, and statements `s *= e`, into accumulators that no number is neutral for: what they hold may
    be the product of no numbers yet."""
    found: set[cst.CSTNode] = set()
    updates = [(each.name, each) for each in nest.reductions] + [(each.array, each) for each in nest.combined]
    for name, each in updates:
        kind = types.names[name]
        element = kind.element if isinstance(kind, ArrayType) else kind
        if isinstance(element, ScalarType) and element.kind == "c" and OPERATORS[each.op].of_complex is not None:
            found |= {node.value if isinstance(node, cst.Assign) else node for node in each.updates}
    return frozenset(found)
