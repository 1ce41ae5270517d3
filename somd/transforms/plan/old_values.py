"""The reads of a loop that nothing but copies of arrays stands against: *anti-dependences* alone.

    for i in range(m):
        for j in range(n):
            for k in range(i + 1, m):
                b[i, j] += a[k, i] * b[k, j]        row k is read before iteration k changes it

In: a loop that may not be distributed. Out: reads of elements that no earlier iteration stores, nor the same one,
without which the iterations would be independent; None where there are others in the way. A copy of the array, made
before the loop, has what they read. It is asked for only where more loops stand around such a read than the array has
axes, so that a copy is little beside what the loops do.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.dependences import OTHER, find_conflict
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.frontend.distribution import leaves_of
from somd.transforms.frontend.old_values import RENAMED
from somd.transforms.plan.context import Context
from somd.transforms.plan.distribution import MOST_ACCESSES, is_odd, is_plain, may_meet
from somd.transforms.tree.loops import integer_constant, range_of
from somd.transforms.tree.names import assigned_names


def old_values_in(loop: cst.For, around: Sequence[Affine], context: Context) -> tuple[cst.Subscript, ...] | None:
    """The reads in `loop` of what is there before it, by which its iterations wait for each other."""
    leaves = leaves_of(loop)
    if context.method.has_form(RENAMED, loop) or not is_plain(loop, leaves, context):
        return None
    context.stand_before(loop)
    changed = assigned_names(loop.body)
    accesses = accesses_of((loop,), context.scope.with_known(dict.fromkeys(changed)))
    if len(accesses) > MOST_ACCESSES or any(map(is_odd, accesses)):
        return None
    try:
        return _reads(loop, accesses, Sets((*context.facts, *around)), context)
    except TooComplex:
        return None


def _reads(loop: cst.For, accesses: Sequence[Access], sets: Sets, context: Context) -> tuple[cst.Subscript, ...] | None:
    header = range_of(loop)
    assert header is not None
    name = variable(header.variable)
    forwards = integer_constant(header.step, context.method) == 1
    other, up_to = name + OTHER, "<=" if forwards else ">="
    differ = Affine(f"{name} != {other}", frozenset({name, other}))
    earlier = Affine(f"{other} {up_to} {name}", frozenset({name, other}))

    accesses = [each for each in accesses if each.loops]  # its range is read before it runs
    stores = [each for each in accesses if each.write]
    old = [a for a in accesses if not a.write and may_meet([a], stores, differ, sets, context)]
    targets = [each.node for each in stores]
    for each in old:
        cheap = len(each.loops) > context.kinds.ranks[each.array] and each.array not in context.partitions
        if not cheap or any(each.node is node for node in targets) or may_meet([each], stores, earlier, sets, context):
            return None
    rest = [each for each in accesses if not any(each is one for one in old)]
    if not old or find_conflict(rest, loop, context.aliases, sets) is not None:
        return None
    return tuple(dict.fromkeys(each.node for each in old))
