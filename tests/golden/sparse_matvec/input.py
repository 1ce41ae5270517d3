"""y += A x in coordinate form, cut so that no row belongs to two method instances (the paper's SparseMatMult)."""

from typing import Annotated

import numpy as np

from somd import ByKey, dist, like, partition, somd


@somd
def sparse_matvec(
    y: np.ndarray,
    row: Annotated[np.ndarray, dist, partition(ByKey)],
    column: Annotated[np.ndarray, dist, like("row")],
    values: Annotated[np.ndarray, dist, like("row")],
    x: np.ndarray,
) -> None:
    for k in range(len(values)):
        y[row[k]] += values[k] * x[column[k]]


def cases():
    generator = np.random.default_rng(0)
    made = []
    for edge, count in ((5, 12), (300, 2500)):
        row = np.sort(generator.integers(0, edge, count))
        made.append((np.zeros(edge), row, generator.integers(0, edge, count), *generator.random((2, count))))
    return made
