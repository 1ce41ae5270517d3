"""`raise` and `assert`: the exception of plain Python, that of the lowest failing iteration."""

from __future__ import annotations

import math

import numpy as np

from somd import ByKey, Cyclic, dim, dist, partition, single, somd, sync
from tests.language import raised_by as errors
from tests.language.program import numbers, program
from tests.language.raised_by import Bad

from typing import Annotated  # isort: skip

A = dist[np.ndarray]
LIMIT = 8.5
NAMES = ("small", "large")


def spoilt(n: int, *places: int, dtype: type = float, value: float = -3.0) -> np.ndarray:
    """Positive numbers, but at some places."""
    made = numbers(n, dtype=dtype, low=1, high=8)
    for place in places:
        made[place] = value
    return made


def places() -> list[tuple[np.ndarray]]:
    return [
        (spoilt(131),),
        (spoilt(131, 77, 130),),
        (spoilt(131, 0),),
        (spoilt(131, 130),),
        (spoilt(0),),
        (spoilt(1, 0),),
    ]


@program(places)
@somd
def message_of_the_lowest(a: A) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        if a[i] < 0:
            raise ValueError(f"bad value {a[i]!r} ({a[i]:+.2f}) at {i} of {len(a)}, {a.shape}, {i=}")
        c[i] = math.sqrt(a[i])
    return c


@program(places)
@somd
def asserted(a: A) -> None:
    for i in range(len(a)):
        assert a[i] > 0, (i, a[i], "text")
        a[i] = 1.0 / a[i]


@program(places)
@somd
def bare_class(a: A) -> None:
    for i in range(len(a)):
        if a[i] < 0:
            raise Bad
        assert a[i] != 5.0
        a[i] += 1.0


@program(places)
@somd
def descending(a: A) -> None:
    for i in range(len(a) - 1, -1, -1):
        if a[i] < 0:
            raise errors.Worse("at", i, a[i]) from None
        a[i] *= 2.0


@program(places)
@somd
def with_a_cause(a: A) -> float:
    total = 0.0
    for i in range(len(a)):
        if not a[i] >= 0:
            raise Bad(i) from KeyError(f"{i:>5}")
        total += 1.0
    return total


@program(
    lambda: [
        (spoilt(60, 50, dtype=t, value=99), spoilt(60, 3, 58, dtype=t, value=77))
        for t in (float, np.float32, np.int16, np.uint64, np.complex64)
    ]
)
@somd
def values_of_every_type(a: A, b: A) -> None:
    for i in range(len(a)):
        x = a[i] * 2
        if a[i] == 99:
            raise Bad(x, a[i], i, a[i] == b[i], 2.5 * i)
        if b[i] == 77 and i > 5:
            raise Bad(b[i], x, i > 3)
        b[i] = a[i]


def lengths() -> list[tuple[np.ndarray, np.ndarray, int]]:
    return [
        (numbers(9), numbers(9), 3),
        (numbers(9), numbers(8), 3),
        (numbers(9), numbers(9), -1),
        (numbers(9), numbers(9), 400),
    ]


@program(lengths)
@somd
def arguments_checked(a: A, b: A, n: int) -> np.ndarray:
    """The checks say what holds behind them."""
    if len(a) != len(b):
        raise ValueError("lengths differ: %d and %d" % (len(a), len(b)))
    if n < 0:
        raise TypeError(f"n is {n!r}, of {a.shape!r}")
    elif n > 100:
        raise OverflowError("{} > {}".format(n, 100), NAMES[1])
    else:
        assert n != 50, NAMES
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i] * n
    return c


@program(
    lambda: [(numbers(20, 7), 2), (np.abs(numbers(20, 7)), 2), (numbers(20, 7, low=0, high=1), 2), (numbers(0, 3), 1)]
)
@somd
def grid(g: A, k: int) -> None:
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            if g[i, j] < -8.0 + k or g[i, j] > LIMIT:
                raise Bad(f"g[{i}, {j}] = {g[i, j]}")
            g[i, j] = 0.5 * g[i, j]


@program(lambda: [(numbers(20, 7), 1), (np.abs(numbers(20, 7)), 1), (np.abs(numbers(20, 7)), 0)])
@somd
def inner_loops(g: A, k: int) -> np.ndarray:
    c = np.zeros(g.shape[0])
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            x = g[i, j]
            while x > 1.0:
                x = x / 2.0
                if x < 0.6 and k == 0:
                    raise Bad(i, j, x)
            for m in range(3):
                if x + m < 0.0:
                    raise Bad(i, j, m, x)
        c[i] = g[i, 0]
        assert i != 100
    return c


