"""SOR: red-black successive over-relaxation on a square grid, 100 iterations in place.

A point is updated from its four neighbours, all of the other colour: an iteration is a sweep over the points with i + j
even, then one over those with i + j odd, with a fence after each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated

import numpy as np

from benchmarks.javagrande.invalid import require
from benchmarks.javagrande.java_random import JavaRandom
from benchmarks.javagrande.numba_baseline import compiled
from somd import dist, reduce, somd

EDGE = {"A": 1000, "B": 1500, "C": 2000}
GTOTAL = {"A": 0.498574406322512, "B": 1.1234778980135105, "C": 1.9954895063582696}
TOLERANCE = 1e-12

SEED = 10101010
OMEGA = 1.25
ITERATIONS = 100

Args = tuple[np.ndarray, float, int]


def sor_plain(G: np.ndarray, omega: float, iterations: int) -> float:
    """Relax `G` (float64, changed in place) and return the sum of its interior.

    `G` holds its boundary; `omega` is the relaxation factor, between 0 and 2.
    """
    neighbours = 0.25 * omega
    own = 1.0 - omega
    for p in range(1, 2 * iterations + 1):
        for i in range(1, G.shape[0] - 1):
            for j in range(1 + (i + p) % 2, G.shape[1] - 1, 2):
                G[i, j] = neighbours * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1]) + own * G[i, j]
    total = 0.0
    for i in range(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total


@somd
def sor(G: dist[np.ndarray], omega: float, iterations: int) -> Annotated[float, reduce("+")]:
    """`sor_plain`, both dimensions of `G` distributed; the fence after each sweep is derived."""
    neighbours = 0.25 * omega
    own = 1.0 - omega
    for p in range(1, 2 * iterations + 1):
        for i in range(1, G.shape[0] - 1):
            for j in range(1 + (i + p) % 2, G.shape[1] - 1, 2):
                G[i, j] = neighbours * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1]) + own * G[i, j]
    total = 0.0
    for i in range(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total


def inputs(edge: int, iterations: int = ITERATIONS) -> Args:
    """Fresh arguments for a grid of `edge` x `edge` points."""
    return JavaRandom(SEED).doubles(edge * edge).reshape(edge, edge) * 1e-6, OMEGA, iterations


def prepare(size: str) -> Args:
    """Fresh arguments of class "A", "B" or "C"."""
    return inputs(EDGE[size])


def kernel(G: np.ndarray, omega: float, iterations: int) -> float:
    """What is timed: the relaxation and the sum, by the target and workers in force."""
    return sor(G, omega, iterations)


def sequential(G: np.ndarray, omega: float, iterations: int) -> float:
    """The relaxation and the sum, by one thread."""
    return _baseline()(G, omega, iterations)


@functools.cache
def _baseline() -> Callable[[np.ndarray, float, int], float]:
    return compiled(sor_plain)


def validate(size: str, args: Args, result: float) -> None:
    """Raise `InvalidResult` unless the result is the suite's Gtotal and the caller's grid sums up to it."""
    check(GTOTAL[size], args, result)


def check(gtotal: float, args: Args, result: float) -> None:
    """`validate` for a grid of any size, whose Gtotal is known."""
    require("Gtotal", result, gtotal, TOLERANCE)
    require("the sum of the interior of G", float(args[0][1:-1, 1:-1].sum()), gtotal, TOLERANCE)
