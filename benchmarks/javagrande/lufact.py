"""LUFact: a dense linear system by LU factorisation with partial pivoting, then a triangular solve (Linpack).

The work is done column by column, as Linpack's dgefa and dgesl do: row `k` of the array is column `k` of the matrix.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from benchmarks.javagrande.invalid import InvalidResult, require
from benchmarks.javagrande.numba_baseline import compiled
from somd import dist, somd

ORDER = {"A": 500, "B": 1000, "C": 2000}
RESIDUAL_LIMIT = {"A": 6.0, "B": 12.0}

START = 1325
MULTIPLIER = 3125
MODULUS = 65536

Args = tuple[np.ndarray, np.ndarray, np.ndarray]


def lufact_plain(columns: np.ndarray, b: np.ndarray, pivots: np.ndarray) -> None:
    """Factorise the matrix in place and turn the right-hand side `b` into the solution.

    `columns[j, i]` is the element of row i and column j, float64, shape (n, n); it becomes the upper factor and, below
    the diagonal, the negated multipliers of the lower one. `b`: float64, shape (n,). `pivots`: int64, shape (n,),
    written: the row that was exchanged with row k at step k.
    """
    n = columns.shape[0]
    for k in range(n - 1):
        pivot = k
        largest = abs(columns[k, k])
        for i in range(k + 1, n):
            if abs(columns[k, i]) > largest:
                largest = abs(columns[k, i])
                pivot = i
        pivots[k] = pivot
        if largest != 0.0:
            element = columns[k, pivot]
            columns[k, pivot] = columns[k, k]
            columns[k, k] = element
            scale = -1.0 / element
            for i in range(k + 1, n):
                columns[k, i] *= scale
            for j in range(k + 1, n):
                factor = columns[j, pivot]
                columns[j, pivot] = columns[j, k]
                columns[j, k] = factor
                for i in range(k + 1, n):
                    columns[j, i] += factor * columns[k, i]
    pivots[n - 1] = n - 1
    for k in range(n - 1):
        pivot = pivots[k]
        factor = b[pivot]
        b[pivot] = b[k]
        b[k] = factor
        for i in range(k + 1, n):
            b[i] += factor * columns[k, i]
    for k in range(n - 1, -1, -1):
        b[k] /= columns[k, k]
        factor = -b[k]
        for i in range(k):
            b[i] += factor * columns[k, i]


@somd
def lufact(columns: dist[np.ndarray], b: np.ndarray, pivots: np.ndarray) -> None:
    """`lufact_plain`, the columns distributed."""
    n = columns.shape[0]
    for k in range(n - 1):
        pivot = k
        largest = abs(columns[k, k])
        for i in range(k + 1, n):
            if abs(columns[k, i]) > largest:
                largest = abs(columns[k, i])
                pivot = i
        pivots[k] = pivot
        if largest != 0.0:
            element = columns[k, pivot]
            columns[k, pivot] = columns[k, k]
            columns[k, k] = element
            scale = -1.0 / element
            for i in range(k + 1, n):
                columns[k, i] *= scale
            for j in range(k + 1, n):
                factor = columns[j, pivot]
                columns[j, pivot] = columns[j, k]
                columns[j, k] = factor
                for i in range(k + 1, n):
                    columns[j, i] += factor * columns[k, i]
    pivots[n - 1] = n - 1
    for k in range(n - 1):
        pivot = pivots[k]
        factor = b[pivot]
        b[pivot] = b[k]
        b[k] = factor
        for i in range(k + 1, n):
            b[i] += factor * columns[k, i]
    for k in range(n - 1, -1, -1):
        b[k] /= columns[k, k]
        factor = -b[k]
        for i in range(k):
            b[i] += factor * columns[k, i]


def inputs(order: int) -> Args:
    """Fresh arguments for an `order` x `order` matrix; the right-hand side is its row sums, the solution all ones."""
    columns = np.ascontiguousarray(_matrix(order).T)
    return columns, _row_sums(columns), np.zeros(order, np.int64)


def prepare(size: str) -> Args:
    """Fresh arguments of class "A", "B" or "C"."""
    return inputs(ORDER[size])


def kernel(columns: np.ndarray, b: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    """What is timed: the factorisation and the solution, by the target and workers in force."""
    lufact(columns, b, pivots)
    return b


def sequential(columns: np.ndarray, b: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    """The solution, by one thread."""
    _baseline()(columns, b, pivots)
    return b


@functools.cache
def _baseline() -> Callable[[np.ndarray, np.ndarray, np.ndarray], None]:
    return compiled(lufact_plain)


def validate(size: str, args: Args, result: np.ndarray) -> None:
    """Raise `InvalidResult` unless the solution is good (A, B) or the factorisation is the sequential one's (C).

    At n = 2000 the generator repeats rows and the matrix is singular, so that no solution is there to be judged.
    """
    if size in RESIDUAL_LIMIT:
        require("the normalised residual", residual(result), 0.0, RESIDUAL_LIMIT[size])
        return
    check_factors(args, _reference_factors(ORDER[size]))


def residual(solution: np.ndarray) -> float:
    """max |Ax - b| / (n * norm(A) * max |x| * eps), A and b generated anew; norm(A) is the largest element."""
    matrix = _matrix(len(solution))
    error = np.abs(matrix @ solution - _row_sums(matrix.T)).max()
    scale = len(solution) * matrix.max() * np.abs(solution).max() * np.finfo(np.float64).eps
    return float(error / scale)


def check_factors(args: Args, reference: Args) -> None:
    """Raise `InvalidResult` unless factors and pivots are the reference's bit for bit."""
    for name, found, expected in (("factors", args[0], reference[0]), ("pivots", args[2], reference[2])):
        differing = int(np.count_nonzero(found.view(np.uint64) != expected.view(np.uint64)))
        if differing:
            raise InvalidResult(f"{differing} elements of the {name} differ from the sequential version's")


@functools.lru_cache(maxsize=1)
def _reference_factors(order: int) -> Args:
    args = inputs(order)
    sequential(*args)
    return args


@functools.lru_cache(maxsize=1)
def _matrix(order: int) -> np.ndarray:
    """The matrix of Linpack, row by row from a generator of period 16384; read-only."""
    period = np.empty(16384)
    state = START
    for index in range(len(period)):
        state = MULTIPLIER * state % MODULUS
        period[index] = (state - 32768.0) / 16384.0
    matrix = np.resize(period, (order, order))
    matrix.flags.writeable = False
    return matrix


def _row_sums(columns: np.ndarray) -> np.ndarray:
    """The sum of each row of the matrix, its columns added in order."""
    sums = np.zeros(columns.shape[1])
    for column in columns:
        sums += column
    return sums
