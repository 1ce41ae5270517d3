"""Texts and types that choose what is computed, tuples that loops go through, lists as indexes, pairs of indexes."""

from __future__ import annotations

from typing import Any

import numpy as np

from somd import dist, somd
from tests.language.program import numbers, program


def window(n: int, kind: str = "hann") -> np.ndarray:
    k = np.arange(n)
    return 0.5 - 0.5 * np.cos(np.pi * k / max(n, 1)) if kind == "hann" else np.ones(n)


@program(
    lambda: (
        [(numbers(n), mode, kind) for n in (0, 9) for mode, kind in (("Same", np.float32), ("full", "float64"))]
        + [(numbers(9), "odd", float), (numbers(9), None, np.dtype("int64"))]
    ),
    rtol=1e-12,
)
@somd
def chosen(x, mode, dtype: Any):
    if mode is None:
        mode = "none"
    else:
        mode = mode.lower()
    if mode not in ("same", "full", "none"):
        raise ValueError(f"no mode {mode!r} for {len(x)}")
    out = np.zeros(len(x), dtype=dtype)
    out[:] = x * window(len(x), "ones") + (1 if mode == "same" else window(len(x)))
    return out


@program(lambda: [(numbers(n), numbers(n, seed=3), 0.25) for n in (1, 8)])
@somd
def written_out(u, v, d: float):
    for w, k in ((u, d), (v, 1 - d)):
        w *= k
    for k, w in enumerate((u, v)):
        w[0] += k
    for w, z in zip((u, v), (v, u), strict=True):
        z[1:] += w[:-1]


@program(lambda: [(numbers(7), numbers(7, dtype=np.int64, low=0, high=3)), (numbers(7), np.full(7, 4))])
@somd
def pairs(u, y):
    m = np.outer(u, u[:4])
    m[np.arange(len(u)), y] -= 1
    k = np.argsort(u)
    m[k, y[k]] *= 2.0
    m[[2, 0]] = m[[0, 2]]
    m[[0, 1]] += 1.0
    m.sort(axis=0)
    c = np.cumsum(m, axis=1, dtype=np.float32)
    c.sort()
    w = u.copy()
    w.fill(-1)
    return m, c, w * np.finfo(np.float32).eps


@program(lambda: [(numbers(n), numbers(n) > 0, 3) for n in (1, 7)])
@somd
def iterated(u: dist[np.ndarray], m: np.ndarray, n: int):
    s, c = 0.0, 0
    for k in np.flatnonzero(m):
        s += k
    for a, b in zip(u[:-1], np.diff(u), strict=False):
        s += a * b
    for k, a in zip(range(2, n), u, strict=False):
        s += k * a
    for i in range(len(u)):
        if i in (0, n - 1) or not (i not in (4, 5)):
            u[i] = -u[i]
            c += 1
    return s, c, len(u) in (1, 3)


@program(
    lambda: (
        [(np.abs(numbers(n)), numbers(n, 3), numbers(3)) for n in (0, 5)] + [(numbers(2), numbers(2, 4), numbers(4))]
    )
)
@somd
def active(a, x, v):
    root = a + 1.0
    going, turns = np.ones(len(a), dtype=bool), 0
    n = np.cross(x, v)
    while going.any() and turns < 9:
        d = (root[going] ** 2 - a[going]) / (2.0 * root[going])
        root[going] -= d
        going[going] = np.abs(d) > 1e-8
        turns += 1
    return root, n, np.cross(v, n), turns


@program(lambda: [(numbers(n), numbers(n, seed=3), numbers(n, seed=4), np.argsort(numbers(n))) for n in (0, 1, 30)])
@somd
def exchanged_under_masks(a, b, c, k):
    m = a > b
    a[m], b[m] = b[m], a[m]
    c[m], n = 0.0, m.sum()
    c[a > 2], a[a > 1] = a[a > 2], b[a > 1] + 1
    b[k], a[k] = a, c[k] * n
    return m, a[m].sum()


@program(lambda: [(numbers(4, 4, low=1), 5), (numbers(1, 1), 2), (numbers(3, 3, low=1), 1)], rtol=1e-12)
@somd
def handed_on(growth, most: int):
    v, w = np.ones(len(growth)), np.full(len(growth), 0.5)
    rate, n = 0.0, 0
    while n < most:
        u = growth @ v
        new = u.sum()
        if abs(new - rate) < 1e-9 * abs(new):
            break
        v, rate, n = u / new, new, n + 1
        k, v, w, s = n + 1, w, v, v[0] + rate
        w[0] += s * k
    x, y = v * 2.0, w + 1.0
    x, y[:1] = y, 9.0
    return x, v, rate, n
