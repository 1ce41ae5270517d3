"""Names for parts of arrays and for arrays of their own, arrays that go from name to name, several values at once."""

from __future__ import annotations

import numpy as np

from somd import somd
from tests.language.program import SHAPES, SIZES, numbers, program, spaced


def vectors(*more):
    return [(numbers(n), *more) for n in SIZES] + [(spaced(numbers(9)), *more)]


def pairs(*more, shapes=SHAPES):
    return [(numbers(n, m), numbers(n, m, seed=1), *more) for n, m in shapes]


@program(vectors)
@somd
def parts_in_loops(a) -> float:
    inner, last = a[1:-1], a[-2:]
    total = 0.0
    for i in range(len(inner)):
        inner[i] += i
        total += inner[i] * inner[-1]
    for i in range(1, inner.shape[0] - 1):
        if inner[i - 1] < inner[i + 1]:
            inner[i] = 0.5
    inner *= 2.0
    if len(last) > 1 and inner.size > 0:
        last[0] = last[1]
    return total


@program(lambda: [(numbers(9), k) for k in range(-9, 9, 3)])
@somd
def outside_of_a_part(a, k: int) -> float:
    back = a[::-2]
    back *= 2.0
    return back[k] + back[0]


@program(lambda: pairs(3) + pairs(2))
@somd
def rotated(u, v, steps: int):
    for t in range(steps):
        w = np.empty_like(u)
        w[...] = u + v * t
        u, v = v, w
        v[:1] += 1.0
    u[...] += v
    return u


@program(lambda: [(numbers(9), numbers(9, seed=1), 5), (numbers(1), numbers(1), 2), (numbers(4), numbers(4), 0)])
@somd
def leapfrog(before, now, steps: int) -> None:
    for t in range(steps):
        after = 2.0 * now - before
        after[1:-1] += 0.1 * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        before, now = now, after
    before[...] = now


@program(lambda: pairs(shapes=((3, 3), (2, 5), (17, 4), (1, 1))))
@somd
def several_at_once(a, b):
    c, d = a + 1.0, b * 2.0
    c, d = d, c + d
    a[0], b[:, -1], k = d[0], 7.0, a.shape[1]
    a[1:], b[1:] = b[1:] - a[1:], a[1:] + k
    top = bottom = c[0] * 2.0
    top += 1.0
    return c + bottom, d


@program(lambda: [(numbers(3, n), numbers(n, seed=2), k) for n in (1, 4, 17) for k in (0, 1)])
@somd
def rows_and_choices(q, w, k: int):
    x, y, z = q
    x[1:] = y[:-1]
    z += w if k > 0 else x
    r = (x + y if k > 0 else x - y) * 2.0
    r[0] = -1.0
    return r


@program(lambda: [(numbers(n),) for n in SIZES if n > 1])
@somd
def arrays_like_parts(a):
    inner = a[1:]
    c, d = np.zeros_like(inner), np.empty(inner.shape)
    for i in range(inner.size):
        c[i] = inner[i]
        d[i] = c[i] * 2.0
    return c, d


@program(lambda: pairs(shapes=((3, 3), (2, 5), (17, 4), (1, 1))))
@somd
def arrays_like_what_has_no_name(a, b):
    c = np.empty_like(a[1:, ::-1])
    c[...] = b[1:] * 2.0
    d = np.full_like(a.T, 3.0)
    e = np.ones_like(a[0])
    for i in range(len(e)):
        e[i] += a[-1, i]
    return c, d, e


@program(lambda: [(np.array(x),) for x in ([3, 2, -1, 4, 0, 7], [1, 1, 5], [0, 0, 0, 2])])
@somd
def limits_of_elements(a):
    inner = a[1:]
    inner[: int(inner[0])] += inner[int(inner[1]) % 2]
    b = a[: a.sum()] * 2
    return inner[: inner.max() - 3].sum(), b, np.roll(a, inner[0])


@program(lambda: [(numbers(*shape), numbers(*shape, seed=1), 0.5) for shape in SHAPES], rtol=1e-13)
@somd
def parts_of_themselves(x: A, y: A, s: float):
    x = x[:, ::2]
    x += s
    x = np.sqrt(abs(x)) + y[:, ::2]
    for _ in range(2):
        z = y.T
        z = z[::-1]
        z[:1] *= 2.0
    x = x[1:]
    t = np.float64(0.0)
    for i in range(x.shape[0]):
        x[i] -= s
        t += x[i].sum()
    return x.sum(axis=0), t


@program(lambda: [(numbers(n, dtype=np.int64, low=0, high=5), numbers(n)) for n in SIZES if n > 1])
@somd
def lengths_of_what_has_no_name(a: A, b: A) -> tuple[int, np.ndarray]:
    n = len(b[a[0] :])
    b[a[0] :: 2] = b[: len(b[a[0] :: 2])]
    for i in range(len(a[b > 0])):
        b[i] += n
    return n, b[n // 2 :] * len(a[1:])
