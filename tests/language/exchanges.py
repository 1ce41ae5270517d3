"""Arrays that names are exchanged for, some of them given twice by the call."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]


def calls(pattern, *more):
    """Cases whose arrays are one where `pattern` has one letter for them."""
    return [
        (*(arrays[letter] for letter in pattern), *rest)
        for n in SIZES
        for rest in (more or ((),))
        for arrays in [{letter: numbers(n, seed=ord(letter)) for letter in pattern}]
    ]


@program(lambda: calls("xyy") + calls("xyz"))
@somd
def written_after_an_exchange(a: A, b: A, c: A) -> None:
    n = len(a)
    a, c = c, a
    for i in range(1, n - 1):
        c[i] = 0.5 * (b[i - 1] + b[i + 1]) + a[i]


@program(lambda: calls("xyxz", (0,), (1,), (4,)))
@somd
def exchanged_in_turns(a: A, b: A, c: A, d: A, steps: int) -> np.ndarray:
    for t in range(steps):
        for i in range(1, len(a) - 1):
            b[i] = 0.25 * (a[i - 1] + a[i + 1]) + 0.5 * b[i]
        a, b = b, a
    for i in range(1, len(a) - 1):
        d[i] += c[i] - 0.5 * (c[i - 1] + c[i + 1])
    return a


@program(lambda: calls("xxyz", (-1,), (0,), (1,), (2,)))
@somd
def exchanged_under_conditions(a: A, b: A, c: A, d: A, k: int) -> None:
    if k > 0:
        b, c = c, b
    if k > 1:
        a, b, d = d, a, b
    for i in range(len(a)):
        c[i] = 2.0 * c[i] + a[i] - b[i]
    for i in range(len(a)):
        d[i] = 0.5 * c[i] + d[i]


@program(lambda: calls("xyx", (3,), (4,)))
@somd
def three_in_turn(a: A, b: A, c: A, steps: int) -> np.ndarray:
    w = np.zeros(len(a))
    for t in range(steps):
        for i in range(len(a)):
            w[i] = 0.5 * a[i] + b[i]
        a, w, b = b, a, w
    for i in range(len(c)):
        w[i] = c[i] + a[i]
    return w


def smoothed(new: A, old: A, weight: A) -> None:
    for i in range(1, len(new) - 1):
        new[i] = weight[i] * (old[i - 1] + old[i + 1])


smoothed_method = somd(smoothed)


@program(lambda: calls("xyyz", (0,), (3,)))
@somd
def one_array_twice_to_a_nested_method(a: A, b: A, c: A, d: A, steps: int) -> None:
    for t in range(steps):
        smoothed_method(a, b, b)
        a, d = d, a
    smoothed_method(b, d, d)
    for i in range(len(c)):
        c[i] += a[i]


@program(lambda: calls("xy", (0,), (1,), (3,)))
@somd
def exchanged_in_tuples_with_numbers(a: A, b: A, n: int) -> tuple[int, float]:
    pair = (n, a, 0.5, b)
    other = pair
    k, x, v, y = other
    for t in range(n):
        for i in range(len(b)):
            y[i] = x[i] * k + v * pair[0]
        pair = (k + 1, y, v + 1.0, x)
        k, x, v, y = pair
    pair = (pair[0] + 1, x, 0.5 * pair[0], y)
    return pair[0], pair[-2]


@program(lambda: calls("xyz", (0,), (3,)) + calls("xxy", (2,)))
@somd
def elements_before_their_arrays_change_names(a: A, b: A, c: A, steps: int) -> np.ndarray:
    for k in range(min(steps, len(a))):
        b[k], x, b, a = 3.0, a[k], a, b
        for i in range(len(a)):
            a[i] += 0.5 * b[i] + x
    if len(a) > 0:
        a[0], (b[-1], c[0]), (a, c) = 1.0, (a[-1], 7.0), (c, a)
    for i in range(len(c)):
        c[i] -= 0.25 * a[i]
    return a
