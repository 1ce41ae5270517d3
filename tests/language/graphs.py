"""Graphs, meshes, sparse matrices: indexes that come from arrays."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program, spaced

A = dist[np.ndarray]


def indexed(dtype=np.int64, low=0):
    return [(numbers(20), numbers(n, dtype=dtype, low=low, high=19)) for n in SIZES]


def csr(n):
    """Row starts, columns and values of a sparse n x n matrix, some rows empty."""
    counts = numbers(n, dtype=np.int64, low=0, high=4)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    columns = numbers(int(starts[-1]), dtype=np.int64, low=0, high=max(n - 1, 0))
    return starts, columns, numbers(int(starts[-1]))


@program(lambda: indexed(low=-20) + indexed(np.int32))
@somd
def gather(a: A, index: A) -> np.ndarray:
    out = np.zeros(len(index))
    for i in range(len(index)):
        out[i] = a[index[i]]
    return out


@program(lambda: indexed(np.uint8) + indexed(np.uint64))
@somd
def gather_unsigned(a: A, index: A) -> np.ndarray:
    out = np.zeros(len(index))
    for i in range(len(index)):
        out[i] = a[index[i]]
    return out


@program(lambda: [(*csr(n), numbers(n)) for n in (0, 1, 2, 9, 60)])
@somd
def sparse_matrix_vector(starts: A, columns: A, values: A, x: np.ndarray) -> np.ndarray:
    y = np.zeros(len(x))
    for i in range(len(x)):
        s = 0.0
        for k in range(starts[i], starts[i + 1]):
            s += values[k] * x[columns[k]]
        y[i] = s
    return y


@program(lambda: [(numbers(n, n, dtype=bool),) for n in (0, 1, 5, 13)])
@somd
def degrees(adjacent: A) -> np.ndarray:
    out = np.zeros(adjacent.shape[0], np.int32)
    for i in range(adjacent.shape[0]):
        d = 0
        for j in range(adjacent.shape[1]):
            if adjacent[i, j]:
                d += 1
        out[i] = d
    return out


@program(lambda: [(numbers(n, n, dtype=bool),) for n in (0, 1, 5, 13)])
@somd
def triangles(adjacent: A) -> int:
    n = adjacent.shape[0]
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                if adjacent[i, j] and adjacent[j, k] and adjacent[i, k]:
                    count += 1
    return count


@program(lambda: [(numbers(n, n, dtype=bool),) for n in (0, 1, 5, 13)])
@somd
def transitive_closure(reach: A) -> None:
    n = reach.shape[0]
    row = np.zeros(n, np.bool_)
    for k in range(n):
        for j in range(n):
            row[j] = reach[k, j]
        for i in range(n):
            through = reach[i, k]
            for j in range(n):
                reach[i, j] = reach[i, j] or (through and row[j])


@program(lambda: [(*csr(n)[:2], numbers(n)) for n in (1, 2, 9, 60)], rtol=1e-12)
@somd
def page_rank_step(starts: A, sources: A, rank: np.ndarray) -> float:
    n = len(rank)
    new = np.zeros(n)
    for i in range(n):
        for k in range(starts[i], starts[i + 1]):
            new[i] += rank[sources[k]] / (starts[sources[k] + 1] - starts[sources[k]] + 1)
    change = 0.0
    for i in range(n):
        change += abs(new[i] - rank[i])
    return float(change)


@program(lambda: [(numbers(n, 2), numbers(m, 2, seed=2)) for n in (0, 1, 9, 30) for m in (0, 7)])
@somd
def all_pairs_distances(p: A, q: np.ndarray) -> np.ndarray:
    d = np.zeros((p.shape[0], q.shape[0]))
    for i in range(p.shape[0]):
        for j in range(q.shape[0]):
            s = 0.0
            for k in range(p.shape[1]):
                s += (p[i, k] - q[j, k]) ** 2
            d[i, j] = np.sqrt(s)
    return d


@program(lambda: [(numbers(n, dtype=np.int64, low=0, high=6), 7) for n in SIZES])
@somd
def histogram_by_scan(data: np.ndarray, bins: int) -> np.ndarray:
    counts = np.zeros(bins, np.int64)
    for b in range(bins):
        for k in range(len(data)):
            if data[k] == b:
                counts[b] += 1
    return counts


@program(lambda: indexed() + [(spaced(numbers(20)), spaced(numbers(9, dtype=np.int64, low=0, high=19)))])
@somd
def gather_under_a_condition(a: A, index: A) -> np.ndarray:
    out = np.zeros(len(index))
    for i in range(len(index)):
        k = index[i]
        if 0 < k < len(a) - 1:
            out[i] = a[k - 1] + a[k + 1]
    return out


@program(lambda: [(numbers(n, dtype=np.int64, low=-1, high=4),) for n in SIZES])
@somd
def roots_by_pointers(parent: A) -> np.ndarray:
    root = np.zeros(len(parent), np.int64)
    for i in range(len(parent)):
        at = i
        while parent[at] >= 0 and parent[at] < at:
            at = parent[at]
        root[i] = at
    return root
