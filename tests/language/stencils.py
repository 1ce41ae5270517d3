"""Grids: heat, red-black, Jacobi, waves, upwind."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import dim, dist, reduce, somd, sync, view
from tests.language.program import SHAPES, SIZES, fortran, numbers, program, reverse, spaced

A = dist[np.ndarray]
GRIDS = (*SHAPES, (3, 3), (2, 9), (17, 4))


def vectors(*more, dtype=float):
    return [(numbers(n, dtype=dtype), *more) for n in SIZES]


def grids(*more, dtype=float):
    return [(numbers(n, m, dtype=dtype), *more) for n, m in GRIDS]


@program(lambda: vectors(5) + vectors(0))
@somd
def heat_1d(u: A, steps: int) -> np.ndarray:
    v = u.copy()
    for t in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, v = v, u
    return u


@program(lambda: [(numbers(n), numbers(n, seed=2), steps) for n in SIZES for steps in (0, 1, 4)])
@somd
def heat_1d_in_the_caller(u: A, v: A, steps: int) -> None:
    for t in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, len(u) - 1):
            u[i] = v[i]


@program(lambda: grids(4) + [(fortran(numbers(6, 8)), 3)])
@somd
def heat_2d(u: A, steps: int) -> np.ndarray:
    n, m = u.shape
    v = u.copy()
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u, v = v, u
    return u


@program(lambda: vectors(3, dtype=np.float32))
@somd
def red_black_1d(a: A, steps: int) -> None:
    for t in range(steps):
        for i in range(1, len(a) - 1, 2):
            a[i] = 0.5 * (a[i - 1] + a[i + 1])
        for i in range(2, len(a) - 1, 2):
            a[i] = 0.5 * (a[i - 1] + a[i + 1])


@program(lambda: grids(3), rtol=1e-12)
@somd
def red_black_rows(G: Annotated[np.ndarray, dist, view((1, 1), (1, 1))], steps: int) -> Annotated[float, reduce("+")]:
    total = np.float64(0.0)
    for p in range(steps):
        with sync:
            for i in range(1, G.shape[0] - 1):
                for j in range(1 + (i + p) % 2, G.shape[1] - 1, 2):
                    G[i, j] = 0.25 * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1])
    for i in range(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total


@program(lambda: grids(4))
@somd
def red_black_blocks(g: Annotated[np.ndarray, dist, dim(0, 1)], sweeps: int) -> None:
    for p in range(sweeps):
        for i in range(1, g.shape[0] - 1):
            for j in range(1 + (i + p) % 2, g.shape[1] - 1, 2):
                g[i, j] += 0.3 * (g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1] - 4.0 * g[i, j])


@program(lambda: [(numbers(n, m), 0.5) for n, m in GRIDS] + [(numbers(4, 4), 1e9)])
@somd
def jacobi_until_it_converges(a: A, tol: float) -> int:
    n, m = a.shape
    b = a.copy()
    error = tol + 1.0
    steps = 0
    while error > tol:
        error = 0.0
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
                error = max(error, abs(b[i, j] - a[i, j]))
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = b[i, j]
        steps += 1
    return steps


@program(lambda: grids(3))
@somd
def column_sweeps(a: Annotated[np.ndarray, dist, dim(1)], passes: int) -> None:
    for p in range(passes):
        for i in range(1, a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] = 0.5 * (a[i - 1, j] + a[i, j])


@program(lambda: [(numbers(n), numbers(n), numbers(n), 6) for n in SIZES])
@somd
def wave_1d(before: A, now: A, after: A, steps: int) -> None:
    for t in range(steps):
        for i in range(1, len(now) - 1):
            after[i] = 2.0 * now[i] - before[i] + 0.04 * (now[i - 1] - 2.0 * now[i] + now[i + 1])
        before, now, after = now, after, before


@program(lambda: [(numbers(n), numbers(n)) for n in SIZES] + [(reverse(numbers(9)), spaced(numbers(9)))])
@somd
def periodic_difference(a: A, out: A) -> None:
    for i in range(len(a)):
        out[i] = a[i] - a[i - 1]


@program(lambda: [(numbers(n), numbers(n)) for n in SIZES])
@somd
def periodic_smoothing(a: A, out: A) -> None:
    n = len(a)
    for i in range(n):
        out[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[(i + 1) % n]


@program(lambda: vectors())
@somd
def shift_left_through_a_copy(a: A) -> None:
    old = a.copy()
    for i in range(len(a) - 1):
        a[i] = old[i + 1]


@program(lambda: [(numbers(n, m, 4), numbers(n, m, 4)) for n, m in GRIDS])
@somd
def laplace_3d(a: A, out: A) -> None:
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            for k in range(1, a.shape[2] - 1):
                s = a[i - 1, j, k] + a[i + 1, j, k] + a[i, j - 1, k] + a[i, j + 1, k]
                out[i, j, k] = s + a[i, j, k - 1] + a[i, j, k + 1] - 6.0 * a[i, j, k]


@program(lambda: [(numbers(n), 0.3) for n in SIZES] + [(numbers(9), -0.7)])
@somd
def upwind(u: A, c: float) -> np.ndarray:
    w = np.zeros_like(u)
    if c > 0:
        for i in range(1, len(u)):
            w[i] = u[i] - c * (u[i] - u[i - 1])
    else:
        for i in range(len(u) - 1):
            w[i] = u[i] - c * (u[i + 1] - u[i])
    return w


@program(lambda: [(numbers(n),) for n in SIZES])
@somd
def boundary_by_conditions(a: A) -> np.ndarray:
    out = np.empty_like(a)
    n = len(a)
    for i in range(n):
        if i == 0:
            out[i] = a[0]
        elif i == n - 1:
            out[i] = a[n - 1]
        else:
            out[i] = (a[i - 1] + a[i + 1]) * 0.5
    return out


@program(lambda: [(numbers(n, n), 3) for n in (0, 1, 2, 3, 4, 9)])
@somd
def relax_triangle(a: Annotated[np.ndarray, dist, dim(0, 1)], sweeps: int) -> None:
    n = a.shape[0]
    b = a.copy()
    for t in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, i):
                b[i, j] = 0.5 * (a[i - 1, j] + a[i, j - 1])
        a, b = b, a
