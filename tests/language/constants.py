"""Constants: rounded to their type wherever they stand, with the values of NumPy's own conversions."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]
TENTH = np.float32(0.1)
TURN = np.complex64(0.1 + 0.2j)
STEPS = (0.1, 1 / 3)
FAR = math.inf
UPPER = np.uint64(2**63 + 5)


def doubles(*more):
    return [(numbers(n), *more) for n in SIZES]


@program(doubles)
@somd
def float32_literals_as_doubles(a: A) -> np.ndarray:
    out = np.zeros_like(a)
    for i in range(len(a)):
        tenth = np.float32(0.1)
        out[i] = np.float64(tenth) + np.float64(np.float32(0.2)) * np.float64(np.float32(1.1) * np.float32(1.3))
    return out


@program(doubles)
@somd
def captured_float32_as_double(a: A) -> np.ndarray:
    out = np.zeros_like(a)
    for i in range(len(a)):
        out[i] = np.float64(TENTH) * a[i] + float(-TENTH) + TURN.real + np.complex128(TURN).imag
    return out


@program(doubles)
@somd
def captured_uint64_as_floats(a: A) -> np.ndarray:
    """Beyond what int64 holds."""
    out = np.zeros((4, len(a)))
    for i in range(len(a)):
        out[0, i] = UPPER
        out[1, i] = UPPER * np.float32(0.5)
        out[2, i] = a[i] + UPPER
        out[3, i] = np.float32(np.uint64(18446744073709551615)) + np.complex64(UPPER).real
    return out


@program(doubles)
@somd
def float32_literals_compared(a: A) -> int:
    count = 0
    for i in range(len(a)):
        if a[i] < np.float64(np.float32(0.1)) and TENTH == 0.1 and np.float64(TENTH) != 0.1:
            count += 1
    return count


@program(doubles)
@somd
def float32_literals_as_integers(a: A) -> np.ndarray:
    out = np.zeros(len(a), dtype=np.int64)
    for i in range(len(a)):
        out[i] = int(np.float32(16777217.0)) + np.int64(np.float32(1e10)) + int(np.float32(0.99999999))
    return out


@program(doubles)
@somd
def float32_beyond_their_range(a: A) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = np.float64(np.float32(1e300)) + a[i] * np.float64(np.float32(1e-46)) - np.float64(-np.float32(1e-40))
    return out


@program(doubles)
@somd
def complex64_literals_as_complex128(a: A) -> np.ndarray:
    out = np.zeros(len(a), dtype=np.complex128)
    for i in range(len(a)):
        out[i] = np.complex128(np.complex64(0.1 + 0.7j)) * a[i] + np.complex64(0.3)
    return out


def angles():
    return [(numbers(n, dtype=dtype, low=-400, high=400),) for n in SIZES for dtype in (np.float32, np.float64)]


@program(angles)
@somd
def degrees_and_radians(a: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = np.degrees(a[i]) - np.rad2deg(a[i] + 1) * np.deg2rad(a[i]) / (np.radians(a[i]) + 3)
    return out


@program(lambda: [(numbers(n, dtype=np.int16),) for n in SIZES])
@somd
def angles_of_integers(a: A) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = np.degrees(a[i]) + np.radians(a[i] * 7)
    return out


@program(lambda: [*doubles(), (np.array([math.nan, math.inf, 3.0, -math.inf]),), (numbers(7, dtype=np.float32),)])
@somd
def numbers_as_texts(a: A):
    low, lowest = float("inf"), FAR
    high, highest = float("-inf"), -np.inf
    unknown = float("nan")
    for i in range(len(a)):
        if a[i] < low:
            low = a[i]
        if a[i] < lowest:
            lowest = a[i]
        if a[i] > high:
            high = a[i]
        if a[i] > highest:
            highest = a[i]
        a[i] = a[i] + 1 if a[i] == float("Infinity") else a[i] * float(" 1_0e-1 ")
    return np.float64(low), np.float64(lowest), np.float64(high), np.float64(highest), unknown
