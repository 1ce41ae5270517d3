"""NumPy's functions of whole arrays as array statements: what they make, products, exceptions."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import numbers, program

A = dist[np.ndarray]
SHAPES = ((1, 1), (3, 4), (4, 3), (0, 3), (2, 0), (17, 17))


@program(lambda: [(n, m) for n, m in ((0, 0), (1, 3), (5, 2), (2, 7), (-1, 2), (3, -2))])
@somd
def ranges(n: int, m: int):
    odd = np.arange(1, n + m, 2)
    return (
        odd * odd,
        np.arange(n),
        np.arange(n, m, -1) + 1,
        np.arange(m, 2 * n, n % 3 + 1),
        np.arange(0.5, m, 0.3),
        np.arange(n, dtype=np.float32) / 3,
        np.arange(float(n), -m, -0.7),
        np.arange(n, dtype=np.uint8) * np.arange(m)[:, None],
    )


@program(lambda: [(n, k) for n in (0, 1, 2, 7) for k in (0, 1)])
@somd
def spaced_numbers(n: int, k: int):
    x = np.linspace(0.0, 2.0 * np.pi, n)
    return np.sin(x) * 0 + x, np.linspace(k, 3, 5), np.linspace(-1, k + 0.1, n + 1, False), np.linspace(k, k, 4)


@program(lambda: [(n, m, k) for n, m, k in ((0, 0, 0), (1, 1, 0), (3, 5, 1), (5, 3, -2), (4, 4, 9), (2, 2, -9))])
@somd
def matrices(n: int, m: int, k: int):
    return np.eye(n), np.eye(n, m, k), np.identity(m) * 2, np.tri(n, m, k), np.tri(m, dtype=np.int64), np.eye(n, k=1)


@program(lambda: [(numbers(*shape), k) for shape in SHAPES for k in (0, 1, -1)])
@somd
def triangles(a, k: int):
    full = np.tril(a) + np.triu(a * 2, 1)
    return (
        full,
        np.tril(a, k),
        np.triu(a, k),
        np.triu(a[::-1, ::2], -k),
        np.tril(np.broadcast_to(a, (2, len(a), a.shape[1]))),
    )


@program(lambda: [(numbers(*shape), 1.5) for shape in SHAPES] + [(numbers(4, 4, dtype=np.int16), -3)])
@somd
def diagonals(a, x):
    d = np.diagonal(a)
    before = d + 1
    np.fill_diagonal(a, x)
    np.fill_diagonal(a[1:, ::2], x + 1)
    return before, d * 2, a.trace(), np.diagonal(a, -1).copy(), a.diagonal(2) - 1, np.trace(a[::-1], 1)


@program(lambda: [(numbers(n), numbers(m, seed=1)) for n, m in ((0, 2), (1, 1), (3, 4), (40, 7))])
@somd
def outer_products(a, b):
    m = np.outer(a, b)
    c = np.broadcast_to(2.0, (3, 4)) + np.broadcast_to(b[:1], (3, 1))
    m += c.sum()
    m -= np.outer(a * 2, b[::-1]) + np.broadcast_to(b, (len(a), len(b))) * np.broadcast_to(2.5, m.shape)
    return m, np.outer(a.astype(np.float32), np.arange(3)), np.outer(3, b)


@program(
    lambda: [
        (numbers(*left, dtype=int), numbers(*right, dtype=int, seed=1))
        for left, right in (((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 3)), ((2, 3), (4, 3, 2)), ((3,), (2, 3, 2)))
        + (((2, 3, 4), (4,)), ((2, 3, 4), (3, 5)), ((2, 3, 4), (3, 4, 3)))
    ]
)
@somd
def products_of_ranks(a, b):
    return a @ b


@program(lambda: [(numbers(2, 3, dtype=int), numbers(*shape, dtype=int)) for shape in ((3, 2), (2, 3, 4), (5, 2, 4))])
@somd
def products_along_last_axes(a, b):
    n = b.shape[-2]
    return np.dot(a[:, :n], b), a[:, :n].dot(b[..., :1]), np.inner(a[:, :2], b[..., :2])


@program(lambda: [(numbers(n, m, dtype=int), numbers(m, dtype=int, seed=1)) for n, m in ((1, 1), (3, 4), (5, 5))])
@somd
def letters(a, v):
    c = np.einsum("ij,kj->ik", a, a)
    return (
        c + np.inner(a, a),
        np.einsum("ij,j->i", a, v),
        np.einsum("ij,j", a, v) + np.inner(a, v),
        np.einsum("ij->ji", a).copy(),
        np.einsum("i,j,ik->ikj", a[:, 0], v, c, optimize=True),
        np.einsum("ij,ij->", a, a) + np.inner(v, v),
        np.einsum("ii->i", c) + np.einsum("ii", c),
    )


@program(lambda: [(numbers(*shape),) for shape in SHAPES if 0 not in shape] + [(numbers(2, 130),)], rtol=1e-14)
@somd
def norms(a):
    return (
        np.linalg.norm(a),
        np.linalg.norm(a[:, 0]),
        np.linalg.norm(a, axis=1),
        np.linalg.norm(a, 1, 0),
        np.linalg.norm(a, np.inf, axis=-1),
        np.linalg.norm(a[0], 1),
        np.linalg.norm(a, "fro"),
    )


@program(lambda: [(numbers(n, 3), numbers(n, dtype=int, low=0, high=3), k) for n, k in ((1, 0), (5, -1), (300, 2))])
@somd
def elements_at_indexes(a, at, k: int):
    rows = np.arange(len(a))
    c = (a * 2)[rows[::-1], at]
    return a[rows, at], a[rows[:, None], at[:2]], a[k % len(a), at], c + a[at % len(a), k], a[1:][:, at % 2].sum()


@program(
    lambda: [
        (numbers(6, 5), np.array(i), np.array(j)) for i, j in (([0, 1], [4, -5]), ([5, 6], [0, 0]), ([1, 2, 3], [1, 2]))
    ]
)
@somd
def outside_at_indexes(a, i, j):
    return a[i, j] + 1, a[:3][i % 4, j]


@program(lambda: [(numbers(n), numbers(n, seed=1)) for n in (0, 1, 2, 9, 300)] + [(numbers(3), numbers(2))])
@somd
def stored_by_functions(x, y):
    z = np.zeros_like(x)
    np.add(x, y, out=z)
    np.minimum(x, z[::-1], out=x)
    np.sqrt(y, out=y, where=y > 0)
    np.multiply(x, 2, z[:])
    np.subtract(z[1:], z[:-1], out=z[1:], where=x[1:] > -1)
    np.divide(1.0, x, out=x, where=x != 0)
    return z


@program(lambda: [(numbers(6, dtype=dtype), numbers(6, dtype=dtype, seed=1)) for dtype in (int, float)])
@somd
def of_what_is_computed(a, b):
    (places,) = np.nonzero(a > b)
    whole = np.flatnonzero(a < b)
    a[1:] -= np.diff(a - b)
    return places, whole, np.diff(a > b), np.diff(~(a > b)).sum(), np.roll(a - b, 2) - np.flip(a - b)


@program(lambda: [(x := np.array([3, 1, 0, 5, 2, 4]), x), (np.array([3, 1, 0, 5, 2, 4]), np.array([1, 1, 5, 0, 2, 2]))])
@somd
def scattered_from_itself(a, x):
    np.add.at(a, x % 6, 1)
    np.add.at(a, x % 6, a)
    np.subtract.at(a, a[::-1] % 6, a * 2)
    np.maximum.at(a, 5, 3)
    return a.sum()


@program(
    lambda: [
        (np.array(x, dtype=np.int64), numbers(len(x)) * 10.0 ** numbers(len(x), seed=2))
        for x in ([1, 5, 2, 1, 5, 5], [0], [3, -1], [7] * 40)
    ]
)
@somd
def counted_by_index(x, w):
    a, b, c = np.zeros(7), np.ones(7, dtype=np.int64), w * 1.0
    np.add.at(a, x % 7, w)
    np.add.at(b, x % 7, 2)
    np.maximum.at(a, x % 7 - 7, 0.5)
    np.multiply.at(c, x % len(x), w)
    return a, b, c, np.bincount(x), np.bincount(x, w, 9), np.bincount(x % 3, minlength=2)


@program(lambda: [(numbers(*shape), k) for shape in ((6,), (2,), (4, 3)) for k in (0, 1, -1, 2, -3, 4)])
@somd
def elements_of_beginnings(u, k: int):
    b = u[:3]
    return np.multiply(b[k], 2) + u[-1], b[-1] + u


@program(
    lambda: [
        (numbers(*shape), numbers(shape[0], low=1), n)
        for shape, n in (((5, 5), 5), ((5, 5), 3), ((5, 5), 6), ((1, 1), 1), ((0, 0), 0), ((4, 6), 4))
    ]
)
@somd
def in_triangles(a, b, n: int):
    lower = np.tril_indices(n)
    upper = np.triu_indices(n, 1)
    a[lower] = 2.0 * (a * a)[lower] + a[lower]
    s = (b[upper[0]] * b[upper[1]] / np.sqrt(abs(a[upper]) + 1)).sum()
    a[upper] *= 2
    b[:n] += a[:n, :n].T[lower].sum()
    i, j = np.tril_indices(len(a), -1)
    s += i.sum() * 2 - j.sum()
    a[np.triu_indices(n, 2)] -= 1
    n = n - 1
    return s, a[upper], upper[1] * 2


@program(lambda: [(numbers(*shape), k) for shape in SHAPES for k in (0, 1, -2)] + [(numbers(5, 3, dtype=np.int16), 7)])
@somd
def rearranged(a, k: int):
    back = np.flip(a, 0)
    b = np.roll(a, k, axis=1) + np.fliplr(a) - back
    return (
        b,
        np.roll(a[:, 0], k + 1) if a.shape[1] > 0 else np.zeros(len(a), dtype=a.dtype),
        np.repeat(a, 2, axis=0) + 1,
        np.tile(a, (2, 1)),
        np.diff(a) * 2,
        np.diff(a, axis=0),
        a.swapaxes(0, 1) + np.flip(a).T,
    )


@program(
    lambda: (
        [(numbers(*shape), numbers(*other, seed=1)) for shape, other in (((2, 3), (2, 3)), ((2, 3), (4, 3)))]
        + [(numbers(3, 2), numbers(0, 2)), (numbers(2, 3), numbers(2, 4))]
    )
)
@somd
def joined(a, b):
    c = np.concatenate((a, b * 2))
    return (
        c,
        np.vstack([a, c, a[0]]),
        np.hstack((a, a[:, ::-1])),
        np.stack((a, a + 1), axis=-1),
        np.stack((a[:, 0], a[:, 1], a[:, 1] * 2), axis=1) + np.column_stack((a[:, 1], a[:, 1], a[:, 0])),
        np.column_stack((a[:, 1], a)),
        np.stack([a[0], b[0]]) if len(b) > 0 else a * 1,
    )


@program(lambda: [(numbers(*shape),) for shape in SHAPES] + [(numbers(4, 3, dtype=np.int8),), (-np.zeros((2, 2)),)])
@somd
def accumulated(a):
    return (
        np.cumsum(a, axis=0),
        a.cumsum(axis=1),
        np.cumprod(a[:, ::2], -1),
        np.cumsum(a[0]) if len(a) > 0 else a[:, 0].cumsum(),
    )


@program(lambda: [(numbers(*shape),) for shape in SHAPES])
@somd
def padded(a):
    return (
        np.pad(a, 1),
        np.pad(a, ((0, 0), (1, 2)), mode="wrap"),
        np.pad(a, ((2, 1), (0, 1)), "edge"),
        np.pad(a[1:], (1, 2), constant_values=3),
    )


@program(lambda: [(numbers(n, m), numbers(2, 3, seed=1)) for n, m in ((2, 3), (5, 7), (1, 4), (4, 2))], rtol=1e-13)
@somd
def convolved(a, w):
    seen = np.lib.stride_tricks.sliding_window_view(a, (2, 3))
    rows = np.lib.stride_tricks.sliding_window_view(a * 2, 2, axis=0) + 0.0
    return np.tensordot(seen, w), np.tensordot(w, seen, axes=((1,), (3,))), np.tensordot(rows, w, ((2,), (0,)))


@program(lambda: [(numbers(n, m),) for n, m in ((3, 4), (6, 2), (2, 2))])
@somd
def seen_in_windows(a):
    rows = np.lib.stride_tricks.sliding_window_view(a[::-1].T, 2, axis=1)
    lines = np.lib.stride_tricks.sliding_window_view(np.diagonal(a), 2)
    a[0] = 2.0
    twice = np.lib.stride_tricks.sliding_window_view(rows, 1, axis=0)
    return rows[:, ::-1, 1] + 1.0, lines.max(axis=1), np.flip(rows, 1)[0] * 2.0, twice[1:, ..., 0].T.copy()


@program(lambda: [(numbers(*shape), numbers(shape[0]) > 0.3) for shape in (*SHAPES, (5, 9))])
@somd
def places(a, m):
    i, j = np.nonzero(a > 0.5)
    (k,) = np.where(m)
    last, first = np.nonzero(a)[-1], a.nonzero()[0]
    found = a[i, j] + 1.0
    a[:] = 0.0
    return i, j, k + 1, found, last.sum(), first, np.flatnonzero(m), np.flatnonzero(a * 1j + found.sum())


@program(lambda: [(np.float32(0.5), 3, 0.25, numbers(4)), (np.float32(-2.0), 0, 1e300, numbers(0))])
@somd
def written_out(x, k: int, t: float, row):
    turn = np.array([[t * t, -t], [t, x * t]])
    out = np.zeros((len(row), 2))
    for i in range(len(row)):
        v = np.array([row[i], 2.0 * row[i]]) * t
        out[i] = v - np.array((1, k))
    return (
        out,
        turn,
        np.array([x, k]),
        np.array([k, True]),
        np.array((x, t), dtype=np.float32),
        np.array([row, 2 * row]),
    )


@program(lambda: [(numbers(n), 0.4, k) for n in (0, 1, 7, 40) for k in (0, 2)])
@somd
def beginnings_of_new_arrays(a: A, t: float, k: int):
    below, others = np.zeros_like(a), np.zeros(len(a), dtype=np.int64)
    n = m = 0
    for i in range(len(a)):
        if a[i] < t:
            below[n] = a[i]
            n += 1
        else:
            others[m] = i
            m += 1
    table = np.zeros((len(a), 3))
    first = table[:, 1]
    first[:] = a
    if k > 1:
        return below[:n], others[:m], table[::2], n
    return below[:n] * 2.0, others, table, m


@program(lambda: [(numbers(n),) for n in (2, 3, 9)])
@somd
def functions_of_operations(a):
    """What is an operation stays one where a function puts its elements into others."""
    places = np.nonzero(a > 0.0)[0]
    (others,) = np.nonzero(a - a[0])
    return (
        a[places],
        others * 2,
        np.diff(a - a[::-1]),
        np.diff(a > 1.0),
        np.roll(a - 1.0, 1) * 2.0,
        np.outer(a - 1.0, a + 1.0),
        np.pad(a - 2.0, 1) * 3.0,
    )


@program(lambda: [(numbers(n, 3), numbers(n, dtype=int) % 4, k) for n in (0, 5) for k in (0, 3)])
@somd
def rows_by_index(x, labels, k: int):
    """Rows, and places of a matrix, that equal indexes name count each; what lies there is a new array."""
    sums, counts = np.zeros((4, x.shape[1])), np.zeros(x.shape[1:] + (4,), dtype=np.int64)
    np.add.at(sums, labels, x)
    np.add.at(counts, (0, labels - 4), 1)
    np.maximum.at(counts, (labels[:, None] % 3, labels[None, :]), k)
    np.subtract.at(sums[:, 1], labels[::-1], 0.5)
    chosen = sums[labels, 1] if k > 1 else sums[sums[:, 0] > 0.0, k]
    return sums, counts, chosen, np.linalg.norm(sums, axis=1, keepdims=True) * sums


@program(lambda: [(numbers(n), k) for n in (1, 4) for k in (0, 2)])
@somd
def lists_among_arrays(a, k: int):
    steps = np.concatenate(([0.0], np.cumsum(a, axis=0), (1, k)))
    if k or a.sum() > 0.0:
        steps[0] = 1.0
    return np.hstack(([k], steps.round(2))), np.stack(([1, 2], [k, 4])), np.angle(a, deg=True)


@program(lambda: [(numbers(n),) for n in (1, 9)])
@somd
def as_it_is_called(a):
    return np.maximum.accumulate(a)


@program(
    lambda: [
        (np.asfortranarray(m) if n == 7 else m[:, ::-1] if k < 0 else m, numbers(2 * w, seed=3)[::2], k)
        for n, w in ((0, 3), (3, 0), (7, 5), (4, 40))
        for k in (-2, 0, 3)
        for m in [numbers(n, w)]
    ]
)
@somd
def pieces_of_rows(m: A, v: A, k: int):
    c = np.ones_like(m)
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            c[i, j] = m[i - k, j] if k <= j and j < i + 20 else v[j]
    joined = np.concatenate((m, np.tile(m, (2, 2))[:, : m.shape[1]], v[None, :]))
    return c, joined, np.roll(v, k), np.roll(m, k, axis=1), np.tile(v, 3), np.pad(v, 2), (m > v).any(axis=0)
