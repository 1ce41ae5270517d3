"""Elements that inner loops accumulate into, and loops that run in order beside distributed ones: textbook kernels."""

from __future__ import annotations

import numpy as np

from somd import dist, somd, sync
from tests.language.program import SHAPES, SIZES, SQUARES, numbers, program, reverse, spaced

A = dist[np.ndarray]


def shapes(*more):
    """A matrix with vectors of both its lengths."""
    return [(numbers(n, m), numbers(m, seed=1), numbers(m, seed=2), numbers(n, seed=3), *more) for n, m in SHAPES]


def definite(n, dtype=float):
    """A symmetric matrix whose factors exist."""
    a = numbers(n, n)
    return (a @ a.T + (n + 9) * np.eye(n)).astype(dtype)


@program(shapes)
@somd
def atax(a: A, x: A, y: A, t: A) -> None:
    for i in range(a.shape[0]):
        t[i] = 0.0
        for j in range(a.shape[1]):
            t[i] += a[i, j] * x[j]
        for j in range(a.shape[1]):
            y[j] += a[i, j] * t[i]


@program(lambda: [(m, x, numbers(len(t), seed=4), y, t) for m, x, y, t in shapes()], rtol=1e-12)
@somd
def bicg(a: A, p: A, r: A, s: A, q: A) -> None:
    for i in range(a.shape[0]):
        q[i] = 0.0
        for j in range(a.shape[1]):
            s[j] += r[i] * a[i, j]
            q[i] += a[i, j] * p[j]


@program(lambda: [(definite(n),) for n in SQUARES] + [(spaced(definite(6)),), (reverse(definite(6)),)])
@somd
def cholesky_by_columns(a: A) -> None:
    for j in range(a.shape[0]):
        for k in range(j):
            a[j, j] -= a[j, k] * a[j, k]
        a[j, j] = np.sqrt(a[j, j])
        for i in range(j + 1, a.shape[0]):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]


@program(lambda: [(definite(n),) for n in SQUARES], rtol=1e-12)
@somd
def cholesky_by_rows(a: A) -> None:
    for i in range(a.shape[0]):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])


@program(lambda: [(definite(n),) for n in SQUARES])
@somd
def lu(a: A) -> None:
    for i in range(a.shape[0]):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]


@program(lambda: [(definite(n), numbers(n)) for n in SQUARES])
@somd
def ldl(a: A, d: A) -> None:
    for j in range(len(d)):
        d[j] = a[j, j]
        for k in range(j):
            d[j] -= a[j, k] * a[j, k] * d[k]
        for i in range(j + 1, len(d)):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k] * d[k]
            a[i, j] /= d[j]


@program(lambda: [(definite(n), numbers(n), numbers(n)) for n in SQUARES], rtol=1e-12)
@somd
def forward_substitution(low: A, b: A, x: A) -> None:
    for i in range(len(x)):
        x[i] = b[i]
        for j in range(i):
            x[i] -= low[i, j] * x[j]
        x[i] /= low[i, i]


@program(lambda: [(definite(n), numbers(n)) for n in SQUARES], rtol=1e-12)
@somd
def backward_substitution(up: A, x: A) -> None:
    for i in range(len(x) - 1, -1, -1):
        for j in range(len(x) - 1, i, -1):
            x[i] = x[i] - x[j] * up[i, j]
        x[i] = x[i] / up[i, i]


@program(lambda: [(definite(n), numbers(n, n), numbers(n, n)) for n in SQUARES], rtol=1e-10)
@somd
def gram_schmidt(a: A, r: A, q: A) -> None:
    for k in range(a.shape[1]):
        length = 0.0
        for i in range(a.shape[0]):
            length += a[i, k] * a[i, k]
        r[k, k] = np.sqrt(length)
        for i in range(a.shape[0]):
            q[i, k] = a[i, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = 0.0
            for i in range(a.shape[0]):
                r[k, j] += q[i, k] * a[i, j]
            for i in range(a.shape[0]):
                a[i, j] -= q[i, k] * r[k, j]


@program(lambda: [(numbers(n, low=0, high=3, dtype=int), np.zeros((n, n), int)) for n in SQUARES])
@somd
def nussinov(base: A, table: A) -> None:
    n = len(base)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
                if i < j - 1:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + (1 if base[i] + base[j] == 3 else 0))
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])


@program(lambda: [(numbers(n, n), numbers(n)) for n in (2, 5, 17)])
@somd
def gauss_seidel_and_norms(a: A, norm: A) -> None:
    for _ in range(3):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        for i in range(a.shape[0]):
            norm[i] = 0.0
            for j in range(a.shape[1]):
                norm[i] += abs(a[i, j])


