"""Loops that wait for one scalar in floats, and do much that does not wait."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program, reverse, spaced

A = dist[np.ndarray]


def vectors(*more, dtype=float, sizes=SIZES):
    return [(numbers(n, dtype=dtype, low=-2, high=2), *more) for n in sizes]


@program(
    lambda: vectors(sizes=SIZES[1:]) + [(numbers(70_001, low=-2, high=2),), (spaced(numbers(50, low=-2, high=2)),)]
)
@somd
def sums_of_quotients(x: A) -> tuple[np.ndarray, float]:
    out = np.empty_like(x)
    s = 0.0
    for i in range(len(x)):
        e = (x[i] * x[i] - 0.5) / (1.0 + x[i] * x[i]) / (3.0 + x[i]) / (4.0 - x[i]) / (5.5 + x[i] * x[i])
        s += e
        out[i] = s
    return out, s


@program(
    lambda: (
        [(*v, numbers(131, low=-2, high=2, seed=1)) for v in vectors(sizes=SIZES[1:])]
        + [(reverse(numbers(9)), numbers(4))]
    ),
    rtol=1e-14,
)
@somd
def smoothed(x: A, w: A) -> float:
    level = np.float64(0.25)
    for i in range(1, len(x)):
        before = level
        level = np.tanh(w[i]) * level + math.sin(x[i]) * 0.5
        x[i] = before + np.exp(level)
    return level


@program(lambda: vectors(sizes=SIZES[1:], dtype=np.float32), rtol=1e-6)
@somd
def narrow_sums(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.float32)
    s = np.float32(0.0)
    for i in range(len(a)):
        s += np.exp(a[i]) * np.sin(a[i])
        out[i] = s * a[i] / (a[i] * a[i] + np.float32(1.0))
    return out


@program(lambda: vectors(3, sizes=SIZES[1:]), rtol=1e-13)
@somd
def turns_of_a_chain(x: A, turns: int) -> float:
    s = 0.0
    for t in range(turns):
        for i in range(len(x)):
            s = s * 0.5 + math.exp(-abs(x[i])) * math.cos(t - x[i])
            x[i] = s if s > 0 else x[i]
    return s


@program(lambda: vectors(sizes=SIZES[1:], dtype=np.int64))
@somd
def generator_of_remainders(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    s = 12345
    for i in range(len(a)):
        s = (s * 1103515245 + (a[i] * 77 % 1009) // (a[i] * a[i] + 3) + a[i] % 13) % 2147483648
        out[i] = s // 65536 % 7
    return out
