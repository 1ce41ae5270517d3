"""Functions of NumPy's that methods do not call -> what says the same in a method.

In: a function. Out: ways to write it, as helps. `a`, `b`, `m` stand for arrays, `k` for one of integers.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np

#: for each function, by its name below `np`: an expression of one dimension, or of `m` with two, that is taken
EXPRESSIONS = {
    "allclose": "(np.abs(a - b) <= 1e-8 + 1e-5 * np.abs(b)).all()",
    "append": "np.concatenate((a, b))",
    "array_equal": "(a == b).all()",
    "average": "(a * b).sum() / b.sum()",
    "ediff1d": "np.diff(a)",
    "expand_dims": "a[:, None]",
    "isclose": "np.abs(a - b) <= 1e-8 + 1e-5 * np.abs(b)",
    "nan_to_num": "np.where(np.isnan(a), 0.0, a)",
    "nanmax": "np.where(np.isnan(a), -np.inf, a).max()",
    "nanmean": "np.where(np.isnan(a), 0.0, a).sum() / (~np.isnan(a)).sum()",
    "nanmin": "np.where(np.isnan(a), np.inf, a).min()",
    "nansum": "np.where(np.isnan(a), 0.0, a).sum()",
    "select": "np.where(a > 1.0, a, np.where(a > 0.0, b, 0.0))",
    "take": "a[k]",
    "transpose": "m.T",
    "trapezoid": "((a[1:] + a[:-1]) * 0.5).sum()",
    "vdot": "np.dot(a, b)",
}
#: for each function what loop, or statements, do the same
LOOPS = {
    "apply_along_axis": "a loop over the axis that calls the function",
    "copyto": "`a[:] = b`",
    "digitize": "a loop in which a `while` halves the range of edges for each element",
    "gradient": "`g[1:-1] = (a[2:] - a[:-2]) / 2.0`, and both ends on lines of their own",
    "histogram": 'a loop with `h[int((a[i] - low) / width)] += 1` in `with sync(h, reduce="+"):`',
    "interp": "a loop in which a `while` halves the range of places for each element",
    "putmask": "`a[mask] = x`",
    "searchsorted": "a loop in which a `while` halves the range of places for each element",
    "vectorize": "a loop that calls the function",
}
#: for each method by which an array changes itself, the statement for an array `a`, with the method's arguments
IN_PLACE = {
    "fill": "a[:] = x",
    "partition": "a[:] = np.partition(a, k)",
    "sort": "a[:] = np.sort(a)",
}


@cache
def _table() -> dict[Any, str]:
    found = {getattr(np, name, None): f"write `{text}`" for name, text in EXPRESSIONS.items()}
    found |= {getattr(np, name, None): f"write {text}" for name, text in LOOPS.items()}
    found.pop(None, None)
    return found


def instead_of_method(name: str, array: str) -> tuple[str, ...]:
    """What to write instead of a method by which an array changes itself.

    >>> instead_of_method("fill", "b")
    ('write `b[:] = x`',)
    """
    if name not in IN_PLACE:
        return ()
    text = re.sub(r"\ba\b", lambda _: array, IN_PLACE[name])
    return (f"write `{text}`",)


def instead_of_function(function: object) -> tuple[str, ...]:
    """What to write instead of a call of a function of NumPy's, as far as there is something."""
    try:
        text = _table().get(function)
    except TypeError:
        return ()
    return () if text is None else (text,)
