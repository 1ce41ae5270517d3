"""Array statements: slices, broadcasting, overlaps, new arrays."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SHAPES, SIZES, fortran, numbers, program, reverse, spaced

A = dist[np.ndarray]
LIMITS = ((1, 4), (-3, -1), (5, 2), (-200, 200), (3, 100), (0, 0))


def vectors(*more, dtype=float):
    return [(numbers(n, dtype=dtype), *more) for n in SIZES]


def pairs(*more, shapes=(*SHAPES, (3, 3), (17, 4))):
    return [(numbers(n, m), numbers(n, m, seed=1), *more) for n, m in shapes]


@program(lambda: vectors() + [(spaced(numbers(9)),), (reverse(numbers(9)),)])
@somd
def shifted(a: A) -> None:
    a[1:] = a[:-1]


@program(lambda: vectors(dtype=np.int8))
@somd
def shifted_sum(a: A) -> None:
    a[1:] += a[:-1]
    a[:-1] -= a[1:]


@program(vectors)
@somd
def reversed_in_place(a: A) -> None:
    a[:] = a[::-1]
    a[::-2] += a[::-2][::-1]
    a[:0] = 2


@program(lambda: [(numbers(n), *limits) for n in (0, 2, 9) for limits in LIMITS])
@somd
def between(a: A, low: int, high: int) -> np.ndarray:
    a[low:high] *= 2.0
    a[high:low:-1] += a[low]
    return a[low:] + a[low : len(a)] - a[0]


@program(lambda: [(numbers(n), numbers(m, seed=1)) for n in SIZES for m in (n, 3)])
@somd
def fitting(a: A, b: A) -> np.ndarray:
    a[...] = b
    return a[1:] - b[:-1]


@program(lambda: [(numbers(n), numbers(m, seed=1)) for n, m in ((0, 0), (1, 3), (4, 2), (17, 5))])
@somd
def all_pairs(a, b):
    c = a[:, None] - b[None, :]
    d = np.sqrt(abs(c)) + np.where(c > 0, 1.0, c)
    return d, c[..., np.newaxis] * a


@program(lambda: [(numbers(n, n) + 20 * np.eye(n),) for n in (0, 1, 2, 5, 17)])
@somd
def factorised(a: A) -> None:
    n = a.shape[0]
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k][:, None] * a[k, k + 1 :]


@program(lambda: pairs(3) + [(fortran(numbers(6, 8)), numbers(6, 8), 2)])
@somd
def jacobi(a, b, steps: int) -> None:
    for t in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


@program(lambda: pairs(0.1, 0.5, shapes=((2, 2), (3, 3), (9, 4))))
@somd
def diffused(u, v, dt: float, dx: float) -> None:
    n, m = u.shape
    old = u.copy()
    u[1 : n - 1, 1 : m - 1] = old[1 : n - 1, 1 : m - 1] + dt / dx**2 * (
        old[2:n, 1 : m - 1] - 2 * v[1 : n - 1, 1 : m - 1] + old[0 : n - 2, 1 : m - 1]
    )
    u[0] = u[-1]
    u[:, 0] = 1.0


@program(lambda: [(numbers(n, m),) for n, m in ((2, 2), (3, 3), (9, 7), (8, 8))])
@somd
def red_black(u) -> None:
    u[1:-1:2, 1:-1:2] = 0.25 * (u[:-2:2, 1:-1:2] + u[2::2, 1:-1:2] + u[1:-1:2, :-2:2] + u[1:-1:2, 2::2])


@program(lambda: [(numbers(5, dtype=np.float32), numbers(5, dtype=np.int16), 3), (numbers(0), numbers(0), 3)])
@somd
def types(a: A, b: A, k: int):
    c = b // k
    b += k
    return a * 2.5, b + a, c, -b, a < b, np.float32(b) * a


@program(lambda: [(numbers(n), steps) for n in (0, 1, 5) for steps in (0, 1, 4)])
@somd
def bound_anew(a, steps: int):
    b = np.zeros_like(a) + 1.0
    for t in range(steps):
        b = b + a[::-1] * 0.5
        b[1:] -= b[:-1]
    return b


@program(lambda: [(numbers(7), x := numbers(7, seed=1), x, 0.5)])
@somd
def one_array_twice(a, x, y, alpha: float) -> None:
    y += alpha * x
    y[1:] = x[:-1] + a[1:]


@program(lambda: [(numbers(n, 3), numbers(3, seed=1)) for n in (0, 1, 5)])
@somd
def row_by_row(a: A, scale: A) -> None:
    for i in range(len(a)):
        a[i] = a[i] * scale + a[i, 0]


@program(lambda: [(numbers(n, n), k) for n in (2, 3, 7) for k in (0, 1, -1)])
@somd
def named_parts(u, k: int):
    inner = u[1:-1]
    left = u[:-2]
    inner *= 2.0
    k = k + 1
    tail = u[k:]
    k = 0
    tail += 1.0
    for i in range(u.shape[0]):
        row = u[i, ::-1]
        row -= row[-1]
    return inner + left, tail.T.copy(), (u * 2).T - u.T, inner[::2].astype(np.float32)


@program(lambda: [(numbers(n), numbers(n, seed=1), k) for n in (1, 6) for k in (0, 3)])
@somd
def names_that_are_updated(position, velocity, steps: int):
    x, v = position, velocity
    for _ in range(steps):
        v -= 0.25 * x
        x += v
        if steps > 2:
            v *= 0.5
    return v * x


@program(lambda: [(numbers(n, 3), numbers(n, seed=1), np.zeros((n, 3))) for n in (0, 1, 5)])
@somd
def attracted(pos, mass, acc) -> None:
    for i in range(pos.shape[0]):
        for j in range(pos.shape[0]):
            if i != j:
                d = pos[j] - pos[i]
                x, y, z = d
                acc[i] += mass[j] * d / (x * x + y * y + z * z + 0.01)
    pos += 0.1 * acc


@program(lambda: [(numbers(n), numbers(m, seed=1)) for n, m in ((0, 0), (1, 1), (9, 9), (4, 3))])
@somd
def masked(a, b) -> None:
    m = a > 0
    a[m] = 0.0
    b[~m] *= a[~m] + 2
    b[b > b[::-1]] = 7
    a[a < -0.5] = np.sqrt(-a[a < -0.5])


@program(lambda: [(numbers(*n), numbers(*n, seed=1) > -3) for n in ((0,), (1,), (6,), (300,), (3, 5), (0, 4))])
@somd
def taken_under_masks(a, m):
    b = a[m]
    a[m] -= a[m].sum() / max(1, np.count_nonzero(m))
    return b, (a[a > 0] * 2).sum() + b.sum(), a[m][::-1] + b


@program(lambda: [(numbers(n),) for n in (0, 2, 3, 9)])
@somd
def beginnings(u):
    inner, under = u[:3], u[u > 0]
    v = np.ones_like(inner) + inner
    w = u * 2
    w, x = w[u > 0], w + u
    return under, v, w, x, u[:].copy(), inner.copy(), u[u > 1]


@program(lambda: [(numbers(6), np.array([0, 3, -1, 3]), numbers(6, 6)), (numbers(1), np.array([0]), numbers(1, 2))])
@somd
def gathered(a, index, m):
    return a[index] * 2, m[:, index * 0], m[index, 1:], a[index[::-1]], m[..., index % 1]


@program(lambda: [(numbers(4, 5), i) for i in (0, 1, -2, 3, 7, -5)])
@somd
def elements_of_parts(m, i: int):
    row = m[1:, 1:][0]
    m[0, :], m[-1, :] = 1.0, m[1]
    m[0, :4], m[1, 1:] = m[1, 1:], m[0, :4]
    return np.where(row > row[i], row[-1], m[1, 0]), m[:, ::2][i] + 1, m[::-1][0] * 2


@program(lambda: [(numbers(n) + 1j,) for n in SIZES])
@somd
def parts_of_complex_numbers(z):
    z *= 1j
    return z.real + z.imag


@program(lambda: [(numbers(n, m), numbers(n, m, seed=1)) for n, m in ((0, 0), (2, 3), (5, 4), (23, 14), (3, 131))])
@somd
def limited_differences(a, b):
    steep = a[1:] - a[:-1]
    steep[steep * (b[1:] - b[:-1]) > 0.0] = 0.0
    smooth = steep[1:] + steep[:-1]
    smooth *= 0.5
    a[1:-1] += smooth * b[1:-1]
    return smooth[:, ::2] - b[1:-1, ::2], np.sqrt(np.abs(smooth))


@program(
    lambda: [(numbers(n, dtype=dtype), numbers(n, seed=1)) for n in (0, 1, 7, 131) for dtype in (np.float32, np.int16)]
)
@somd
def chains_of_other_types(a, b):
    t = np.where(a > 1, 1.0, 0.1)
    u = a * 3
    below = u < b
    u = u - a
    t[below] = 7
    t += u
    return t * a, u * u


@program(lambda: [(numbers(n), numbers(n, seed=1)) for n in SIZES])
@somd
def bound_and_changed_at_once(a, b):
    u, v = np.empty_like(a), np.zeros_like(b)
    t, w = a + b, a * 2.0
    u[...], v[...] = t * w, w
    u[...] += w
    v[...] -= t
    return u, v, t[::-1] - w


@program(
    lambda: [
        (numbers(6), numbers(6, 3, seed=1), np.array(i, np.int64), np.array(j, np.int64), numbers(len(i), seed=2))
        for i, j in (([3, 1, 3, -1, 0], [0, 1, 2, 2, -3]), ([], []), ([5, 5], [0, 3]), ([2, 6, 1], [0, 0, 0]))
    ],
    numpy="2.3",  # before, `rank[rank] = rank` goes on with indexes that it has overwritten
)
@somd
def where_indexes_tell(a: A, b: A, i: A, j: A, v: A) -> np.ndarray:
    column = b[:, 1]
    a[i] = v + a[i]
    column[i] = 7.0
    b[i, j] = v * 2.0
    b[i] = b[::-1][i] - v[:, None]
    order = np.argsort(a)
    rank = np.empty(len(a), dtype=np.int64)
    rank[order] = np.arange(len(a))
    rank[rank] = rank
    return rank


@program(lambda: [(numbers(n), numbers(n, low=0, high=1, seed=3)) for n in SIZES])
@somd
def sums_at_different_indexes(a: A, v: A) -> np.ndarray:
    at = np.arange(len(a))
    for _ in range(2):
        at = at[v[at] > 0.3]
        a[at] += v[at]
    order = np.argsort(v)
    a[order[1:]] -= order[:-1]
    return a[at] * v[at]


@program(
    lambda: [(numbers(n, k), numbers(n, k, seed=1), numbers(most)) for n, k, most in ((0, 2, 0), (6, 3, 6), (5, 4, 6))]
)
@somd
def masks_of_an_axis(a: A, b: A, v: A):
    under = a[:, 0] > 0.5
    a[under] = b[under] * 2.0
    b[b[:, 1] < 0.0] += v[0]
    a[v > 0.5] = 1.0
    return a[under, ::2], b[..., b[0] > 0.3]


@program(
    lambda: [
        (numbers(n, k), numbers(n), numbers(k, low=0, high=1) > 0.5, numbers(n, low=0, high=1) > 0.5)
        for n, k in ((0, 2), (1, 5), (6, 3), (20, 31))
    ]
)
@somd
def masks_beside_slices(a: A, v: A, m: A, k: A) -> None:
    a[:, m] = 2.5
    a[k, :] += 1.5
    a[1:, m] *= 2.0
    a[..., m] -= v[:, None]
    a[k] = m + 0.25
    a[:, v.sum() * a[:1].sum(axis=0) > 1.0] = v[:, None]
    a[::-1, m] = a[:, 0][:, None]


@program(lambda: [(numbers(n, k), numbers(k), i) for n, k in ((2, 0), (0, 0), (0, 3), (3, 4)) for i in (0, 1, 5, -3)])
@somd
def asked_of_nothing(a: A, b: A, i: int) -> float:
    total = (a[i, :] + b).max(initial=-9.0)
    for k in range(1, i):
        a[k, :] = a[i, :] * b
    a[1:, i] += total
    return (a[i - 1] - b).sum() if i > 0 else b.sum()
