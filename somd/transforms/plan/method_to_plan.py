"""`Method` -> `Plan`: cut the body into what the master does once and what the MIs do in phases.

In: a method and the kinds of its names. Out: a verified plan, or one SomdCompileError with all diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.transforms.access import Affine
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.affine import condition, negation, variable
from somd.transforms.analysis.allocations import is_allocation
from somd.transforms.analysis.bounds import is_within
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.frontend.held_elements import Element, was_held
from somd.transforms.frontend.panels import IN_PANELS
from somd.transforms.library import library_function
from somd.transforms.plan import messages, partial_messages
from somd.transforms.plan.bindings import check_array_binding
from somd.transforms.plan.candidates import bound_in, contains_candidate, is_candidate
from somd.transforms.plan.chains import chain_of
from somd.transforms.plan.claimed_scans import claimed_scan, is_exact, left_in_order
from somd.transforms.plan.combined import combined_arrays
from somd.transforms.plan.context import Context, Kinds, kinds_from_source
from somd.transforms.plan.delays import delay_of
from somd.transforms.plan.distribution import parts_of_loop
from somd.transforms.plan.element_sums import accumulated_elements
from somd.transforms.plan.facts_around import assigned_before, facts_inside, holds_behind
from somd.transforms.plan.formulas import contains_formula, is_formula, touches_no_array
from somd.transforms.plan.handed_elements import handed_element
from somd.transforms.plan.joined import check_joined, joined_fence, operator_for
from somd.transforms.plan.local_arrays import local_arrays
from somd.transforms.plan.local_partitions import with_stand_ins
from somd.transforms.plan.nests import build_nest
from somd.transforms.plan.old_values import old_values_in
from somd.transforms.plan.panels import update_of
from somd.transforms.plan.partial_results import (
    Cut,
    Inside,
    NotCut,
    accumulated_before,
    check_copies,
    cut_at_last_loop,
    inputs_of_rest,
    parallel_inside,
    parallel_or_formula,
)
from somd.transforms.plan.partitions import changed_keys
from somd.transforms.plan.planned import Anew, Planned
from somd.transforms.plan.reduced import check_fence_reduction, check_returns
from somd.transforms.plan.rejected import Rejected, leaves_early, waits
from somd.transforms.plan.relaxation import Block
from somd.transforms.plan.row_panels import row_panels_of
from somd.transforms.plan.scans import NoScan, build_scan
from somd.transforms.plan.searches import search_of
from somd.transforms.plan.sums_in_place import sums_in_place_of
from somd.transforms.plan.sweeps import sweeps_of
from somd.transforms.plan.views import check_views
from somd.transforms.stages import (
    Joined,
    Method,
    PartialResults,
    Phase,
    Plan,
    Scan,
    Serial,
    Site,
    Step,
    Uniform,
    nested_steps,
)
from somd.transforms.tree.loops import (
    OWN,
    Fence,
    contains_fence,
    else_statements,
    fence_of,
    range_of,
    small_statements,
    statements_of,
)
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.walking import holds, nodes_of


def method_to_plan(method: Method, kinds: Kinds | None = None) -> Planned:
    """The plan of `method`; without `kinds`, as far as the source alone shows them."""
    planned = _planned(context := Context(method, kinds or kinds_from_source(method), Collector()))
    changed = changed_keys(planned.plan, context)
    return _planned(Context(method, context.kinds, Collector(), changed)) if changed else planned


def _planned(context: Context) -> Planned:
    collector, method = context.collector, with_stand_ins(context)
    planner = _Planner(context)
    body = planner.method()
    plan = Plan(
        method=method,
        body=tuple(body),
        arrays=tuple(sorted(context.kinds.ranks)),
        ranks=context.kinds.ranks,
        sites=tuple(context.sites),
        in_order=planner.in_order,
        raises=context.raises,
    )
    phases = plan.phases()
    if not phases and not planner.anew.claims and not collector.has_errors:
        planner.refuse()
        if not collector.has_errors:
            check_distributed(context)
    if not planner.anew.claims and (phases or not collector.has_errors):
        check_returns(method, phases, planner.in_order, collector)
        check_views(method, phases, collector)
        for diagnostic in left_in_order(plan):
            collector.add(diagnostic)
    return Planned(plan, collector, planner.anew)


def check_distributed(context: Context) -> None:
    """A method of which nothing is distributed has loops that run in order, calls NumPy, or does so for other texts."""
    method, body, arrays = context.method, context.method.function.body, set(context.kinds.ranks)
    if method.chosen:
        return
    if not holds(body, cst.For, cst.While):
        if not any(is_allocation(c, method) or library_function(c, method) for c in nodes_of(body, cst.Call)):
            context.collector.add(messages.no_loop(method))
        return
    if _distributes(context, arrays):
        unmarked = [p.name for p in method.params if p.name in arrays and not p.distributed]
        wanted = next((name for name in unmarked if _distributes(context, {name})), None)
        context.collector.add(messages.nothing_distributed(method, wanted or next(iter(unmarked), None)))


def _distributes(context: Context, names: set[str]) -> bool:
    """Whether some loop would be distributed if these arrays were, too, and no axis were ruled out."""
    method = context.method
    marked = tuple(replace(p, distributed=p.distributed or p.name in names, dims=None) for p in method.params)
    planner = _Planner(Context(replace(method, params=marked), context.kinds, Collector()))
    return any(isinstance(step, Phase) for step in nested_steps(planner.method()))


class _Planner:
    def __init__(self, context: Context) -> None:
        self.context = context
        #: loops that may not be distributed, and why: they run in order if anything else of the method is distributed
        self.in_order: dict[cst.For, tuple[Diagnostic, ...]] = {}
        #: whether a loop that may not be distributed is an error at once: what is planned was asked to be
        self.strict = context.method.combine is not None
        #: what other methods may be distributed further
        self.anew = Anew()
        self.accumulated: dict[cst.For, tuple[Element, ...]] = {}
        self.depth = 0

    def refuse(self, besides: Collection[cst.For] = ()) -> None:
        """Report every loop that may not be distributed, `besides` some."""
        for loop, reasons in self.in_order.items():
            for diagnostic in reasons if loop not in besides else ():
                self.context.collector.add(diagnostic)

    def method(self) -> list[Step]:
        """The steps of the method."""
        statements = statements_of(self.context.method.function.body)
        if self.context.method.combine is None:
            return self.block(statements, ())
        try:
            inside = parallel_or_formula(statements, self.context)
            cut = cut_at_last_loop(statements, inside, self.context)
            return self.block(statements, ()) if cut is None else self.partial_results(cut, inside)
        except NotCut as error:
            self.context.collector.add(error.diagnostic)
        except Rejected as error:
            for diagnostic in error.diagnostics:
                self.context.collector.add(diagnostic)
        return []

    def partial_results(self, cut: Cut, inside: Inside) -> list[Step]:
        """The steps of a method whose last distributed loop makes partial results.

        Raises:
            NotCut, Rejected: it has not the form, or the loop cannot be distributed.
        """
        steps = self.block(cut.before, ())
        phases = [step for step in nested_steps(steps) if isinstance(step, Phase)]
        phase = self.phase_with_copies(cut.loop, ())
        check_copies(cut, phase.nest, accumulated_before(cut.before, phases, inside), self.context)
        names, inputs = inputs_of_rest(cut, phase.nest, self.context)
        return [*steps, phase, PartialResults(cut.rest, names, inputs, phase, self.guards(cut.rest))]

    def block(self, statements: Sequence[cst.CSTNode], around: tuple[Affine, ...]) -> list[Step]:
        """The steps of a statement list; `around` holds for the scalars of the uniform loops outside."""
        with self.context.statement_list():
            return self.statements(statements, around)

    def statements(self, statements: Sequence[cst.CSTNode], around: tuple[Affine, ...]) -> list[Step]:
        steps: list[Step] = []
        serial: list[cst.BaseStatement] = []
        for k, statement in enumerate(statements):
            made = self.statement(statement, around)
            self.context.pass_by(statement)
            if made is None:
                serial.append(statement)  # type: ignore[arg-type]
                around = (*around, *holds_behind(statement, statements[k + 1 :], self.context))
                self.context.learn(assigned_before(statement, statements[k + 1 :], self.context))
                continue
            if serial:
                steps.append(self.serial(serial))
                serial = []
            steps.extend(made)
        if serial:
            steps.append(self.serial(serial))
        return steps

    def statement(self, node: cst.CSTNode, around: tuple[Affine, ...]) -> list[Step] | None:
        """The steps of a statement, or None if it is plain serial code."""
        if not isinstance(node, cst.With) and not self.parallel_inside(node):
            return None
        sites, self.depth = len(self.context.sites), self.depth + 1
        steps = self.fence(node, around) if isinstance(node, cst.With) else self.compound(node, around)
        self.depth -= 1
        if steps is None:
            del self.context.sites[sites:]
        if not self.depth:
            if not any(isinstance(each, Phase) for each in nested_steps(steps or ())):
                self.anew.elements.update(self.accumulated)
            self.accumulated.clear()
        return steps

    def compound(self, node: cst.CSTNode, around: tuple[Affine, ...]) -> list[Step] | None:
        """The steps of a loop or a branch that holds a candidate or a fence; None if it is serial code after all."""
        if isinstance(node, cst.For):
            return self.loop(node, around)
        if isinstance(node, cst.While):
            body = self.block(statements_of(node.body), ())
            return self.parallel(Uniform(node, tuple(body), guarded=self.guards((cst.Expr(node.test),))))
        if isinstance(node, cst.If):
            holds = condition(node.test, self.context.scope)
            fails = None if holds is None else negation(holds)
            taken = self.branch(statements_of(node.body), holds, around)
            other = self.branch(else_statements(node), fails, around)
            guarded = self.guards((cst.Expr(node.test),))
            return self.parallel(Uniform(node, tuple(taken), tuple(other), guarded=guarded))
        return None

    def parallel(self, step: Uniform) -> list[Step] | None:
        """The step, unless it is serial code after all: every candidate in it runs in order."""
        only_serial = all(isinstance(each, Serial | Uniform) for each in nested_steps([step]))
        if only_serial and self.in_order and not contains_fence(step.node, self.context.method):
            return None
        return [step]

    def parallel_inside(self, node: cst.CSTNode) -> bool:
        return parallel_inside(node, self.context) or contains_formula(node, self.context)

    def fence(self, node: cst.With, around: tuple[Affine, ...]) -> list[Step]:
        fence = fence_of(node, self.context.method)
        if fence is None:
            return []
        if fence.kind == "single":
            return [self.serial(list(statements_of(node.body)))]  # type: ignore[arg-type]
        if fence.scan is not None and not is_exact(fence, self.context):
            return self.claimed(node, fence, around)
        if fence.relaxed and fence.reduce == OWN:
            where = self.context.method.position(node.items[0])
            message = "`relaxed=True` beside a function for `reduce` is not supported yet"
            self.context.collector.add(Diagnostic("SOMD103", message, (Label(where, "this option", True),)))
        elif fence.reduce == OWN:
            operator = operator_for(node, fence, self.context)
            if operator is None:
                relaxed, self.context.relaxed = self.context.relaxed, None
                steps = self.joined(node, fence, around)
                self.context.relaxed = relaxed
                return steps
            fence = replace(fence, reduce=operator)
        outside, combined = self.context.combining, combined_arrays(node, fence, self.context)
        if combined is None:
            return []
        outer = self.context.relaxed
        self.context.combining = {**outside, **combined}
        self.context.relaxed = Block(node, self.context.method, outer) if fence.relaxed else None
        lenient, self.strict = self.strict, self.strict or bool(fence.names) or self.context.relaxed is not None
        known = set(self.in_order)
        body = self.block(statements_of(node.body), around)
        self.strict = lenient
        if not any(isinstance(each, Phase) for each in nested_steps(body)):
            self.refuse(known)  # a fence asks for something to be distributed
        if self.context.relaxed is not None:
            body = self.context.relaxed.steps(body, self.context)
        self.context.combining, self.context.relaxed = outside, outer
        check_fence_reduction(node, fence, body, self.context)
        return body

    def claimed(self, node: cst.With, fence: Fence, around: tuple[Affine, ...]) -> list[Step]:
        """A block that is scanned in an order of its own: another method has its steps."""
        try:
            self.anew.claims[node] = claimed_scan(node, fence, around, self.context)
        except Rejected as error:
            for diagnostic in error.diagnostics:
                self.context.collector.add(diagnostic)
        return []

    def joined(self, node: cst.With, fence: Fence, around: tuple[Affine, ...]) -> list[Step]:
        """The steps of a block whose loop gives each MI copies, which a function makes one."""
        try:
            inside = parallel_or_formula(statements_of(node.body), self.context)
            found = joined_fence(node, fence, inside, self.context)
            steps = self.block(found.before, around)
            phase = self.phase_with_copies(found.loop, around)
            check_joined(found, node, fence, phase.nest, inside, self.context)
        except NotCut as error:
            self.context.collector.add(error.diagnostic)
            return []
        except Rejected as error:
            for diagnostic in error.diagnostics:
                self.context.collector.add(diagnostic)
            return []
        return [*steps, phase, Joined(fence.names, found.function, found.text, phase)]

    def phase_with_copies(self, loop: cst.For, around: tuple[Affine, ...]) -> Phase:
        """The phase of a loop in which every MI has its own copies of scalars.

        Raises:
            NotCut, Rejected: the loop is not distributed, or cannot be.
        """
        if not is_candidate(loop, self.context) and not touches_no_array(loop, self.context):
            raise NotCut(partial_messages.partial_loop_inside(self.context.method, loop.iter))
        try:
            nest = build_nest(loop, around, self.context, copies=True)
        except TooComplex:
            raise Rejected(messages.too_complex(self.context.method, loop)) from None
        self.context.phases += 1
        return Phase(self.context.phases, nest)

    def loop(self, node: cst.For, around: tuple[Affine, ...]) -> list[Step] | None:
        """The steps of a loop that holds or is a candidate; None if it is serial code."""
        if range_of(node) is None:
            return []
        rejected: Rejected | None = None
        if is_formula(node, self.context):
            return self.formula(node, around)
        if is_candidate(node, self.context) and not contains_fence(node.body, self.context.method):
            sites = len(self.context.sites)
            try:
                self.context.phases += 1
                nest = build_nest(node, around, self.context)
                return [Phase(self.context.phases, nest)]
            except Rejected as error:
                rejected = error
                if error.point is not None:
                    self.anew.points[node] = error.point
            except TooComplex:
                rejected = Rejected(messages.too_complex(self.context.method, node))
            self.context.phases -= 1
            del self.context.sites[sites:]
            scan = self.scan(node, around)
            if scan is not None:
                self.anew.points.pop(node, None)
                return [scan]
            parts = parts_of_loop(node, around, self.context)
            if parts is not None:
                self.anew.parts[node] = parts
            old = old_values_in(node, around, self.context)
            if old is not None:
                self.anew.old[node] = old
            update = update_of(node, around, self.context)
            if update is not None:
                self.anew.updates[node] = update
            rows = row_panels_of(node, around, self.context)
            if rows is not None:
                self.anew.rows[node] = rows
            sums = sums_in_place_of(node, around, self.context)
            if sums is not None:
                self.anew.sums[node] = sums
            if not contains_candidate(node.body, self.context, bound_in(node, self.context)):
                return self.over_own_arrays(node, around, rejected)
        before = set(self.in_order)
        steps = self.parallel(self.uniform(node, around))
        inside = [loop for loop in self.in_order if loop not in before]
        if steps is None and rejected is not None and all(leaves_early(self.in_order[loop]) for loop in inside):
            for loop in inside:
                del self.in_order[loop]
            return self.rejected(node, rejected, around)
        return steps

    def scan(self, node: cst.For, around: tuple[Affine, ...]) -> Scan | None:
        """A loop that is not independent, as a scan, if it is one."""
        sites = len(self.context.sites)
        try:
            scan = build_scan(node, around, self.context, self.context.phases + 1)
        except (NoScan, Rejected, TooComplex):
            del self.context.sites[sites:]
            return None
        self.context.phases += 2
        return scan

    def formula(self, node: cst.For, around: tuple[Affine, ...]) -> list[Step] | None:
        """The phase of a loop over a range that only accumulates; serial code if it cannot be distributed."""
        sites = len(self.context.sites)
        try:
            self.context.phases += 1
            nest = build_nest(node, around, self.context)
            return [Phase(self.context.phases, nest)]
        except (Rejected, TooComplex):
            self.context.phases -= 1
            del self.context.sites[sites:]
            return None

    def uniform(self, node: cst.For, around: tuple[Affine, ...]) -> Uniform:
        header = range_of(node)
        assert header is not None
        inside = facts_inside(node, around, self.context)
        guarded = self.guards(tuple(cst.Expr(limit) for limit in (header.start, header.stop, header.step)))
        step = Uniform(node, tuple(self.block(statements_of(node.body), inside)), guarded=guarded)
        self.context.stand_before(node)
        sweeps = sweeps_of(step, inside, self.context)
        at_once = sweeps or self.context.method.has_form(IN_PANELS, node)
        return replace(step, sweeps=sweeps, delay=None if at_once else delay_of(step, inside, self.context))

    def over_own_arrays(self, node: cst.For, around: tuple[Affine, ...], rejected: Rejected) -> list[Step] | None:
        """A loop that may not be distributed, where at most the arrays that it binds itself offer loops inside: it is
        uniform if one of those can be distributed, and not distributed for its own reasons otherwise."""
        if contains_candidate(node.body, self.context, self.small(node)):
            phases, in_order, made = self.context.phases, dict(self.in_order), list[Uniform]()
            right = self.tried(lambda: made.append(self.uniform(node, around)))
            if right and any(isinstance(each, Phase) for each in nested_steps(made)):
                return [*made]
            self.context.phases, self.in_order = phases, in_order
        return self.rejected(node, rejected, around)

    def tried(self, planning: Callable[[], object]) -> bool:
        """Whether nothing is reported in `planning`; what is, is forgotten."""
        outer, self.context.collector = self.context.collector, Collector()
        planning()
        trial, self.context.collector = self.context.collector, outer
        return not trial.has_errors

    def rejected(self, node: cst.For, reasons: Rejected, around: tuple[Affine, ...]) -> list[Step] | None:
        """A loop that may not be distributed: it runs in order, or is an error."""
        user = any(d.code.startswith("SOMD1") for d in reasons.diagnostics)
        if not (self.strict or user) and self.tried(lambda: check_array_binding(node, self.context)):
            self.in_order[node] = reasons.diagnostics
            search = search_of(node, self.context) if leaves_early(reasons.diagnostics) else None
            if search is not None:
                self.anew.searches[node] = search
            chain = chain_of(node, around, self.context) if waits(reasons.diagnostics) else None
            if chain is not None:
                self.anew.chains[node] = chain
            handed = handed_element(node, self.context)
            if handed is not None:
                self.anew.handed[node] = handed
            found, method = accumulated_elements(node, around, self.context), self.context.method
            elements = tuple(each for each in found if not was_held(method, node, each))
            if elements:
                self.accumulated[node] = elements
            return None
        for diagnostic in reasons.diagnostics:
            self.context.collector.add(diagnostic)
        return []

    def branch(self, statements: Sequence[cst.CSTNode], holds: Affine | None, around: tuple[Affine, ...]) -> list[Step]:
        """The steps of a branch, in which `holds` is true as long as nothing that it mentions is assigned."""
        assigned = set().union(*(assigned_names(s) for s in statements))
        if assigned & set(self.context.kinds.ranks):
            return self.block(statements, ())
        changed = {variable(name) for name in assigned}
        facts = around if holds is None else (*around, holds)
        return self.block(statements, tuple(fact for fact in facts if not fact.names & changed))

    def small(self, loop: cst.For) -> frozenset[str]:
        """The arrays of constant lengths that `loop` makes in its body: no reason to distribute loops in it."""
        own = local_arrays(loop, self.context, Sets(self.context.facts))
        return frozenset(each.name for each in own.arrays if None not in each.extents)

    def serial(self, statements: Sequence[cst.BaseStatement]) -> Serial:
        self.context.raise_sites(statements)
        found = accesses_of(statements, self.context.scope)
        return Serial(
            tuple(statements),
            self.guards(statements),
            tuple(sorted({a.array for a in found if not a.write})),
            tuple(sorted({a.array for a in found if a.write})),
            swaps=any(check_array_binding(s, self.context) for s in small_statements(statements)),
        )

    def guards(self, statements: Sequence[cst.CSTNode]) -> dict[cst.Subscript, tuple[Site, ...]]:
        """Every access of serial code is tested where it happens."""
        guarded: dict[cst.Subscript, tuple[Site, ...]] = {}
        within = self.context.method.within
        for access in accesses_of(statements, self.context.scope):
            inside = all(is_within(access, axis, within) for axis in range(len(access.indices)))
            if access.node not in guarded and not inside:
                text = self.context.text(access.node)
                guarded[access.node] = tuple(
                    self.context.site(access.position, access.array, axis, text) for axis in range(len(access.indices))
                )
        return guarded
