"""Loops whose sweeps are run several at a time, against the function as written: bit for bit."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pytest

import somd as package
from somd import ByKey, dist, like, partition, somd
from somd.runtime.multicore.sweeps import sweeps_at_a_time
from somd.transforms.pipeline import check as plan_of
from somd.transforms.stages import Uniform, all_steps
from tests.differential.harness import check
from tests.language.program import numbers


@somd
def exchanged(A: dist[np.ndarray], B: dist[np.ndarray], steps: int) -> np.ndarray:
    for _ in range(steps):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                B[i, j] = A[i, j] + 0.1 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1] - 4.0 * A[i, j])
        A, B = B, A
    return A


@somd
def copied_back(A: dist[np.ndarray], steps: int) -> int:
    B = A.copy()
    t = -1
    for t in range(3, 3 + 2 * steps, 2):
        for i in range(1, A.shape[0] - 1):
            for j in range(A.shape[1]):
                B[i, j] = 0.5 * A[i - 1, j] + 0.25 * A[i + 1, j] + t
        for i in range(2, A.shape[0]):
            for j in range(A.shape[1]):
                A[i, j] = B[i - 1, j]
    return t


@somd
def colours(G: dist[np.ndarray], steps: int) -> None:
    for _ in range(steps):
        for colour in range(2):
            for i in range(1, G.shape[0] - 1):
                for j in range(1 + (i + colour) % 2, G.shape[1] - 1, 2):
                    G[i, j] = 0.25 * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1])


@somd
def three_colours(G: dist[np.ndarray], F: dist[np.ndarray], steps: int) -> None:
    for p in range(steps):
        for i in range(2, G.shape[0] - 2):
            for j in range(2 + (i + p) % 3, G.shape[1] - 2, 3):
                G[i, j] = F[i, j] + G[i - 2, j] - G[i + 1, j] + G[i, j - 2] * j + G[i, j + 1]


@somd
def wide(x: dist[np.ndarray], y: dist[np.ndarray], steps: int) -> float:
    weight = 1.0
    for _ in range(steps):
        for i in range(3, len(x) - 3):
            y[i] = weight * (x[i - 3] + x[i + 3])
        weight = weight * 0.5 + 0.125
        for i in range(3, len(x) - 3):
            x[i] = y[i - 1] - weight
    return weight


@somd
def own(x: dist[np.ndarray], steps: int) -> None:
    for t in range(steps):
        for i in range(len(x)):
            x[i] = x[i] * 0.5 + t


@somd
def scattered(
    y: np.ndarray,
    key: Annotated[np.ndarray, dist, partition(ByKey)],
    other: Annotated[np.ndarray, dist, like("key")],
    x: np.ndarray,
    steps: int,
) -> None:
    for _ in range(steps):
        for k in range(len(key)):
            y[key[k]] += x[other[k]]


@somd
def strided(x: dist[np.ndarray], y: dist[np.ndarray], steps: int) -> None:
    for _ in range(steps):
        for i in range(0, len(x), 2):
            x[i] = x[i] + y[i]
        for i in range(1, len(x), 2):
            y[i] = x[i - 1] - y[i - 1]


def radii(method: Any) -> list[int | None]:
    steps = all_steps(plan_of(method.__wrapped__))
    return [step.sweeps and step.sweeps.radius for step in steps if isinstance(step, Uniform)]  # type: ignore[misc]


def test_radii() -> None:
    """What isl proves: the reach of one sweep, 0 where no MI depends on another."""
    assert [radii(m)[0] for m in (exchanged, copied_back, colours, wide, own, scattered)] == [1, 1, 1, 3, 0, 0]


def grid(rows: int, columns: int, dtype: Any = float) -> np.ndarray:
    return numbers(rows, columns, dtype=dtype)


CASES = {
    "exchanged": (exchanged, [(grid(s, 9), grid(s, 9) * 2, n) for s in (2, 5, 40, 90) for n in (0, 1, 2, 9)]),
    "exchanged strided float32": (
        exchanged,
        [(grid(80, 18, np.float32)[::2, ::2], grid(9, 40, np.float32).T, n) for n in (3, 5, 8)],
    ),
    "copied back": (copied_back, [(grid(s, 3), n) for s in (0, 1, 3, 41, 130) for n in (0, 1, 2, 11)]),
    "colours": (colours, [(grid(*s), n) for s in ((3, 3), (4, 9), (40, 8), (131, 7)) for n in (0, 1, 4, 5, 21)]),
    "three colours": (three_colours, [(grid(*s), grid(*s), n) for s in ((5, 5), (80, 23)) for n in (7, 8, 9, 20)]),
    "wide": (wide, [(numbers(s), numbers(s, seed=1), n) for s in (0, 7, 200, 1000) for n in (0, 1, 2, 13)]),
    "own": (own, [(numbers(s), n) for s in (0, 1, 5, 1000) for n in (0, 1, 2, 7)]),
    "strided": (strided, [(numbers(s), numbers(s, seed=1), n) for s in (0, 1, 2, 101, 400) for n in (1, 2, 6)]),
}


@pytest.mark.parametrize("name", CASES)
def test_as_written(name: str) -> None:
    method, cases = CASES[name]
    for case in cases:
        check(method, case, "multicore")


def test_scattered() -> None:
    keys = np.sort(numbers(500, dtype=np.int64, low=0, high=40))
    others = numbers(500, dtype=np.int64, low=0, high=29)
    for steps in (0, 1, 2, 5):
        check(scattered, (np.zeros(41), keys, others, numbers(30), steps), "multicore")


def test_lowest_failing_iteration() -> None:
    """A bad index fails in the first sweep, and the lowest iteration is named, whatever the other MIs went on to."""
    keys, others = np.arange(200), np.zeros(200, np.int64)
    others[150], others[170] = 77, 99
    for workers in (1, 2, 7):
        with package.use(target="multicore", workers=workers), pytest.raises(IndexError, match="77"):
            scattered(np.zeros(200), keys, others, np.ones(30), 5)


def test_check_that_fails() -> None:
    """An access that leaves its array is found before anything is written."""
    a, b = np.ones((50, 9)), np.ones((40, 9))
    with package.use(target="multicore", workers=2), pytest.raises(IndexError, match=r"B\[i, j\]|B\[i,j\]"):
        exchanged(a, b, 4)
    assert (b == 1).all()


def test_wedges_fit() -> None:
    """Neighbouring wedges do not meet: a part is at least two of them wide."""
    for rows in (1, 10, 64, 1000):
        for workers in (1, 2, 7, 50):
            for radius, sweeps in ((1, 1), (1, 2), (3, 2)):
                depth, width, parts = sweeps_at_a_time(100, sweeps, radius, rows, workers, rows * 800, 0)
                assert depth >= 1 and width >= 1 and 1 <= parts <= workers
                alone = parts == 1 or depth * sweeps == 1
                assert alone or 2 * depth * sweeps * radius <= rows // parts
