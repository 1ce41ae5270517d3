"""SparseMatmult: y += A x, 200 times over the same y, A in coordinate form.

The suite groups the non-zeros by blocks of rows, one block per thread, before it starts its clock, so that no two
threads touch the same row. Here they are grouped by row, the original order kept inside a row: that serves any number
of threads, and leaves the order in which each y[row] is summed, so every y, bit for bit, as in the ungrouped matrix.
All columns of the benchmark, the sequential one too, get the grouped matrix.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated

import numpy as np

from benchmarks.javagrande.invalid import require
from benchmarks.javagrande.java_random import JavaRandom, as_doubles, as_ints
from benchmarks.javagrande.numba_baseline import compiled
from somd import ByKey, dist, like, partition, somd

EDGE = {"A": 50_000, "B": 100_000, "C": 500_000}
NON_ZEROS = {"A": 250_000, "B": 500_000, "C": 2_500_000}
YTOTAL = {"A": 75.02484945753453, "B": 150.0130719633895, "C": 749.5245870753752}
TOLERANCE = 1e-12

SEED = 10101010
ITERATIONS = 200

Args = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]


def sparsematmult_plain(
    y: np.ndarray, values: np.ndarray, row: np.ndarray, column: np.ndarray, x: np.ndarray, iterations: int
) -> None:
    """Add A x to `y`, `iterations` times; non-zero k of A is `values[k]`, in row `row[k]` and column `column[k]`.

    `y`, `values`, `x`: float64; `row`, `column`: int32, indexes of `y` and `x`.
    """
    for _ in range(iterations):
        for k in range(len(values)):
            y[row[k]] += x[column[k]] * values[k]


@somd
def sparsematmult(
    y: np.ndarray,
    values: Annotated[np.ndarray, dist, like("row")],
    row: Annotated[np.ndarray, dist, partition(ByKey)],
    column: Annotated[np.ndarray, dist, like("row")],
    x: np.ndarray,
    iterations: int,
) -> None:
    """`sparsematmult_plain`, the non-zeros distributed so that a row belongs to one method instance."""
    for _ in range(iterations):
        for k in range(len(values)):
            y[row[k]] += x[column[k]] * values[k]


def inputs(edge: int, non_zeros: int, iterations: int = ITERATIONS) -> Args:
    """Fresh arguments for an `edge` x `edge` matrix, its non-zeros grouped by row."""
    pristine = _matrix(edge, non_zeros)
    values, row, column, x = (array.copy() for array in pristine)
    return np.zeros(edge), values, row, column, x, iterations


def prepare(size: str) -> Args:
    """Fresh arguments of class "A", "B" or "C"."""
    return inputs(EDGE[size], NON_ZEROS[size])


def kernel(
    y: np.ndarray, values: np.ndarray, row: np.ndarray, column: np.ndarray, x: np.ndarray, iterations: int
) -> np.ndarray:
    """What is timed: the product, by the target and workers in force."""
    sparsematmult(y, values, row, column, x, iterations)
    return y


def sequential(
    y: np.ndarray, values: np.ndarray, row: np.ndarray, column: np.ndarray, x: np.ndarray, iterations: int
) -> np.ndarray:
    """The product, by one thread."""
    _baseline()(y, values, row, column, x, iterations)
    return y


@functools.cache
def _baseline() -> Callable[..., None]:
    return compiled(sparsematmult_plain)


def validate(size: str, args: Args, result: np.ndarray) -> None:
    """Raise `InvalidResult` unless the sum of y[row] over all non-zeros is the suite's."""
    check(YTOTAL[size], args, result)


def check(ytotal: float, args: Args, result: np.ndarray) -> None:
    """`validate` for a matrix of any size, whose ytotal is known."""
    require("ytotal", float(result[args[2]].sum()), ytotal, TOLERANCE, relative=True)


@functools.lru_cache(maxsize=1)
def _matrix(edge: int, non_zeros: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values, rows, columns and x as the suite draws them, the non-zeros grouped by row; not to be changed."""
    random = JavaRandom(SEED)
    x = random.doubles(edge) * 1e-6
    draws = random.states(4 * non_zeros).reshape(non_zeros, 4)
    row = np.abs(as_ints(draws[:, 0])) % np.int32(edge)
    column = np.abs(as_ints(draws[:, 1])) % np.int32(edge)
    values = as_doubles(draws[:, 2], draws[:, 3])
    order = np.argsort(row, kind="stable")
    return values[order], row[order], column[order], x
