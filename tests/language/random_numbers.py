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


@program(lambda: [(n, m, t) for n, m, t in ((0, 3, 0), (1, 1, 2), (7, 5, 1), (-1, 2, 0), (40, 3, 4))])
@somd
def drawn_arrays(n: int, m: int, t: int):
    x, y = RNG.uniform(size=n), RNG.uniform(size=n, step=1, low=-1.0)
    z = RNG.normal(step=t, size=(n, m), std=2.0)
    steps = 2 * RNG.integers(size=(n, m, 2), high=2) - 1
    return x, np.where(x * x + y * y < 1.0, x, y), z[:, 0] - x, np.cumsum(steps, axis=1), RNG.exponential(size=m) + t


@program(lambda: [(numbers(5),), (numbers(0, 3),), (numbers(2, 3, 4),)])
@somd
def noise_of_a_shape(a: A):
    return a + 0.1 * RNG.normal(size=a.shape), RNG.uniform(size=a.shape, step=2)


@program(lambda: vectors(3))
@somd
def langevin_of_arrays(x: A, steps: int) -> None:
    for t in range(steps):
        x[:] = x - 0.1 * x + RNG.normal(size=len(x), step=t, std=0.3)


@program(lambda: [(numbers(n), Stream(4), low) for n in (0, 1, 9) for low in (2, 3)])
@somd
def drawn_where_it_may_fail(a: A, rng: Stream, low: int) -> np.ndarray:
    return a * rng.integers(size=len(a), low=low, high=3) + rng.poisson(size=len(a), mean=4.5)


def from_both(part: Stream, other: Stream, i: int) -> float:
    return part.uniform(i) - other.uniform(i)


@program(lambda: [(numbers(n), Stream(4)) for n in SIZES])
@somd
def children(a: A, rng: Stream) -> np.ndarray:
    mine = rng.child(7)
    inner = mine.child(len(a))
    for i in range(len(a)):
        own = RNG.child(i)
        a[i] += own.normal(0) + inner.uniform(i) + from_both(mine, rng, i) + from_both(own, inner, i)
    return mine.normal(size=len(a))
