"""Declared reductions against what the loops do: `Annotated[T, reduce(op)]` and `sync(x, reduce=op)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic
from somd.transforms.plan import messages
from somd.transforms.plan.combined import accumulating
from somd.transforms.plan.context import Context
from somd.transforms.stages import Method, Phase, Step, Uniform
from somd.transforms.tree.loops import Fence
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import nodes_of


def check_returns(
    method: Method, phases: Sequence[Phase], in_order: Mapping[cst.For, tuple[Diagnostic, ...]], collector: Collector
) -> None:
    """Under `reduce(op)` every `return` gives back an accumulator that the loops reduce with `op`.

    Of a tuple, each entry that declares one is such an accumulator. What keeps a loop that makes one from being
    distributed (`in_order`) is then an error.
    """
    if method.reduction is None:
        return
    found: dict[str, set[str]] = {}
    for phase in phases:
        for reduction in phase.nest.reductions:
            found.setdefault(reduction.name, set()).add(reduction.op)
    for node in _returns(method):
        given = names_read(node) - set(found)
        reasons = [each for loop, each in in_order.items() if given & assigned_names(loop)]
        for diagnostic in (d for each in reasons for d in each):
            collector.add(diagnostic)
        if reasons:
            continue
        if isinstance(method.reduction, str):
            _check_entry(method, node, node.value, method.reduction, found, collector)
            continue
        entries = [e.value for e in node.value.elements] if isinstance(node.value, cst.Tuple) else []
        if len(entries) != len(method.reduction):
            collector.add(messages.wrong_entries(method, node, len(method.reduction)))
            continue
        for value, operator in zip(entries, method.reduction, strict=True):
            if operator is not None:
                _check_entry(method, value, value, operator, found, collector)


def _returns(method: Method) -> list[cst.Return]:
    return [*nodes_of(method.function.body, cst.Return)]


def _check_entry(
    method: Method,
    node: cst.CSTNode,
    value: cst.BaseExpression | None,
    operator: str,
    found: Mapping[str, set[str]],
    collector: Collector,
) -> None:
    """`value`, which stands at `node`, is an accumulator that is reduced with `operator`."""
    if not isinstance(value, cst.Name) or value.value not in found:
        collector.add(messages.wrong_reduction(method, node, operator, [], ""))
    elif found[value.value] != {accumulating(operator)}:
        collector.add(messages.wrong_reduction(method, node, operator, sorted(found[value.value]), value.value))


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
