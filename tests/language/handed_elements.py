"""Elements that are made of the one that the last iteration stored."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program, reverse

A = dist[np.ndarray]


def integers(*shape: int) -> np.ndarray:
    return numbers(*shape, dtype=np.int64)


@program(lambda: [(integers(n), integers(n)) for n in SIZES])
@somd
def sums_of_elements(a: A, out: A) -> None:
    for i in range(1, len(a)):
        out[i] = out[i - 1] + a[i]
    for i in range(1, len(a)):
        a[i] += a[i - 1]


@program(lambda: [(numbers(n), numbers(n + 3)) for n in SIZES] + [(reverse(numbers(40)), numbers(43))])
@somd
def greatest_so_far_backwards(a: A, out: A) -> None:
    for i in range(len(a) - 1, -1, -2):
        out[i + 1] = max(out[i + 3], a[i])


@program(lambda: [(integers(n), numbers(n, dtype=bool), integers(n)) for n in SIZES])
@somd
def restarted_at_the_last_element(a: A, keeps: A, out: A) -> None:
    for i in range(len(a)):
        twice = 2 * a[i]
        out[i] = twice - out[i - 1] if keeps[i] else twice


@program(lambda: [(integers(n), integers(3, n), 1) for n in SIZES[2:]])
@somd
def a_row_by_recurrence(a: A, g: A, r: int) -> None:
    for i in range(r, len(a)):
        g[r, i] = g[r, i - 1] * a[i] + i
