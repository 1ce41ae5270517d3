"""How the rows of packed sums are shared out where they differ in work, and which of the sums are computed.

for i in range(n):                     row i has n - i sums: the first row n, the last one 1
    for j in range(i, n):
        for k in range(m): ...

What rows cost goes evenly from the first to the last, so that they can be cut into parts of the same cost, one for each
worker: each part fills panels of its own (`packed_loops`), which many short ones would do too often.
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.emit.python_expressions import Expressions, Scope
from somd.transforms.loops.program import Expression, Region
from somd.transforms.loops.rows import one_moves_along
from somd.transforms.loops.scopes import read
from somd.transforms.loops.symmetric_sums import are_symmetric
from somd.transforms.loops.walking import tests_accesses
from somd.transforms.stages import Nest


def is_folded(nest: Nest, region: Region) -> bool:
    """Whether packed sums below the diagonal are those above it, and the MI that has one of them may store both."""
    if region.packed is None or region.pieces or region.depth != 2 or len(nest.dims) != 2:
        return False
    alone = nest.partition is None and nest.relaxed is None and not nest.cut_twice
    whole = not (nest.reductions or nest.combined or nest.copies)
    fails = nest.tests or nest.raises or tests_accesses(region.body)
    return alone and whole and not fails and are_symmetric(region.packed, region)


def sloped_share(region: Region, scope: Scope, limits: str, part: str, *, folded: bool) -> str | None:
    """The call that gives the rows of a part, of those in `limits`, the arguments of `range`; None where rows are
    alike, or more than one piece of what they do is packed. `part`: which one, of how many; `folded`: sums below the
    diagonal are left out."""
    found = [region] if region.packed is not None else [each for each in region.pieces if each.packed is not None]
    if len(found) != 1 or len(found[0].loops) != 2 or region.chunk is not None:
        return None
    packed, row = found[0].packed, found[0].loop.variable.name
    assert packed is not None
    counted = _counted(found[0], row, folded=folded)
    if counted is None:
        return None
    first, end, _ = limits.rsplit(", ", 2)

    def cost(place: str) -> str:
        expressions = Expressions(replace(scope, renamed={**scope.renamed, row: f"({place})"}))
        start, stop = (expressions.value(each).text for each in counted)
        return f"{stop} - ({start})"

    return f"sloped_range({first}, {end}, {part}, {cost(first)}, {cost(f'{end} - 1')}, {packed.rows})"


def _counted(region: Region, row: str, *, folded: bool) -> tuple[Expression, Expression] | None:
    """The limits of what a row has as many of as it costs."""
    outer, inner = region.loops
    assert region.packed is not None
    if folded:
        return outer.variable, inner.stop
    if row in read(inner.start, inner.stop):
        return inner.start, inner.stop
    loop = region.packed.loop
    return (loop.start, loop.stop) if one_moves_along(region.packed.loops, row) else None
