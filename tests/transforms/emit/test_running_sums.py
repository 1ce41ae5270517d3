"""Rows that are summed up side by side: each number is that of the loop, whatever the arrays and types."""

from __future__ import annotations

import numpy as np

from somd import dist
from somd import somd as method
from tests.differential.features import text_of

A = dist[np.ndarray]
F = np.float32


@method
def weighted(a: A, out: A, last: int, by: F) -> F:
    for j in range(a.shape[0]):
        total = F(0.25)
        own = F(0.0)
        for row in range(last):
            own = F(-0.0)
            for i in range(row * 16 + 3, row * 16 + 19):
                own = own + a[j, i] * F(2.5)
                out[j, i] = by - (total + own) * a[j, i]
                a[j, i] = own / by
            total = total + own
        out[j, 0] = total + own
    return by


@method
def neighbours(a: A, out: A) -> None:
    for j in range(a.shape[0]):
        total = 0.5
        for row in range(a.shape[1] // 16 - 1):
            own = -0.0
            for i in range(row * 16, row * 16 + 16):
                own = own + a[j, i + 1]
                out[j, i] = total + own
            total = total + own
        out[j, 0] = total


@method
def steep(a: A, out: A) -> None:
    for j in range(a.shape[0]):
        total = 0.5
        for row in range(a.shape[1] // 16):
            own = -0.0
            for i in range(row * 16, row * 16 + 16):
                own = own + a[j, i]
                out[j, i] = total + own
            total = own - total
        out[j, 0] = total


def test_rows_have_the_bits_of_the_loop() -> None:
    given = (np.random.default_rng(0).random((5, 2 * 16 * 27 + 8)) - 0.5).astype(F)
    for columns in (slice(16 * 27 + 4), slice(None, None, 2)):
        for last, same in ((27, False), (10, True), (7, False), (0, True)):
            sides = []
            for run in (weighted, weighted.__wrapped__):
                a = given.copy()[:, columns]
                out = a if same else np.zeros_like(a)
                run(a, out, last, F(1.5))
                sides.append(a.tobytes() + out.tobytes())
            assert sides[0] == sides[1], (columns, last)
    assert "running_sums((" in text_of(weighted, (given, given.copy(), 27, F(1.5)), "multicore")


def test_rows_that_read_what_others_store_or_hand_on_more_stay_loops() -> None:
    a = np.ones((2, 64))
    for each in (neighbours, steep):
        assert "running_sums((" not in text_of(each, (a, a.copy()), "multicore")
