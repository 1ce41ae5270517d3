"""Chains of sums that are run from guesses have the bits of the sums in order, whatever is added."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd import somd as method
from somd.transforms.frontend.chains import FIRST, STRIP
from tests.differential.harness import TARGETS, unavailable

A = dist[np.ndarray]
TRIPS = 2 * STRIP + 3333


@method
def added(x: A, u: A, s: float) -> tuple[np.ndarray, np.ndarray, float]:
    before = np.empty_like(x)
    behind = np.empty_like(x)
    for i in range(len(x)):
        before[i] = s
        s += x[i] / u[i] / u[i] / u[i] / u[i] / u[i] / u[i] / u[i] / u[i]
        behind[i] = s
    return before, behind, s


@method
def taken_away(x: A, u: A, s: np.float32, first: int) -> tuple[A, np.float32]:
    for i in range(first, first + len(x)):
        k = i - first
        s = s - x[k] / u[k] / u[k] / u[k] / u[k] / u[k] / u[k] / u[k] / u[k]
        x[k] = s
    return x, s


@method
def handed(x: A, u: A) -> np.ndarray:
    out = np.zeros_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = x[i] / u[i] + out[i - 1]
    return out


def hostile(dtype: Any, trips: int) -> Iterator[tuple[str, float, np.ndarray]]:
    """What makes sums round in every way: a start, and terms."""
    draw, digits = np.random.default_rng(7), np.finfo(dtype).nmant
    few = np.finfo(dtype).maxexp // 2
    for base in (13, -few):
        unit, power = np.ldexp(1.0, base - digits), np.ldexp(1.0, base)
        small = draw.integers(-4, 5, trips)
        yield f"grows from {power}", power, draw.random(trips) * power
        yield f"falls from {power}", -1.9 * power, -draw.random(trips) * unit * 99
        yield f"ties at {power}", 1.5 * power, small * unit / 2
        yield f"ties and growth at {power}", power, abs(small) * unit / 2 + power / (1 << 14)
        yield f"quarters at {power}", 1.75 * power, small * unit / 4
        yield f"walks from {power}", power, (draw.random(trips) - 0.5) * power / 64
        yield f"to and fro at {power}", power, np.where(np.arange(trips) % 2, 1, -1) * unit * abs(small)
        jumps = np.where(draw.random(trips) < 1e-4, 1000 * power, power / (1 << 10))
        yield f"jumps at {power}", 3 * power, jumps * draw.choice([1, 1, 1, -1], trips)
    tiny = np.finfo(dtype).smallest_subnormal
    yield "subnormal", 0.0, draw.integers(0, 3, trips) * float(tiny)
    yield "zeros", -0.0, np.where(np.arange(trips) < STRIP + 700, -0.0, 0.0)
    for what in (np.inf, np.nan, np.finfo(dtype).max):
        late = draw.random(trips)
        late[[STRIP + 1000, -5]] = what, -what
        yield f"{what}", 1.0, late


def bits(array: Any) -> np.ndarray:
    array = np.atleast_1d(array)
    words = array.view(np.int64 if array.dtype == np.float64 else np.int32)
    return np.where(np.isnan(array), 0, words)


def in_order(start: Any, terms: np.ndarray, step: Callable[..., Any]) -> np.ndarray:
    """The values before all trips, and behind the last one."""
    with np.errstate(all="ignore"):
        made = step.accumulate(np.concatenate([[start], terms]).astype(terms.dtype))  # type: ignore[attr-defined]
    return np.asarray(made)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.usual(2)
def test_sums_have_the_bits_of_plain_python(target: str) -> None:
    if reason := unavailable(target):
        pytest.skip(reason)
    trips = TRIPS if target == "multicore" else STRIP + 5000
    one = np.ones(trips)
    with somd.use(target=target):
        for k, (what, start, x) in enumerate(hostile(np.float64, trips)):
            if target == "opencl" and k % 9:
                continue
            with somd.use(workers=1 + k % 2):
                before, behind, last = added(x, one, float(start))
            expected = in_order(start, x, np.add)
            assert np.array_equal(bits(before), bits(expected[:-1])), what
            assert np.array_equal(bits(behind), bits(expected[1:])), what
            assert np.array_equal(bits(last), bits(expected[-1])), what


def test_singles_are_taken_away_in_place() -> None:
    for k, (what, start, wide) in enumerate(hostile(np.float32, TRIPS)):
        with np.errstate(all="ignore"):
            x = wide.astype(np.float32)
        expected = in_order(np.float32(start), x, np.subtract)
        with somd.use(target="multicore", workers=1 + k % 2):
            values, last = taken_away(x, np.ones(TRIPS, np.float32), np.float32(start), (0, -7, 5)[k % 3])
        assert values is x and last.dtype == np.float32
        assert np.array_equal(bits(values), bits(expected[1:])), what
        assert np.array_equal(bits(last), bits(expected[-1])), what


def test_elements_that_are_handed_on_are_sums_in_order() -> None:
    x = np.random.default_rng(0).random(TRIPS)
    for trips, workers in ((TRIPS, 1), (TRIPS, 2), (1, 2), (2, 2), (FIRST, 2), (FIRST + 1, 7), (FIRST + 2, 2)):
        with somd.use(target="multicore", workers=workers, small_work=0):
            assert np.array_equal(handed(x[:trips], np.ones(trips)), np.add.accumulate(x[:trips])), trips


def test_one_thread_runs_cheap_sums_as_they_are_written() -> None:
    plan = str(handed.explain())
    assert "where one thread runs all of the loop, as it is written:" in plan
    assert re.search(r"phase 1, line \d+: for \w+__block in range\(96\)", plan)


def test_the_blocks_of_a_strip_are_divided() -> None:
    plan = str(added.explain())
    assert re.search(
        r"phase 1, line \d+: for s__block in range\(96\)\n.*blocks.*\n.*; writes before, .* s__value", plan
    )
    assert re.search(r"otherwise:(?s:.*)phase \d+, line \d+: for s__block in range\(min", plan)
