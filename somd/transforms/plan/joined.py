"""Fences that a function ends: `with sync(x, reduce=merge):` makes one `x` of the MIs' copies.

In: the block. Out: the loop whose MIs have copies and the names that are joined, or a diagnostic. `sum` is `+`; so are
`min` and `max` operators where the block accumulates with them in a form that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType

import libcst as cst

from somd.capture.annotations import namespace_of
from somd.diagnostics.model import Collector
from somd.transforms.analysis.liveness import Liveness
from somd.transforms.analysis.reductions import reduction_of
from somd.transforms.plan import partial_messages
from somd.transforms.plan.context import Context
from somd.transforms.plan.partial_results import Inside, NotCut
from somd.transforms.stages import Method, Nest
from somd.transforms.tree.loops import OWN, Fence, else_statements, fence_of, small_statements, statements_of
from somd.transforms.tree.names import MISSING, assigned_names, evaluate, names_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import nodes_of

OPERATORS: dict[object, str] = {sum: "+", min: "min", max: "max"}


@dataclass(frozen=True)
class JoinedFence:
    """The statements before the loop, the loop, and the function with its text."""

    before: tuple[cst.CSTNode, ...]
    loop: cst.For
    function: Callable[..., object]
    text: str


def function_of(node: cst.With, method: Method) -> tuple[str, object]:
    """The text of what `reduce=` names in a fence, and the object; MISSING if it is known only in the call."""
    item = node.items[0].item
    assert isinstance(item, cst.Call)
    value = next(a.value for a in item.args if a.keyword is not None and a.keyword.value == "reduce")
    text = code_of(value)
    named = isinstance(value, cst.Name | cst.Attribute)
    return text, evaluate(value, method.namespace, method.local_names) if named else MISSING


def check_functions(method: Method, function: FunctionType, collector: Collector) -> None:
    """What a fence of a nested method calls is looked up in the outer one: it must mean the same there."""
    names = namespace_of(function)
    for node in nodes_of(method.function.body, cst.With):
        fence = fence_of(node, method)
        if fence is None or fence.reduce != OWN:
            continue
        text, found = function_of(node, method)
        if found is not MISSING and _looked_up(text, names) is not found:
            collector.add(partial_messages.hidden_function(method, node.items[0], found))


def _looked_up(text: str, names: dict[str, object]) -> object:
    first, *rest = text.split(".")
    found = names.get(first, MISSING)
    for name in rest:
        found = getattr(found, name, MISSING)
    return found


def operator_for(node: cst.With, fence: Fence, context: Context) -> str | None:
    """The operator that a built-in function stands for here; None where the function itself has to be called."""
    _, function = function_of(node, context.method)
    operator = next((op for known, op in OPERATORS.items() if known is function), None)
    if operator in (None, "+"):
        return operator
    body = statements_of(node.body)
    scalars = [name for name in fence.names if name not in context.kinds.ranks]
    found = {r.op if (r := reduction_of(name, body, context.method)) is not None else None for name in scalars}
    return operator if found <= {operator} else None


def joined_fence(node: cst.With, fence: Fence, parallel_inside: Inside, context: Context) -> JoinedFence:
    """The form of a block that a function ends.

    Raises:
        NotCut: it has another form.
    """
    method, place = context.method, node.items[0]
    text, function = function_of(node, method)
    if not callable(function) or function is MISSING:
        raise NotCut(partial_messages.unknown_function(method, place, text))
    arrays = [name for name in fence.names if name in context.kinds.ranks]
    if arrays:
        raise NotCut(partial_messages.array_joined(method, place, arrays[0], text))
    statements = list(small_statements(statements_of(node.body)))
    inside = [k for k, statement in enumerate(statements) if parallel_inside(statement)]
    loop = statements[-1] if statements else None
    if inside != [len(statements) - 1] or not isinstance(loop, cst.For):
        raise NotCut(partial_messages.joined_form(method, place, text))
    before = tuple(s for s in statements_of(node.body) if s is not loop)
    return JoinedFence(before, loop, function, text)


def check_joined(
    found: JoinedFence, node: cst.With, fence: Fence, nest: Nest, inside: Inside, context: Context
) -> None:
    """What is joined are copies, all that lives on is joined, and none starts from what has been joined already.

    Raises:
        NotCut: it does not hold.
    """
    method = context.method
    missing = [name for name in fence.names if name not in nest.copies]
    if missing:
        raise NotCut(partial_messages.not_a_copy(method, node.items[0], missing[0], found.text))
    live = context.liveness.after.get(found.loop, frozenset())
    left = [name for name in nest.copies if name in live and name not in fence.names]
    if left:
        raise NotCut(partial_messages.copy_not_joined(method, found.loop, left[0], found.text))
    if found.function in (min, max):
        return
    for name in fence.names:
        if accumulated_at(name, found.loop, statements_of(method.function.body), inside, False):
            raise NotCut(partial_messages.joined_twice(method, found.loop, name, found.text))


def accumulated_at(
    name: str, loop: cst.For, statements: Sequence[cst.CSTNode], inside: Inside, before: bool
) -> bool | None:
    """Whether `name` may hold at `loop` what a distributed loop has accumulated; None if `loop` does not stand in
    `statements`. `before` tells it of where they begin."""
    held = before
    for node in small_statements(statements):
        if node is loop:
            return held
        for block in _blocks(node):
            again = isinstance(node, cst.For | cst.While) and name in Liveness().before(block, frozenset())
            found = accumulated_at(name, loop, block, inside, held or again)
            if found is not None:
                return found
        if inside(node):
            held = held or name in assigned_names(node)
        elif isinstance(node, cst.Assign | cst.AnnAssign) and node.value is not None and name in assigned_names(node):
            held = held and name in names_read(node.value)
    return None


def _blocks(node: cst.CSTNode) -> list[Sequence[cst.CSTNode]]:
    if isinstance(node, cst.If):
        return [statements_of(node.body), else_statements(node)]
    return [statements_of(node.body)] if isinstance(node, cst.For | cst.While | cst.With) else []


def joined_loops(method: Method) -> tuple[cst.For, ...]:
    """The loops at the ends of blocks that functions end."""
    found: list[cst.For] = []
    for node in nodes_of(method.function.body, cst.With):
        fence = fence_of(node, method)
        last = list(small_statements(statements_of(node.body)))[-1:]
        if fence is not None and fence.reduce == OWN and last and isinstance(last[0], cst.For):
            found.append(last[0])
    return tuple(found)