@program(lambda: [(numbers(n, n),) for n in (2, 5, 17)])
@somd
def gauss_seidel_on_diagonals(a: A) -> None:
    n = a.shape[0]
    for d in range(2, 2 * n - 3):
        for i in range(max(1, d - n + 2), min(n - 1, d)):
            a[i, d - i] = 0.25 * (a[i - 1, d - i] + a[i + 1, d - i] + a[i, d - i - 1] + a[i, d - i + 1])


@program(lambda: [(numbers(n), numbers(n, seed=1)) for n in SIZES[1:]])
@somd
def in_order_beside_distributed(a: A, b: A) -> tuple[float, int]:
    last, at = 0.0, -1
    for i in range(1, len(a)):
        a[i] += 0.5 * a[i - 1]
    for i in range(len(a)):
        b[i] = 2.0 * b[i] + a[i]
    for i in range(len(b)):
        if b[i] > 8.0:
            at = i
            break
        last = 0.25 * last + b[i]
        if at > 3:
            continue
        w = np.zeros(2)
        w[i % 2] = last
        a[i] = w[0] - w[1]
    return last, at


@program(lambda: [(numbers(n), numbers(n, dtype=int, low=0, high=4), n + 5) for n in SIZES[1:]])
@somd
def in_order_under_conditions(a: A, key: A, steps: int) -> None:
    with sync:
        for t in range(steps):
            if t % 3 == 0:
                for i in range(len(key)):
                    key[key[i] % len(key)] += t
            else:
                for i in range(len(a)):
                    a[i] = a[i] + t


@program(lambda: [(numbers(n, dtype=np.int32), numbers(n, dtype=np.int8), k) for n in SIZES[1:] for k in (0, -1)])
@somd
def sums_into_elements(a: A, b: A, at: int) -> None:
    for i in range(len(b)):
        a[at] += b[i]
    for i in range(len(b) - 1, 0, -2):
        if b[i] > 0:
            a[at] -= i
        a[at] -= 1
    for i in range(1, len(b)):
        if b[i] > b[0]:
            b[0] = b[i]
    for i in range(len(b)):
        for k in range(i % 3):
            a[at] ^= b[i] + k


@program(lambda: [(numbers(9), -abs(numbers(n, dtype=int)), k) for n in SIZES for k in (8, 12)])
@somd
def sums_into_elements_that_may_not_be(a: A, b: A, at: int) -> None:
    for i in range(len(b)):
        if b[i] > 0:
            a[at] *= b[i]


@program(lambda: [(numbers(n, dtype=np.float32), numbers(n), numbers(n, dtype=int)) for n in SIZES[1:]])
@somd
def sums_that_round_at_every_turn(a: A, b: A, c: A) -> None:
    for i in range(len(b)):
        a[0] += b[i]
    for i in range(len(b)):
        c[0] += b[i]
    for i in range(1, len(b)):
        c[i] += 1


@program(
    lambda: [
        (numbers(8), numbers(8, seed=1), numbers(5, 4, seed=2), i, j, m)
        for i, j, m in ((0, 1, 6), (4, 2, 3), (1, 0, 0))
    ]
)
@somd
def an_update_that_no_iteration_comes_to(a: A, b: A, g: A, i: int, j: int, m: int) -> None:
    for k in range(m - 1, 0, -1):
        g[-1, j] -= 3 * (g[i, 1] if j % 2 == 0 else g[i, j])
        if k > 2 or k < m:
            a[i] = b[k] + a[2]
        else:
            g[i, j] -= a[0]
    for k in range(len(b)):
        b[k] += 1.0


@program(lambda: [(numbers(n, m),) for n, m in ((2, 1), (3, 2), (5, 9))])
@somd
def beside_one_from_the_end(a: dist[np.ndarray]) -> None:
    last = a.shape[1] - 1
    for é in range(a.shape[0]):
        for k in range(last - 1, -1, -1):
            a[é, last] += a[é, k - 1]  # the last one itself, where k is 0


@program(lambda: [(numbers(5, 4), np.array([2, 0, 3, 1, 1]), numbers(5), s) for s in (-1, 1, 4)])
@somd
def beside_accesses_that_are_tested(g: A, at: A, c: A, s: int) -> None:
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            x = 0.0
            y = 1.0
            for k in range(min(3, g.shape[1])):
                if k % 2 == 0:
                    x += c[s - k]  # may count from the end, and is never outside
                y = max(y, c[at[i] - j])
            g[i, j] = x + y
