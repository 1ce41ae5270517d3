"""Loops inside an iteration of a nest whose own iterations are independent: a device may spread them out as well.

for j in range(n):          the loop over i, for a fixed j: each of its iterations touches other elements, and hands on
    f = a[j, p]             no scalar
    for i in range(n):
        a[j, i] -= f * b[i]
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.access import Access
from somd.transforms.analysis.dependences import find_conflict
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.frontend.raises import raises_in
from somd.transforms.plan.context import Context
from somd.transforms.plan.forms import check_form
from somd.transforms.plan.rejected import Rejected
from somd.transforms.plan.scalars import classify
from somd.transforms.tree.loops import range_of, small_statements, statements_of


def independent_loops(
    loops: Sequence[cst.For], accesses: Sequence[Access], context: Context, sets: Sets
) -> tuple[cst.For, ...]:
    """The loops directly in the body of the nest of `loops` that are independent for each of its iterations."""
    body = small_statements(statements_of(loops[-1].body))
    return tuple(s for s in body if isinstance(s, cst.For) and _independent(s, loops, accesses, context, sets))


def _independent(
    inner: cst.For, loops: Sequence[cst.For], accesses: Sequence[Access], context: Context, sets: Sets
) -> bool:
    dims = {range_of(each).variable for each in loops}  # type: ignore[union-attr]
    mine = [a for a in accesses if any(domain.node is inner for domain in a.loops)]
    if not mine or range_of(inner) is None or raises_in([inner]):
        return False
    try:
        check_form(inner, loops[0], dims, context)
        if find_conflict(mine, inner, context.aliases, sets) is not None:
            return False
    except (Rejected, TooComplex):
        return False
    scalars = classify(inner, [inner], statements_of(inner.body), context)
    return not scalars.reasons and not scalars.reductions
