"""Loops that look for the best element of a row -> calls that look at it in vectors, in Python for Numba.

for j in range(lo, hi):           m, p = place_of_largest(False, m, p, lo, hi, a, i)
    if a[i, j] > m:         ->
        m = a[i, j]
        p = j
"""

from __future__ import annotations

from collections.abc import Sequence

from somd.transforms.emit.python_expressions import Expressions, Scope
from somd.transforms.loops.extreme_rows import ExtremeRow, place_in_row, quick_extreme_of_row
from somd.transforms.loops.program import Loop

NAMES = {">": "largest", "<": "smallest"}


def extreme_row(node: Loop, scope: Scope) -> tuple[str, ExtremeRow] | None:
    """The function for a loop that does no more than that, with what it keeps."""
    if scope.strip is not None or scope.placed is not None:
        return None
    for start, found in (("place_of", place_in_row(node)), ("quick", quick_extreme_of_row(node))):
        if found is not None:
            return f"{start}_{NAMES[found.symbol]}", found
    return None


def extreme_line(function: str, found: ExtremeRow, limits: Sequence[str], scope: Scope) -> str:
    """The line in place of the loop between limits."""
    kept = ", ".join(scope.name(each.name) for each in (found.best, found.beside))
    indexes = Expressions(scope).indexes(found.row)[:-1]
    first = [str(found.odd)] if function.startswith("place") else []
    return f"{kept} = {function}({', '.join([*first, kept, *limits, scope.name(found.row.array), *indexes])})"