def indexes() -> list[tuple[np.ndarray, np.ndarray]]:
    index = np.arange(131) % 10
    cases = []
    for bad, outside in ((20, 90), (90, 20), (50, 50), (None, 40), (60, None)):
        k, x = index.copy(), numbers(131, low=1)
        if bad is not None:
            x[bad] = -1.0
        if outside is not None:
            k[outside] = 4711
        cases.append((x, k))
    return cases


@program(indexes)
@somd
def among_indexes(x: A, index: A) -> np.ndarray:
    out = np.zeros(len(index))
    for i in range(len(index)):
        if x[i] == -1.0:
            raise Bad(i, out.shape)
        out[i] = x[index[i]]
    return out


@program(lambda: [(spoilt(40, 30), numbers(35)), (spoilt(40, 36), numbers(35)), (spoilt(40), numbers(40))])
@somd
def before_a_bound_is_passed(a: A, b: A) -> None:
    """Plain Python raises ValueError at 30, and IndexError at 35."""
    for i in range(len(a)):
        if a[i] < 0:
            raise ValueError(i)
        a[i] = a[i] + b[i]


@program(lambda: [(spoilt(40, 30), numbers(35)), (spoilt(40), numbers(35)), (spoilt(40), numbers(45))])
@somd
def assertions_as_bounds(a: A, b: A) -> None:
    for i in range(len(a)):
        assert i < len(b), f"no b[{i}]"
        a[i] = a[i] + b[i]


def positive(x, where):
    if x < 0:
        raise ValueError(f"negative: {x} at {where}")
    return math.sqrt(x)


def sign(x, low=-5.0):
    """Several ways out."""
    if x < low:
        raise Bad(x, low)
    if x < 0:
        return -1
    elif x > 0:
        return 1
    raise errors.Worse("zero")


def checked(a, i):
    assert i != 120, "checked"
    return positive(a[i], i)


@program(places)
@somd
def helpers(a: A) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = 2.0 * positive(a[i], i) + positive(a[i] + 1.0, -i)
    return c


@program(lambda: [(numbers(50),), (np.abs(numbers(50)),), (np.zeros(3),)])
@somd
def helper_with_ways_out(a: A) -> np.ndarray:
    c = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        s = sign(a[i])
        c[i] = s * i
    return c


@program(places)
@somd
def helper_of_an_array(a: A) -> float:
    total = 0.0
    for i in range(len(a)):
        if checked(a, i) < 0.0:
            total += 1.0
    return total


@somd
def scaled(a: A, k: float) -> None:
    if k == 0.0:
        raise ZeroDivisionError("k")
    for i in range(len(a)):
        if a[i] < 0:
            raise Bad(k, i)
        a[i] = a[i] / k


@program(lambda: [(spoilt(40), 2.0), (spoilt(40), 0.0), (spoilt(40, 39), 2.0), (spoilt(40), -1.0)])
@somd
def nested_methods(a: A, k: float) -> None:
    scaled(a, 1.0)
    scaled(a, k)
    scaled(a, 1.0)


@program(lambda: [(spoilt(40), spoilt(40, 3)), (spoilt(40, 30), spoilt(40, 3)), (spoilt(40), spoilt(40))], rtol=1e-12)
@somd
def earlier_phases_first(a: A, b: A) -> float:
    for i in range(len(a)):
        assert a[i] > 0, ("a", i)
        a[i] = a[i] * 2.0
    total = 0.0
    for i in range(len(b)):
        assert b[i] > 0, ("b", i)
        total += b[i]
    return total


@program(lambda: [(spoilt(40), n) for n in (2, 9, 15)], rtol=1e-12)
@somd
def diverging(a: A, steps: int) -> float:
    error = 0.0
    for step in range(steps):
        error = 0.0
        for i in range(len(a)):
            a[i] = a[i] * 1.5
        for i in range(len(a)):
            error += a[i]
        if error > 1e4:
            raise Bad(f"diverged in step {step}: {len(a)}")
    return error


@program(lambda: [(numbers(31, low=1),), (spoilt(31, 9),), (spoilt(31, 30),)])
@somd
def once(a: A) -> None:
    with single:
        for i in range(1, len(a)):
            if a[i] < 0:
                raise Bad(i, a[i])
            a[i] = a[i] + a[i - 1]
    if a[0] < -100.0:
        raise Bad("first", a[0])
    for i in range(len(a)):
        a[i] += 1.0


@program(lambda: [(numbers(40, dtype=int, low=0, high=6),), (numbers(40, dtype=int, low=-1, high=6),)])
@somd
def counting(k: A) -> np.ndarray:
    h = np.zeros(7)
    with sync(h, reduce="+"):
        for i in range(len(k)):
            if k[i] < 0:
                raise Bad(i, k[i])
            h[k[i]] += 1.0
    return h


