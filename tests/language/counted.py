"""Scalars stepped by a loop (inductions), `else` on loops, counts from another start, loops over numbers."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]


def with_room(*more, factor=4, dtype=float):
    return [(numbers(n, dtype=dtype), numbers(factor * n + 9, dtype=dtype, seed=1), *more) for n in SIZES]


@program(with_room)
@somd
def interleaved(a: A, out: A) -> int:
    k = 0
    for i in range(len(a)):
        out[k] = a[i]
        out[k + 1] = -a[i]
        k += 2
    return k


@program(lambda: with_room(dtype=np.int32))
@somd
def eight_at_a_time(a: A, out: A) -> int:
    """The form of Crypt's loop: two places, stepped in several statements."""
    k = 1
    last = len(a) - 1
    for i in range(1, len(a) - 1, 3):
        x = a[last]
        k = k + 1
        out[k] = a[i] + x
        k += 1
        out[k] = a[i] - x
        last -= 1
    return k - last


@program(lambda: with_room(2) + with_room(0))
@somd
def backwards_from(a: A, out: A, first: int) -> int:
    place = first
    for i in range(len(a) - 1, -1, -2):
        out[place] = a[i]
        place += 1
    return place


@program(with_room)
@somd
def counted_in_two_loops(a: A, out: A) -> int:
    k = 0
    for i in range(len(a)):
        for j in range(4):
            out[k] = a[i] + j
            k += 1
    return k


@program(lambda: [(numbers(r, c), numbers(r, c, seed=1)) for r, c in ((0, 0), (1, 1), (5, 7), (17, 8))])
@somd
def packed_rows(a: A, out: A) -> None:
    for i in range(a.shape[0]):
        k = 0
        for j in range(0, a.shape[1], 2):
            out[i, k] = a[i, j]
            k += 1
        for j in range(1, a.shape[1], 2):
            out[i, k] = a[i, j]
            k += 1


@program(lambda: with_room(3) + with_room(1))
@somd
def stepped_by_an_argument(a: A, out: A, step: int) -> int:
    """Not provable for any step: the loop around it is, and this one runs in each iteration."""
    for i in range(len(a)):
        k = 0
        total = 0.0
        for _ in range(len(a) // step):
            total += a[k]
            k += step
        out[i] = total * a[i]
    return step


@program(lambda: [(numbers(n),) for n in SIZES])
@somd
def numbered(a: A) -> int:
    """A counter that is no index: its value is what counts."""
    number = 1
    for i in range(len(a)):
        a[i] = a[i] * number
        number += 2
    return number


@program(lambda: [(np.arange(2, n + 2), np.zeros(n, np.int64)) for n in SIZES])
@somd
def primes(a: A, prime: A) -> None:
    for i in range(len(a)):
        for d in range(2, a[i]):
            if a[i] % d == 0:
                break
        else:
            prime[i] = 1


@program(lambda: [(numbers(n, dtype=np.int64, low=0), np.zeros(n, np.int64)) for n in SIZES])
@somd
def steps_until(a: A, out: A) -> None:
    for i in range(len(a)):
        k = 0
        while k < 5:
            if a[i] == k + 2:
                break
            k += 1
        else:
            k = -1
        out[i] = k


@program(lambda: [(numbers(n, low=0.1), 7) for n in SIZES] + [(numbers(n, low=0.1), 0) for n in SIZES])
@somd
def sweeps_with_else(a: A, most: int) -> int:
    """`else` on a loop that all method instances take together."""
    sweeps = 0
    for _ in range(most):
        largest = 0.0
        for i in range(len(a)):
            a[i] = a[i] / 2.0
            largest = max(largest, a[i])
        sweeps += 1
        if largest < 0.5:
            break
    else:
        sweeps = -sweeps
        for i in range(len(a)):
            a[i] = a[i] + 1.0
    return sweeps


@program(lambda: with_room(3))
@somd
def counts_from(a: A, out: A, first: int) -> None:
    for i, v in enumerate(a, 1):
        out[i] = v * i
    for i, (x, y) in enumerate(zip(out, a), start=first):
        a[i - first] = x + y * i


@program(lambda: [(numbers(n), numbers(n, seed=1)) for n in (2, 7, 131)])
@somd
def neighbours_by_number(a: A, out: A) -> None:
    for i in reversed(range(1, len(a) - 1)):
        total = 0.0
        for d in (-1, 1):
            total += a[i + d]
        out[i] = total
    for i in reversed(range(len(a))):
        a[i] = out[i] - a[i]
