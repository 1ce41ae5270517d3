"""The kernels as an expert writes them in PyOMP: Numba with OpenMP's directives.

Threads are those of `OMP_NUM_THREADS`. The helpers and the layouts are those of our own Numba versions.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from numba.openmp import njit
from numba.openmp import openmp_context as openmp

from benchmarks.hand_written.crypt import in_words, inner, one_round, plus, times
from benchmarks.hand_written.lufact import solve
from benchmarks.hand_written.series import table
from benchmarks.hand_written.sor import sweep_row
from benchmarks.hand_written.sparsematmult import cuts
from benchmarks.javagrande.series import PLAIN, STEP, trapezoid

jit: Any = njit


@inner
def _block(source: Any, target: Any, key: Any) -> None:
    x1, x2, x3, x4 = np.uint32(source[0]), np.uint32(source[1]), np.uint32(source[2]), np.uint32(source[3])
    x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 0)
    x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 6)
    x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 12)
    x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 18)
    x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 24)
    x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 30)
    x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 36)
    x1, x2, x3, x4 = one_round(x1, x2, x3, x4, key, 42)
    target[0], target[1] = times(x1, key[48]), plus(x3, key[49])
    target[2], target[3] = plus(x2, key[50]), times(x4, key[51])


@jit
def _crypt(source: Any, target: Any, key: Any) -> None:
    with openmp("parallel for schedule(static)"):
        for block in range(source.shape[0]):
            _block(source[block], target[block], key)


def crypt(plain: Any, cipher: Any, decrypted: Any, key: Any, inverse_key: Any) -> Any:
    """32-bit words, the rounds unrolled."""
    return in_words(_crypt, plain, cipher, decrypted, key, inverse_key)


@inner
def _scaled(column: Any) -> int:
    """The place of the largest element, which is brought to the front; the others become multipliers."""
    pivot = 0
    for i in range(1, len(column)):
        if abs(column[i]) > abs(column[pivot]):
            pivot = i
    element = column[pivot]
    if element != 0.0:
        column[pivot] = column[0]
        column[0] = element
        scale = -1.0 / element
        multipliers = column[1:]
        for i in range(len(multipliers)):
            multipliers[i] *= scale
    return pivot


@inner
def _update(column: Any, other: Any, pivot: int) -> None:
    factor = other[pivot]
    other[pivot] = other[0]
    other[0] = factor
    rest, multipliers = other[1:], column[1:]
    for i in range(len(rest)):
        rest[i] += factor * multipliers[i]


@jit
def _lufact(columns: Any, pivots: Any) -> None:
    n = columns.shape[0]
    for k in range(n - 1):
        pivot = _scaled(columns[k, k:])
        pivots[k] = k + pivot
        if columns[k, k] != 0.0:
            with openmp("parallel for schedule(static)"):
                for j in range(k + 1, n):
                    _update(columns[k, k:], columns[j, k:], pivot)
    pivots[n - 1] = n - 1


def lufact(columns: Any, b: Any, pivots: Any) -> Any:
    """Slices of rows that start at zero."""
    _lufact(columns, pivots)
    solve(columns, b, pivots)
    return b


@inner
def _pair(frequency: Any, places: Any, powers: Any) -> Any:
    a = b = 0.0
    for k in range(len(places)):
        angle = frequency * places[k]
        a += powers[k] * math.cos(angle)
        b += powers[k] * math.sin(angle)
    return a * STEP, b * STEP


@jit
def _series(coefficients: Any, places: Any, powers: Any) -> None:
    with openmp("parallel for schedule(static)"):
        for n in range(1, coefficients.shape[1]):
            coefficients[0, n], coefficients[1, n] = _pair(math.pi * n, places, powers)


def series(coefficients: Any) -> Any:
    """The powers in a table."""
    coefficients[0, 0], coefficients[1, 0] = 0.5 * trapezoid(0.0, PLAIN), 0.0
    _series(coefficients, *table())
    return coefficients


@jit
def _sor(G: Any, even: Any, odd: Any, omega: Any, iterations: Any) -> float:
    rows, columns = G.shape
    neighbours, own = 0.25 * omega, 1.0 - omega
    with openmp("parallel for schedule(static)"):
        for i in range(rows):
            even[i] = G[i, 0::2]
            odd[i] = G[i, 1::2]
    for p in range(1, 2 * iterations + 1):
        with openmp("parallel for schedule(static)"):
            for i in range(1, rows - 1):
                sweep_row(even, odd, i, p, columns, neighbours, own)
    total = 0.0
    with openmp("parallel for schedule(static) reduction(+:total)"):
        for i in range(rows):
            G[i, 0::2] = even[i]
            G[i, 1::2] = odd[i]
            if 0 < i < rows - 1:
                for j in range(1, columns - 1):
                    total += G[i, j]
    return total


def sor(G: Any, omega: Any, iterations: Any) -> float:
    """The columns of each parity packed apart."""
    rows, columns = G.shape
    even, odd = np.empty((rows, (columns + 1) // 2)), np.empty((rows, columns // 2))
    return float(_sor(G, even, odd, omega, iterations))


@inner
def _block_of_rows(y: Any, values: Any, row: Any, column: Any, x: Any, start: int, stop: int) -> None:
    for k in range(start, stop):
        y[row[k]] += x[column[k]] * values[k]


@jit
def _sparsematmult(y: Any, values: Any, row: Any, column: Any, x: Any, iterations: Any, blocks: Any) -> None:
    for _ in range(iterations):
        with openmp("parallel for schedule(static)"):
            for part in range(len(blocks) - 1):
                _block_of_rows(y, values, row, column, x, blocks[part], blocks[part + 1])


def sparsematmult(y: Any, values: Any, row: Any, column: Any, x: Any, iterations: Any) -> Any:
    """A block of rows for each thread; with the sums of the short rows in registers it is slower."""
    _sparsematmult(y, values, row, column, x, iterations, cuts(row, int(os.environ["OMP_NUM_THREADS"])))
    return y


KERNELS = {"crypt": crypt, "lufact": lufact, "series": series, "sor": sor, "sparsematmult": sparsematmult}
