"""Sparse product

A sparse matrix times a vector, in the two usual formats.

With compressed rows each iteration has a row to itself; `Weighted` cuts so that the method instances get about as many
entries each. In coordinates (the SOMD paper's SparseMatMult) several entries go into one element of the result:
`ByKey` never lets two method instances have entries of the same row, so no element is written by two.

Prints:

    both agree: True
"""

from typing import Annotated

import numpy as np

from somd import ByKey, Weighted, dist, like, partition, somd


def entries_of_rows(start: np.ndarray) -> np.ndarray:
    return np.diff(start, append=start[-1:])


@somd
def by_rows(
    start: Annotated[np.ndarray, dist, partition(Weighted(entries_of_rows))],
    column: np.ndarray,
    value: np.ndarray,
    x: np.ndarray,
) -> np.ndarray:
    y = np.zeros(len(start) - 1)
    for i in range(len(y)):
        for k in range(start[i], start[i + 1]):
            y[i] += value[k] * x[column[k]]
    return y


@somd
def by_coordinates(
    y: np.ndarray,
    row: Annotated[np.ndarray, dist, partition(ByKey)],
    column: Annotated[np.ndarray, dist, like("row")],
    value: Annotated[np.ndarray, dist, like("row")],
    x: np.ndarray,
) -> None:
    for k in range(len(value)):
        y[row[k]] += value[k] * x[column[k]]


def main() -> None:
    random = np.random.default_rng(0)
    n, entries = 20_000, 200_000
    row, column = np.sort(random.integers(0, n, entries)), random.integers(0, n, entries)
    value, x = random.random(entries), random.random(n)
    start = np.searchsorted(row, np.arange(n + 1))
    y = np.zeros(n)
    by_coordinates(y, row, column, value, x)
    print("both agree:", np.allclose(y, by_rows(start, column, value, x)))


if __name__ == "__main__":
    main()
