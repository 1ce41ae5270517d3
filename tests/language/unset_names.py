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


def tenth(x: float) -> float:
    if x > 1.0:
        raise ValueError("too large")
    return x * 0.1


@program(lambda: [(numbers(3), n, m, k) for n in (0, 2) for m in (0, 2) for k in (0, 1)])
@somd
def behind_what_raises(a: A, n: int, m: int, k: int) -> tuple:
    """What Python has evaluated when it comes to the name may have raised."""
    for _ in range(n):
        s = 1.0
        for i in range(len(a)):
            s = max(s, a[i])
    v = np.zeros(m)
    for i in range(len(v)):
        v[i] = 2.0 * i
    if k:
        return a[m + 1], v[m - 1] + s
    return v[1] * tenth(a[0] + m), s


@program(lambda: [(numbers(3), n, m) for n in (0, 2) for m in (0, 1, 5)])
@somd
def behind_elements_of_a_test(a: A, n: int, m: int) -> None:
    for k in range(n):
        s = k
        for i in range(len(a)):
            a[i] += 1.0
    if a[m] > 0.0 + s:
        a[0] = a[m] / s


@program(lambda: [(numbers(3), n, m) for n in (0, 2) for m in (0, 2, 5)])
@somd
def stored_to_an_element(a: A, n: int, m: int) -> None:
    for k in range(n):
        s = 1
        for i in range(len(a)):
            a[i] += 1.0
    a[0] += a[m]
    a[s] = a[m - 1] + 2.0


@program(lambda: [(numbers(3), n, m) for n in (0, 2) for m in (0, 2, 5)])
@somd
def bounds_of_a_loop(a: A, n: int, m: int) -> None:
    for k in range(n):
        s = 3
        for i in range(len(a)):
            a[i] += 1.0
    for i in range(int(a[m] * 0.0), s):
        a[i] += 1.0
