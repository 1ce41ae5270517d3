"""Inner loops that may be cut where vectors begin in memory.

    >>> before_and_after(alignment, '''
    ... def eliminate(a: A, f: A, k: int):
    ...     for j in range(len(f)):
    ...         for i in range(k + 1, a.shape[1]):
    ...             a[j, i] += f[j] * 2.0
    ... ''', a="float64[:, :]", f="float64[:]", k="int64")
    for i from k + 1 to length(a, 1)
        a[end j, i] = a[end j, i] + (f[j] * 2.0)
    ->
    for i from k + 1 to length(a, 1), aligned
        a[end j, i] = a[end j, i] + (f[j] * 2.0)

In are loops that store element after element of a row, from a place that differs from turn to turn, as in triangular
loops. Of vectors that begin anywhere half straddle two cache lines, and take two accesses. The order of trips stays, so
there is nothing to prove. Loops from a constant are left as they are: there a row begins where NumPy put it, mostly
alike for all.
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.loops.program import Assign, Constant, Loop, Program, Region, Statement
from somd.transforms.loops.rewriting import each_region, each_statement
from somd.transforms.loops.rows import may_be_cut, stored_row
from somd.transforms.loops.scopes import named
from somd.transforms.loops.walking import statements_in

#: types whose elements are as long as a vector, or a part of it
FLOATS = frozenset(("float32", "float64"))


def alignment(program: Program) -> Program:
    """The program with such loops marked."""
    return each_region(program, _marked)


def _marked(region: Region) -> Region:
    if region.strips is not None or region.packed is not None:
        return region
    body = each_statement(region.loop.body, _aligned)
    return region if body == region.loop.body else replace(region, loop=replace(region.loop, body=body))


def _aligned(node: Statement) -> Statement:
    return replace(node, aligned=True) if isinstance(node, Loop) and _gains(node) else node


def _gains(loop: Loop) -> bool:
    row = stored_row(loop)
    fits = row is not None and row.type.dtype in FLOATS and not _in_order(loop)
    return fits and may_be_cut(loop) and not isinstance(loop.start, Constant)


def _in_order(loop: Loop) -> bool:
    """Whether trips add to a float one after the other, and so make no vectors."""
    assigns = (node for node in statements_in(loop.body) if isinstance(node, Assign))
    return any(node.target.type.kind in "fc" and node.target.name in named(node.value) for node in assigns)
