"""NumPy 2's types: float32, weak constants, mixed and narrow operands, casts."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program, spaced

A = dist[np.ndarray]
GAIN = 0.1
OFFSET = np.float32(0.25)


def vectors(*more, dtype=np.float32):
    return [(numbers(n, dtype=dtype), *more) for n in SIZES]


@program(vectors)
@somd
def float32_with_constants(a: A) -> np.ndarray:
    out = np.zeros_like(a)
    for i in range(len(a)):
        out[i] = a[i] * 0.1 + 1 / 3 - a[i] / 7
    return out


@program(lambda: vectors() + vectors(dtype=np.float64))
@somd
def captured_constants(a: A) -> None:
    for i in range(len(a)):
        a[i] = a[i] * GAIN + OFFSET + math.pi


@program(lambda: vectors(0.1) + vectors(np.float64(0.1)))
@somd
def scalar_arguments(a: A, k: float) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = a[i] * k
    return out


@program(lambda: [(numbers(n, dtype=np.float32), numbers(n, dtype=np.int32, high=2**30)) for n in SIZES])
@somd
def float32_times_int32_is_float64(a: A, k: A) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = a[i] * k[i]
    return out


@program(lambda: [(numbers(n, dtype=np.float32), numbers(n, dtype=np.int16, high=30000)) for n in SIZES])
@somd
def float32_times_int16_is_float32(a: A, k: A) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = a[i] * k[i] + i
    return out


@program(lambda: [(np.array([0.1, 0.0, 0.2, np.nan], np.float32),)])
@somd
def float32_compared_with_constants(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.int32)
    for i in range(len(a)):
        if a[i] < 0.1:
            out[i] = 1
        elif a[i] == 0.1:
            out[i] = 2
        elif 0.1 <= a[i] <= 0.2:
            out[i] = 3
    return out


@program(lambda: [(numbers(n, dtype=np.float32), numbers(n)) for n in SIZES])
@somd
def widths_mixed(a: A, b: A) -> None:
    for i in range(len(a)):
        b[i] = a[i] * b[i] + a[i]
        a[i] = b[i]


@program(lambda: vectors(dtype=np.float64) + [(spaced(numbers(9)),)])
@somd
def truncation_on_store(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.int32)
    for i in range(len(a)):
        out[i] = a[i]
    return out


@program(lambda: vectors(dtype=np.int64) + vectors(dtype=np.int16))
@somd
def true_division_of_integers(a: A) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = a[i] / 4 + i / 3
        a[i] /= 2
    return out


@program(lambda: [(np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4]),), (np.array([0.5, 1.5, -2.5], np.float32),)])
@somd
def rounding(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        out[i] = round(a[i]) + 10 * int(a[i]) + 100 * math.floor(a[i]) + 1000 * math.ceil(a[i])
    return out


@program(lambda: vectors() + vectors(dtype=np.float64))
@somd
def casts(a: A) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        x = np.float32(a[i])
        k = np.int64(x)
        out[i] = float(x) * 0.1 + np.float64(k) / 3 + int(bool(k))
    return out


@program(lambda: [(numbers(n, dtype=bool), numbers(n, dtype=bool, seed=4)) for n in SIZES])
@somd
def booleans(a: A, b: A) -> np.ndarray:
    out = np.zeros(len(a), np.bool_)
    for i in range(len(a)):
        out[i] = (a[i] and not b[i]) or (a[i] ^ b[i] & (~a[i] | b[i]))
    return out


@program(lambda: [(numbers(n, dtype=bool),) for n in SIZES])
@somd
def booleans_count(a: A) -> int:
    n = 0
    for i in range(len(a)):
        n += 1 if a[i] else 0
    return n


FLOATS = np.array([0.0, -0.0, 1.0, -1.0, 7.5, -7.5, np.inf, -np.inf, np.nan, 1e300, 5e-324, 3.0])


def all_pairs(dtype):
    x, y = np.meshgrid(FLOATS, FLOATS)
    with np.errstate(all="ignore"):
        return [(x.ravel().astype(dtype), y.ravel().astype(dtype))]


@program(lambda: all_pairs(np.float64) + all_pairs(np.float32))
@somd
def float_division_of_everything(a: A, b: A) -> np.ndarray:
    out = np.zeros((4, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = a[i] / b[i]
        out[1, i] = a[i] // b[i]
        out[2, i] = a[i] % b[i]
        out[3, i] = min(a[i], b[i]) - max(b[i], a[i])
    return out


@program(lambda: vectors() + vectors(dtype=np.float64), rtol=1e-6)
@somd
def functions_of_numpy(a: A) -> None:
    for i in range(len(a)):
        x = np.abs(a[i])
        a[i] = np.sqrt(x) + np.exp(-x) + np.sin(x) * np.cos(x) + np.arctan2(a[i], x + 1) + np.sign(a[i])


@program(vectors)
@somd
def exact_functions_of_numpy(a: A) -> None:
    for i in range(len(a)):
        a[i] = np.floor(a[i]) + np.rint(a[i]) - np.trunc(a[i]) + np.maximum(a[i], 0.5) - np.fabs(a[i])


@program(lambda: [(numbers(n, dtype=np.uint8), numbers(n, dtype=np.int32)) for n in SIZES])
@somd
def conditional_types_agree(a: A, b: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        x = b[i] if a[i] > 4 else np.int32(7)
        out[i] = x * 2
    return out


@program(lambda: [(numbers(5), numbers(5)), (numbers(0), numbers(0))])
@somd
def special_values(a: A, b: A) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        x = a[i] * np.inf
        out[i] = 1.0 if np.isnan(x - x) else b[i] / 0.0
    return out


@program(lambda: [(numbers(9, dtype=d), numbers(9)) for d in (np.float32, np.int8, np.uint64)])
@somd
def as_python_numbers(a: A, b: A) -> None:
    for i in range(len(a)):
        b[i] = float(a[i]) * float(a[i]) + int(a[i])
