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
