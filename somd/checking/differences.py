"""Whether two results agree, and copies of arguments to get them from.

Floats agree where they are equal, both nan, or closer than a relative tolerance of the largest of their array; all else
must be equal, arrays in dtype and shape too.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np


def difference(
    found: Any, expected: Any, rtol: float | None = None, inside: frozenset[int] = frozenset()
) -> str | None:
    """Where `found` first differs from `expected`, in words, or None.

    Objects differ where their attributes do; `inside` are those that are being compared already. Without `rtol` it is
    the square root of the dtype's precision (1.5e-8 for float64): what sums may differ by that are associated in
    another order. 0 asks for the same values.

    >>> import numpy as np
    >>> difference(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    ': 1 of 2 elements differ, the first at [1]: 2.0 instead of 3.0'
    >>> difference((1, 2.0), (1, 2.0))
    """
    if isinstance(expected, tuple | list):
        if type(found) is not type(expected) or len(found) != len(expected):
            return f": {found!r} instead of {expected!r}"
        pairs = [(f"[{k}]", *pair) for k, pair in enumerate(zip(found, expected, strict=True))]
    elif isinstance(expected, np.ndarray):
        return _array_difference(found, expected, rtol)
    elif isinstance(expected, int | float | complex | np.generic):
        if not isinstance(found, int | float | complex | np.generic):
            return f": {found!r} instead of {expected!r}"
        agree = _agree(np.asarray(found), np.asarray(expected), rtol)
        return None if agree.all() else f": {found} instead of {expected}"
    elif id(expected) in inside:
        return None
    elif attributes := getattr(expected, "__dict__", None):
        pairs = [(f".{name}", getattr(found, name, None), value) for name, value in attributes.items()]
    else:
        return None if found is expected or found == expected else f": {found!r} instead of {expected!r}"
    for name, mine, theirs in pairs:
        told = difference(mine, theirs, rtol, inside | {id(expected)})
        if told is not None:
            return name + told
    return None


def _array_difference(found: Any, expected: np.ndarray[Any, Any], rtol: float | None) -> str | None:
    if not isinstance(found, np.ndarray):
        return f": {type(found).__name__} instead of an array"
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f": {found.dtype}{list(found.shape)} instead of {expected.dtype}{list(expected.shape)}"
    wrong = np.argwhere(~_agree(found, expected, rtol))
    if not len(wrong):
        return None
    place = tuple(int(k) for k in wrong[0])
    values = f"{found[place]} instead of {expected[place]}"
    return f": {len(wrong)} of {expected.size} elements differ, the first at {list(place)}: {values}"


def _agree(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], rtol: float | None) -> Any:
    """Where the elements agree."""
    if expected.dtype.kind not in "fc" or found.dtype.kind not in "fc":
        return found == expected
    if rtol is None:
        rtol = float(np.sqrt(max(np.finfo(found.dtype).eps, np.finfo(expected.dtype).eps)))
    scale = np.abs(expected).max(initial=0.0, where=np.isfinite(expected))
    return np.isclose(found, expected, rtol=rtol, atol=rtol * scale, equal_nan=True)


def duplicate(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies of arguments, arrays with their layout. What was the same array, or memory, stays so."""
    made: dict[int, Any] = {}
    for value in values:
        if isinstance(value, np.ndarray):
            made[id(value)] = _copied(value, made)
    return copy.deepcopy(values, made)


def _copied(array: np.ndarray[Any, Any], made: dict[int, Any]) -> np.ndarray[Any, Any]:
    if id(array) in made:
        return made[id(array)]  # type: ignore[no-any-return]
    base = array.base
    while isinstance(base, np.ndarray) and isinstance(base.base, np.ndarray):
        base = base.base
    if not isinstance(base, np.ndarray) or not base.flags.forc or type(array) is not np.ndarray:
        copied = array.copy(order="K")
    else:
        memory = made.setdefault(id(base), base.copy(order="K"))
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        copied = np.ndarray(array.shape, array.dtype, memory.ravel(order="K").data, offset, array.strides)
    copied.flags.writeable = array.flags.writeable
    return copied
