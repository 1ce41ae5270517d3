"""Loops that accumulate into an element which they do not move: `for k in ...: a[i, j] -= a[i, k] * b[k]`.

Such a loop is a reduction into that element, as it would be into a scalar. In: a loop that may not be distributed as
it stands. Out: the elements that may be held in scalars while it runs. It is required of each that its index is the
same in all iterations, that every use of it in the loop is an update, and that isl proves all other accesses of the
loop, those to the same memory under another name too, to be to other elements.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import accesses_of, index_expressions
from somd.transforms.analysis.array_updates import Update, updates_of
from somd.transforms.analysis.dependences import overlap
from somd.transforms.analysis.reductions import normalised
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.frontend.held_elements import Element
from somd.transforms.plan.context import Context
from somd.transforms.tree.loops import small_statements, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.rewriting import inside
from somd.transforms.tree.walking import children_of


def accumulated_elements(loop: cst.For, around: Sequence[Affine], context: Context) -> tuple[Element, ...]:
    """The elements that `loop` only accumulates into, in source order; `around` holds for the scalars outside."""
    if context.combining or context.relaxed is not None:
        return ()
    context.stand_before(loop)
    found: dict[str, list[Update]] = {}
    first = list(_always(statements_of(loop.body)))
    for array in sorted(context.kinds.ranks.keys() - assigned_names(loop)):
        for update in updates_of(array, (loop,), context.method):
            found.setdefault(normalised(update.target), []).append(update)
    sets = Sets((*context.facts, *around))
    scope = context.scope.with_known(dict.fromkeys(assigned_names(loop.body)))
    accesses = accesses_of((loop,), scope)
    chosen = []
    for updates in found.values():
        target = updates[0].target
        if _steady(target, loop, context) and _alone(updates, loop, accesses, context, sets):
            chosen.append(Element(target, any(update.node is node for update in updates for node in first)))
    return tuple(chosen)


def _always(statements: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    """The statements that every iteration comes to."""
    found: list[cst.CSTNode] = []
    for node in small_statements(statements):
        found.append(node)
        if isinstance(node, cst.If | cst.For | cst.While | cst.With) and _leaves(node):
            break
    return found


def _leaves(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Continue | cst.Break | cst.Return | cst.Raise) or any(map(_leaves, children_of(node)))


def _steady(element: cst.Subscript, loop: cst.For, context: Context) -> bool:
    """Whether `element` is the same one in every iteration, as the text shows."""
    indexes = index_expressions(element)
    changed = assigned_names(loop)
    reads = accesses_of([cst.Expr(index) for index in indexes], context.scope)
    calls = any(_calls(index) for index in indexes)
    return not reads and not calls and not any(names_read(index) & changed for index in indexes)


def _calls(node: cst.CSTNode) -> bool:
    """Whether a function other than `len` is called in `node`."""
    own = isinstance(node, cst.Call) and not (isinstance(node.func, cst.Name) and node.func.value == "len")
    return own or any(map(_calls, children_of(node)))


def _alone(updates: Sequence[Update], loop: cst.For, accesses: Sequence[Access], context: Context, sets: Sets) -> bool:
    """Whether nothing in the loop reaches the element besides these updates, which are all of one kind."""
    if len({update.op for update in updates}) != 1:
        return False
    element, nodes = normalised(updates[0].target), [update.node for update in updates]
    mine = [a for a in accesses if inside(a.node, nodes) and normalised(a.node) == element]
    if not mine:
        return False
    try:
        others = [a for a in accesses if not any(a is own for own in mine)]
        return not any(overlap(own, other, loop, context.aliases, sets) for own in mine for other in others)
    except TooComplex:
        return False
