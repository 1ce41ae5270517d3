"""An access that failed ends its iteration on a device, too: as plain Python, which goes no further."""

from __future__ import annotations

import numpy as np
import pytest

from somd import dist, somd, use


def halvings(x):
    count = 0
    while x != 1:  # for 0, what an access that failed gives, without end
        x //= 2
        count += 1
    return count


def some(x):
    return halvings(x) + 1


@somd
def loops(
    a: dist[np.ndarray], sums: np.ndarray, nested: np.ndarray, stored: np.ndarray, called: np.ndarray, steps: np.ndarray
) -> dist[np.ndarray]:
    c = np.zeros(len(a), np.int64)
    for i in range(min(len(a), len(sums))):
        s = 0
        for k in range(sums[i]):
            s += a[k]
        c[i] += s
    for i in range(min(len(a), len(nested))):
        s = 0
        for k in range(nested[i]):
            for m in range(nested[i]):
                s += a[k + m]
        c[i] += s
    for i in range(min(len(a), len(stored) - 1)):
        for k in range(stored[i], stored[i + 1]):
            c[i] += a[k] * a[k]
    for i in range(min(len(a), len(called))):
        c[i] += some(a[called[i]])
    for i in range(min(len(a), len(steps))):
        step, t = a[steps[i]], 0
        while t < 100:
            t += step
        c[i] += t
    return c


@pytest.mark.parametrize("bad", ["", "sums", "nested", "stored", "called", "steps"])
def test_loops_end_with_the_first_fault(bad):
    names = ("sums", "nested", "stored", "called", "steps")
    given = {name: np.array([0, 1, 2, 3, 3, 2]) for name in names}
    if bad:
        given[bad][3:5] = 2**60, 7
    arguments = np.arange(1, 8), *given.values()
    with use(target="opencl"):
        if not bad:
            assert (loops(*arguments) == loops.sequential(*arguments)).all()
            return
        for method in (loops, loops.sequential):
            with pytest.raises(IndexError):
                method(*arguments)


@somd
def shorts(a: dist[np.ndarray], k: int):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if j > i:
                break
            a[i, j] = i * k + j


def test_a_number_that_is_tested_and_stored_as_a_short_one():
    a, b = np.zeros((2, 5, 5), np.int16)
    with use(target="opencl"):
        shorts(a, 3)
    shorts.sequential(b, 3)
    assert (a == b).all()
