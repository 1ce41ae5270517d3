"""Calls of methods and of helpers with arrays inside expressions, evaluated when Python evaluates them."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import numbers, program

A = dist[np.ndarray]


def cases(*more):
    return [(numbers(n, dtype=int), numbers(n, dtype=int, seed=1), *more) for n in (4, 7, 131)]


@somd
def squares(a: A) -> int:
    total = 0
    for i in range(len(a)):
        total += a[i] * a[i]
    return total


@somd
def scaled(a: A, k: int) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] * k
    return c


@somd
def raised(a: A, k: int) -> int:
    """Changes its argument."""
    for i in range(len(a)):
        a[i] += k
    return k + 1


def first_three(a, b):
    total = 0
    for k in range(3):
        total += a[k] * b[k]
    return total


@program(cases)
@somd
def calls_of_calls(a: A, b: A) -> int:
    y = 2 * squares(scaled(a, 3)) + 1
    return max(y, squares(scaled(scaled(b, 2), squares(a) % 5)), first_three(a, scaled(b, raised(a, 1))))


@program(cases)
@somd
def operands_before_a_change(a: A, b: A) -> int:
    x = 3
    x = a[0] + raised(a, x) * a[0] + squares(a)
    b[0] += raised(b, x % 5)
    b[a[1] % 4] -= raised(a, 2) - b[1]
    b[squares(a) % 4] = squares(b) % 1000; a[0] = squares(a) % 9  # fmt: skip  # noqa: E702
    return x + b[0]


@program(cases)
@somd
def what_may_not_happen(a: A, b: A) -> int:
    r = 0
    if a[0] > 100 and raised(a, 2) > 0:
        r = 1
    elif a[0] < 100 and (raised(b, 2) < 0 or not squares(b) < 3):
        r = 2
    r += raised(a, 1) if a[0] > 3 else raised(b, r)
    if 0 < squares(a) < squares(b) % 7 < raised(a, 3):
        r += 10
    return r


@program(lambda: cases(5))
@somd
def tests_of_loops(a: A, b: A, most: int) -> int:
    k = 0
    while k < most and squares(a) < 10**6:
        k = raised(a, k)
        if k % 2 == 0:
            continue
        for i in range(squares(scaled(b, k)) % 4 + 1):
            b[i] += k
    return k


@program(cases)
@somd
def inside_distributed_loops(a: A, b: A) -> None:
    c = scaled(b, 2)
    for i in range(len(a)):
        a[i] = first_three(b, c) + (first_three(b, b) if b[i] > 0 else i)
        if b[i] > 2 and first_three(c, b) % 2 == 0:
            a[i] -= 1
