"""Whether the numbers look as chance would have them: moments, distributions, neighbours, steps, seeds.

Each test has a statistic whose distribution is known; nothing here is drawn anew from run to run, so a test that passes
always passes. The bounds are at five standard deviations, where chance is wrong once in two million.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from somd.random import Stream

N = 200_000
RNG = Stream(20261124)


def chi_square(counts: NDArray[np.int64], expected: NDArray[np.float64]) -> float:
    """How many standard deviations the sum of squares is off (Wilson and Hilferty, 1931)."""
    freedom = len(counts) - 1
    found = float((((counts - expected) ** 2) / expected).sum())
    return float(((found / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom)))


def largest_gap(values: NDArray[np.float64], below: Callable[[float], float]) -> float:
    """Kolmogorov's distance from the distribution `below`, times the root of the number of values."""
    ordered = np.sort(values)
    wanted = np.array([below(float(v)) for v in ordered[:: max(1, N // 5000)]])
    places = np.arange(N)[:: max(1, N // 5000)] / N
    return float(np.abs(wanted - places).max() * math.sqrt(N))


def test_distributions() -> None:
    assert largest_gap(RNG.uniform(size=N), lambda x: x) < 2.7
    assert largest_gap(RNG.normal(size=N), lambda x: 0.5 * math.erfc(-x / math.sqrt(2))) < 2.7
    assert largest_gap(RNG.exponential(size=N), lambda x: 1 - math.exp(-x)) < 2.7


@pytest.mark.parametrize("mean", [0.3, 4.0, 10.0, 11.0, 37.5, 1e4])
def test_poisson(mean: float) -> None:
    drawn = RNG.poisson(size=N, mean=mean)
    most = int(mean + 4 * math.sqrt(mean) + 3)
    least = max(0, int(mean - 4 * math.sqrt(mean)))
    terms = np.array([math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(least, most)])
    counts = np.append(np.bincount(drawn, minlength=most)[least:most], ((drawn < least) | (drawn >= most)).sum())
    assert abs(chi_square(counts, N * np.append(terms, 1 - terms.sum()))) < 5


@pytest.mark.parametrize("high", [2, 6, 100, 1000])
def test_integers(high: int) -> None:
    counts = np.bincount(RNG.integers(size=N, high=high), minlength=high)
    assert abs(chi_square(counts, np.full(high, N / high))) < 5


def test_no_bit_leans() -> None:
    drawn = [RNG.bits(i) for i in range(20_000)]
    for bit in range(63):
        ones = sum(each >> bit & 1 for each in drawn)
        assert abs(ones - 10_000) < 5 * math.sqrt(5_000), bit


def test_neighbours_steps_seeds_and_children_have_nothing_in_common() -> None:
    first = RNG.normal(size=N)
    others = {
        "next elements": np.roll(first, 1),
        "elements 2**16 further": np.roll(first, 1 << 16),
        "next step": RNG.normal(size=N, step=1),
        "step 2**32": RNG.normal(size=N, step=1 << 32),
        "next seed": Stream(RNG.seed + 1).normal(size=N),
        "seed 2**32 further": Stream(RNG.seed + (1 << 32)).normal(size=N),
        "a child": RNG.child(0).normal(size=N),
        "uniform numbers": (RNG.uniform(size=N) - 0.5) * math.sqrt(12),
    }
    for name, other in others.items():
        assert abs(float((first * other).sum())) / math.sqrt(N) < 5, name


def test_pairs_and_triples_fill_their_cubes() -> None:
    drawn = (RNG.uniform(size=3 * N // 3) * 16).astype(np.int64)
    pairs = drawn[:-1:2] * 16 + drawn[1::2]
    assert abs(chi_square(np.bincount(pairs, minlength=256), np.full(256, len(pairs) / 256))) < 5
    triples = drawn[: len(drawn) // 3 * 3].reshape(-1, 3) @ np.array([256, 16, 1])
    assert abs(chi_square(np.bincount(triples, minlength=4096), np.full(4096, len(triples) / 4096))) < 5


def test_birthdays_are_as_close_as_chance_has_them() -> None:
    """Marsaglia's spacings: 2**12 birthdays in 2**32 days, equal spacings follow Poisson's law of mean 4."""
    equal = []
    for step in range(100):
        days = np.sort(RNG.integers(size=1 << 12, high=1 << 32, step=step))
        spacings = np.sort(np.diff(days))
        equal.append(int((np.diff(spacings) == 0).sum()))
    assert abs(np.mean(equal) - 4.0) < 5 * math.sqrt(4.0 / len(equal))
