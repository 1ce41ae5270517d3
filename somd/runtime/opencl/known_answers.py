"""A method that has shapes of kernels which compilers have got wrong, for `trial_run`; its answers are plain Python's.

What the compiler makes of it lies beside it, in `known_answers_module.py`; a test sees to it that it is so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from somd.language.markers import dist, sync

#: (n, m) of the arguments: full groups of work-items, and parts of them; more trips than a loop has copies, many times
SIZES = ((200, 9), (100, 9), (33, 40), (7, 3))
PARAMETERS = ("a", "k", "g", "c", "d", "e", "f", "u", "v", "h", "n", "m")


def known_answers(
    a: dist[np.ndarray],
    k: dist[np.ndarray],
    g: dist[np.ndarray],
    c: dist[np.ndarray],
    d: dist[np.ndarray],
    e: dist[np.ndarray],
    f: dist[np.ndarray],
    u: dist[np.ndarray],
    v: dist[np.ndarray],
    h: np.ndarray,
    n: int,
    m: int,
) -> np.int64:
    """Sets `c` to `v` and `g`, counts in `h` and gives a sum of `k`; `arguments` makes the arguments."""
    # conditions on the index that decide whether there is anything to do
    for i in range(n):
        if n - i > m:
            c[i] = a[i]
    for i in range(n - 1, -1, -1):
        if i > m:
            d[i] = a[i]
    # a triangle in a descending loop, and a descending grid of one
    for i in range(n - 1, -1, -1):
        for j in range(i):
            if n - j > 4:
                e[i] = e[i] + a[j] * 0.1
    for i in range(n - 1, -1, -1):
        for j in range(i, n):
            if j - i >= m:
                g[i, j] = a[i] + a[j]
    # trips that meet in an element, and floats that are handed on
    for i in range(n):
        w = np.zeros(2)
        for j in range(i):
            w[j % 2] += a[j]
        f[i] = w[0] - 2.0 * w[1]
    for i in range(n):
        p = (np.float64(0.0), np.float64(1.0))
        for j in range(n):
            p = (p[0] + a[j] * p[1], p[1] * 0.99)
        # many trips, which compilers unroll where a GPU's kernels ask for it, and may add in another order then
        s, t = np.float64(0.0), np.float64(0.0)
        for j in range(n):
            s += a[j]
            t += a[j] * a[j]
        u[i] = p[0] + s * t
    # integers that wrap, and quotients of negative ones
    for i in range(n - 1, -1, -2):
        v[i] = (k[i] - 5) // 3 + k[i] * 6364136223846793005
    # a sum and a histogram under conditions
    total = np.int64(0)
    for i in range(n - 1, -1, -1):
        if n - i > m:
            total += k[i]
    with sync(h, reduce="+"):
        for i in range(n - 1, -1, -1):
            if m - i < 2:
                h[k[i] % 7] += i
    return total


def arguments(n: int, m: int) -> tuple[Any, ...]:
    """Arguments for vectors of n elements: the same ones each time."""
    numbers = np.arange(n)
    vectors = [np.zeros(n) for _ in "cdefu"]
    words = np.zeros(n, np.int64), np.zeros(7, np.int64)
    return (np.sin(1.0 + numbers), numbers * 7 % 10, np.zeros((n, n)), *vectors, *words, n, m)
