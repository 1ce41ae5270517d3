"""Reads that are made ahead of time: of arrays that all iterations see, and no others."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.differential.features import text_of

A = dist[np.ndarray]


@somd
def of_an_array(a: A, n: int) -> int:
    part = 0
    for i in range(len(a)):
        part ^= a[i]
    return part


@somd
def of_an_iterations_own(a: A, n: int) -> int:
    part = 0
    for i in range(len(a)):
        w = np.zeros(2, np.int64)
        w[i % 2] = i
        part ^= w[0] + a[i]
    return part


def test_what_is_read_ahead() -> None:
    arguments = np.arange(5), 3
    assert "a_next[" in text_of(of_an_array, arguments, "opencl")
    text = text_of(of_an_iterations_own, arguments, "opencl")
    assert "a_next[" in text
    assert "w_next[" not in text
