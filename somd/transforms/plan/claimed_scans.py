"""`with sync(s, scan="+"):` -> `ClaimedScan`: whether the loop of the block may be scanned in an order of its own.

In: the block. Out: the loop, the part of its iterations that the scalars follow from, and what updates them; or a
diagnostic. It is required that the iterations are independent but for what they hand on, that each scalar changes by
the operator alone, and that its terms are the same before the loop has run. What fails in them fails again in the
iteration, if it counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import libcst as cst
import numpy as np

from somd.diagnostics.model import Diagnostic, Label
from somd.language.operators import SAME
from somd.language.scanning import alone, in_strips
from somd.transforms.access import Affine
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.analysis.reductions import Accumulator, update_of
from somd.transforms.analysis.sets import TooComplex
from somd.transforms.analysis.slices import NotSliced, Slice, slice_of
from somd.transforms.frontend.claimed_scans import ClaimedScan
from somd.transforms.plan import messages
from somd.transforms.plan.context import Context
from somd.transforms.plan.counters import far_counter, filled_arrays
from somd.transforms.plan.linear_factors import linear_factor
from somd.transforms.plan.nests import Filled, build_nest
from somd.transforms.plan.rejected import Rejected
from somd.transforms.plan.scans import same_before
from somd.transforms.stages import Method, Plan, Step, Uniform, nested_steps
from somd.transforms.tree.loops import (
    Fence,
    exits_of,
    integer_constant,
    opened_statements,
    range_of,
    small_statements,
    statements_of,
)
from somd.transforms.tree.names import assigned_names, called, names_read
from somd.transforms.tree.walking import nodes_in, nodes_of

_FORMS = {
    "+": "change it by `s += e`, `s -= e` or `s = e` alone, where `e` does not depend on it",
    "affine": "change it by sums and products alone, `s = a * s + b`, where `a` and `b` do not depend on it",
}
_TERMS = "compute what it is made of in a loop before this one, into an array"


def is_exact(fence: Fence, context: Context) -> bool:
    """Whether all that is to be scanned are integers, for which any association gives the same bits."""
    dtypes = context.kinds.dtypes
    kinds = {np.dtype(dtypes[name]).kind if dtypes and name in dtypes else "" for name in fence.names}
    return bool(kinds) and kinds <= set("iub")


def claimed_scan(node: cst.With, fence: Fence, around: tuple[Affine, ...], context: Context) -> ClaimedScan:
    """The scan of a block whose fence has `scan`.

    Raises:
        Rejected: it cannot be one.
    """
    return _Claim(node, fence, context).found(around)


class _Claim:
    def __init__(self, node: cst.With, fence: Fence, context: Context) -> None:
        self.node, self.fence, self.context, self.method = node, fence, context, context.method
        self.by = fence.scan or ""

    def found(self, around: tuple[Affine, ...]) -> ClaimedScan:
        loop = self.loop()
        if len(list(small_statements(statements_of(self.node.body)))) > 1:
            around = ()  # what stands before the loop may change what held around the block
        header = range_of(loop)
        assert header is not None
        step = integer_constant(header.step, self.method)
        if step is None or step == 0:
            raise self.misfit(loop.iter, "the step of the loop is not a constant", "let the loop step by a constant")
        self.check_kinds()
        self.check_exits(loop)
        body, names = statements_of(loop.body), frozenset(self.fence.names)
        resets = self.resets(body)
        updates = self.updates(body, resets)
        try:
            slice_ = slice_of(body, names)
        except NotSliced:
            raise self.misfit(loop, f"what {self.listed()} is made of does more than to compute", _TERMS) from None
        carried = (assigned_names(loop.body) - set(self.context.kinds.ranks)) & read_from_before(body, self.method)
        again = sorted(slice_.names & (carried - names))
        if again:
            raise self.misfit(loop, f"it depends on `{again[0]}`, which iterations hand on, too", _TERMS)
        kept = [n for n in slice_.small() if n not in updates and n not in resets]
        others = [n for n in kept if names_read(_shown(n)) & names]
        if others:
            raise self.misfit(_shown(others[0]), "what it is made of depends on it", _FORMS[self.by])
        failing = self.check_terms(loop, slice_, carried - names, around)
        kept_behind = self.context.liveness.after.get(loop, frozenset()) & assigned_names(loop.body)
        single = not (carried | kept_behind - set(self.context.kinds.ranks)) - names
        return ClaimedScan(loop, step, self.by, self.fence.names, slice_.statements, updates, resets, failing, single)

    def loop(self) -> cst.For:
        names, statements = set(self.fence.names), small_statements(statements_of(self.node.body))
        loops = [s for s in statements if isinstance(s, cst.For | cst.While | cst.If) and assigned_names(s) & names]
        loop = loops[0] if len(loops) == 1 else None
        if not isinstance(loop, cst.For) or range_of(loop) is None or loop.orelse is not None:
            way = "let the block hold one loop that does, and give others blocks of their own"
            what = f"not one loop of the block, by itself, changes {self.listed()}"
            raise self.misfit(self.node.items[0], what, way)
        asked = self.method.combine is not None or self.context.combining or self.context.relaxed is not None
        if asked:
            raise self.misfit(
                self.node.items[0], "what is around it combines otherwise", "give the scan its own method"
            )
        if {"min", "max", "range", "float"} & set(self.method.local_names):
            raise self.misfit(self.node.items[0], "a local has the name of a built-in function", "name it otherwise")
        return loop

    def check_kinds(self) -> None:
        dtypes = self.context.kinds.dtypes
        for name in self.fence.names:
            if name in self.context.kinds.ranks or name not in self.method.local_names:
                raise self.misfit(self.node.items[0], f"`{name}` is no scalar of the method", "name a local scalar")
            if dtypes is not None and np.dtype(dtypes.get(name, "object")).kind != "f":
                way = "name floats, and scan other numbers in a loop without `scan`"
                raise self.misfit(self.node.items[0], f"`{name}` is no float", way)

    def check_exits(self, loop: cst.For) -> None:
        for leave in exits_of(loop):
            if not isinstance(leave, cst.Continue):
                raise self.misfit(leave, "the loop may end early", "let every iteration run")

    def resets(self, body: Sequence[cst.CSTNode]) -> Mapping[cst.CSTNode, str]:
        """What sets a scalar anew, whatever it was."""
        found: dict[cst.CSTNode, str] = {}
        for node in opened_statements(body) if self.by == "+" else ():
            target = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
            if isinstance(target, cst.Name) and target.value in self.fence.names:
                assert isinstance(node, cst.Assign)
                if not names_read(node.value) & set(self.fence.names):
                    found[node] = target.value
        return found

    def updates(
        self, body: Sequence[cst.CSTNode], resets: Mapping[cst.CSTNode, str]
    ) -> Mapping[cst.CSTNode, cst.BaseExpression | None]:
        found: dict[cst.CSTNode, cst.BaseExpression | None] = {}
        dtypes = self.context.kinds.dtypes
        for name in self.fence.names:
            own = [node for node in opened_statements(body) if name in assigned_names(_bare(node))]
            own = [node for node in own if node not in resets]
            if not own:
                raise self.misfit(self.node.items[0], f"the loop does not change `{name}`", _FORMS[self.by])
            for node in own:
                form = update_of(Accumulator(name), node, self.method)
                known = form is not None and SAME.get(form.op, form.op) == "+"
                factor = None
                if not known and self.by == "affine":
                    factor = linear_factor(node, name)
                    known = factor is not None
                if not known:
                    raise self.misfit(node, f"it changes by another operator than {self.by!r}", _FORMS[self.by])
                value = node.value if isinstance(node, cst.Assign) else node
                if dtypes is not None and dtypes.get(value) != dtypes.get(name):
                    raise self.misfit(
                        node, "it is not computed in the type that it has", "give it the type of its terms"
                    )
                found[node] = factor
        return found

    def check_terms(
        self, loop: cst.For, slice_: Slice, others: frozenset[str] | set[str], around: tuple[Affine, ...]
    ) -> frozenset[cst.Subscript]:
        """What the scalars are made of may be computed before the iterations; its elements that may be outside."""
        context, sites = self.context, len(self.context.sites)
        accesses = accesses_of((loop,), context.scope.with_known(dict.fromkeys(assigned_names(loop.body))))
        filled = filled_arrays(loop, others, accesses, context)
        unless = tuple(dict.fromkeys(map(far_counter, filled.values())))
        try:
            nest = build_nest(loop, around, context, filled=Filled(frozenset(filled), unless))
        except TooComplex:
            raise Rejected(messages.too_complex(self.method, loop)) from None
        finally:
            del context.sites[sites:]
        kept = {node for statement in slice_.statements for node in nodes_in(statement)}
        read = {access.array for access in accesses if access.node in kept}
        stored = {access.array for access in accesses if access.write}
        shared = any(context.aliases.may_be_one(a, b) for a in read for b in stored)
        own = {*filled, *(local.name for local in nest.local_arrays)}
        if (
            own & slice_.names
            or (shared and nest.in_order_if)
            or not same_before(slice_, loop, accesses, nest, context)
        ):
            raise self.misfit(loop, "what it is made of is stored in the same loop", _TERMS)
        return frozenset(node for node in nest.guarded if node in kept)

    def listed(self) -> str:
        return " and ".join(f"`{name}`" for name in self.fence.names)

    def misfit(self, node: cst.CSTNode, what: str, way: str) -> Rejected:
        names = ", ".join(self.fence.names)
        message = f'`sync({names}, scan="{self.by}")` does not fit: {what}'
        return Rejected(Diagnostic("SOMD307", message, (Label(self.method.position(node), "here", True),), (way,)))


def for_many(plan: Plan) -> Plan:
    """`plan` without what one thread alone would do of scans, and without strips, for devices have no such caches."""
    return _answered(plan, {alone: False, in_strips: False})


def by_strips(plan: Plan) -> Plan:
    """`plan` with scans that go strip by strip, as far as they can."""
    return _answered(plan, {in_strips: True})


def _answered(plan: Plan, answers: Mapping[object, bool]) -> Plan:
    """`plan` where some questions of scans are answered."""

    def steps(given: Sequence[Step]) -> tuple[Step, ...]:
        found: list[Step] = []
        for step in given:
            if not isinstance(step, Uniform):
                found.append(step)
            elif (answer := answers.get(_asked(step, plan.method))) is not None:
                found.extend(steps(step.body if answer else step.orelse))
            else:
                found.append(replace(step, body=steps(step.body), orelse=steps(step.orelse)))
        return tuple(found)

    asked = any(isinstance(each, Uniform) and _asked(each, plan.method) in answers for each in nested_steps(plan.body))
    return replace(plan, body=steps(plan.body)) if asked else plan


def is_alone(step: Uniform, method: Method) -> bool:
    """Whether a step is what one thread alone does of a scan, with what many do as its other branch."""
    return _asked(step, method) is alone


def is_in_strips(step: Uniform, method: Method) -> bool:
    """Whether a step is a scan strip by strip, with one of all iterations as its other branch."""
    return _asked(step, method) is in_strips


def _asked(step: Uniform, method: Method) -> object:
    """What a branch asks of a scan, if it asks anything."""
    test = step.node.test if isinstance(step.node, cst.If) else None
    found = called(test, method.namespace, method.local_names) if isinstance(test, cst.Call) else None
    return found if found in (alone, in_strips) else None


def left_in_order(plan: Plan) -> tuple[Diagnostic, ...]:
    """Why loops that scans were written out into are not distributed, as they were asked to be."""
    bases = plan.method.bases
    nests = [phase.nest for phase in plan.phases()]
    left = bases - {name for nest in nests for name in nest.arrays_read if name not in nest.arrays_written}
    loops = [loop for loop in plan.in_order if names_read(loop) & left and not _stores(loop, bases)]
    return tuple(dict.fromkeys(each for loop in loops for each in plan.in_order[loop]))


def _stores(loop: cst.For, names: frozenset[str]) -> bool:
    targets = (node for node in nodes_of(loop, cst.AssignTarget))
    return any(names_read(node.target) & names for node in targets)


def _shown(node: cst.CSTNode) -> cst.CSTNode:
    """A statement; of one with blocks what its header asks for, for a slice has it anew."""
    if isinstance(node, cst.If | cst.While):
        return node.test
    return node.iter if isinstance(node, cst.For) else node


def _bare(node: cst.CSTNode) -> cst.CSTNode:
    """What a statement sets itself."""
    if isinstance(node, cst.For):
        return cst.AssignTarget(node.target)
    return cst.Pass() if isinstance(node, cst.If | cst.While | cst.With) else node
