"""Which loops may be distributed: those whose variable indexes a distributed dimension of a distributed array."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.plan.context import Context
from somd.transforms.tree.loops import fence_of, range_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import Reader


def is_candidate(loop: cst.For, context: Context, without: Collection[str] = ()) -> bool:
    """Whether `loop` indexes a distributed dimension of an array that it does not bind itself; arrays `without` do not
    count."""
    header = range_of(loop)
    if header is None:
        return False
    names = derived_names(loop, header.variable)
    excluded = {*without, *bound_in(loop, context)}
    found = False

    class Indexes(Reader):
        def visit_Subscript(self, node: cst.Subscript) -> None:
            nonlocal found
            if not isinstance(node.value, cst.Name) or node.value.value not in context.distributed:
                return
            if node.value.value in excluded:
                return
            dims = context.distributed[node.value.value]
            for axis, index in enumerate(index_expressions(node)):
                if (dims is None or axis in dims) and names & names_read(index):
                    found = True

    loop.body.visit(Indexes())
    return found


def derived_names(loop: cst.For, name: str) -> set[str]:
    """The loop variable and the scalars computed from it in the body."""
    names = {name}
    assigns: list[tuple[set[str], set[str]]] = []

    class Assigns(Reader):
        def visit_Assign(self, node: cst.Assign) -> None:
            assigns.append((assigned_names(node), names_read(node.value)))

        def visit_For(self, node: cst.For) -> None:
            assigns.append((names_read(node.target), names_read(node.iter)))

    loop.body.visit(Assigns())
    while True:
        wider = names.union(*(targets for targets, read in assigns if read & names)) if assigns else names
        if wider == names:
            return names
        names = wider


def contains_candidate(node: cst.CSTNode, context: Context, without: Collection[str] = ()) -> bool:
    """Whether `node` is, or holds, a candidate that is not inside `with single:`; arrays `without` do not count."""
    found = False

    class Loops(Reader):
        def visit_For(self, node: cst.For) -> bool:
            nonlocal found
            found = found or is_candidate(node, context, without)
            return not found

        def visit_With(self, node: cst.With) -> bool:
            fence = fence_of(node, context.method)
            return fence is None or fence.kind != "single"

    node.visit(Loops())
    return found


def bound_in(loop: cst.For, context: Context) -> frozenset[str]:
    """The arrays of the method's own that `loop` binds in its body."""
    return frozenset(assigned_names(loop.body) & set(context.kinds.ranks)) - frozenset(context.method.param_names)
