"""Which loops may be distributed: those whose variable indexes a distributed dimension of a distributed array."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.plan.context import Context
from somd.transforms.tree.loops import fence_of, range_of
from somd.transforms.tree.names import assigned_names, names_read, target_parts, values_read
from somd.transforms.tree.walking import children_of, nodes_of


def is_candidate(loop: cst.For, context: Context, without: Collection[str] = ()) -> bool:
    """Whether `loop` indexes a distributed dimension of an array that it does not bind itself; arrays `without` do not
    count."""
    header = range_of(loop)
    if header is None:
        return False
    names = derived_names(loop, header.variable)
    excluded = {*without, *bound_in(loop, context)}
    for node in nodes_of(loop.body, cst.Subscript):
        if not isinstance(node.value, cst.Name):
            continue
        name = node.value.value
        if name in context.distributed and name not in excluded:
            dims = context.distributed[name]
            for axis, index in enumerate(index_expressions(node)):
                if (dims is None or axis in dims) and names & names_read(index):
                    return True
    return False


def derived_names(loop: cst.For, name: str) -> set[str]:
    """The loop variable, and what is computed from it in the body: scalars, and arrays whose elements are stored."""
    names = {name}
    assigns: list[tuple[set[str], set[str]]] = []

    for node in nodes_of(loop.body, cst.Assign, cst.AugAssign, cst.For):
        if isinstance(node, cst.For):
            assigns.append((names_read(node.target), values_read(node.iter)))
            continue
        targets = [node.target] if isinstance(node, cst.AugAssign) else [each.target for each in node.targets]
        parts = [part for each in targets for part in target_parts(each)]
        stored = {
            part.value.value for part in parts if isinstance(part, cst.Subscript) and isinstance(part.value, cst.Name)
        }
        assigns.append((assigned_names(node) | stored, values_read(node.value)))
    while True:
        wider = names.union(*(targets for targets, read in assigns if read & names)) if assigns else names
        if wider == names:
            return names
        names = wider


def contains_candidate(node: cst.CSTNode, context: Context, without: Collection[str] = ()) -> bool:
    """Whether `node` is, or holds, a candidate that is not inside `with single:`; arrays `without` do not count."""
    if isinstance(node, cst.For) and is_candidate(node, context, without):
        return True
    if isinstance(node, cst.With):
        fence = fence_of(node, context.method)
        if fence is not None and fence.kind == "single":
            return False
    return any(contains_candidate(child, context, without) for child in children_of(node))


def bound_in(loop: cst.For, context: Context) -> frozenset[str]:
    """The arrays of the method's own that `loop` binds in its body."""
    return frozenset(assigned_names(loop.body) & set(context.kinds.ranks)) - frozenset(context.method.param_names)
