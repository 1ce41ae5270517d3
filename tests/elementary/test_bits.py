"""Elementary functions have the bits of their text in Python on every target, for every share and number of workers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import somd
from somd.elementary.functions import ALL, SINGLES
from tests.elementary.methods import (
    EXPONENTS,
    ONE,
    TWO,
    literal_powers,
    of_one,
    of_one_single,
    of_two,
    of_two_single,
    waves,
)

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 5e-324, -1e-310, 1e-40]
SPECIAL += [1e22, 2.0**1000, -(2.0**30), 2.0**30 + 1, 709.9, -745.5, 710.4, 171.7, -170.5, -184.5, 1e308]


def sample(count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    near = [rng.uniform(-size, size, count) for size in (1.0, 3.0, 30.0, 800.0)]
    far = rng.choice([-1.0, 1.0], count) * np.exp2(rng.uniform(-1070, 1020, count))
    return np.concatenate([SPECIAL, *near, far])


def in_python(function: Callable[..., float], *arguments: np.ndarray) -> np.ndarray:
    """What the text of a function gives; nan where Python raises and compiled code does not."""
    found = []
    for values in zip(*(each.tolist() for each in arguments), strict=True):
        try:
            found.append(function(*values))
        except (ZeroDivisionError, OverflowError):
            found.append(math.nan)
    return np.array(found)


def assert_same(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    same = (found == expected) & (np.signbit(found) == np.signbit(expected)) | np.isnan(found) & np.isnan(expected)
    wrong = np.flatnonzero(~same)
    assert not len(wrong), f"{what}: {len(wrong)} differ, the first at {wrong[0]}: {found[wrong[0]]!r}"


def rows(method: Any, target: str, count: int, *arguments: np.ndarray) -> np.ndarray:
    out = np.zeros((count, len(arguments[0])), arguments[0].dtype)
    with somd.use(target=target, workers=2):
        method(*arguments, out)
    return out


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_targets_agree_to_the_bit(dtype: Any) -> None:
    with np.errstate(over="ignore", under="ignore"):
        a = sample(300).astype(dtype)
        b = np.random.default_rng(1).permutation(a)
    single = dtype == np.float32
    one, two = (of_one_single, of_two_single) if single else (of_one, of_two)
    names = ONE[:20] if single else ONE
    for method, count, arguments in ((one, len(names), (a,)), (two, len(TWO), (a, b))):
        found, other = (rows(method, target, count, *arguments) for target in ("multicore", "opencl"))
        for row in range(count):
            assert_same(other[row], found[row], f"row {row} of {method.__name__}")


def test_bits_are_those_of_the_text() -> None:
    a = sample(12)
    a = a[(np.abs(a) > 1e-300) & np.isfinite(a)]
    found = rows(of_one, "multicore", len(ONE), a)
    for row, name in enumerate(ONE):
        expected = in_python(ALL[name], a)
        known = ~np.isnan(expected)
        assert_same(found[row][known], expected[known], name)


@pytest.mark.parametrize("name", SINGLES)
def test_singles_have_the_bits_of_their_text(name: str) -> None:
    with np.errstate(all="ignore"):
        a = np.concatenate([sample(60), np.exp2(np.linspace(-149, 127, 70)), [88.8, -87.4, -103.9]]).astype(np.float32)
        expected = np.array([SINGLES[name](each) for each in a], np.float32)
    assert_same(rows(of_one_single, "multicore", 20, a)[ONE.index(name)], expected, name)


@pytest.mark.parametrize("target", ["multicore", "opencl"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_literal_exponents_have_the_bits_of_pow(target: str, dtype: Any) -> None:
    with np.errstate(over="ignore", under="ignore"):
        a = sample(300).astype(dtype)
    found = rows(literal_powers, target, len(EXPONENTS), a)
    general = of_two_single if dtype == np.float32 else of_two
    for row, exponent in enumerate(EXPONENTS):
        if exponent in (3.0, 4.0):  # products, within half a place
            continue
        b = np.full_like(a, exponent)
        assert_same(found[row], rows(general, target, len(TWO), a, b)[0], f"x ** {exponent}")


@pytest.mark.parametrize("target", ["multicore", "opencl"])
def test_powers_follow_numpys_scalars_at_special_values(target: str) -> None:
    values = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, np.inf, -np.inf, np.nan, 1e300, -5e-324])
    a, b = (each.ravel().copy() for each in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        expected = np.array([x**y for x, y in zip(a, b, strict=True)])
    assert_same(rows(of_two, target, len(TWO), a, b)[0], expected, "x ** y")


@pytest.mark.parametrize("target", ["multicore", "opencl"])
def test_conventions_where_math_raises(target: str) -> None:
    a = np.array([0.0, -0.0, -1.0, -2.5, 1000.0, -np.inf, 2.0])
    with np.errstate(all="ignore"):
        found = dict(zip(ONE, rows(of_one, target, len(ONE), a), strict=True))
        for name in ("exp", "log", "log2", "log10", "log1p", "sin", "cosh", "expm1"):
            assert np.allclose(found[name], getattr(np, name)(a), rtol=1e-15, equal_nan=True), name
    assert_same(found["gamma"][:3], np.array([np.inf, -np.inf, np.nan]), "gamma")
    assert_same(found["lgamma"][[0, 1, 2, 5]], np.full(4, np.inf), "lgamma")
    assert np.isnan(found["acosh"][[0, 2, 3]]).all() and np.isnan(found["atanh"][6])


def test_shares_and_workers_do_not_matter_in_strips() -> None:
    rng = np.random.default_rng(5)
    angles = rng.uniform(-50.0, 50.0, 200)
    angles[::17] = rng.uniform(1e9, 1e300, len(angles[::17]))
    angles[[3, 50, 101, 150, 199]] = np.nan, np.inf, -0.0, 1e22, 2.0**1000
    frequencies = np.array([1.0, 3.5, 1e6])
    expected = np.array([total(x, frequencies) for x in angles.tolist()])
    for length in range(201):
        for workers in (1, 2, 3, 7, 50):
            out = np.zeros(length)
            with somd.use(target="multicore", workers=workers, small_work=0):
                waves(angles[:length].copy(), frequencies, out)
            assert_same(out, expected[:length], f"{length} with {workers} workers")
    assert "lane_sin" in waves.source("multicore")


def total(x: float, frequencies: np.ndarray) -> float:
    found = 0.0
    for frequency in frequencies.tolist():
        found += ALL["sin"](frequency * x) - ALL["cos"](x + frequency)
    return found
