"""`np.logaddexp` and `np.logaddexp2`, which `math` does not have: within 2 units of the last place of the largest
of result and arguments, the same bits on every target, and what NumPy gives for infinite numbers and for none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist, reduce
from tests.differential import harness

Array = np.ndarray[Any, Any]
ENDS = (0.0, -0.0, 1.5, -1.5, 710.0, -710.0, 1e300, -1e300, math.inf, -math.inf, math.nan)


@somd.somd
def sums(a: dist[Array], b: dist[Array], natural: dist[Array], binary: dist[Array]) -> None:
    for i in range(len(a)):
        natural[i] = np.logaddexp(a[i], b[i])
        binary[i] = np.logaddexp2(a[i], b[i])


@somd.somd
def evidence(a: dist[Array], k: int) -> reduce("+"):  # type: ignore[valid-type]
    total = 0.0
    for i in range(len(a)):
        total += np.logaddexp(a[i], k)
    return total


def pairs(dtype: Any) -> tuple[Array, Array]:
    rng = np.random.default_rng(8)
    a = rng.uniform(-1.0, 1.0, 300) * 10.0 ** rng.integers(-3, 4, 300)
    near = a + rng.uniform(-40.0, 40.0, 300)
    ends = np.array([(x, y) for x in ENDS for y in ENDS]).T
    with np.errstate(over="ignore"):
        return tuple(np.concatenate(each).astype(dtype) for each in ((a, ends[0]), (near, ends[1])))  # type: ignore[return-value]


def found(target: str, a: Array, b: Array) -> tuple[Array, Array]:
    out = np.empty_like(a), np.empty_like(a)
    with somd.use(target=target, workers=2):
        sums(a, b, *out)
    return out


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.usual(2)
def test_within_two_units_of_the_largest(dtype: Any) -> None:
    mp = pytest.importorskip("mpmath")
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        numpys = np.logaddexp(a, b), np.logaddexp2(a, b)
    for made, theirs, base in zip(found("multicore", a, b), numpys, (mp.e, 2), strict=True):
        regular = np.isfinite(theirs)
        assert np.array_equal(made[~regular], theirs[~regular], equal_nan=True)
        for x, y, value in zip(a[regular].tolist(), b[regular].tolist(), made[regular].tolist(), strict=True):
            with mp.workprec(200):
                larger, smaller = max(x, y), min(x, y)
                exact = larger + mp.log1p(mp.power(base, mp.mpf(smaller) - larger)) / mp.log(base)
                largest = max(abs(each) for each in (x, y, value) if math.isfinite(each))
                unit = float(np.spacing(dtype(largest)))
                assert abs(exact - value) <= 2.0 * unit, (x, y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_targets_agree_to_the_bit(dtype: Any) -> None:
    why = harness.unavailable("opencl")
    if why is not None:
        pytest.skip(why)
    a, b = pairs(dtype)
    for one, other in zip(found("multicore", a, b), found("opencl", a, b), strict=True):
        assert np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_of_integers_and_in_reductions(target: str) -> None:
    why = harness.unavailable(target)
    if why is not None:
        pytest.skip(why)
    harness.check(evidence, (np.arange(-50, 50), 3), target, workers=(1, 2, 3, 7), rtol=1e-13)
    harness.check(evidence, (np.linspace(-5, 5, 1000), -1), target, workers=(1, 2, 3, 7), rtol=1e-13)
