"""Declared reductions against what the loops do: `Annotated[T, reduce(op)]` and `sync(x, reduce=op)`."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.diagnostics.model import Collector
from somd.transforms.frontend.loops import Fence
from somd.transforms.plan import messages
from somd.transforms.plan.combined import accumulating
from somd.transforms.plan.context import Context
from somd.transforms.stages import Method, Phase, Step, Uniform


def check_returns(method: Method, phases: Sequence[Phase], collector: Collector) -> None:
    """Under `reduce(op)` every `return` gives back an accumulator that the loops reduce with `op`."""
    if method.reduction is None:
        return
    wanted = accumulating(method.reduction)
    found: dict[str, set[str]] = {}
    for phase in phases:
        for reduction in phase.nest.reductions:
            found.setdefault(reduction.name, set()).add(reduction.op)
    returns: list[cst.Return] = []

    class Returns(cst.CSTVisitor):
        def visit_Return(self, node: cst.Return) -> None:
            returns.append(node)

    method.function.body.visit(Returns())
    for node in returns:
        value = node.value
        if not isinstance(value, cst.Name) or value.value not in found:
            why = "not an accumulator of a distributed loop"
            collector.add(messages.wrong_reduction(method, node, method.reduction, why))
        elif found[value.value] != {wanted}:
            operators = " and ".join(f"`{op}`" for op in sorted(found[value.value]))
            why = f"`{value.value}` is reduced with {operators}"
            collector.add(messages.wrong_reduction(method, node, method.reduction, why))


def check_fence_reduction(node: cst.With, fence: Fence, body: Sequence[Step], context: Context) -> None:
    """What `sync(x, reduce=op)` combines is accumulated with `op` in the block."""
    if fence.reduce is None:
        return
    wanted = accumulating(fence.reduce)
    operators: dict[str, set[str]] = {}
    for phase in _phases(body):
        for reduction in phase.nest.reductions:
            operators.setdefault(reduction.name, set()).add(reduction.op)
    for name in fence.names:
        if name in context.kinds.ranks:
            continue  # see `combined`
        found = operators.get(name, set())
        if found != {wanted} and not context.collector.has_errors:
            other = next(iter(sorted(found - {wanted})), None)
            place = node.items[0]
            context.collector.add(messages.fence_mismatch(context.method, place, name, fence.reduce, other))


def _phases(steps: Sequence[Step]) -> list[Phase]:
    found: list[Phase] = []
    for step in steps:
        if isinstance(step, Phase):
            found.append(step)
        elif isinstance(step, Uniform):
            found.extend(_phases(step.body))
            found.extend(_phases(step.orelse))
    return found
