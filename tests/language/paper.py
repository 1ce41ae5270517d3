"""The listings of the paper in Python. Listing 11 is refused as printed (`tests/refused/paper_listing_11.py`); relaxed, it
is among the relaxed programs, since its result depends on the number of method instances."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from somd import dist, reduce, shared, somd, sync
from tests.language.program import SIZES, Case, numbers, program, spaced

DTYPES = (float, np.float32, np.int64, np.int32, np.uint8)


def pairs() -> list[Case]:
    found: list[Case] = [(numbers(n), numbers(n, seed=1)) for n in SIZES]
    found += [(numbers(50, dtype=t, low=0, high=9), numbers(50, dtype=t, low=0, high=9, seed=1)) for t in DTYPES[1:]]
    return [*found, (spaced(numbers(33)), numbers(33))]


def vectors() -> list[Case]:
    return [*((numbers(n),) for n in SIZES), *((numbers(50, dtype=t, low=1, high=9),) for t in DTYPES[1:])]


@program(pairs)
@somd
def listing_8(a: dist[np.ndarray], b: dist[np.ndarray]) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i]
    return c


@program(lambda: vectors()[1:], rtol=1e-6)
@somd
def listing_9(a: dist[np.ndarray]) -> Annotated[int, reduce("self")]:
    total = 0
    for i in range(len(a)):
        total += a[i]
    return total


@somd
def sum_prod(a: dist[np.ndarray]) -> Annotated[float, reduce("+")]:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * a[i]
    return total


@program(vectors, rtol=1e-6)
@somd
def listing_10(a: dist[np.ndarray]) -> np.ndarray:
    norm = math.sqrt(sum_prod(a))
    for i in range(len(a)):
        a[i] = a[i] / norm
    return a


@program(lambda: [case for case in vectors() if case[0].dtype != np.float32], rtol=1e-12)
@somd
def listing_12(a: dist[np.ndarray]) -> np.ndarray:
    norm: shared[float] = 0.0
    with sync(norm, reduce="+"):
        for i in range(len(a)):
            norm += a[i] * a[i]
    norm = math.sqrt(norm)
    for i in range(len(a)):
        a[i] = a[i] / norm
    return a
