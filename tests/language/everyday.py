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


@program(lambda: [(numbers(5), numbers(5), 4, 2), (numbers(1), numbers(1), 1, 0), (numbers(2), numbers(2), -1, 1)])
@somd
def grids(lon, lat, n: int, r: int):
    lon, lat = map(np.radians, (lon, lat))
    y, x = np.mgrid[:n, -r : n + 1]
    v, u = np.ogrid[1:n, :r]
    t, s = np.mgrid[0:1:3j, -1:r:5j]
    g = np.mgrid[:n, :2]
    return lon * lat, y * 2 + x, v + u, t * s, g[1] - 0.5


@program(
    lambda: (
        [(numbers(7), k, x, None) for k in (0, 3) for x in (None, numbers(7, seed=3))]
        + [(numbers(n), 2, None, numbers(n, seed=4)) for n in (0, 5)]
    )
)
@somd
def optional(a, k: int, x, y):
    s = 0
    if a[0] > -9.5 and x is not None and k < 3:
        s = 1
        a = a + x
    elif k == 3 or y is None:
        s = 2
    elif a.any() and (k == 2 and y is not None):
        s = 3
        a = a * y
    while k < 3 and y is not None:
        k += 1
        a = a + y
    return a, s, a.max() if k > 2 and y is not None else a.min()


@program(
    lambda: [
        (numbers(*shape), mask, np.array(k, dtype=int), numbers(*shape[:1], len(k), shape[2], seed=2), r)
        for shape, k, r in (
            ((3, 4, 5), [1, 3, 1, -1], 2),
            ((1, 1, 1), [0], 0),
            ((2, 3, 4), [5], 1),
            ((2, 3, 4), [], -1),
        )
        for mask in [numbers(*shape[1:], seed=1) > 1.0]
    ]
)
@somd
def many_places(f, mask, index, v, r: int):
    f[:, index] = v
    f[[0, -1], :, 1:] = 0.0
    edges = np.pad(f[0], ((r, 1), (0, r + 1)), mode="edge")
    low = f[:, mask]
    f[:, mask] *= 0.5
    f[1:, mask] = low[1:, ::-1]
    f[0][np.where(f[0] < -5.0)] = 1.0
    m = f[0] > f[-1]
    f[0][m], f[-1][m] = f[-1][m], f[0][m]
    f[np.nonzero(f > 6.0)] -= 1.0
    rows = f[np.where(f[:, 0, 0] > 0.0)]
    return edges, low, rows, np.einsum("ijk->k", f)


@program(lambda: [(numbers(3, 4, dtype=dtype, low=0), numbers(3, 4) + 1j) for dtype in (np.uint8, np.int64)])
@somd
def by_types(image, z):
    light = image / np.iinfo(image.dtype).max
    share = np.divide(light, z.real, out=np.zeros_like(light), where=z.real > 0)
    return share[1:], light, np.where(light > 0.01, z, 0)


@program(lambda: [(n, 2.5) for n in (0, 3)])
@somd
def allocated(n: int, x: float):
    return np.full((n, 2), x), np.zeros(n)
