"""Functions that methods define, and helpers of arrays: written out where they are called."""

from __future__ import annotations

import numpy as np

from somd import somd
from tests.language.program import SHAPES, SIZES, numbers, program

INNER = np.s_[1:-1, 1:-1]


def vectors(*more):
    return [(numbers(n), *more) for n in SIZES]


def limited(x):
    x = np.maximum(x, -0.5)
    return np.minimum(x, 0.5)


def raised_all(x):
    x += 1.0
    return x[0]


@program(lambda: [(numbers(n), 3) for n in (3, 17)])
@somd
def closures(u, steps: int):
    k = 2.0

    def laplace(a):
        return a[2:] - 2.0 * a[1:-1] + a[:-2]

    def step(a, c=0.1):
        k = 3.0
        a[1:-1] += c * laplace(a) * k

    for _ in range(steps):
        step(u)
        step(u, c=0.2 * k)


@program(vectors)
@somd
def function_of_numbers_and_arrays(a):
    square = lambda x: x * x  # noqa: E731

    def norm(x):
        return np.sqrt(square(x).sum())

    for i in range(len(a)):
        a[i] = square(a[i]) + 1.0
    if norm(a) > 2.0:
        a /= norm(a)
    return norm(a)


@program(lambda: [(numbers(n),) for n in SIZES if n])
@somd
def order_of_changes(a):
    b = a * 2.0 + raised_all(a)
    c = a[1:] + raised_all(a)
    s = a[0] + raised_all(a) * a[0]
    return b, c, s


@program(lambda: [(numbers(n, m), k) for n, m in SHAPES for k in (0, 2)])
@somd
def helpers_of_arrays(a, k: int):
    b = limited(a - 0.5)
    for _ in range(k):
        b = limited(b + a)
    return limited(b * b) if k > 0 else limited(b)


@program(lambda: [(numbers(n, m), numbers(n, m, seed=1)) for n, m in SHAPES])
@somd
def slices_under_names(a, b) -> None:
    here, west = (slice(1, -1), slice(1, -1)), (slice(1, -1), slice(None, -2))
    rows = slice(None, None, 2)

    def moved(w):
        return w[here] - w[west]

    a[here] = moved(b) + a[INNER]
    b[rows, 1:] = 0.5
