"""Reductions of arrays and products: NumPy's bits, axes, shapes, exceptions."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import numbers, program, spaced

A = dist[np.ndarray]
SHAPES = ((1, 1), (3, 4), (0, 3), (4, 0), (30, 5), (2, 290))


def wide(*shape, dtype=float):
    """Numbers of many magnitudes, whose sums tell in which order they were added."""
    return (numbers(*shape) * 10.0 ** numbers(*shape, seed=1)).astype(dtype)


@program(lambda: [(wide(n),) for n in (0, 1, 7, 9, 129, 1000)] + [(spaced(wide(300, dtype=np.float32)),)])
@somd
def sums(a: A):
    return a.sum(), np.mean(a), a.var(), np.std(a, ddof=1), np.sum(a[::-1] * 2), np.prod(a[:9])


@program(lambda: [(wide(n, dtype=np.complex128) * (2 - 3j),) for n in (0, 3, 4, 70, 531)])
@somd
def complex_sums(a: A):
    return a.sum(), a.mean()


@program(lambda: [(wide(*shape),) for shape in SHAPES] + [(wide(3, 140, dtype=np.float32),)])
@somd
def sums_along_axes(a):
    return (
        a.sum(),
        np.sum(a, axis=0),
        a.sum(axis=1),
        a.mean(axis=0),
        np.mean(a, 1, keepdims=True),
        a.std(axis=0),
        np.var(a, axis=-1),
        a - a.mean(axis=1, keepdims=True),
    )


def with_nan(a, at):
    a[at] = np.nan
    return a


@program(
    lambda: (
        [(numbers(n),) for n in (1, 3, 5000)]
        + [(np.array([1.0, np.nan, 3.0]),), (with_nan(numbers(4200), 4130),), (with_nan(numbers(90), 41),)]
    )
)
@somd
def extremes(a: A):
    return (
        a.max(),
        a.min(),
        np.ptp(a),
        a.argmax() - a.argmin(),
        np.any(a > 0.5),
        np.all(a > 0),
        np.count_nonzero(a > 0.5) * np.float32(0.5),
        np.count_nonzero(a > 0.5),
    )


@program(lambda: [(numbers(*shape),) for shape in (*SHAPES, (0, 0))])
@somd
def extremes_along_axes(a):
    low = a.min(axis=1, keepdims=True)
    return a.max(axis=0), a - low, a.argmax(axis=1), np.any(a > 0.9, axis=0), (a > 0).all(axis=1), np.prod(a, axis=1)


@program(lambda: [(numbers(3, 4, dtype=np.int16),), (numbers(2, 2, dtype=bool),)])
@somd
def of_integers(k):
    return k.sum(), k.mean(), k.sum(axis=0), k.max(), (k > 2).sum(), k.prod(axis=0), k.std()


@program(lambda: [(numbers(n), np.zeros(n), tol) for n in (3, 12) for tol in (0.5, 100.0)])
@somd
def until_it_is_smooth(u, v, tol: float):
    count = 0
    while np.max(np.abs(u[1:-1] - 0.5 * (u[:-2] + u[2:]))) > tol:
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u[1:-1] = v[1:-1]
        count += 1
    if u.sum() > 1.0:
        u /= u.sum()
    return count, u[0] + v.max()


@program(
    lambda: [(numbers(n, m, dtype=int), numbers(k, n, dtype=int)) for n, m, k in ((0, 0, 0), (3, 4, 3), (5, 1, 2))]
)
@somd
def products(a, b):
    x = np.ones(b.shape[1]) * 2
    return b @ a, b @ x, x @ a, np.dot(b, a) + 1, x @ x


@program(lambda: [(numbers(n, 3, dtype=np.int64) * 1.0, np.zeros((n, 3)), np.zeros((3, 3))) for n in (1, 4)])
@somd
def orthogonal(a, q, r) -> None:
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / 4.0
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]


@program(lambda: [(numbers(n, 3, dtype=np.int64) * 1.0, np.zeros(n)) for n in (0, 1, 5)])
@somd
def in_rows(a: A, out: A) -> None:
    for i in range(a.shape[0]):
        out[i] = a[i].sum() + a[i] @ a[i] + a[i].max()


@program(lambda: [(numbers(n, 5) + 1j * numbers(n, 5, seed=1),) for n in (1, 3, 40)])
@somd
def spread_of_complex_numbers(z):
    return z.var(axis=0), z.std(axis=-1), z.var(ddof=1)


@program(lambda: [(wide(n, 4), wide(m, 4)) for n, m in ((3, 5), (1, 0), (9, 30))])
@somd
def of_joined_arrays(a, b):
    c = np.roll(np.concatenate((a, b)), 2, 0)
    return np.concatenate((a, b)).sum(), np.concatenate((a, b)).argmax(), np.concatenate((a, a), axis=1).mean(), c


@program(lambda: [(wide(*shape),) for shape in ((20, 3, 5), (2, 4, 140), (0, 2, 3), (300, 2, 1))])
@somd
def along_outer_and_last_axes(a):
    return a.sum(axis=(0, 2)), a.mean(axis=(0, 2), keepdims=True), a[:, 0, :1].sum(axis=0)