@program(places)
@somd
def cyclic(a: Annotated[np.ndarray, dist, partition(Cyclic)]) -> None:
    for i in range(len(a)):
        if a[i] < 0:
            raise Bad(i, a[i])
        a[i] = a[i] + 1.0


@program(lambda: [(numbers(12, 12),), (np.abs(numbers(12, 12)),)])
@somd
def rows_only(g: Annotated[np.ndarray, dist, dim(0)]) -> None:
    for i in range(g.shape[0]):
        for j in range(1, g.shape[1]):
            if g[i, j] < -8.0:
                raise Bad((i, j), g[i, j])
            g[i, j] += g[i, j - 1]


@program(lambda: [(numbers(30), 4), (numbers(30), 3)])
@somd
def in_sweeps(u: A, steps: int) -> None:
    for t in range(steps):
        for i in range(len(u)):
            if t == 3:
                raise Bad(t, i)
            u[i] = 0.5 * u[i]


@program(lambda: [(numbers(30, dtype=int, low=-3, high=3),), (numbers(30, dtype=int, low=1, high=3),)])
@somd
def local_arrays(a: A) -> None:
    for i in range(len(a)):
        w = np.zeros(4)
        for j in range(4):
            w[j] = a[i] * j
            if w[j] < -5.0:
                raise Bad(w[j], w.shape)
        a[i] = int(w[3])


class Grid:
    u: dist[np.ndarray]

    def __init__(self, n: int, *places: int) -> None:
        self.u, self.limit = spoilt(n, *places), 0.0

    def check(self, i):
        if self.u[i] < self.limit:
            raise Bad(f"u[{i}] = {self.u[i]}", self.limit)

    @somd
    def halve(self) -> None:
        if self.limit > 5.0:
            raise Bad(self.limit, len(self.u))
        for i in range(len(self.u)):
            self.check(i)
            self.u[i] *= 0.5


@program(lambda: [(Grid(40),), (Grid(40, 5, 33),)])
@somd
def of_an_object(grid: Grid) -> None:
    grid.halve()


@program(lambda: [(spoilt(40, 0), 1), (spoilt(40, 7), 1), (spoilt(40, 39), -1)])
@somd
def choices(a: A, k: int) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        if a[i] < 0:
            raise Bad(f"after {a[i - 1]!r}" if i > 0 else "the first", a[i + 1] if k > 0 else k)
        c[i] = a[i]
    return c


def orders() -> list[tuple[np.ndarray, np.ndarray]]:
    index = np.arange(60) % 10
    index[[20, 40]] = 99
    return [
        (spoilt(60, *bad), index if outside else np.arange(60))
        for bad in ((20,), (19,), (41,), ())
        for outside in (1, 0)
    ]


@program(orders)
@somd
def helpers_where_they_stand(x: A, index: A) -> np.ndarray:
    """Before a helper that raises comes what Python evaluates before it; under conditions it may not be reached."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[index[i]] + positive(x[i], i)
        if i > 30 and positive(x[i] + 2.0, i) > 100.0:
            out[i] = 7.0
        out[i] += positive(x[i] - 9.0, i) if x[i] > 1000.0 else 1.0
    return out


KEYS = np.repeat(np.arange(20), 10)


@program(lambda: [(KEYS, spoilt(200, *bad), np.zeros(n)) for bad in ((), (133, 70)) for n in (20, 5)])
@somd
def by_key(row: Annotated[np.ndarray, dist, partition(ByKey)], v: A, y: A) -> None:
    for k in range(len(row)):
        if v[k] < 0:
            raise Bad(k, row[k])
        y[row[k]] += v[k]


@program(lambda: [(spoilt(60), spoilt(60), 3), (spoilt(60, 5), spoilt(60), 3), (spoilt(60), spoilt(60), 12)])
@somd
def exchanged(u: A, v: A, steps: int) -> None:
    for t in range(steps):
        if t > 10:
            raise Bad("t", t)
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
            if v[i] < 0.5:
                raise Bad(t, i, v[i], u[i - 1])
        u, v = v, u


@program(lambda: [(spoilt(60, 50),), (spoilt(60, 50, value=99.0),), (spoilt(60),)])
@somd
def greatest(a: A) -> int:
    best = a[0]
    at = 0
    for i in range(1, len(a)):
        if a[i] < 0:
            raise Bad("negative", i)
        if a[i] > best:
            best = a[i]
            at = i
    if best > 90:
        raise Bad("great", best, at)
    return at


@program(lambda: [(500,), (50,)], rtol=1e-12)
@somd
def over_a_range(m: int) -> float:
    total = 0.0
    for i in range(m):
        if i == 77:
            raise Bad(i, m)
        total += 1.0 / (i + 1)
    return total
