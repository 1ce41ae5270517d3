"""Powers and elementary functions in the places and types where they occur: nested, with signs, casts and literals."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]
CUBE = 3
HALF = 0.5
SINGLE = np.float32(2.5)


def positive(*dtypes):
    """Elements above 0 of two dtypes, and small integers of a third."""
    first, second, whole = dtypes
    return [
        (numbers(n, dtype=first, low=0.1), numbers(n, dtype=second, low=0.1), numbers(n, dtype=whole, low=0, high=6))
        for n in SIZES
    ]


def cases():
    kinds = ((float, float, np.int64), (float, np.float32, np.uint8), (np.float32, float, np.int32))
    return [case for each in kinds for case in positive(*each)]


@program(cases, rtol=1e-6)
@somd
def powers_of_all_kinds(a: A, b: A, k: A) -> np.ndarray:
    out = np.zeros((17, len(a)))
    for i in range(len(a)):
        out[0, i] = a[i] ** 2**0.5
        out[1, i] = (a[i] ** 2) ** 0.5
        out[2, i] = -(a[i] ** 2)
        out[3, i] = a[i] ** +2
        out[4, i] = a[i] ** -3
        out[5, i] = a[i] ** CUBE + a[i] ** HALF
        out[6, i] = 2 ** a[i]
        out[7, i] = 2.0 ** -(a[i] ** 2)
        out[8, i] = a[i] ** b[i] ** 0.5
        out[9, i] = a[i] ** k[i]
        out[10, i] = b[i] ** SINGLE
        out[11, i] = np.power(k[i], 2.5)
        out[12, i] = pow(a[i], 0.5) * pow(b[i], -1)
        out[13, i] = (i + 1) ** 0.5
        t = a[i]
        t **= 3
        out[14, i] = t
        out[15, i] = math.sqrt(a[i]) ** -1
        out[16, i] = math.pow(math.sin(a[i]) ** 2, 0.5)
    return out


@program(lambda: [(numbers(n, dtype=d), numbers(n, dtype=np.int64), e)
                  for n in SIZES for d in (np.int64, np.int16, np.uint32) for e in (0, 3)])  # fmt: skip
@somd
def tested_exponents(a: A, k: A, exponent: int) -> np.ndarray:
    out = np.zeros((4, len(a)), a.dtype)
    assert 0 <= exponent < 60
    for i in range(len(a)):
        out[0, i] = a[i] ** exponent
        out[1, i] = (exponent + 1) ** (exponent + 2)
        turns = k[i]
        if turns >= 0:
            out[2, i] = 3**turns
        else:
            for up in range(-3, 3):
                if up > -1 and i > 0:
                    out[3, i] += a[i] ** up
    return out


def helper(x, exponent):
    return math.exp(-x * x) * x**exponent


@program(cases, rtol=1e-6)
@somd
def functions_of_all_types(a: A, b: A, k: A) -> np.ndarray:
    scale = math.log(2.0) ** 3 + math.lgamma(0.25)
    out = np.zeros((10, len(a)))
    for i in range(len(a)):
        out[0, i] = math.exp(k[i]) + math.sin(k[i])
        out[1, i] = math.log(a[i], 3.0)
        out[2, i] = math.log(b[i], k[i] + 2)
        out[3, i] = helper(a[i], 3) + helper(b[i], 0.5)
        out[4, i] = np.arctan2(b[i], a[i])
        out[5, i] = math.atan2(b[i], k[i])
        out[6, i] = math.cos(a[i]) if a[i] > 1.0 else math.cbrt(b[i])
        out[7, i] = scale * np.exp(b[i])
        out[8, i] = math.hypot(a[i], math.sinh(b[i] / 3))
        out[9, i] = math.sin(i)
    return out


@program(lambda: [(numbers(n, dtype=d), numbers(n, dtype=d, low=1)) for d in (float, np.float32) for n in SIZES])
@somd
def squares_roots_and_reciprocals_to_the_bit(a: A, b: A) -> np.ndarray:
    out = np.zeros((4, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = np.square(a[i])
        out[1, i] = np.sqrt(abs(a[i]))
        out[2, i] = 1 / b[i]
        out[3, i] = abs(a[i]) ** 1
    return out


@program(lambda: [(numbers(n, dtype=dtype, low=0, high=3),) for dtype in (np.int64, np.uint8) for n in (0, 1, 7, 40)])
@somd
def powers_of_loop_variables(a: A):
    out = np.zeros((3, len(a)), np.int64)
    total = 0
    for i in range(len(a)):
        k = i % 3
        out[0, i] = 2**i - i**k
        for j in range(1, 4):
            out[1, i] += (i + 1) ** j
            out[2, i] = a[i] ** (j // 2) + a[i] ** k
        total += 3 ** (k + 1)
    return out, total, 2 ** (len(a) // 2)


def far_integers(dtype):
    """Integers whose squares leave their type."""
    ends = np.iinfo(dtype)
    return np.array([ends.max, ends.min, ends.max // 2 + 1, 3, ends.max - 1, ends.max // 3, 0], dtype)


@program(lambda: [(far_integers(d), 2**62 + 5, 2.0) for d in (np.int64, np.uint64, np.int32, np.uint8)])
@somd
def integers_to_the_power_of_floats(a: A, k: int, e: float) -> np.ndarray:
    """Such a power is one of floats, whatever its exponent's text."""
    out = np.zeros((7, len(a)))
    for i in range(len(a)):
        out[0, i] = a[i] ** 2.0
        out[1, i] = (a[i] + a[i] // 4) ** np.float64(2)
        out[2, i] = (k + i) ** 2.0
        out[3, i] = np.power(a[i], 2.0)
        out[4, i] = pow(a[i] > 1, 2.0)
        out[5, i] = a[i] ** -1.0 if a[i] != 0 else 0.0
        out[6, i] = a[i] ** 1.0 + a[i] ** 0.0
    return out
