"""Who gets which indexes: the supplied partitioners, the user's own, `like`, `dim`, and markers on locals."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import Block, BlockBlock, ByKey, Chunked, Cyclic, Weighted, dim, dist, like, partition, somd, view
from tests.language.program import SHAPES, SIZES, numbers, program, spaced

A = dist[np.ndarray]


def halves(array: np.ndarray, parts: int) -> list[tuple[int, int]]:
    """A partitioner of a user: two parts, whatever is asked for."""
    middle = len(array) // 2
    return [(0, middle), (middle, len(array))]


def descending_cost(array: np.ndarray) -> np.ndarray:
    return np.arange(len(array), 0, -1)


def vectors(*more):
    return [(numbers(n), *more) for n in SIZES] + [(spaced(numbers(31)), *more)]


@program(vectors)
@somd
def cyclic_triangle(a: Annotated[np.ndarray, dist, partition(Cyclic)]) -> np.ndarray:
    out = np.zeros_like(a)
    for i in range(len(a)):
        for j in range(i):
            out[i] += a[j] * 0.5
    return out


@program(vectors)
@somd
def cyclic_runs_backwards(a: Annotated[np.ndarray, dist, partition(Cyclic(3))]) -> None:
    for i in range(len(a) - 1, 0, -1):
        a[i] = a[i] + i


@program(vectors)
@somd
def chunked_uneven(a: Annotated[np.ndarray, dist, partition(Chunked(4))]) -> None:
    for i in range(len(a)):
        x = a[i]
        steps = 0
        while x > 0.5:
            x = x * 0.5
            steps += 1
        a[i] = steps


@program(vectors)
@somd
def weighted_by_a_function(a: Annotated[np.ndarray, dist, partition(Weighted(descending_cost))]) -> None:
    for i in range(len(a)):
        a[i] = a[i] * i


@program(vectors)
@somd
def own_partitioner(a: Annotated[np.ndarray, dist, partition(halves)]) -> None:
    for i in range(0, len(a), 2):
        a[i] = a[i] - 1.0


@program(lambda: [(np.repeat(np.arange(n), 1 + np.arange(n) % 3), numbers(n)) for n in SIZES])
@somd
def keys_in_two_phases(key: Annotated[np.ndarray, dist, partition(ByKey)], y: np.ndarray) -> None:
    for k in range(len(key)):
        y[key[k]] += 1.0
    for k in range(len(key)):
        y[key[k]] = y[key[k]] * 2.0


@program(lambda: [(np.sort(numbers(n, dtype=np.int64, low=0, high=n)), numbers(n), numbers(n + 1)) for n in SIZES])
@somd
def rows_with_like(
    row: Annotated[np.ndarray, dist, partition(ByKey)], value: Annotated[np.ndarray, dist, like("row")], y: np.ndarray
) -> None:
    for k in range(len(value)):
        if k < len(row):
            y[row[k]] += value[k]


@program(lambda: [(numbers(r, c),) for r, c in SHAPES])
@somd
def grid_of_instances(m: Annotated[np.ndarray, dist, dim(0, 1), partition(BlockBlock)]) -> None:
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            m[i, j] = m[i, j] * i - j


@program(lambda: [(numbers(r, c),) for r, c in SHAPES])
@somd
def columns_only(m: Annotated[np.ndarray, dist, dim(1)]) -> None:
    for j in range(m.shape[1]):
        for i in range(1, m.shape[0]):
            m[i, j] = m[i, j] + m[i - 1, j]


@program(vectors)
@somd
def cyclic_local(a: A) -> np.ndarray:
    out: Annotated[np.ndarray, dist, partition(Cyclic)] = np.zeros_like(a)
    for i in range(len(a)):
        out[i] = a[i] + i
    return out


@program(vectors)
@somd
def local_like_a_parameter(a: Annotated[np.ndarray, dist, partition(Chunked(2))]) -> np.ndarray:
    out: Annotated[np.ndarray, dist, like("a"), view((1, 0))] = np.zeros(len(a))
    for i in range(len(out)):
        out[i] = a[i] * 3.0
    for i in range(1, len(a)):
        a[i] = out[i] - out[i - 1]
    return out


@program(lambda: [(numbers(r, c),) for r, c in SHAPES])
@somd
def local_by_columns(m: A) -> np.ndarray:
    """The rows carry a dependence; `dim(1)` on the local says that its columns are distributed."""
    sums: Annotated[np.ndarray, dist, dim(1), partition(Block)] = np.zeros(m.shape)
    for i in range(1, m.shape[0]):
        for j in range(m.shape[1]):
            sums[i, j] = sums[i - 1, j] + m[i, j]
    return sums


@program(lambda: [(numbers(n), numbers(m, seed=1), np.zeros(n)) for n, m in ((4, 20), (0, 5), (20, 4), (7, 7))])
@somd
def further_than_the_partition(
    a: Annotated[np.ndarray, dist, partition(Chunked(2))], b: Annotated[np.ndarray, dist, like("a")], c: np.ndarray
) -> None:
    """A partitioner cuts the indexes of its array: not all that a loop has, nor those of another array of the name."""
    for i in range(len(b)):
        b[i] += 1.0
        if i < len(a):
            a[i] += b[i]
    for i in range(-3, len(b)):
        if i >= 0:
            b[i] *= 2.0
    for _ in range(1):
        a, c = c, a
    for i in range(len(a)):
        a[i] -= 1.0


@program(lambda: [(np.repeat(np.arange(3), 4), numbers(m), np.zeros(3)) for m in (3, 12, 40)])
@somd
def further_than_the_keys(
    key: Annotated[np.ndarray, dist, partition(ByKey)], value: dist[np.ndarray], out: np.ndarray
) -> None:
    for i in range(len(value)):
        if i < len(key):
            out[key[i]] += value[i]
        value[i] = -value[i]
