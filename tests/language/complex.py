"""Complex numbers: arithmetic, parts, functions, reductions, NumPy's promotion."""

from __future__ import annotations

import cmath
from typing import Annotated

import numpy as np

from somd import ByKey, dist, like, partition, shared, somd, sync
from tests.language.program import SHAPES, SIZES, numbers, program, reverse, spaced

A = dist[np.ndarray]
TURN = 0.6 + 0.8j
NARROW = np.complex64(0.1 - 2j)
PARTS = (0.0, -0.0, 1.0, -1.5, 2.5e200, 1e-310, np.inf, -np.inf, np.nan)


def waves(*dtypes, count=1):
    return [tuple(numbers(n, dtype=d, seed=k) for k in range(count)) for d in dtypes for n in SIZES]


def both(count=1):
    return waves(np.complex128, np.complex64, count=count)


def edges(dtype):
    every = np.array([complex(x, y) for x in PARTS for y in PARTS])
    left, right = (side.ravel() for side in np.meshgrid(every, every))
    with np.errstate(all="ignore"):
        return left.astype(dtype), right.astype(dtype)


def edge_cases():
    return [edges(np.complex128), edges(np.complex64)]


@program(lambda: both(2) + edge_cases())
@somd
def four_operations(a: A, b: A) -> np.ndarray:
    out = np.zeros((6, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = a[i] + b[i]
        out[1, i] = a[i] - b[i]
        out[2, i] = a[i] * b[i]
        out[3, i] = a[i] / b[i]
        out[4, i] = -a[i]
        out[5, i] = a[i].conjugate()
    return out


@program(edge_cases)
@somd
def whole_powers(a: A, b: A) -> np.ndarray:
    out = np.zeros((7, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = a[i] ** 2
        out[1, i] = a[i] ** 3
        out[2, i] = a[i] ** 7
        out[3, i] = a[i] ** -1
        out[4, i] = a[i] ** -6
        out[5, i] = a[i] ** 0
        out[6, i] = b[i] ** (i % 9 - 4)
    return out


@program(lambda: both(2) + edge_cases())
@somd
def comparisons_and_tests(a: A, b: A) -> np.ndarray:
    out = np.zeros((5, len(a)), np.int32)
    for i in range(len(a)):
        out[0, i] = 1 if a[i] == b[i] else 0
        out[1, i] = 1 if a[i] != b[i] else 0
        out[2, i] = 1 if a[i] == 1 else 0
        out[3, i] = 1 if a[i] else 2
        if np.isnan(a[i]) or np.isinf(b[i]) or not np.isfinite(a[i]):
            out[4, i] = 3
    return out


@program(lambda: both() + [(edges(d)[0],) for d in (np.complex128, np.complex64)])
@somd
def parts_and_sizes(a: A) -> np.ndarray:
    out = np.zeros((6, len(a)), a.dtype)
    for i in range(len(a)):
        out[0, i] = abs(a[i])
        out[1, i] = a[i].real + a[i].imag
        out[2, i] = np.conj(a[i]) + np.real(a[i]) - np.imag(a[i])
        out[3, i] = (a[i] * 2).imag
        out[4, i] = complex(a[i].imag, a[i].real)
        out[5, i] = a[i].conj()
    return out


@program(both, rtol=1e-6)
@somd
def functions(a: A) -> np.ndarray:
    out = np.zeros((8, len(a)), a.dtype)
    for i in range(len(a)):
        z = a[i] / 4
        out[0, i] = np.exp(z) + np.sqrt(z)
        out[1, i] = np.log(z) - np.log10(z)
        out[2, i] = np.sin(z) * np.cos(z)
        out[3, i] = np.sinh(z) + np.cosh(z)
        out[4, i] = np.tan(z) + np.tanh(z)
        out[5, i] = np.angle(z) + np.abs(z)
        out[6, i] = z**0.5 + np.power(z, 3)
        out[7, i] = cmath.exp(z) + cmath.phase(z)
    return out


@program(lambda: both() + waves(np.float32), rtol=1e-6)
@somd
def mixed_types(a: A) -> np.ndarray:
    out = np.zeros((7, len(a)), np.complex128)
    for i in range(len(a)):
        out[0, i] = a[i] * 2j + 0.1
        out[1, i] = a[i] * TURN - 1 / (a[i] + 3j)
        out[2, i] = a[i] * NARROW
        out[3, i] = a[i] + np.complex64(0.1)
        out[4, i] = np.complex64(a[i]) * np.float64(0.1)
        out[5, i] = np.complex64(a[i]) * 0.1 + np.complex128(i, 2)
        out[6, i] = complex(i, -1) / (3 + 1j) ** 3
    return out


@program(lambda: [(numbers(n, dtype=d), s) for n in (1, 7, 40) for d in (np.complex64, np.float32)
                  for s in (0.5j, np.complex64(0.5j), np.complex128(0.5j))], rtol=1e-6)  # fmt: skip
@somd
def scalar_arguments(a: A, turn: complex):
    total = 0j
    for i in range(len(a)):
        total += a[i] * turn
    return total, turn * 2, turn.real - turn.imag


@program(lambda: both(2), rtol=1e-4)
@somd
def complex_dot(a: A, b: A):
    total = np.complex128(0)
    for i in range(len(a)):
        total += np.conj(a[i]) * b[i]
    return total


@program(both, rtol=1e-4)
@somd
def sum_and_product(a: A):
    total = np.complex128(0)
    product = np.complex128(1)
    for i in range(len(a)):
        total -= a[i]
        product *= a[i] / 9
    return total, product


def pairs(dtype):
    parts = ((-0.0, 2.0), (np.inf, np.nan), (3.0, -0.0), (-np.inf, 0.0), (np.nan, 1.0), (0.0, -1.0), (1.0, 0.0))
    every = np.array([complex(x, y) for x, y in parts]).astype(dtype)
    return [side.ravel() for side in np.meshgrid(every, every)]


@program(lambda: [(*pairs(d), n) for d in (np.complex128, np.complex64) for n in (1, 40, 3000)])
@somd
def one_factor(first: A, factor: A, length: int):
    """One iteration multiplies, another adds: whatever the association, there is nothing to combine with."""
    out = np.empty((3, len(first)), first.dtype)
    r = 0
    while r < len(first):
        product = first[r]
        total = first[r]
        for i in range(length):
            if i == (r * 61) % length:
                product *= factor[r]
            if i == (r * 17) % length:
                total = factor[r] + total
        out[0, r] = product
        out[1, r] = total
        kept: shared[np.ndarray] = np.full(2, first[r])
        with sync(kept, reduce="*"):
            for i in range(length):
                if i == (r * 61) % length:
                    kept[i % 2] = factor[r] * kept[i % 2]
        out[2, r] = kept[0] + kept[1]
        r += 1
    return out


@program(lambda: waves(np.complex128))
@somd
def largest(a: A):
    peak = 0.0
    where = -1
    value = np.complex128(0)
    for i in range(len(a)):
        if abs(a[i]) > peak:
            peak = abs(a[i])
            where = i
            value = a[i] * 1
    return where, value


@program(lambda: [(n, m) for n, m in ((0, 3), (1, 1), (9, 14))])
@somd
def mandelbrot(rows: int, columns: int) -> np.ndarray:
    out = np.zeros((rows, columns), np.int32)
    for i in range(rows):
        for j in range(columns):
            c = complex(-2.0 + 2.8 * j / columns, -1.2 + 2.4 * i / rows)
            z = 0j
            n = 0
            while n < 60 and abs(z) <= 2:
                z = z * z + c
                n += 1
            out[i, j] = n
    return out


@program(lambda: [(numbers(2 * n, dtype=d), numbers(n, dtype=d)) for n in (0, 1, 8, 33)
                  for d in (np.complex128, np.complex64)])  # fmt: skip
@somd
def butterfly(x: A, twiddle: A) -> None:
    half = len(twiddle)
    for k in range(half):
        even = x[k]
        odd = twiddle[k] * x[k + half]
        x[k] = even + odd
        x[k + half] = even - odd


@program(lambda: [(numbers(n, dtype=np.complex128), 12) for n in (0, 1, 30)])
@somd
def newton_roots(z: A, steps: int) -> None:
    for k in range(len(z)):
        for _ in range(steps):
            z[k] -= (z[k] ** 3 - 1) / (3 * z[k] ** 2)


@program(lambda: [(spaced(numbers(n, dtype=np.complex64)), 0.3) for n in (1, 20)]
         + [(reverse(numbers(9, dtype=np.complex64)), 1)], rtol=1e-6)  # fmt: skip
@somd
def phase_rotation(signal: A, step: float) -> None:
    for n in range(len(signal)):
        signal[n] *= np.exp(1j * step * n)


def horner(x, c):
    return x * (x * (x - c) + c.conjugate()) / abs(c)


@program(lambda: both(2))
@somd
def helper_of_complex(a: A, b: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = horner(a[i], b[i]) if b[i] != 0 else 1j
    return out


@program(lambda: [(numbers(9, dtype=d), np.array([8, 0, -1, 3, -9])) for d in (np.complex128, np.complex64)],
         )  # fmt: skip
@somd
def gathered(a: A, at: A) -> np.ndarray:
    out = np.full(len(at), 1 - 1j)
    for i in range(len(at)):
        out[i] *= a[at[i]].conjugate()
    return out


NEGATIVE = complex(-0.0, 0.0)


@program(lambda: waves(np.complex128))
@somd
def filled_with_zeros_that_have_signs(a: A) -> np.ndarray:
    kept = np.full(len(a), NEGATIVE)
    other = np.full(len(a), -0j)
    out = np.zeros((2, len(a)), np.complex128)
    for i in range(len(a)):
        out[0, i] = kept[i]
        out[1, i] = other[i]
    return out


def _lines():
    return [(numbers(n, dtype=np.complex128), steps) for n in (1, 2, 7, 131) for steps in (1, 3)]


@program(_lines, rtol=1e-12)
@somd
def rotated_between_phases(a: A, steps: int):
    turn = np.complex128(1)
    first = 0j
    for k in range(steps):
        turn = np.complex128(0)
        for i in range(len(a)):
            turn += a[i] * a[i].conjugate() + 1j
        first = a[0]
        a[0] = first + turn / (k + 2j)
        if a[0] == first or turn != turn.conjugate():
            turn = turn * 1j
        for i in range(len(a)):
            a[i] = a[i] * (turn / abs(turn)) - first
    return turn, first


def polar(z):
    return abs(z), z.conjugate() if z.real > 0 else -z, z == 1j


@program(lambda: [(numbers(n, dtype=d), numbers(n)) for n in (1, 7, 40) for d in (np.complex128, np.complex64)])
@somd
def tuples_of_complex(a: A, size: A) -> None:
    for i in range(len(a)):
        size[i], a[i], _ = polar(a[i])
        pair = (a[i] * 2j, size[i])
        a[i] = pair[0] - polar(a[i])[1]


@program(lambda: [(numbers(n, dtype=np.int64, low=0, high=4), numbers(n, dtype=d), numbers(5, dtype=d))
                  for n in (0, 1, 7, 900) for d in (np.complex128, np.complex64)], rtol=1e-5)  # fmt: skip
@somd
def complex_histogram(key: A, weight: A, first: np.ndarray):
    total: shared[np.ndarray] = np.zeros(5, np.complex128)
    turned: shared[np.ndarray] = np.copy(first)
    with sync(total, reduce="+"):
        for i in range(len(key)):
            total[key[i]] += weight[i] * 2
    with sync(turned, reduce="*"):
        for i in range(len(key)):
            turned[key[i]] *= weight[i] / abs(weight[i])
    return total, turned


@program(lambda: [(np.sort(numbers(n, dtype=np.int64, low=0, high=n)), numbers(n, dtype=np.complex128),
                   numbers(n + 1, dtype=np.complex128)) for n in SIZES])  # fmt: skip
@somd
def complex_rows(
    row: Annotated[np.ndarray, dist, partition(ByKey)], value: Annotated[np.ndarray, dist, like("row")], y: np.ndarray
) -> None:
    for k in range(len(row)):
        y[row[k]] += value[k]


@program(lambda: [(numbers(n, dtype=np.float64), numbers(n, dtype=np.complex128)) for n in (1, 9, 81)], rtol=1e-13)
@somd
def of_python(x: A, out: A) -> None:
    for i in range(len(x)):
        z = complex(float(x[i]), 2.0)
        w = z * 2 + 1j
        out[i] = z / w + w**2 - z**-3 + w ** (0.5 - 1j) + (z if z != w else 3)
        if not z:
            out[i] = w**0.5


@program(lambda: [(numbers(*shape, dtype=np.complex64),) for shape in SHAPES])
@somd
def walk_along_rows(m: A) -> np.ndarray:
    out = np.zeros(m.shape[0], m.dtype)
    for i in range(m.shape[0]):
        z = np.complex64(0)
        for j in range(m.shape[1]):
            z = z * 1j + m[i, j]
        out[i] = z
    return out


@program(lambda: [(numbers(n, dtype=np.complex128).real, numbers(n, dtype=np.complex128).imag) for n in SIZES])
@somd
def views_of_the_parts(x: A, y: A) -> np.ndarray:
    out = np.empty(len(x), np.complex128)
    for i in range(len(x)):
        x[i] += 1.0
        out[i] = complex(x[i], y[i])
    return out
