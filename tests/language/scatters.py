"""Arrays that a fence combines: histograms and scatters."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import ByKey, Cyclic, dim, dist, partition, shared, somd, sync
from tests.language.program import SHAPES, SIZES, fortran, numbers, program, reverse, spaced

A = dist[np.ndarray]
S = shared[np.ndarray]
LENGTHS = (*SIZES, 3000)


def keyed(bins, *dtypes, low=0, keys=np.int64):
    """Keys below `bins`, arrays of values, and a target of the last dtype."""
    return [
        (
            numbers(n, dtype=keys, low=low, high=bins - 1),
            *(numbers(n, dtype=dtype, low=1, high=7, seed=3) for dtype in dtypes),
            numbers(bins, dtype=dtypes[-1] if dtypes else np.int64, seed=5),
        )
        for n in LENGTHS
    ]


@program(lambda: [(numbers(n, dtype=dtype, low=0, high=15), 16) for n in LENGTHS for dtype in (np.int64, np.uint8)])
@somd
def histogram(a: A, bins: int) -> np.ndarray:
    h: shared[np.ndarray] = np.zeros(bins, dtype=np.int64)
    with sync(h, reduce="+"):
        for i in range(len(a)):
            h[a[i]] += 1
    return h


@program(lambda: [c for dtype in (np.float64, np.float32) for c in keyed(9, dtype)], rtol=1e-5)
@somd
def weighted_histogram(key: A, weight: A, h: S) -> None:
    with sync(h, reduce="+"):
        for i in range(len(key)):
            h[key[i]] += weight[i]


@program(lambda: [c for dtype in (np.int8, np.uint64) for c in keyed(9, dtype)])
@somd
def sums_and_differences(key: A, value: A, h: S) -> None:
    with sync(h, reduce="-"):
        for i in range(len(key)):
            h[key[i]] -= value[i]
            if value[i] > 4:
                h[key[i]] = h[key[i]] + value[i]
            h[-1] = value[i] + h[-1]


@program(lambda: [c for dtype in (np.int16,) for c in keyed(5, dtype)])
@somd
def products(key: A, value: A, h: S) -> None:
    with sync(h, reduce="*"):
        for i in range(len(key)):
            h[key[i]] *= value[i]


@program(lambda: [c for dtype in (np.float32, np.int8) for c in keyed(7, dtype)])
@somd
def scatter_extrema(key: A, value: A, high: S) -> np.ndarray:
    low: shared[np.ndarray] = np.zeros_like(high)
    with sync(high, reduce="max"):
        for i in range(len(key)):
            if value[i] > high[key[i]]:
                high[key[i]] = value[i]
    with sync(low, reduce="min"):
        for i in range(len(key)):
            low[key[i]] = min(low[key[i]], value[i])
    return low


def special_values():
    values = np.array([np.nan, -0.0, 0.0, np.inf, 1.0, -np.inf, 0.0, -0.0, np.nan])
    values = np.tile(values, 40)
    return [(numbers(360, dtype=np.int64, low=0, high=5), values, np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0]))]


@program(special_values)
@somd
def extrema_of_special_values(key: A, value: A, high: S) -> np.ndarray:
    low: shared[np.ndarray] = np.copy(high)
    with sync(high, reduce="max"):
        for i in range(len(key)):
            high[key[i]] = max(high[key[i]], value[i])
    with sync(low, reduce="min"):
        for i in range(len(key)):
            if low[key[i]] > value[i]:
                low[key[i]] = value[i]
    return low


@program(lambda: [c for dtype in (np.uint8,) for c in keyed(6, dtype)])
@somd
def bits(key: A, value: A, every: S):
    some: shared[np.ndarray] = np.zeros_like(every)
    odd: shared[np.ndarray] = np.zeros_like(every)
    with sync(some, reduce="|"):
        for i in range(len(key)):
            some[key[i]] |= value[i]
    with sync(odd, reduce="^"):
        for i in range(len(key)):
            odd[key[i]] = odd[key[i]] ^ value[i]
    with sync(every, reduce="&"):
        for i in range(len(key)):
            every[key[i]] &= value[i]
    return some, odd


@program(lambda: [(numbers(n, dtype=np.int64, low=0, high=5), numbers(n)) for n in LENGTHS])
@somd
def all_and_any(key: A, value: A):
    every: shared[np.ndarray] = np.ones(6, dtype=np.bool_)
    some: shared[np.ndarray] = np.zeros(6, dtype=np.bool_)
    mixed: shared[np.ndarray] = np.zeros(6, dtype=np.bool_)
    with sync(every, reduce="and"):
        for i in range(len(key)):
            v = value[i]
            every[key[i]] = every[key[i]] and v > -8
    with sync(some, reduce="or"):
        for i in range(len(key)):
            v = value[i]
            some[key[i]] = some[key[i]] or v > 8
    with sync(mixed, reduce="^"):
        for i in range(len(key)):
            mixed[key[i]] ^= value[i] > 0
    return every, some, mixed


@program(lambda: [(numbers(n, dtype=np.int64, low=-7, high=6), 7) for n in LENGTHS])
@somd
def bincount_from_the_end(a: A, bins: int) -> np.ndarray:
    h: shared[np.ndarray] = np.zeros(bins, dtype=np.int32)
    with sync(h, reduce="+"):
        for v in a:
            h[v] += 1
    return h


def points():
    shape = [(numbers(n, dtype=np.int64, low=0, high=4), numbers(n, dtype=np.int64, low=-6, high=5)) for n in LENGTHS]
    targets = (numbers(5, 6), spaced(numbers(5, 6)), fortran(numbers(5, 6)))
    return [(x, y, numbers(len(x)), h.copy() if h.base is None else h) for x, y in shape for h in targets]


@program(points, rtol=1e-12)
@somd
def histogram_of_two(x: A, y: A, w: A, h: S) -> None:
    with sync(h, reduce="+"):
        for i in range(len(x)):
            h[x[i], y[i]] += w[i]


@program(lambda: [(numbers(n, m, dtype=np.uint8, low=0, high=9),) for n, m in ((0, 3), (1, 1), (40, 23))])
@somd
def histogram_of_image(image: A) -> np.ndarray:
    h: shared[np.ndarray] = np.zeros((10, 2), dtype=np.int64)
    with sync(h, reduce="+"):
        for i in range(image.shape[0]):
            for j in range(image.shape[1]):
                h[image[i, j], j % 2] += 1
    return h


def graphs():
    made = []
    for n in (0, 1, 6, 70):
        degree = numbers(n, dtype=np.int64, low=0, high=9)
        start = np.concatenate([[0], np.cumsum(degree)])
        made.append((start, numbers(int(start[-1]), dtype=np.int64, low=0, high=max(n - 1, 0)), n))
    return made


@program(graphs)
@somd
def in_degrees(start: A, column: np.ndarray, n: int) -> np.ndarray:
    degree: shared[np.ndarray] = np.zeros(n, dtype=np.int64)
    with sync(degree, reduce="+"):
        for v in range(n):
            for k in range(start[v], start[v + 1]):
                degree[column[k]] += 1
    return degree


@program(graphs, rtol=1e-12)
@somd
def push_ranks(start: A, column: np.ndarray, n: int) -> np.ndarray:
    rank = np.ones(n)
    for _ in range(3):
        fresh: shared[np.ndarray] = np.zeros(n)
        with sync(fresh, reduce="+"):
            for v in range(n):
                for k in range(start[v], start[v + 1]):
                    fresh[column[k]] += rank[v] / (start[v + 1] - start[v])
        for v in range(n):
            rank[v] = 0.15 + 0.85 * fresh[v]
    return rank


def clouds():
    return [(numbers(n, 2), numbers(3, 2, seed=4), 3) for n in (0, 1, 5, 700)]


@program(clouds, rtol=1e-9)
@somd
def k_means(points: A, centres: S, steps: int) -> int:
    n, k = points.shape[0], centres.shape[0]
    moved = 0
    for _ in range(steps):
        sums: shared[np.ndarray] = np.zeros_like(centres)
        counts: shared[np.ndarray] = np.zeros(k, dtype=np.int64)
        spread = 0.0
        with sync(sums, counts, spread, reduce="+"):
            for i in range(n):
                best = 0
                least = np.inf
                for c in range(k):
                    far = 0.0
                    for axis in range(2):
                        far += (points[i, axis] - centres[c, axis]) ** 2
                    if far < least:
                        least = far
                        best = c
                spread += least
                counts[best] += 1
                for axis in range(2):
                    sums[best, axis] += points[i, axis]
        for c in range(k):
            if counts[c] > 0:
                for axis in range(2):
                    centres[c, axis] = sums[c, axis] / counts[c]
        if spread > 1.0:
            moved += 1
    return moved


@program(lambda: [(numbers(n, dtype=np.int64, low=0, high=11),) for n in LENGTHS[1:]])
@somd
def normalised(a: A) -> np.ndarray:
    h: shared[np.ndarray] = np.zeros(12)
    seen = 0
    last = a[0]
    at = -1
    with sync(h, seen, reduce="+"):
        for i in range(len(a)):
            h[a[i]] += 1.0
            seen += 1
            if a[i] > last:
                last = a[i]
                at = i
    for k in range(len(h)):
        h[k] = h[k] / seen + last + at
    return h


@program(lambda: [(numbers(n, dtype=np.int64, low=0, high=30),) for n in LENGTHS])
@somd
def larger_than_the_data(a: A) -> np.ndarray:
    h: shared[np.ndarray] = np.zeros(40_000)
    for turn in range(2):
        with sync(h, reduce="+"):
            for i in range(len(a)):
                h[1000 * a[i] + turn] += 0.1
    return h


@program(lambda: [(spaced(k), reverse(w), h) for k, w, h in keyed(9, float)], rtol=1e-9)
@somd
def strided(key: A, weight: A, h: S) -> None:
    with sync(h, reduce="+"):
        for i in range(len(key)):
            h[key[i]] += weight[i]


@program(
    lambda: [(k, w, spaced(h)) for k, w, h in keyed(9, np.int32)] + [(k, w, reverse(h)) for k, w, h in keyed(9, float)]
)
@somd
def strided_target(key: A, weight: A, h: S) -> None:
    with sync(h, reduce="max"):
        for i in range(len(key)):
            h[key[i]] = max(h[key[i]], weight[i])


@program(lambda: [(np.sort(k), w, h) for k, w, h in keyed(9, float)])
@somd
def kept_together_by_key(key: Annotated[np.ndarray, dist, partition(ByKey)], weight: np.ndarray, h: S) -> None:
    with sync(h, reduce="+"):
        for i in range(len(key)):
            h[key[i]] += weight[i]


@program(lambda: [(k, h) for k, h in keyed(9)])
@somd
def another_partition(key: Annotated[np.ndarray, dist, partition(Cyclic)], h: S) -> None:
    with sync(h, reduce="+"):
        for i in range(len(key)):
            h[key[i]] += i


@program(lambda: [(numbers(n, m), numbers(n)) for n, m in ((0, 2), (1, 1), (30, 7))], rtol=1e-12)
@somd
def independent_after_all(a: A, rows: S) -> None:
    with sync(rows, reduce="+"):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                rows[i] += a[i, j]


@program(lambda: [(numbers(n), 5) for n in LENGTHS], rtol=1e-12)
@somd
def affine_but_met(a: A, bins: int) -> np.ndarray:
    h: shared[np.ndarray] = np.zeros(5)
    with sync(h, reduce="+"):
        for i in range(len(a)):
            h[i % 5] += a[i]
            h[0] += 1.0 / len(h)
    return h


@program(lambda: [(k, w, h, np.zeros(len(k))) for k, w, h in keyed(9, float)], rtol=1e-12)
@somd
def beside_other_writes(key: A, weight: A, h: S, out: A) -> None:
    for turn in range(2):
        if turn == 0 or len(key) > 5:
            with sync(h, reduce="+"):
                for i in range(len(key)):
                    t = weight[i] * 2
                    out[i] = t
                    while t > 3:
                        h[key[i]] += t
                        t = t / 2
                    if t < 2:
                        continue
                    h[key[i]] -= 1


@somd
def count_into(key: A, h: S) -> None:
    with sync(h, reduce="+"):
        for i in range(len(key)):
            h[key[i]] += 1


@program(lambda: [(k, h) for k, h in keyed(9)])
@somd
def nested(key: A, h: S) -> np.ndarray:
    mine = np.zeros_like(h)
    count_into(key, h)
    count_into(key, mine)
    return mine


@program(lambda: [(numbers(n), numbers(n, dtype=np.int64, low=0, high=50, seed=1), 7) for n in (0, 2, 131, 5000)])
@somd
def counts_with_optional_terms(a: A, keys: A, size: int) -> np.ndarray:
    """A read that every iteration makes stands under a condition before."""
    counts: shared[np.ndarray] = np.zeros(size, dtype=np.int64)
    with sync(counts, reduce="+"):
        for i in range(len(a)):
            more = 0
            if a[i] > 0:
                more = keys[i]
            counts[keys[i] % 7] += keys[i] + more
    return counts


@program(lambda: [(numbers(n), numbers(n, dtype=np.int64, low=0, high=50, seed=1)) for n in (1, 2, 131, 5000)])
@somd
def sums_with_optional_terms(a: A, keys: A) -> tuple:
    total = 0
    largest = 0.0
    for i in range(len(a)):
        more = 0
        if a[i] > 0:
            more = keys[i]
        total += keys[i] + more
        largest = max(largest, a[i] * keys[i] - more)
    return total, float(largest)


@program(lambda: [(numbers(n, m), numbers(n, m, dtype=np.int16, low=0, high=2)) for n, m in (*SHAPES, (90, 70))])
@somd
def sums_of_a_grid(image: Annotated[np.ndarray, dist, dim(0, 1)], label: A) -> tuple:
    """Pieces of two dimensions are for what has no copies."""
    scaled = np.empty_like(image)
    total: shared[np.ndarray] = np.zeros((3, 2))
    highest: shared[np.ndarray] = np.full(3, -100, np.int64)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            scaled[i, j] = np.floor(image[i, j] * 0.5)
    with sync(total, reduce="+"):
        for i in range(image.shape[0]):
            for j in range(image.shape[1]):
                total[label[i, j], 0] += scaled[i, j]
                total[label[i, j], 1] += 1.0
    with sync(highest, reduce="max"):
        for i in range(image.shape[0]):
            for j in range(image.shape[1]):
                highest[label[i, j]] = max(highest[label[i, j]], int(scaled[i, j]))
    return scaled, total, highest
