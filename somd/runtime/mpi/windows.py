"""Which rows an index into an array reads.

In: what stands between the brackets of `a[...]`. Out: rows of the first axis, and the index of the same elements in
these rows alone. What is not plain reads all rows.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def rows_of_key(key: Any, length: int) -> tuple[int, int, Any]:
    """The rows [low, high) of an array of so many rows that an index reads, and the index into these.

    >>> rows_of_key((-1, slice(None)), 10)
    (9, 10, (0, slice(None, None, None)))
    >>> rows_of_key(slice(8, 2, -2), 10)
    (4, 9, slice(4, None, -2))
    >>> rows_of_key(..., 10)
    (0, 10, Ellipsis)
    """
    inner: Any
    first, rest = (key[0], key[1:]) if isinstance(key, tuple) and key else (key, None)
    if isinstance(first, int | np.integer) and not isinstance(first, bool | np.bool_):
        row = operator.index(first)
        place = row + length if row < 0 else row
        if not 0 <= place < length:
            return 0, length, key  # NumPy says what is wrong
        low, high, inner = place, place + 1, 0
    elif isinstance(first, slice):
        taken = range(*first.indices(length))
        if not taken:
            return 0, 0, _with(slice(0, 0), rest)
        low, high = min(taken[0], taken[-1]), max(taken[0], taken[-1]) + 1
        stop = taken[-1] - low + (1 if taken.step > 0 else -1)
        inner = slice(taken[0] - low, stop if stop >= 0 else None, taken.step)
    else:
        return 0, length, key
    return low, high, _with(inner, rest)


def _with(inner: Any, rest: Any) -> Any:
    return inner if rest is None else (inner, *rest)
