"""Scalars of which every MI has its own copy, where the user says how partial results are combined.

In: a loop whose iterations hand scalars on, in whatever way. Out: which of them are copies, which are private to an
iteration; and what must hold of them, since each MI starts from the value before the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import libcst as cst

from somd.diagnostics.model import Diagnostic
from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.plan import messages, partial_messages
from somd.transforms.plan.context import Context
from somd.transforms.plan.scalars import Scalars
from somd.transforms.tree.loops import else_statements, range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names


def classify_copies(loop: cst.For, body: Sequence[cst.CSTNode], context: Context) -> Scalars:
    """Every scalar that `loop` assigns: a copy if an iteration or what follows the loop reads it, private otherwise."""
    live = context.liveness.after.get(loop, frozenset())
    carried = read_from_before(body, context.method)
    header = range_of(loop)
    assert header is not None
    defined = defined_before(loop, statements_of(context.method.function.body), set(context.method.param_names))
    private: list[str] = []
    copies: list[str] = []
    reasons: list[Callable[[], Diagnostic]] = []
    for name in sorted(assigned_names(loop) - set(context.kinds.ranks)):
        if name == header.variable:
            if name in live:
                reasons.append(partial(messages.live_after, context.method, loop, name))
        elif name not in carried and name not in live:
            private.append(name)
        elif defined is not None and name not in defined:
            reasons.append(partial(partial_messages.undefined_copy, context.method, loop, name))
        else:
            copies.append(name)
    return Scalars(tuple(private), (), tuple(reasons), tuple(copies))


def defined_before(loop: cst.For, statements: Sequence[cst.CSTNode], defined: set[str]) -> set[str] | None:
    """The names that have a value whenever `loop` is reached; None if it does not stand in `statements`."""
    known = set(defined)
    for node in small_statements(statements):
        if node is loop:
            return known
        for inside in _blocks(node):
            found = defined_before(loop, inside, known | _targets(node))
            if found is not None:
                return found
        known |= _defines(node)
    return None


def _blocks(node: cst.CSTNode) -> list[Sequence[cst.CSTNode]]:
    if isinstance(node, cst.If):
        return [statements_of(node.body), else_statements(node)]
    if isinstance(node, cst.For | cst.While | cst.With):
        return [statements_of(node.body)]
    return []


def _targets(node: cst.CSTNode) -> set[str]:
    return {node.target.value} if isinstance(node, cst.For) and isinstance(node.target, cst.Name) else set()


def _defines(node: cst.CSTNode) -> set[str]:
    """Names that have a value after `node`, whatever way it took."""
    if isinstance(node, cst.Assign | cst.AugAssign):
        return assigned_names(node)
    if isinstance(node, cst.AnnAssign):
        return assigned_names(node) if node.value is not None else set()
    if isinstance(node, cst.If):
        return all_define(statements_of(node.body)) & all_define(else_statements(node))
    if isinstance(node, cst.With):
        return all_define(statements_of(node.body))
    return set()


def all_define(statements: Sequence[cst.CSTNode]) -> set[str]:
    """Names that have a value after `statements`, whatever way they took to their end."""
    found: set[str] = set()
    for node in small_statements(statements):
        found |= _defines(node)
    return found
