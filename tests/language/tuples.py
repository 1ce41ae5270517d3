"""Tuples, lists and None: captured, as attributes and as arguments, in methods and in the helpers that they call."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np

from somd import dist, somd
from tests.language.program import SHAPES, SIZES, numbers, program

A = dist[np.ndarray]
WEIGHTS = (0.25, 0.5, 0.25)
STEPS = [1, 2, 3]
KERNEL = ((1.0, 2.0, 1.0), (2.0, 4.0, 2.0), (1.0, 2.0, 1.0))
PLACES = ((-1, 0), (1, 0), (0, -1), (0, 1))
MIXED = (2, 0.5, True, np.float32(0.1), -0.0)
EMPTY: tuple = ()
MANY = tuple(float(k) * 0.1 for k in range(10_000))
NARROW = [np.float32(0.1), np.float32(0.2)]
TRUTHS = (True, False, True)
PARTS = (1 + 2j, 3 - 1j)
NOTHING = None
rng, longest, most = range, len, max


class Inner(NamedTuple):
    scale: float
    weights: tuple


class Parameters(NamedTuple):
    dt: float
    first: int
    inner: Inner


PARAMETERS = Parameters(0.5, 1, Inner(1.5, (2.0, 3)))


def cases(*more, dtypes=(float, np.float32, np.int64)):
    return [(numbers(n, dtype=d), *each) for d in dtypes for n in SIZES for each in (more or ((),))]


@program(cases)
@somd
def by_constants(a: A) -> np.ndarray:
    out = np.zeros_like(a, dtype=np.float64)
    left, middle, right = WEIGHTS
    for i in range(1, len(a) - 1):
        out[i] = WEIGHTS[0] * a[i - 1] + WEIGHTS[1] * a[i] + WEIGHTS[-1] * a[i + 1]
        out[i] += left * a[i] + middle * STEPS[2] - right * MIXED[1] + MIXED[0] + MIXED[3] * MIXED[4]
        if MIXED[2]:
            out[i] += len(EMPTY) + len(STEPS) + len(MIXED)
    return out


@program(cases)
@somd
def by_variables(a: A) -> np.ndarray:
    out = np.zeros_like(a, dtype=np.float64)
    for i in range(1, len(a) - 1):
        for k in range(len(WEIGHTS)):
            out[i] += WEIGHTS[k] * a[i - 1 + k] * STEPS[-k] + NARROW[k % 2] * a[i]
        if TRUTHS[i % 3]:
            out[i] += MANY[i * 7] - MANY[-1 - i] + PARTS[i % 2].real
    return out


@program(cases)
@somd
def loops_over_entries(a: A) -> tuple:
    out = np.zeros_like(a)
    for i in rng(longest(a)):
        s = a[i]
        for step in STEPS:
            s += a[i] * step
        for k, step in enumerate(STEPS):
            s -= step * k
        for one, other in zip(STEPS, TRUTHS):
            if other:
                s += one
        for step in reversed(STEPS):
            s = s * step
        out[i] = most(s, a[i])
    return out, sum(STEPS), min(WEIGHTS), max(MIXED[0], STEPS[2]), most(WEIGHTS[0], WEIGHTS[1])


@program(lambda: [(numbers(*shape, dtype=d),) for d in (float, np.float32) for shape in SHAPES])
@somd
def nested(a: A) -> np.ndarray:
    out = np.zeros_like(a)
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            s = a[i, j]
            for p in range(len(KERNEL)):
                for q in range(len(KERNEL[0])):
                    s += KERNEL[p][q] * a[i - 1 + p, j - 1 + q] * KERNEL[-1][q]
            for di, dj in PLACES:
                s += a[i + di, j + dj]
            for k in range(len(PLACES)):
                di, dj = PLACES[k]
                s -= a[i + di, j + dj] * 0.5
            out[i, j] = s * KERNEL[1][1]
    return out


def weighed(x, weights, k, scale=None):
    if scale is None:
        scale = 2.0
    return x * weights[k] + weights[0] * scale


def moved(x, parameters):
    return x * parameters.dt + parameters.inner.scale * parameters[2].weights[1]


def total(a, weights):
    s = np.float64(0)
    for i in range(len(a)):
        s += a[i] * weights[0]
    return s


@somd
def scaled_sum(a: A, weights: tuple, more: Optional[float] = None) -> np.float64:
    s = np.float64(0)
    for i in range(len(a)):
        s += a[i] * weights[1]
    return s if more is None else s + more


@program(
    lambda: cases(
        ((1.0, 2.0, 3.0), PARAMETERS),
        ([1, 2, 3], PARAMETERS._replace(first=0, dt=1)),
        ((np.float32(1),) * 3, PARAMETERS._replace(inner=Inner(2, [True, False]))),
        dtypes=(float, np.float32),
    )
)
@somd
def through_helpers(a: A, w: tuple, p: Parameters) -> np.ndarray:
    out = np.zeros_like(a)
    dt, first, (scale, (one, other)) = p
    for i in range(p.first, len(a)):
        out[i] = weighed(a[i], w, i % 3) + weighed(a[i], STEPS, i % 2, 3.0) + moved(a[i], p)
        out[i] += weighed(a[i], scale=None, weights=w, k=1) + dt * scale + one * other + first
    return out


@program(lambda: cases(((1.0, 2.0, 3.0),), ([3, 4],), dtypes=(float, np.float32)), rtol=1e-5)
@somd
def to_methods(a: A, w: tuple) -> tuple:
    s = total(a, w) + scaled_sum(a, w) + scaled_sum(a, STEPS, 2.0)
    for i in range(len(a)):
        a[i] += w[1]
    return s, scaled_sum(a, w)


@program(
    lambda: [
        (numbers(n), weight, out, scale)
        for n in SIZES
        for weight in (None, 2.0, 3, np.float32(0.1))
        for out in (None, np.zeros(n))
        for scale in (None, numbers(n, seed=1))
    ]
)
@somd
def given_or_not(a: A, weight: Optional[float] = None, out: Optional[A] = None, scale: Optional[A] = None) -> tuple:
    weighed = 0 if weight is None else 1
    if weight is None:
        weight = 1.0
    if out is None:
        out = np.empty_like(a)
    elif weight is not None and len(out) > 2:
        out[0] = weight
    assert not (out is None or NOTHING is not None)
    extra = None
    for i in range(len(a)):
        out[i] = a[i] * weight
        if scale is not None:
            out[i] += scale[i]
    if scale is None or weighed == 0:
        extra = 0.5
    else:
        extra = 1.5
    return out, extra, weighed


class Stencil:
    weights = (0.25, 0.5, 0.25)

    def __init__(self) -> None:
        self.steps = [1, 2]
        self.grid = ((1.0, 2.0), (3.0, 4.0))
        self.mask: Optional[np.ndarray] = None
        self.fields = (numbers(131, seed=5), numbers(131, seed=6))

    @property
    def middle(self) -> float:
        return self.weights[1]

    @somd
    def run(self, a: A, k: int) -> np.ndarray:
        out = np.zeros_like(a)
        u, v = self.fields
        (left, _), (_, last) = self.grid
        for i in range(1, len(a) - 1):
            out[i] = self.weights[0] * a[i - 1] + self.middle * a[i] + self.weights[2] * a[i + 1]
            for step in self.steps:
                out[i] += step * self.grid[i % 2][k] + u[i] * v[i] + self.fields[0][i]
            out[i] += left - last
            if self.mask is not None:
                out[i] *= self.mask[i]
        return out

    @classmethod
    @somd
    def of_class(cls, a: A) -> np.ndarray:
        out = np.zeros_like(a)
        for i in range(len(a)):
            out[i] = a[i] * cls.weights[i % 3] + len(cls.weights)
        return out


STENCIL = Stencil()


@program(lambda: cases((0,), (1,), (-2,), dtypes=(float,)))
@somd
def of_objects(a: A, k: int) -> tuple:
    return STENCIL.run(a, k), STENCIL.of_class(a)


@program(lambda: [((u, u if same else numbers(n, seed=1)), 3) for n in SIZES for same in (0, 1) for u in [numbers(n)]])
@somd
def arrays_in_tuples(state: tuple[A, A], times: int) -> None:
    u, v = state
    for _ in range(times):
        for i in range(len(u)):
            v[i] = u[i] * 0.5 + state[1][i]
        for i in range(len(u)):
            state[0][i] = v[i] + times


@program(lambda: [((numbers(n), (numbers(n, seed=1), 3, (0.5, numbers(n, seed=2)))),) for n in SIZES])
@somd
def arrays_and_numbers_in_tuples_of_tuples(state: tuple[A, tuple]) -> float:
    u, (v, k, (h, w)) = state
    for i in range(len(u)):
        u[i] = v[i] * h + k
    for i in range(len(w)):
        w[i] -= h * u[i]
    return h * k


def both(x, y):
    return x + y, x - y


@program(lambda: [(numbers(n), numbers(n, 3)) for n in SIZES])
@somd
def targets_in_targets(a: A, m: np.ndarray) -> tuple:
    (rows, columns), weight = m.shape, 0.5
    pair = both(weight, 2.0)
    w, (p, q) = weight, pair
    for i in range(len(a)):
        (u, v), k = divmod(a[i], 0.25), both(a[i], w)[1]
        x, (y, z) = a[i], both(a[i], v)
        (x, y), z = (y, x), z + x
        a[i] = u * k + x * y - z * p + q
    return rows + columns, w


@program(lambda: [(numbers(n), numbers(n, seed=1)) for n in SIZES[2:]])
@somd
def parts_set_one_after_the_other(a: A, b: A) -> float:
    k = np.int32(0)
    b[k] = k * 2**30
    k, b[k] = 1, a[k]
    far = k * 2**31
    for i in range(len(a)):
        w = np.zeros(3)
        t = 2
        w[t], t, (w[t], w[t - 1]) = a[i], 1, (b[i], 0.5)
        x = np.float32(t)
        (x, w[t]), t = (w[t] + x, w[t - 1]), x
        b[i] = w[0] + 10.0 * w[1] + 100.0 * w[2] + x * t
    return b[k] + far
