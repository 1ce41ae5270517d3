"""Branches, inner loops, ternaries, chained and combined conditions."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program, spaced

A = dist[np.ndarray]


def vectors(*more, dtype=float):
    return [(numbers(n, dtype=dtype), *more) for n in SIZES]


@program(lambda: vectors(dtype=np.float32))
@somd
def classify(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        if a[i] < -3.0:
            out[i] = -2
        elif a[i] < 0.0:
            out[i] = -1
        elif a[i] == 0.0:
            out[i] = 0
        elif 0.0 < a[i] <= 3.0:
            out[i] = 1
        else:
            out[i] = 2
    return out


@program(vectors)
@somd
def clip(a: A) -> None:
    for i in range(len(a)):
        a[i] = -1.0 if a[i] < -1.0 else (1.0 if a[i] > 1.0 else a[i])


@program(vectors)
@somd
def and_or_not(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.bool_)
    for i in range(len(a)):
        out[i] = (a[i] > 0.0 and a[i] < 5.0) or not (a[i] > -5.0 or i % 2 == 0)
    return out


@program(vectors)
@somd
def newton_square_root(a: A) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        x = abs(a[i]) + 1.0
        y = x
        for k in range(50):
            new = 0.5 * (y + x / y)
            if abs(new - y) < 1e-12 * y:
                break
            y = new
        out[i] = y
    return out


@program(lambda: [(numbers(n), numbers(m, seed=3)) for n in SIZES for m in (1, 8)])
@somd
def nearest_by_scan(a: A, b: np.ndarray) -> np.ndarray:
    found = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        best = abs(a[i] - b[0])
        at = 0
        for k in range(1, len(b)):
            d = abs(a[i] - b[k])
            if d >= best:
                continue
            best = d
            at = k
        found[i] = at
    return found


@program(lambda: [(np.sort(numbers(50, seed=9)), numbers(n)) for n in SIZES])
@somd
def binary_search(table: np.ndarray, keys: A) -> np.ndarray:
    place = np.zeros(len(keys), np.int64)
    for i in range(len(keys)):
        low = 0
        high = len(table)
        while low < high:
            middle = (low + high) // 2
            if table[middle] < keys[i]:
                low = middle + 1
            else:
                high = middle
        place[i] = low
    return place


@program(lambda: [(numbers(n, m),) for n, m in ((0, 0), (1, 1), (7, 5), (20, 9))])
@somd
def first_positive_in_row(a: A) -> np.ndarray:
    out = np.zeros(a.shape[0], np.int64)
    for i in range(a.shape[0]):
        at = -1
        for j in range(a.shape[1]):
            if a[i, j] > 0.0:
                at = j
                break
        out[i] = at
    return out


@program(lambda: [(numbers(n, 6),) for n in (0, 1, 5, 30)])
@somd
def sort_each_row(a: A) -> None:
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            key = a[i, j]
            k = j - 1
            while k >= 0 and a[i, k] > key:
                a[i, k + 1] = a[i, k]
                k -= 1
            a[i, k + 1] = key


@program(vectors)
@somd
def continue_in_the_distributed_loop(a: A) -> None:
    for i in range(len(a)):
        if a[i] < 0.0:
            continue
        x = a[i] * a[i]
        if x > 50.0:
            continue
        a[i] = x


@program(vectors)
@somd
def guarded_neighbours(a: A) -> np.ndarray:
    out = np.zeros(len(a))
    n = len(a)
    for i in range(n):
        left = a[i - 1] if i > 0 else 0.0
        right = a[i + 1] if i + 1 < n else 0.0
        if i > 1 and a[i - 2] > 0.0:
            left += a[i - 2]
        out[i] = left - right
    return out


@program(lambda: [(spaced(numbers(n)),) for n in SIZES])
@somd
def several_privates(a: A) -> None:
    for i in range(len(a)):
        x, y = a[i], i * 2
        x, z = x + y, x - y
        if x > z:
            w = x
        else:
            w = z
        a[i] = w * 0.5


@program(lambda: [(numbers(n), 2.0) for n in SIZES])
@somd
def parameters_assigned_in_the_loop(a: A, k: float) -> None:
    for i in range(len(a)):
        k = a[i] + 1.0
        a[i] = k * k


@program(vectors)
@somd
def loop_variable_after_inner_loop(a: A) -> None:
    for i in range(len(a)):
        j = 0
        for j in range(3):
            a[i] += j
        a[i] += 100 * j


@program(lambda: [(numbers(n), numbers(n, seed=1), numbers(n, seed=2)) for n in SIZES])
@somd
def several_targets(a: A, b: A, c: A):
    low = high = 0.0
    last = place = len(a) - 1
    for i in range(len(a)):
        x = y = a[i] * b[i]
        a[i] = c[last - i] = at = x + y
        low = min(low, at)
        high = max(high, x)
    if last >= 3:
        place = a[place] = b[place - 1] = 2
        place = a[place] = b[place + 1] = 3
        b[place] = a[place - 3] = a[0] + 2.5
    return np.float64(low), np.float64(high), last, place


@program(lambda: vectors(dtype=np.float32))
@somd
def words_beside_brackets(a: A):
    # fmt: off
    count = 0
    for i in range(len(a)):
        if(a[i] if a[i] > 0 else-a[i])>3 and not(a[i] < 0 if i % 2 == 0 else a[i] > 0):
            count += (1)if(i > 3)else(2 if i > 1 else 3)if(a[i] > 0)else(4)
        elif(a[i]>5)or(i==1):
            a[i] = (a[i] - 1 if i > 1 else a[i] + 1)if(a[i]< 7)else(a[i] * 2 if i > 5 else-a[i])
    return(count if count > 2 else-1)
    # fmt: on


@program(lambda: vectors(2) + vectors(5))
@somd
def never_reached(a: A, n: int) -> None:
    """Iterations that depend on each other, where none is ever made."""
    if n > 3:
        if n < 2:
            for i in range(1, len(a)):
                a[i] = a[i - 1] + n
    for i in range(len(a)):
        a[i] += n
