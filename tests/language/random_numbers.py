"""Random numbers of a stream: what they are in plain Python they are on every target, drawn in any order."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd
from somd.random import Stream
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]
RNG = Stream(7)


def vectors(*more):
    return [(numbers(n), *more) for n in SIZES]


@program(lambda: [(0,), (1,), (1000,)])
@somd
def pi(n: int) -> float:
    hits = 0
    for i in range(n):
        x, y = RNG.uniform(i, 0), RNG.uniform(i, 1)
        if x * x + y * y < 1.0:
            hits += 1
    return 4.0 * hits / max(n, 1)


@program(lambda: [(Stream(5), 7, 0.5), (Stream(6), 500, 1.1)], rtol=1e-13)
@somd
def option(rng: Stream, n: int, strike: float) -> Annotated[float, reduce("+")]:
    total = 0.0
    for i in range(n):
        price = np.exp(0.2 * rng.normal(i) - 0.02)
        total += max(price - strike, 0.0)
    return total


@program(lambda: vectors(4))
@somd
def langevin(x: A, steps: int) -> None:
    for t in range(steps):
        for i in range(len(x)):
            x[i] = x[i] - 0.1 * x[i] + RNG.normal(i, t, std=0.3)


@program(lambda: [(np.zeros((n, 9), np.int64),) for n in SIZES])
@somd
def walks(place: A) -> None:
    for i in range(place.shape[0]):
        for t in range(1, place.shape[1]):
            place[i, t] = place[i, t - 1] + 2 * RNG.integers(i, t, high=2) - 1


@program(lambda: [(numbers(n, dtype=np.int64), Stream(1), 3.5) for n in SIZES])
@somd
def counts_and_waits(a: A, rng: Stream, mean: float) -> np.ndarray:
    out = np.empty(len(a))
    for i in range(len(a)):
        a[i] = rng.poisson(i, mean=mean) + rng.poisson(i, 1, mean=40.0 * mean) + (rng.bits(a[i]) & 255)
        out[i] = rng.exponential(i, a[i], scale=mean)
    return out


@program(lambda: vectors(2, 5) + vectors(2, 2))
@somd
def ends_that_may_be_wrong(a: A, low: int, high: int) -> None:
    for i in range(len(a)):
        a[i] = RNG.integers(i, low=low, high=high)
