"""Steps, directions, triangles, grids, and what may stand in a nest."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import dim, dist, single, somd, sync
from tests.language.program import SHAPES, SIZES, SQUARES, numbers, program, spaced

A = dist[np.ndarray]
STRIDE = 3


def vectors(*more):
    return [(numbers(n), *more) for n in SIZES]


def matrices(*more):
    return [(numbers(n, m), *more) for n, m in SHAPES]


@program(lambda: vectors())
@somd
def backwards(a: A) -> None:
    for i in range(len(a) - 1, -1, -1):
        a[i] = 2.0 * a[i] + i


@program(lambda: [(numbers(n), numbers(n)) for n in SIZES])
@somd
def reversed_copy(a: A, b: A) -> None:
    for i in range(len(a)):
        b[len(a) - 1 - i] = a[i]


@program(lambda: [(numbers(n), numbers(2 * n)) for n in SIZES])
@somd
def interleave(a: A, b: A) -> None:
    for i in range(len(a)):
        b[2 * i] = a[i]
        b[2 * i + 1] = -a[i]


@program(lambda: vectors())
@somd
def evens_from_odds(a: A) -> None:
    for i in range(len(a) // 2):
        a[2 * i] = a[2 * i + 1] + 1.0


@program(lambda: vectors())
@somd
def second_half_from_first(a: A) -> None:
    h = len(a) // 2
    for i in range(h):
        a[i + h] = a[i] * 2.0


@program(lambda: vectors())
@somd
def captured_step(a: A) -> None:
    for i in range(1, len(a), STRIDE):
        a[i] = a[i - 1] + 1.0


@program(lambda: vectors())
@somd
def negative_step_of_two(a: A) -> None:
    for i in range(len(a) - 1, 0, -2):
        a[i] = a[i - 1] * 0.5


@program(lambda: [(numbers(n, n),) for n in SQUARES])
@somd
def upper_triangle(a: Annotated[np.ndarray, dist, dim(0, 1)]) -> None:
    for i in range(a.shape[0]):
        for j in range(i, a.shape[1]):
            a[i, j] = 10.0 * i + j


@program(lambda: matrices() + [(numbers(3, 50),)])
@somd
def blocks_with_steps(a: Annotated[np.ndarray, dist, dim(0, 1)]) -> None:
    for i in range(a.shape[0] - 1, -1, -2):
        for j in range(i % 3, a.shape[1], 3):
            a[i, j] = i * 10.0 + j


@program(lambda: matrices())
@somd
def grid_backwards(a: Annotated[np.ndarray, dist, dim(0, 1)]) -> None:
    for i in range(a.shape[0] - 1, -1, -1):
        for j in range(a.shape[1] - 1, i - 1, -1):
            a[i, j] += i - j


@program(lambda: [(numbers(n, m, 3),) for n, m in SHAPES])
@somd
def three_dimensions(a: A) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                a[i, j, k] = a[i, j, k] + i + 10 * j + 100 * k


@program(lambda: [(numbers(n, n),) for n in SQUARES])
@somd
def mirrored_columns(a: A) -> np.ndarray:
    n = a.shape[0]
    b = np.zeros_like(a)
    for i in range(n):
        for j in range(n):
            b[i, n - 1 - j] = a[i, j]
    return b


@program(lambda: [(numbers(n, n),) for n in SQUARES])
@somd
def diagonals(a: A) -> None:
    n = a.shape[0]
    for i in range(n):
        a[i, i] = 1.0
        a[i, n - 1 - i] += 2.0


@program(lambda: [(numbers(n), lo, hi) for n in SIZES for lo, hi in ((0, n), (n // 2, n), (n, 0), (1, n - 1))])
@somd
def bounds_from_arguments(a: A, lo: int, hi: int) -> None:
    for i in range(max(lo, 0), hi):
        a[i] = -a[i]


@program(lambda: [(numbers(n),) for n in (4, 7, 131)])
@somd
def several_loops_and_scalars(a: A) -> np.ndarray:
    n = len(a)
    b = np.zeros(n)
    scale = 2.0
    for i in range(n):
        b[i] = scale * a[i]
    scale = scale + b[n - 1]
    offset = b[0] if scale > 0.0 else b[1]
    for i in range(n):
        b[i] = b[i] / scale - offset
    b[n // 2] = 7.0
    half = n // 2
    for i in range(half, n):
        b[i] = b[i] + a[n - 1 - i]
    return b


@program(lambda: vectors(3))
@somd
def uniform_loop_with_break(a: A, limit: int) -> int:
    rounds = 0
    for t in range(10):
        if t == limit:
            break
        if t == 1:
            continue
        for i in range(len(a)):
            a[i] = a[i] * 0.5 + t
        rounds += 1
    return rounds


@program(lambda: vectors(True) + vectors(False))
@somd
def phases_under_conditions(a: A, flag: bool) -> int:
    if flag:
        for i in range(len(a)):
            a[i] += 1.0
        return 1
    elif len(a) > 3:
        for i in range(len(a)):
            a[i] -= 1.0
    else:
        for i in range(len(a)):
            a[i] *= 2.0
    return 2


@program(lambda: vectors())
@somd
def ordered_in_single(a: A) -> None:
    for i in range(len(a)):
        a[i] = a[i] * 2.0
    with single:
        for i in range(1, len(a)):
            a[i] = a[i] + a[i - 1]
    for i in range(len(a)):
        a[i] = a[i] + 1.0


@program(lambda: [(numbers(n, n, low=1),) for n in SQUARES])
@somd
def floyd_warshall(d: A) -> None:
    n = d.shape[0]
    old = d.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(old[i, j], old[i, k] + old[k, j])
        for i in range(n):
            for j in range(n):
                old[i, j] = d[i, j]


@program(lambda: vectors(4))
@somd
def sync_in_a_uniform_loop(a: A, steps: int) -> None:
    for p in range(steps):
        with sync:
            for i in range(1 + p % 2, len(a) - 1, 2):
                a[i] = 0.5 * (a[i - 1] + a[i + 1])


@program(lambda: vectors())
@somd
def one_line_loops(a: A) -> None:
    # fmt: off
    n = len(a); m = n // 2
    for i in range(m): a[i] = 1.0; a[i] += 2.0
    for i in range(m, n): a[i] = 3.0
    # fmt: on


@program(
    lambda: [
        (numbers(n), numbers(m, seed=1), p, q)
        for n, m in ((9, 7), (5, 9), (0, 3))
        for p, q in ((0, 9), (-3, 6), (2, 20))
    ]
)
@somd
def between_extremes(a: A, b: A, p: int, q: int) -> float:
    """Bounds that add to the least or greatest of several numbers."""
    for i in range(max(p, 1) + 1, min(len(a), len(b), q) - max(p, 2)):
        a[i] = b[i] + b[i - 1]
    s = np.float64(0.0)
    for i in range(min(len(b), q) - 1, -1, -1):
        s = max(s, b[i])
    return s


@program(lambda: [(numbers(n), m) for n, m in ((7, 3), (5, 0))])
@somd
def loops_of_nothing(a: A, m: int) -> None:
    """Loops whose body is `pass`."""
    for i in range(len(a)):
        for j in range(m):
            pass
        for j in range(m):
            for k in range(m):
                pass
        a[i] += 1.0
