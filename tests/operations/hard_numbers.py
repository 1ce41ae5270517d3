"""Numbers where languages differ, for every type of number that a method knows.

A kind is a `ScalarType`: NumPy's scalars by their dtype, and Python's own bool, int, float and complex, which a method
makes of elements (`int(a[i])`).
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np

from somd.transforms.types.scalars import BOOL, COMPLEX, DTYPES, FLOAT, INT, REALS, ScalarType

Kind = ScalarType
WEAK: tuple[Kind, ...] = (BOOL, INT, FLOAT, COMPLEX)
KINDS: tuple[Kind, ...] = (*map(ScalarType, (*REALS, *sorted(DTYPES - {*REALS}))), *WEAK)
PYTHON = {BOOL: bool, INT: int, FLOAT: float, COMPLEX: complex}

_WHOLE = (0, 1, -1, 2, -2, 3, -3, 7, -7, 10, 100, -100)
#: what float64 and float32 do not hold, on either side
_BESIDE = (2**24 + 1, 2**31, 2**32 - 1, 2**53 - 1, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 3 * 2**61 + 1)
_FLOATS = (
    *(0.0, 1.0, 0.5, 1.5, 2.5, 3.7, 0.1, 7.0, 300.3, 1e-10, 65535.5, 1e10, 2.0**31, 2.0**53 - 1),
    *(2.0**53 + 2, 2.0**62, np.inf),
)
_ENDS = (2.0**63, np.nan, -(2.0**64), 1e300)
_PARTS = (0.0, -0.0, 1.0, -2.5, np.inf, np.nan)
#: how many there are of each kind; those that have fewer begin anew
COUNT = 48


@cache
def numbers(dtype: str) -> np.ndarray:
    """`COUNT` numbers of a dtype."""
    found = np.array(_chosen(np.dtype(dtype)), dtype)
    assert len(found) <= COUNT
    return np.resize(found, COUNT)


def _chosen(dtype: np.dtype[Any]) -> list[Any]:
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind == "c":
        ends = np.finfo(dtype)
        return [*(complex(x, y) for x in _PARTS for y in _PARTS), complex(ends.max, 1), complex(ends.tiny, -ends.tiny)]
    if dtype.kind == "f":
        info = np.finfo(dtype)
        ends = (info.tiny, info.smallest_subnormal * 3, info.max)
        with np.errstate(over="ignore"):
            return [*(dtype.type(v * s) for v in (*_FLOATS, *ends) for s in (1, -1)), *map(dtype.type, _ENDS)]
    limits, bits = np.iinfo(dtype), dtype.itemsize * 8
    ends = (
        limits.max,
        limits.max - 1,
        limits.min,
        limits.min + 1,
        limits.max // 2 + 1,
        -limits.max // 2,
        bits,
        bits - 1,
    )
    return [v for v in dict.fromkeys((*_WHOLE, *ends, *_BESIDE)) if limits.min <= v <= limits.max]


@cache
def operand(kind: Kind, place: int) -> np.ndarray:
    """All elements of the operand at a place: of two operands all pairs, a third goes around with them."""
    found = numbers(kind.dtype)
    if place == 0:
        return np.repeat(found, COUNT)
    tiled = np.tile(found, COUNT)
    return tiled if place == 1 else np.roll(np.ascontiguousarray(tiled.reshape(COUNT, COUNT).T[::-1]).ravel(), 7)


def scalars(kind: Kind, place: int) -> list[Any]:
    """The elements as plain Python has them."""
    found = operand(kind, place)
    return [PYTHON[kind](v) for v in found] if kind.weak else list(found)


def pairs_of(kinds: tuple[Kind, ...], places: int) -> list[tuple[Kind, ...]]:
    """All tuples of so many kinds."""
    return list(itertools.product(kinds, repeat=places))
