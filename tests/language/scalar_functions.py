"""Functions of scalars on the values where languages differ: nan, infinities, signed zeros, limits of integers."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, -7.25, 100.3, 1e10, 3e38, 1e-40, np.inf, -np.inf, np.nan)


def pairs(*dtypes):
    """For each dtype two arrays with all pairs of its special values."""
    made = []
    for dtype in map(np.dtype, dtypes):
        if dtype.kind == "f":
            values = np.array(FLOATS, dtype)
        elif dtype.kind == "b":
            values = np.array([False, True])
        else:
            limits = np.iinfo(dtype)
            chosen = (0, 1, 2, 3, 7, 31, 64, 100, -1, -2, -7, limits.max, limits.max - 1, limits.min, limits.min + 1)
            values = np.array([v for v in dict.fromkeys(chosen) if limits.min <= v <= limits.max], dtype)
        left, right = np.meshgrid(values, values)
        made.append((left.ravel().copy(), right.ravel().copy()))
    return made


REALS = (np.float64, np.float32, np.int8, np.uint64)
INTEGERS = (np.int64, np.int8, np.uint64)


@program(lambda: pairs(*REALS))
@somd
def extremes_of_numpy(a: A, b: A) -> np.ndarray:
    # `+ 0`: which of 0.0 and -0.0 NumPy takes depends on the processor, and with `clip` on its version
    out = np.zeros((8, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = np.minimum(a[i], b[i]) + 0
        out[1, i] = np.maximum(a[i], b[i]) + 0
        out[2, i] = np.fmin(a[i], b[i]) + 0
        out[3, i] = np.fmax(a[i], b[i]) + 0
        out[4, i] = np.clip(a[i], b[i], b[0]) + 0
        out[5, i] = np.clip(a[i], 0, 5) + 0
        out[6, i] = np.where(a[i] > 1, a[i], 0)
        out[7, i] = np.sign(a[i])
    return out


@program(lambda: pairs(*REALS, np.int64, np.uint32, np.bool_))
@somd
def negatives_and_reciprocals(a: A, b: A) -> np.ndarray:
    out = np.zeros((3, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = np.positive(np.negative(a[i] * 1))
        out[1, i] = np.reciprocal(a[i])
        out[2, i] = np.negative(i % 5) + np.reciprocal(1 + i % 2)
    return out


@program(lambda: pairs(*REALS))
@somd
def operators_as_functions(a: A, b: A) -> np.ndarray:
    out = np.zeros((7, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = np.add(a[i], b[i])
        out[1, i] = np.subtract(a[i], b[i])
        out[2, i] = np.multiply(a[i], np.add(b[i], 1))
        out[3, i] = np.square(a[i])
        out[4, i] = np.mod(a[i], b[i])
        out[5, i] = np.floor_divide(a[i], b[i])
        out[6, i] = np.fmod(a[i], b[i])
    return out


@program(lambda: pairs(*INTEGERS, bool))
@somd
def bits_as_functions(a: A, b: A) -> np.ndarray:
    out = np.zeros((3, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = np.bitwise_and(a[i], b[i])
        out[1, i] = np.bitwise_or(a[i], b[i])
        out[2, i] = np.bitwise_xor(a[i], b[i])
    return out


@program(lambda: pairs(*INTEGERS))
@somd
def shifts_and_counts(a: A, b: A) -> np.ndarray:
    out = np.zeros((4, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = np.left_shift(a[i], b[i])
        out[1, i] = np.right_shift(a[i], b[i])
        out[2, i] = a[i]
        out[2, i] <<= b[i]
        out[3, i] = np.bitwise_count(a[i])
    return out


@program(lambda: pairs(*REALS, bool))
@somd
def truth_of_numbers(a: A, b: A) -> np.ndarray:
    out = np.zeros((4, len(a)), np.bool_)
    for i in range(len(a)):
        out[0, i] = np.logical_and(a[i], b[i])
        out[1, i] = np.logical_or(a[i], b[i])
        out[2, i] = np.logical_xor(a[i], b[i])
        out[3, i] = np.logical_not(a[i])
    return out


@program(lambda: pairs(*REALS))
@somd
def quotient_and_rest(a: A, b: A) -> np.ndarray:
    out = np.zeros((3, len(a)), a.dtype)
    for i in range(len(a)):
        q, r = divmod(a[i], b[i])
        q += divmod(b[i], a[i] + 1)[0] - divmod(a[i], b[i])[-1]
        out[0, i] = q
        out[1, i] = r
        out[2, i] = pow(a[i], 2)
    return out


@program(lambda: pairs(np.float64, np.float32))
@somd
def rounded_to_places(a: A, b: A) -> np.ndarray:
    out = np.zeros((5, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = round(a[i], 1)
        out[1, i] = np.round(b[i], 3)
        out[2, i] = np.round(a[i])
        out[3, i] = np.around(a[i] / 3, 2)
        out[4, i] = 1 if np.signbit(a[i]) else 2
    return out


@program(lambda: [(p[0], p[1]) for p in pairs(np.float64, np.float32)], rtol=1e-6)
@somd
def more_functions(a: A, b: A) -> np.ndarray:
    out = np.zeros((6, len(a)))
    for i in range(len(a)):
        out[0, i] = np.cbrt(a[i])
        out[1, i] = np.exp2(a[i] / 1e38)
        out[2, i] = np.deg2rad(a[i])
        out[3, i] = np.degrees(b[i] / 100)
        out[4, i] = math.cbrt(b[i])
        out[5, i] = math.fmod(1.5, 0.4)
    return out


@program(lambda: [(numbers(n, dtype=d, high=99), numbers(n, dtype=d, high=99, seed=1)) for n in SIZES
                  for d in (np.int64, np.int8, np.uint16)])  # fmt: skip
@somd
def whole_number_functions(a: A, b: A) -> np.ndarray:
    out = np.zeros((2, len(a)), np.int64)
    for i in range(len(a)):
        out[0, i] = math.gcd(a[i], b[i])
        out[1, i] = math.isqrt(int(a[i]) * int(a[i]) + i)
    return out


@program(lambda: [(np.array([0.0, 2.5, -1.0, -2.5, -300.7, 3e9, 4e9]),)
                  , (np.array([0.5, -2.5, 70000.0], np.float32),)])  # fmt: skip
@somd
def floats_as_unsigned(a: A):
    words = np.zeros(len(a), np.uint32)
    longs = np.zeros((2, len(a)), np.uint64)
    for i in range(len(a)):
        words[i] = np.uint32(a[i])
        longs[0, i] = np.uint64(a[i])
        longs[1, i] = a[i]
    return words, longs


@program(lambda: pairs(np.float64, np.float32, np.int32))
@somd
def parts_of_real_numbers(a: A, b: A) -> np.ndarray:
    out = np.zeros((3, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = (a[i] + b[i]).real
        out[1, i] = a[i].imag
        out[2, i] = a[i].conjugate() - np.conj(b[i])
    return out


@program(lambda: [(numbers(n, dtype=d, low=0, high=200),) for n in SIZES for d in (np.uint8, np.float32)])
@somd
def numbers_on_some_paths(a: A) -> np.ndarray:
    out = np.zeros((3, len(a)), np.float64)
    for i in range(len(a)):
        x = 1
        if a[i] > 100:
            x = a[i]
        out[0, i] = x * a[i]
        out[1, i] = max(a[i], 2) / 2
        out[2, i] = x + 1 if x < 20 else 0
    return out


def decimals():
    """Floats beside and between decimals, ties that a float holds exactly, and integers."""
    generator = np.random.default_rng(7)
    ties = generator.integers(-8000, 8000, 60) / 8
    near = generator.integers(-500, 500, 60) / 100 + 0.005
    rest = [0.0, -0.0, 2.675, 1.005, 25.0, -35.0, 1e15 + 0.3, 2.0**53 + 2, 1e22, 1e300, 5e-324, np.inf, -np.inf, np.nan]
    floats = np.concatenate([ties, near, rest, generator.uniform(-1e6, 1e6, 60)])
    whole = generator.integers(-(2**60), 2**60, len(floats))
    whole[:120] = generator.integers(-2000, 2000, 120)
    return [(floats, whole), (floats.astype(np.float32), whole.astype(np.int32) // 16)]


@program(decimals)
@somd
def rounded_as_python_does(a: A, k: A):
    out = np.zeros((6, len(a)))
    tens = np.zeros((5, len(a)), np.int64)
    for i in range(len(a)):
        x = float(a[i])
        n = int(k[i])
        out[0, i] = round(x, 1)
        out[1, i] = round(x, 2)
        out[2, i] = round(x, 14)
        out[3, i] = round(x, -1)
        out[4, i] = round(x, -3) + round(x, 0)
        out[5, i] = round(a[i], -1) + np.round(a[i], -2)
        tens[0, i] = round(n, -1)
        tens[1, i] = round(n, -18)
        tens[2, i] = round(n, 3)
        tens[3, i] = round(k[i], -2)
        tens[4, i] = np.round(n, -1)
    return out, tens, round(len(a) * 0.125, 2), round(len(a), -1)


@program(lambda: [(numbers(n), k) for n in SIZES for k in (-1, 2)])
@somd
def chosen_between_loops(a: dist[np.ndarray], k: int) -> float:
    factor = np.where(k > 0, 0.5, k)
    a[...] *= np.where(k > 1, 3, 1)
    for i in range(len(a)):
        a[i] = a[i] * factor
    return factor * 2.0
