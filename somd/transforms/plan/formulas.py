"""Loops over a range that only accumulate, and index no array with their variable: Monte Carlo, integrals, series.

    for i in range(n):
        x = (i + 0.5) / n              there is nothing to divide but the range itself
        total += 4.0 / (1.0 + x * x)

They are distributed like loops over arrays, though no array asks for it, where that may gain: not if the text shows
that they are short, and not inside a loop whose turns fill an array, which would enter a phase for each element.
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.plan.candidates import contains_candidate, derived_names
from somd.transforms.plan.context import Context
from somd.transforms.plan.scalars import classify
from somd.transforms.tree.loops import (
    contains_fence,
    exits_of,
    fence_of,
    integer_constant,
    range_of,
    statements_of,
)
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import Reader, children_of, nodes_of

#: a loop of so many turns is not worth a phase
SHORT = 64


def is_formula(loop: cst.For, context: Context) -> bool:
    """Whether `loop` hands on nothing but what it accumulates, and its variable indexes no array from outside."""
    if loop not in context.formulas:
        context.formulas[loop] = touches_no_array(loop, context) and _only_reduces(loop, context)
    return context.formulas[loop]


def touches_no_array(loop: cst.For, context: Context) -> bool:
    """Whether `loop` is one over a range, not short, and arrays from outside are at most read, at other indexes."""
    header = range_of(loop)
    if header is None or _short(loop, context) or contains_fence(loop, context.method):
        return False
    if contains_candidate(loop, context):
        return False
    names = derived_names(loop, header.variable)
    outside = set(context.kinds.ranks) - assigned_names(loop)
    found = _Touches(names, outside)
    loop.body.visit(found)
    return not found.touched and not assigned_names(loop) & set(context.method.param_names) & set(context.kinds.ranks)


def contains_formula(node: cst.CSTNode, context: Context) -> bool:
    """Whether `node` is, or holds, such a loop."""
    if isinstance(node, cst.For) and is_formula(node, context):
        return True
    if isinstance(node, cst.For | cst.While) and not contains_candidate(node, context) and _fills(node, context):
        return False
    return any(
        contains_formula(child, context) for child in children_of(node) if not isinstance(child, cst.BaseExpression)
    )


def _only_reduces(loop: cst.For, context: Context) -> bool:
    """Whether what lives on behind `loop` is reduced in it."""
    if any(not isinstance(node, cst.Continue) for node in exits_of(loop)):
        return False
    scalars = classify(loop, [loop], statements_of(loop.body), context)
    return bool(scalars.reductions) and not scalars.reasons


def _short(loop: cst.For, context: Context) -> bool:
    """Whether the text shows that a loop has few turns; where a reduction is asked for, none counts as short."""
    method = context.method
    header = range_of(loop)
    assert header is not None
    start, stop, step = (integer_constant(limit, method) for limit in (*header.limits, header.step))
    if start is None or stop is None or not step or len(range(start, stop, step)) > SHORT:
        return False
    fences = (fence_of(node, method) for node in nodes_of(method.function.body, cst.With))
    asked = method.reduction is not None or method.combine is not None
    return not asked and not any(f is not None and f.names for f in fences)


def _fills(node: cst.For | cst.While, context: Context) -> bool:
    """Whether elements of arrays are assigned in `node`."""
    found = _Touches(set(), set(context.kinds.ranks))
    node.body.visit(found)
    return found.touched


class _Touches(Reader):
    """Looks for elements of `arrays` that are assigned, or read at an index that mentions one of `names`."""

    def __init__(self, names: set[str], arrays: set[str]) -> None:
        super().__init__()
        self.names = names
        self.arrays = arrays
        self.touched = False

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self.assigned(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.assigned(node.target)

    def assigned(self, target: cst.BaseExpression) -> None:
        if isinstance(target, cst.Tuple):
            for element in target.elements:
                self.assigned(element.value)
        elif isinstance(target, cst.Subscript):
            self.touched |= isinstance(target.value, cst.Name) and target.value.value in self.arrays

    def visit_Subscript(self, node: cst.Subscript) -> None:
        if isinstance(node.value, cst.Name) and node.value.value in self.arrays:
            self.touched |= any(names_read(index) & self.names for index in index_expressions(node))
