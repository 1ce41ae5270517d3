"""Loops that end at the first iteration that finds something."""

from __future__ import annotations

import numpy as np

from somd import dist, somd, sync
from tests.language.program import SHAPES, SIZES, numbers, program, spaced

A = dist[np.ndarray]
#: no hit, one at the end, several
HITS = [(numbers(n),) for n in SIZES] + [(np.ones(40),), (np.append(np.ones(40), -9.0),), (spaced(numbers(77)),)]


@program(lambda: [*HITS, (np.where(np.arange(70_000) == 61_234, -9.0, 1.0),)])
@somd
def first_below(a: A) -> int:
    first = len(a)
    for i in range(len(a)):
        if a[i] < -7.0:
            first = i
            break
    return first


@program(lambda: [*HITS, (np.where(np.arange(70_000) == 11_234, -9.0, 1.0),)])
@somd
def last_below(a: A) -> int:
    last = -1
    for i in range(len(a) - 1, -1, -1):
        x = a[i]
        if x < -7.0:
            last = i
            break
    return last


@program(lambda: [*HITS, (np.arange(40.0) // 17,)])
@somd
def last_step(a: A) -> int:
    for i in range(len(a) - 2, 0, -1):
        if a[i] != a[i + 1]:
            return i
    return -1


@program(lambda: HITS)
@somd
def place_of(a: A) -> int:
    for i, x in enumerate(a):
        y = x * 2.0
        if y > 15.0:
            continue
        if y < -14.0:
            return i
    return -1


@program(lambda: [(numbers(9, dtype=bool),), (np.ones(30, bool),), (np.zeros(30, bool),), (np.zeros(0, bool),)])
@somd
def all_and_any(p: A) -> tuple[bool, bool]:
    every, some = True, False
    for v in p:
        if not v:
            every = False
            break
    for v in p:
        if v:
            some = True
            break
    return every, some


@program(
    lambda: (
        [(numbers(50), numbers(50, seed=k // 2)[: 50 - k % 2 * 20].copy()) for k in range(4)]
        + [(numbers(3), numbers(0))]
    )
)
@somd
def first_difference(a: A, b: A) -> int:
    at = -1
    for i in range(len(a)):
        if a[i] != b[i]:
            at = i
            break
    return at


@program(lambda: [(numbers(60, dtype=np.int64), low) for low in (-70, -3, 0, 5, 70)])
@somd
def claimed_first(a: A, low: int) -> int:
    count = 1
    for i in range(low, len(a)):
        z = a[i] * 2
        if z > 12:
            a[i] = -z
            count += i
            break
    return count


@program(lambda: [(numbers(*shape), 4) for shape in SHAPES])
@somd
def first_rows(a: A, turns: int) -> int:
    total = 0
    for t in range(turns):
        with sync:
            for i in range(a.shape[0]):
                s = 0.0
                for j in range(a.shape[1]):
                    if a[i, j] > 8.5:
                        break
                    s += a[i, j]
                if s > 3 * t:
                    total += i + 1
                    a[i, 0] -= 100.0
                    break
    return total
