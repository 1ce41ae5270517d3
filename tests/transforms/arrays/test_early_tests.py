"""Tests of lengths stand before the loop that repeats them, so that its phases are sweeps; what raises is the same."""

from __future__ import annotations

import numpy as np
import pytest

from somd import somd, use


@somd
def smoothed(a, b, steps: int) -> None:
    for _ in range(steps):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        a[1:-1] = b[1:-1]


def test_a_time_loop_of_array_statements_is_made_of_sweeps() -> None:
    assert "runs several sweeps from fence to fence" in str(smoothed.explain())


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_lengths_that_differ(steps: int) -> None:
    with use(target="multicore", workers=2, small_work=0):
        if steps == 0:
            smoothed(np.ones(5), np.ones(6), steps)
            return
        with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(3,\) into shape \(4,\)"):
            smoothed(np.ones(5), np.ones(6), steps)


@somd
def several(a, b, i: int):
    for _ in range(2):
        b[-i:1:-1] = np.where(a > 1, a, 1)
        c = a[2:-1:2] + a
    return c.sum()


def test_a_test_that_stays_raises_before_those_behind_it() -> None:
    for function in (several, several.sequential):
        with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(7,\) into shape \(4,\)"):
            function(np.arange(7), np.arange(7), 2)


@somd
def coupled(u, h, steps: int, dt, dx) -> None:
    for _ in range(steps):
        u[1:-1] -= 9.81 * dt / (2.0 * dx) * (h[2:] - h[:-2])
        h[1:-1] -= np.sqrt(dt) / (2.0 * dx) * (u[2:] - u[:-2])


def test_numbers_among_arrays_stand_before_the_loop() -> None:
    assert "runs several sweeps from fence to fence" in str(coupled.explain())


@pytest.mark.parametrize("target", ["multicore", "opencl"])
@pytest.mark.parametrize("dt", [0.01, np.float32(0.01)])
@pytest.mark.parametrize("steps", [0, 5])
def test_numbers_of_each_type(target: str, dt: float, steps: int) -> None:
    made = [np.linspace(0, 1, 50, dtype=np.float32) ** k for k in (2, 3)]
    expected = [each.copy() for each in made]
    coupled.sequential(*expected, steps, dt, 0.5)
    with use(target=target, workers=3, small_work=0):
        coupled(*made, steps, dt, 0.5)
        if steps == 0:
            coupled(*made, steps, dt, 0.0)  # nothing divides
    assert all(np.array_equal(one, other) for one, other in zip(made, expected, strict=True))


@somd
def without_a_value(u, steps: int, given: bool) -> None:
    if given:
        dt = 0.1
    for _ in range(steps):
        u[1:-1] += dt * 2.0


def test_a_number_of_a_name_without_a_value_stays_in_the_loop() -> None:
    without_a_value(np.ones(5), 0, False)
    with pytest.raises(UnboundLocalError):
        without_a_value(np.ones(5), 1, False)
