"""The iteration of a loop that touches what all others do, where without it they would be independent.

    for i in range(n):
        for j in range(n):                                  row k is read in all iterations of the loop over i, and
            d[i, j] = min(d[i, j], d[i, k] + d[k, j])       written in iteration k

In: a loop and two accesses of it that conflict. Out: an expression for the iteration, or None. It is required that isl
finds no conflict between other iterations, and that the expression has one value as long as the loop runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.dependences import Conflict, find_conflict
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.plan.context import Context
from somd.transforms.tree.loops import integer_constant, range_of
from somd.transforms.tree.names import assigned_names, names_read


def splitting_point(
    loop: cst.For, conflict: Conflict, accesses: Sequence[Access], context: Context, sets: Sets
) -> cst.BaseExpression | None:
    """The iteration of `loop` without which its `accesses` would not conflict."""
    header = range_of(loop)
    method = context.method
    known = all(
        method.namespace.get(each.__name__, each) is each for each in (min, max)
    )  # the pieces are made with them
    if header is None or not known or integer_constant(header.step, method) != 1:
        return None
    if method.position(loop) in method.split_at:
        return None
    for expression, index in _fixed(loop, variable(header.variable), conflict, context):
        other = Affine(f"{variable(header.variable)} != {index.text}", index.names | {variable(header.variable)})
        apart = [replace(access, guards=(*access.guards, other)) for access in accesses]
        try:
            if find_conflict(apart, loop, context.aliases, sets, wraps=False) is None:
                return expression
        except TooComplex:
            continue
    return None


def _fixed(
    loop: cst.For, moving: str, conflict: Conflict, context: Context
) -> Iterator[tuple[cst.BaseExpression, Affine]]:
    """The indexes that are the same in all iterations, along an axis where the other access has the loop's variable."""
    changed = assigned_names(loop)
    for one, other in ((conflict.first, conflict.second), (conflict.second, conflict.first)):
        for axis, expression in enumerate(index_expressions(other.node)):
            mine, index = one.indices[axis], other.indices[axis]
            if mine is None or index is None or mine.text != moving:
                continue
            names = names_read(expression)
            if not names & (changed | context.kinds.strong):
                yield expression, index
