"""Arrays that each iteration allocates for itself."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from somd import ByKey, Cyclic, dim, dist, partition, shared, somd, sync
from tests.language.program import SHAPES, SIZES, fortran, numbers, program, spaced

A = dist[np.ndarray]
BINS = 8


def images(dtype=float):
    return [(numbers(*shape, dtype=dtype), np.zeros(shape, dtype)) for shape in SHAPES]


def pairs(dtype=float):
    return [(numbers(n, dtype=dtype), np.zeros(n, dtype)) for n in SIZES]


@program(
    lambda: (
        [case for dtype in (float, np.float32, np.int8, np.uint16) for case in images(dtype)]
        + [(spaced(a), fortran(b)) for a, b in images()]
    )
)
@somd
def median_3x3(image: A, out: A) -> None:
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            window = np.empty(9, dtype=image.dtype)
            count = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    x = image[i + di, j + dj]
                    k = count
                    while k > 0 and window[k - 1] > x:
                        window[k] = window[k - 1]
                        k -= 1
                    window[k] = x
                    count += 1
            out[i, j] = window[4]


@program(lambda: [(numbers(n, dtype=np.uint8, high=255), 16) for n in (0, 5, 64, 250)])
@somd
def histogram_of_each_tile(data: np.ndarray, tile: int) -> np.ndarray:
    tiles = (len(data) + tile - 1) // tile
    found = np.zeros((tiles, BINS), np.int64)
    for t in range(tiles):
        counts = np.zeros(BINS, np.int64)
        for k in range(t * tile, min(len(data), (t + 1) * tile)):
            counts[data[k] // 32] += 1
        for b in range(BINS):
            found[t, b] = counts[b]
    return found


@program(lambda: [(numbers(n, 3, 3), np.zeros((n, 3, 3))) for n in SIZES], rtol=1e-13)
@somd
def inverse_of_each_matrix(m: A, inverse: A) -> None:
    """Gauss and Jordan, with pivots."""
    for i in range(m.shape[0]):
        w = np.zeros((3, 6))
        for r in range(3):
            for c in range(3):
                w[r, c] = m[i, r, c]
            w[r, 3 + r] = 1.0
        for c in range(3):
            pivot = c
            for r in range(c + 1, 3):
                if abs(w[r, c]) > abs(w[pivot, c]):
                    pivot = r
            for k in range(6):
                w[c, k], w[pivot, k] = w[pivot, k], w[c, k]
            factor = w[c, c]
            for k in range(6):
                w[c, k] = w[c, k] / factor
            for r in range(3):
                if r != c:
                    factor = w[r, c]
                    for k in range(6):
                        w[r, k] = w[r, k] - factor * w[c, k]
        for r in range(3):
            for c in range(3):
                inverse[i, r, c] = w[r, c + 3]


@program(lambda: pairs() + [(spaced(a), b) for a, b in pairs()])
@somd
def horner_with_local_coefficients(a: A, out: A) -> None:
    for i in range(len(a)):
        c = np.ones(5)
        c[1] = a[i] / 3.0
        c[-1] = 0.5
        value = 0.0
        for k in range(len(c) - 1, -1, -1):
            value = value * a[i] + c[k]
        out[i] = value


def trees():
    """Binary trees as heaps: the children of `k` are `2 * k + 1` and `2 * k + 2`."""
    return [(numbers(n), numbers(3, seed=n), np.zeros(3)) for n in (0, 1, 2, 7, 131)]


@program(trees)
@somd
def sum_of_a_tree_by_a_stack(tree: np.ndarray, limits: A, found: A) -> None:
    for i in range(len(limits)):
        stack = np.zeros(16, np.int32)
        top = 1
        total = 0.0
        while top > 0:
            top -= 1
            node = stack[top]
            if node < len(tree):
                if tree[node] >= limits[i]:
                    total += tree[node]
                stack[top] = 2 * node + 1
                stack[top + 1] = 2 * node + 2
                top += 2
        found[i] = total


@program(lambda: [(numbers(*shape, 4), np.zeros((*shape, 2))) for shape in SHAPES], rtol=1e-13)
@somd
def two_by_two_in_each_cell(
    m: Annotated[np.ndarray, dist, dim(0, 1)], x: Annotated[np.ndarray, dist, dim(0, 1)]
) -> None:
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            q = np.zeros((2, 2))
            for k in range(4):
                q[k // 2, k % 2] = m[i, j, k] + 10.0 * (k % 3 == 0)
            d = q[0, 0] * q[1, 1] - q[0, 1] * q[1, 0]
            x[i, j, 0] = (q[1, 1] - q[0, 1]) / d
            x[i, j, 1] = (q[0, 0] - q[1, 0]) / d


@program(lambda: [(a, np.zeros(len(a)), n) for a, _ in pairs() for n in (1, 3, 6)])
@somd
def moving_window_of_a_length_that_is_given(a: A, out: A, n: int) -> None:
    for i in range(len(a)):
        window = np.full(n, a[i])
        for k in range(n):
            if i + k < len(a):
                window[k] = a[i + k]
        best = window[0]
        for k in range(1, len(window)):
            best = max(best, window[k])
        out[i] = best


@program(lambda: [(numbers(n, 5), np.zeros(n)) for n in SIZES])
@somd
def sorted_copy_of_each_row(a: A, middle: A) -> None:
    for i in range(a.shape[0]):
        row = np.empty(a.shape[1])
        for k in range(a.shape[1]):
            row[k] = a[i, k]
        for k in range(1, row.shape[0]):
            j = k
            while j > 0 and row[j] < row[j - 1]:
                row[j], row[j - 1] = row[j - 1], row[j]
                j -= 1
        middle[i] = row[len(row) // 2]


@program(lambda: pairs()[1:] + pairs(np.float32)[1:], rtol=1e-5)
@somd
def reductions_over_local_arrays(a: A, out: A):
    total = 0.0
    peak = -1e30
    at = -1
    for i in range(len(a)):
        p = np.zeros(3, np.float64)
        for k in range(3):
            p[k] = a[i] * (k + 1)
        total += p[0] + p[1] * p[2]
        if p[2] > peak:
            peak = p[2]
            at = i
        out[i] = a[i]
    return total, peak, at


@program(lambda: [(*case, steps) for case in pairs() for steps in (0, 1, 3)])
@somd
def in_a_uniform_loop_under_conditions(a: A, out: A, steps: int) -> None:
    for step in range(steps):
        fresh = np.empty_like(a)
        for i in range(len(a)):
            if a[i] > 0.0:
                w = np.full(4, a[i])
                w[step % 4] = 1.0
                fresh[i] = w[0] + w[1] + w[2]
            else:
                w = np.zeros(4)
                w[3] = step
                fresh[i] = w[3] - w[2]
        for i in range(len(a)):
            out[i] += fresh[i]
            a[i] = fresh[len(a) - 1 - i]


@program(lambda: [(np.sort(numbers(n, dtype=np.int64, low=0, high=5)), numbers(n), np.zeros(6)) for n in SIZES])
@somd
def rows_of_one_key(row: Annotated[np.ndarray, dist, partition(ByKey)], value: np.ndarray, y: np.ndarray) -> None:
    for k in range(len(row)):
        parts = np.zeros(2)
        parts[row[k] % 2] = value[k]
        y[row[k]] += parts[0] - parts[1]


@program(pairs)
@somd
def cyclic_parts(a: Annotated[np.ndarray, dist, partition(Cyclic)], out: A) -> None:
    for i in range(len(a)):
        w = np.zeros(2, np.int16)
        w[i % 2] += 3
        out[i] = a[i] * w[0] - w[1]


def kinds():
    dtypes = (bool, np.int8, np.uint16, np.uint64, np.float32, float)
    return [(numbers(7, dtype=dtype), np.zeros(7, dtype)) for dtype in dtypes]


@program(kinds)
@somd
def elements_of_every_type(a: A, out: A) -> None:
    for i in range(len(a)):
        zeros = np.zeros(2, a.dtype)
        ones = np.ones_like(zeros)
        filled = np.full(3, a[i])
        typed = np.full((2, 1), 1, dtype=a.dtype)
        flags = np.full_like(ones, True, dtype=bool)
        zeros[i % 2] = a[i]
        if flags[0] and typed[1, 0] == ones[1]:
            out[i] = filled[2]
        if zeros[0] > zeros[1]:
            out[i] = ones[0]


@program(lambda: pairs(np.complex64) + pairs(np.complex128))
@somd
def complex_elements(z: A, out: A) -> None:
    for i in range(len(z)):
        w = np.ones(3, z.dtype)
        v = np.full(2, 1j * z[i])
        w[2] = z[i]
        out[i] = w[2] * w[0] + v[1]


@program(lambda: [(*case, n) for case in pairs() for n in (-1, 0, 2)])
@somd
def allocated_where_it_is_never_reached(a: A, out: A, n: int) -> None:
    for i in range(len(a)):
        x = np.zeros((0, 3))
        out[i] = a[i] + x.shape[0] + x.size + len(x)
        if n > 5:
            y = np.zeros(3)
            out[i] = y[n - 7]


@program(pairs)
@somd
def a_name_that_was_another_array(a: A, out: A) -> float:
    b = np.zeros(3)
    b[1] = 2.0
    first = b[1]
    for i in range(len(a)):
        b = np.ones(4)
        b[3] = a[i]
        out[i] = b[3] + b[0]
    return first


@program(lambda: [(*case, 4) for case in pairs()])
@somd
def a_length_known_from_before(a: A, out: A, n: int) -> None:
    size = 3
    for i in range(len(a)):
        w = np.zeros((size, size + 1))
        for k in range(size):
            w[k, k + 1] = a[i] + k
            w[-1, -k] += math.sqrt(k)
        out[i] = w[0, 1] + w[1, 2] + w[2, 3] + w[2, 0] + n


@program(lambda: [(numbers(n, dtype=np.uint8, high=255), numbers(n)) for n in SIZES])
@somd
def beside_a_combined_array(data: A, weight: A) -> np.ndarray:
    h = np.zeros(BINS, np.int64)
    with sync(h, reduce="+"):
        for i in range(len(data)):
            steps = np.full(4, 1, np.int64)
            steps[i % 4] = int(weight[i])
            h[data[i] // 32] += steps[0] + steps[-1]
    return h


@program(lambda: [(numbers(*shape), n) for shape in SHAPES for n in (1, 4)])
@somd
def given_length_in_a_grid(a: Annotated[np.ndarray, dist, dim(0, 1)], n: int) -> np.ndarray:
    out = np.zeros(a.shape)
    for i in range(a.shape[0]):
        for j in range(a.shape[1] - 1, i - 1, -1):
            w = np.zeros((n, 2), np.float32)
            v = np.full_like(w, 2)
            for k in range(len(v)):
                w[k, 1] = a[i, j] * (k + v[k, 0])
            out[i, j] = w[n - 1, 1] - w[-1, 0]
    return out


@program(lambda: [(a, n) for a, _ in pairs() if len(a) for n in (1, 5)], rtol=1e-12)
@somd
def sums_over_given_lengths(a: A, n: int):
    h: shared[np.ndarray] = np.zeros(7)
    total = 0.0
    peak = -1e30
    at = -1
    for i in range(len(a)):
        w = np.full(n, a[i])
        for k in range(1, n):
            w[k] = w[k - 1] * 0.5 + a[i]
        total += w[n - 1]
        if w[0] > peak:
            peak = w[0]
            at = i
    with sync(h, reduce="+"):
        for i in range(len(a)):
            v = np.full(n, a[i])
            for k in range(n):
                h[(i + k) % 7] += v[k]
    return total, peak, at, h


@program(lambda: [(a, numbers(len(a), dtype=np.int64, low=-3, high=2), 3) for a, _ in pairs()])
@somd
def tested_index_of_a_given_length(a: A, at: A, n: int) -> None:
    for i in range(len(a)):
        w = np.zeros(n)
        big = np.zeros(600)
        w[at[i]] = a[i]
        big[at[i]] = w[n - 1]
        a[i] = w[at[i]] + big[599] * 2


@program(lambda: [(numbers(n), m) for n in SIZES for m in (0, n)])
@somd
def allocated_between_loops(data: A, m: int) -> np.ndarray:
    for j in range(m):
        data[j] += 1.0
    table = np.zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            table[j, i] = 1.0
    return table


@program(lambda: [(numbers(n), numbers(5, seed=1), size) for n in (0, 6) for size in (-3, 0, 4, 6)])
@somd
def made_between_loops(a: A, b: A, size: int) -> np.ndarray:
    """A negative length raises what NumPy raises, and what was written before stays."""
    for i in range(len(b)):
        b[i] += 1.0
    c = np.zeros(size)
    for i in range(min(len(a), size)):
        c[i] = a[i]
    return c


def looked_up_in(size):
    b = numbers(size) * 0.25
    return b.astype(np.float32), numbers(size, dtype=np.int64, low=0, high=1), np.zeros(size, np.int64)


@program(lambda: [looked_up_in(n) for n in (*SIZES, 9, 200)])
@somd
def tables_read_where_data_say(b: A, k: A, d: A) -> tuple:
    """Beside reductions, of which compilers make vectors."""
    most, total, large, found = -1, 0.0, 3.0, 0
    for i in range(len(b)):
        w = np.full(2, 3, np.float64)
        if b[i] > -0.5:
            w[i - i // 2 * 2] = np.float64(2)
        large = max(large, float(abs(b[0])))
        total += float(w[i + 1 if i < 2 - 1 else 0])
        found += int(w[k[i] - 1])
        found += int(w[k[i] % 2])
    for i in range(len(b)):
        v = np.ones(2, np.int64)
        for j in range(i // 2):
            v[(j + k[i]) % 2] += np.int64(j)
        v[i - i // 2 * 2], v[0] = v[-(i % 2) - 1], v[0]
        t = int(v[i + 1 if i < 2 - 1 else 0])
        d[i] = int(v[k[i] % 2])
        if t > most:
            most = t
    return most, total, large, found
