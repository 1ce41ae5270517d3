"""Floats that a loop may add up in an order of its own, by `with sync(s, scan=...)`.

What is summed up here is exact in any order, so that the bits are those of plain Python. Which order it is, is tested in
`tests/transforms/frontend/test_claimed_scans.py`.
"""

from __future__ import annotations

import numpy as np

from somd import dist, shared, somd, sync
from tests.language.program import numbers, program, reverse, spaced

A = dist[np.ndarray]
#: none, one, a lane that is not full, lanes that are, more than a block of them
SIZES = (0, 1, 15, 48, 131, 16500)


def halves(n: int, dtype: type = np.float64) -> np.ndarray:
    return (numbers(n, dtype=np.int64) / 2).astype(dtype)


@program(
    lambda: [(halves(n), np.float64(0.5)) for n in SIZES] + [(spaced(halves(150)), -1.0), (reverse(halves(150)), 0.0)]
)
@somd
def running_sums(a: A, s: float) -> tuple[np.ndarray, float]:
    out = np.empty_like(a)
    with sync(s, scan="+"):
        for i in range(len(a)):
            s += a[i]
            out[i] = s
    return out, s


@program(lambda: [(halves(n, np.float32),) for n in SIZES[1:]])
@somd
def sums_of_some_backwards_in_place(a: A) -> np.float32:
    s: shared[np.float32] = np.float32(2)
    with sync(s, scan="+"):
        for i in range(len(a) - 1, 0, -3):
            before = s
            half = a[i] * np.float32(0.5)
            if half > 0:
                s = half + s
            for _ in range(i % 3):
                s -= a[i]
            a[i] = before
    return s


@program(lambda: [(halves(n), halves(n + 7)) for n in SIZES])
@somd
def filtered_by_two_sums(a: A, b: A) -> tuple[np.ndarray, int, float, float]:
    out = np.zeros(len(a) + 1)
    s = t = np.float64(0.0)
    most = np.float64(0.0)
    k = 0
    with sync(s, t, scan="+"):
        for i in range(len(a)):
            s += a[i]
            t += b[i + 7] - b[i]
            if s > t:
                out[k] = s - t
                k += 1
            most = max(most, s)
    return out, k, most, t


@program(lambda: [(halves(n), numbers(n, dtype=np.int64) % 40 == 0) for n in SIZES])
@somd
def sums_of_segments(a: A, begins: A) -> tuple[np.ndarray, float]:
    out = np.empty_like(a)
    s = 0.25
    with sync(s, scan="+"):
        for i in range(len(a)):
            if begins[i]:
                s = 1.5
            s += a[i]
            out[i] = s
            if a[i] > 8:
                s = a[i]
    return out, s


@program(lambda: [(numbers(n, m, dtype=np.int64) / 4,) for n, m in ((0, 30), (1, 31), (3, 150))])
@somd
def sums_of_rows(a: A) -> np.ndarray:
    out = np.empty_like(a)
    for r in range(a.shape[0]):
        s = 0.0
        with sync(s, scan="+"):
            for j in range(a.shape[1]):
                s += a[r, j]
                out[r, j] = s
    return out


@program(lambda: [(halves(n), halves(n), step) for n, step in ((1, 7), (131, 1), (131, 7))])
@somd
def two_blocks_of_any_step(a: A, b: A, step: int) -> float:
    s = 0.0
    with sync(s, scan="+"):
        s += 0.5
        for i in range(0, len(a), step):
            s += a[i]
            b[i] = s
    with sync(s, scan="+"):
        for i in range(len(a)):
            s -= b[i]
            a[i] = s
    return s


@program(lambda: [(halves(n), numbers(n, dtype=np.int64, low=-n, high=n - 1)) for n in SIZES[1:]])
@somd
def filtered_by_what_is_gathered(a: A, index: A) -> tuple[np.ndarray, int]:
    out = np.zeros(len(index))
    s = 0.0
    k = 0
    with sync(s, scan="+"):
        for i in range(len(index)):
            s += a[index[i]]
            if s < 0.0:
                out[k] = s
                k += 1
    return out, k


@program(lambda: [(halves(n), numbers(n, dtype=np.int64) % 3 - 1.0) for n in SIZES])
@somd
def signed_recurrence(a: A, signs: A) -> tuple[np.ndarray, float]:
    out = np.empty_like(a)
    x = 1.0
    with sync(x, scan="affine"):
        for i in range(len(a)):
            x += (signs[i] + 1.0) * (a[i] - x)
            if i % 5 == 2:
                x *= -1.0
            out[i] = x + 1.0
    return out, x


@program(lambda: [(numbers(n, dtype=np.int64), 3) for n in (0, 131)])
@somd
def scan_of_integers(a: A, s: int) -> np.ndarray:
    out = np.empty_like(a)
    with sync(s, scan="+"):
        for i in range(len(a)):
            s += a[i]
            out[i] = s
    return out
