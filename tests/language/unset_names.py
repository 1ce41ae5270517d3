"""Names that may have no value where the method reads them: a value, or UnboundLocalError."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]


def vectors(*values, dtype=float):
    return [(numbers(n, dtype=dtype), k) for n in SIZES if n for k in values]


@program(lambda: vectors(0, 1, 3))
@somd
def scalar_of_a_loop_without_turns(a: A, n: int) -> float:
    for i in range(len(a)):
        a[i] += 1.0
    for p in range(n):
        t = 2.0 * p
    return t


@program(lambda: vectors(0, 1, 3))
@somd
def variables_of_a_time_loop(a: A, n: int) -> tuple[float, int]:
    for t in range(n):
        c = 0.5 * t
        for i in range(len(a)):
            a[i] = 0.5 * a[i] + c
    return c, t


@program(lambda: vectors(0, 2))
@somd
def greatest_of_the_last_turn(a: A, n: int) -> float:
    k = 0
    while k < n:
        error = a[0]
        for i in range(len(a)):
            error = max(error, a[i])
        k += 1
    a[0] = error
    return error


@program(lambda: vectors(0, 1, 2, 6))
@somd
def some_branches(a: A, n: int) -> int:
    for i in range(len(a)):
        a[i] += 1.0
    if n == 0:
        v = 1
    elif n == 1:
        v = 2; w = 3.0  # fmt: skip
    if n > 5:
        pass
    elif v > 1:
        a[0] = w
    return v


@program(lambda: vectors(0, 1, 7))
@somd
def found_or_not(a: A, n: int) -> int:
    for t in range(n):
        for i in range(len(a)):
            a[i] = abs(a[i]) + 1.0
        if a[0] > 3.5:
            hit = t
            break
    return hit


@program(lambda: vectors(0, 1, 5) + vectors(0, 1, 5, dtype=np.float32))
@somd
def of_the_turn_before(a: A, n: int) -> int:
    for t in range(n):
        if t > 0:
            a[0] = last
        for i in range(len(a)):
            a[i] += 1.0
        if t != 3:
            last = a[t % len(a)]
    return t


@program(lambda: vectors(0, 2))
@somd
def array_under_a_condition(a: A, n: int) -> np.ndarray:
    if n > 0:
        w = np.zeros(n)
    for i in range(len(a)):
        a[i] += 1.0
    w[0] = a[0]
    return w


@somd
def last_sum(a: A, n: int) -> float:
    for _ in range(n):
        total = np.float64(1.5)
        for i in range(len(a)):
            total += a[i] * 0.0
    return total


@program(lambda: vectors(0, 2))
@somd
def of_a_nested_method(a: A, n: int) -> None:
    s = last_sum(a, n)
    for i in range(len(a)):
        a[i] += 1.0
    if n > 1:
        last_sum(a, n - 2)


@program(lambda: vectors(0, 1, 2))
@somd
def first_of_several(a: A, n: int) -> tuple:
    """Of the names without a value, Python comes to one first."""
    for i in range(len(a)):
        a[i] += 1.0
    if n > 0:
        y, x = 1.0, 2.0
    if n > 1:
        w = 3.0
        v = w + 1.0
    return y, v, x, w
