"""Loops that end at the first iteration that finds something: `for ...: if a[i] < 0: first = i; break`.

In: a loop that may end early. Out: whether its iterations do nothing but look, up to the one that ends it, so that
others may look as well. It is required that what they store, or leave to others, stands in statement lists that end the
loop; that nothing else is handed on or lives on behind the loop; and that nothing is raised.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.frontend.endless import may_not_end
from somd.transforms.frontend.searches import SEARCHED, Search
from somd.transforms.plan.candidates import is_candidate
from somd.transforms.plan.context import Context
from somd.transforms.tree.loops import (
    else_statements,
    exits_of,
    integer_constant,
    range_of,
    small_statements,
    statements_of,
)
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import holds, nodes_in, nodes_of


def search_of(loop: cst.For, context: Context) -> Search | None:
    """How `loop` may be searched side by side; None where it does more than to look."""
    method, header = context.method, range_of(loop)
    exits = [node for node in exits_of(loop) if not isinstance(node, cst.Continue)]
    if header is None or not exits or method.has_form(SEARCHED, loop) or not is_candidate(loop, context):
        return None
    declared = method.combine is not None or method.reduction is not None
    asked = declared or context.combining or context.relaxed is not None
    shadowed = {"min", "max", "len", "range"} & set(method.local_names)
    step = integer_constant(header.step, method)
    if asked or shadowed or step not in (1, -1):
        return None
    changed = assigned_names(loop.body)
    live = context.liveness.after.get(loop, frozenset())
    bounds = names_read(header.start) | names_read(header.stop)
    if header.variable in changed | live | bounds or changed & bounds:
        return None
    body = statements_of(loop.body)
    if may_not_end(loop.body, method):
        return None  # iterations behind the last one might
    others = live | read_from_before(body, method) | set(context.kinds.ranks)
    if any(_leaves_from_inside(node) for node in body) or not _only_looks(body, others):
        return None
    return Search(_lengths(loop, header.variable, context) if step == 1 else (), step == -1)


def _leaves_from_inside(node: cst.CSTNode) -> bool:
    """Whether a loop inside ends that around it."""
    inner = list(nodes_of(node, cst.For, cst.While))
    return any(holds(loop, cst.Return) for loop in inner)


def _only_looks(statements: Sequence[cst.CSTNode], others: Collection[str]) -> bool:
    """Whether statements that do not end the loop set names of the iteration's own alone, none of `others`."""
    nodes = list(small_statements(statements))
    if nodes and isinstance(nodes[-1], cst.Break | cst.Return):
        return not any(holds(node, cst.Continue, cst.Raise) for node in nodes)
    return all(_looks(node, others) for node in nodes)


def _looks(node: cst.CSTNode, others: Collection[str]) -> bool:
    if isinstance(node, cst.If):
        return _only_looks(statements_of(node.body), others) and _only_looks(else_statements(node), others)
    if isinstance(node, cst.For | cst.While):
        inside = [each for each in small_statements(statements_of(node.body)) if not isinstance(each, cst.Break)]
        own = not assigned_names(node) & set(others)
        return own and all(isinstance(each, cst.Continue) or _looks_inside(each, others) for each in inside)
    if isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign):
        targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
        return all(isinstance(target, cst.Name) and target.value not in others for target in targets)
    return isinstance(node, cst.Pass | cst.Continue)


def _looks_inside(node: cst.CSTNode, others: Collection[str]) -> bool:
    """As for the iteration, in a loop of its own, which `break` ends."""
    if isinstance(node, cst.If):
        branches = (*small_statements(statements_of(node.body)), *small_statements(else_statements(node)))
        return all(isinstance(each, cst.Break | cst.Continue) or _looks_inside(each, others) for each in branches)
    return _looks(node, others)


def _lengths(loop: cst.For, variable: str, context: Context) -> tuple[str, ...]:
    """The lengths of the arrays that the loop's variable indexes as it is, as text."""
    found: dict[str, None] = {}
    for node in nodes_in(loop.body):
        array = node.value if isinstance(node, cst.Subscript) else None
        if isinstance(node, cst.Subscript) and isinstance(array, cst.Name) and array.value in context.kinds.ranks:
            for axis, index in enumerate(index_expressions(node)):
                if isinstance(index, cst.Name) and index.value == variable:
                    found[f"{array.value}.shape[{axis}]" if axis else f"len({array.value})"] = None
    return tuple(found)
