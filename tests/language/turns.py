"""Scalars that the turns of a time loop set: for the phases of the same turn, of the next one, and behind the loop."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SHAPES, SIZES, numbers, program

A = dist[np.ndarray]
STEPS = (0, 1, 5)


def vectors(*more):
    return [(numbers(n), steps, *more) for n in SIZES for steps in STEPS]


@program(vectors)
@somd
def first_set_in_a_turn(a: A, steps: int) -> None:
    for t in range(steps):
        c = 2 * t
        for i in range(len(a)):
            a[i] = a[i] * 0.5 + c


@program(vectors)
@somd
def set_in_turns_of_a_stencil(a: A, steps: int) -> None:
    for t in range(steps):
        c = 0.5 * t
        for p in range(2):
            d = c + p
            for i in range(1 + p, len(a) - 1, 2):
                a[i] = 0.25 * (a[i - 1] + a[i + 1]) + d


@program(vectors)
@somd
def inner_variable_behind_the_loop(a: A, steps: int) -> int:
    p = -1
    for t in range(steps):
        for p in range(2):
            for i in range(1 + p, len(a) - 1, 2):
                a[i] = 0.5 * (a[i - 1] + a[i + 1])
    return p


@program(vectors)
@somd
def inner_variable_in_the_next_turn(a: A, steps: int) -> tuple[int, int]:
    p, s = 5, 0
    for t in range(steps):
        s += p
        for p in range(1, 3):
            for i in range(len(a)):
                a[i] = a[i] * 0.5 + p
        for i in range(len(a)):
            a[i] = a[i] + 0.25 * p
    return s, p


@program(lambda: [(numbers(*shape), steps) for shape in (*SHAPES, (17, 9)) for steps in STEPS])
@somd
def colours_of_the_turn_before(g: A, steps: int) -> int:
    p, last = 1, 0
    for t in range(steps):
        last = 2 * p + t
        for p in range(2):
            for i in range(1, g.shape[0] - 1):
                for j in range(1 + (i + p) % 2, g.shape[1] - 1, 2):
                    g[i, j] = 0.25 * (g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1]) + 0.125 * last
    return last


@program(lambda: [(numbers(n), numbers(n, seed=1), k) for n in SIZES for k in (0, 2, 9)])
@somd
def start_that_turns_change(a: A, b: A, k: int) -> int:
    for t in range(k, 7):
        k += 2
        for i in range(1, len(a) - 1):
            b[i] = 0.5 * (a[i - 1] + a[i + 1]) + k
        a, b = b, a
    return k


@somd
def relax(u: A, weight: float) -> None:
    shift = 1.0 - weight
    for i in range(len(u)):
        u[i] = weight * u[i] + shift


@program(lambda: [(numbers(n), steps) for n in SIZES for steps in STEPS])
@somd
def nested_method_in_turns(a: A, steps: int) -> None:
    for t in range(steps):
        relax(a, 0.25)
        half = 0.5 / (t + 1)
        relax(a, half)


@program(lambda: [(numbers(n), numbers(n, seed=1), k) for n in SIZES for k in (0, 3)])
@somd
def set_in_inner_loops_that_turn(a: A, o: A, k: int) -> None:
    for i in range(len(a)):
        for m in range(4):
            if a[i] < 3 * m - 5:
                break
        for j in (2, 1):
            last = a[i] * j
        while True:
            y = last - m
            if y < k:
                break
            last *= 0.5
        for _ in range(3):
            w = np.zeros(2)
            w[m % 2] = y
        o[i] = m + last + 10.0 * y + w[0] - w[1]


def apart():
    starts = (0, -5, 100, 2**40, -(2**44))
    return [
        (numbers(n), numbers(m), k, steps) for n, m in ((0, 3), (7, 3), (131, 40)) for k in starts for steps in STEPS
    ]


@program(apart)
@somd
def loops_far_apart(a: A, b: A, k: int, steps: int) -> None:
    for t in range(steps):
        for i in range(k, k + len(a)):
            a[i - k] = a[i - k] * 0.5 + t
        for i in range(1, len(b) - 1):
            b[i] = b[i] + 1.0 + t


@program(apart)
@somd
def stencil_far_from_a_loop(a: A, b: A, k: int, steps: int) -> A:
    c = a.copy()
    for t in range(steps):
        for i in range(k + 1, k + len(a) - 1):
            c[i - k] = 0.5 * (a[i - k - 1] + a[i - k + 1]) + t
        a, c = c, a
        for j in range(1, len(b) - 1):
            b[j] = b[j] * 0.5 + t
    return a


@program(
    lambda: [(numbers(30), numbers(n), steps) for n in (30, 100) for steps in STEPS],
    xfail={"opencl": "work-items behind the last would leave 64 bits"},
)
@somd
def loops_at_the_end_of_64_bits(a: A, b: A, steps: int) -> None:
    for t in range(steps):
        for i in range(9223372036854775777, 9223372036854775807):
            a[i - 9223372036854775777] = b[i - 9223372036854775777] * 0.5 + t
        for i in range(9223372036854775778, 9223372036854775806):
            b[i - 9223372036854775777] = a[i - 9223372036854775778] + a[i - 9223372036854775776] + t
