"""Helper functions, captured values, defaults, and mathematics."""

from __future__ import annotations

import math

import numpy as np

from somd import dist, single, somd
from tests.language.program import SIZES, numbers, program, spaced

A = dist[np.ndarray]
RATE = 0.05
COEFFICIENTS = 5


def vectors(*more, dtype=float, low=-9, high=9):
    return [(numbers(n, dtype=dtype, low=low, high=high), *more) for n in SIZES]


def limiter(x, y):
    if x * y <= 0.0:
        return 0.0
    if abs(x) < abs(y):
        return x
    return y


def norm_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def step(x: float, k: int) -> float:
    """A helper with a loop, a local, a default-free signature and a docstring."""
    total = x
    for j in range(k):
        if total > 100.0:
            break
        total = total * 1.5 + j
    return total


def twice(x):
    return step(x, 2) + step(x, 3)


def sign(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    else:
        return 0


def polynomial(x):
    """Horner's rule for 1 + 2x + 3x^2 + ..."""
    p = 0.0
    for k in range(COEFFICIENTS, 0, -1):
        p = p * x + k
    return p


def both(x, y):
    return x + y, x - y


def ordered(x, y):
    if y < x:
        return y, x
    return x, y


def ordered_three(x, y, z):
    low, high = ordered(x, y)
    if z < low:
        return z, low, high
    low, z = ordered(low, z)
    pair = ordered(high, z)
    return low, pair[0], pair[1]


def split(x, unit=4, *, offset=np.int8(1)):
    """Parts of several types; a path whose first part is a literal."""
    if x < 0:
        return 0, x + offset, False
    return int(x) // unit, x - offset, True


def affine(x, factor=2.0, shift=-RATE, *, power=1):
    while power > 0:
        x = x * factor + shift
        power -= 1
    return x


@program(vectors)
@somd
def minmod_slopes(a: A) -> np.ndarray:
    out = np.zeros_like(a)
    for i in range(1, len(a) - 1):
        out[i] = limiter(a[i] - a[i - 1], a[i + 1] - a[i])
    return out


@program(lambda: [(numbers(n, low=80, high=120), 100.0, 0.2, 1.5) for n in SIZES], rtol=1e-12)
@somd
def black_scholes(price: A, strike: float, sigma: float, years: float) -> np.ndarray:
    call = np.zeros(len(price))
    for i in range(len(price)):
        d1 = (math.log(price[i] / strike) + (RATE + 0.5 * sigma * sigma) * years) / (sigma * math.sqrt(years))
        d2 = d1 - sigma * math.sqrt(years)
        call[i] = price[i] * norm_cdf(d1) - strike * math.exp(-RATE * years) * norm_cdf(d2)
    return call


@program(vectors)
@somd
def helper_of_helper(a: A) -> None:
    for i in range(len(a)):
        a[i] = twice(a[i]) - step(a[i], i % 4)


@program(lambda: vectors() + vectors(dtype=np.int8))
@somd
def signs(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        out[i] = sign(a[i])
    return out


@program(lambda: [(spaced(numbers(n)),) for n in SIZES])
@somd
def horner(a: A) -> None:
    for i in range(len(a)):
        a[i] = polynomial(a[i])


@program(lambda: vectors() + vectors(3.0, 1))
@somd
def default_arguments(a: A, scale: float = 2.0, offset: int = 5) -> None:
    for i in range(len(a)):
        a[i] = a[i] * scale + offset


@program(vectors)
@somd
def helper_returns_a_pair(a: A) -> None:
    for i in range(len(a)):
        s, d = both(a[i], 2.0)
        a[i] = s * d


@program(vectors)
@somd
def pairs_in_tuples(a: A) -> np.ndarray:
    out = np.zeros((8, len(a)))
    for i in range(len(a)):
        (s, d), k = both(a[i], 2.0), i
        (d, s), (q, r) = (s, d + k), divmod(k, 3)
        out[0, i], (out[1, i], out[2, i]) = s * d, both(q, r)
        p = both(a[i], s)
        n = both(d, a[i])
        p, n = n, p
        (s, out[3, i]), n, d = p, p, s
        out[4, i], out[5, i] = n
        out[6, i], out[7, i] = s, d
    return out


@program(lambda: vectors(dtype=np.float32))
@somd
def lengths_of_tuples(a: A) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        p = both(a[i], i)
        both(a[i], 2.0)
        divmod(a[i], 3)
        out[i] = len(p) * p[0] * 0.1 + len(a.shape) * a[i] * 0.7
    return out


@program(lambda: [(numbers(n), numbers(n, seed=1), numbers(n, seed=2)) for n in SIZES])
@somd
def sorted_by_helpers_that_return_tuples(a: A, b: A, c: A) -> None:
    for i in range(len(a)):
        a[i], b[i], c[i] = ordered_three(a[i], b[i], c[i])


@program(lambda: [(numbers(n), np.zeros(n, np.int64), np.zeros(n, bool)) for n in SIZES])
@somd
def parts_of_several_types(a: A, quotient: A, natural: A) -> None:
    for i in range(len(a)):
        quotient[i], rest, natural[i] = split(a[i], offset=2)
        a[i] = rest + split(a[i], 3)[1]


@program(lambda: [(numbers(n, dtype=np.float32), numbers(n, dtype=np.float32, seed=1)) for n in SIZES])
@somd
def pairs_of_float32(a: A, b: A) -> None:
    for i in range(len(a)):
        pair = ordered(y=a[i], x=b[i])
        a[i] = pair[0] * 0.5
        b[i] = pair[-1] - pair[0]


@program(vectors)
@somd
def keywords_and_defaults(a: A) -> float:
    for i in range(len(a)):
        x = affine(power=2, x=a[i])
        a[i] = affine(x, shift=1.0) + affine(x, 3.0, power=0) + affine(a[i], power=i % 3)
    return affine(1.0, power=3)


@program(lambda: vectors(3.0) + vectors(1.5, 2) + vectors(-1.0, 2, 0))
@somd
def parameters_of_every_kind(a: A, scale: float, /, offset: int = 5, shift: int = -1) -> None:
    for i in range(len(a)):
        a[i] = a[i] * scale + offset - shift


@program(vectors)
@somd
def helper_in_serial_code_and_bounds(a: A) -> float:
    n = int(step(3.0, 1))
    for i in range(min(n, len(a))):
        a[i] = a[i] + n
    return step(1.0, 2)


@program(lambda: [(numbers(n, low=0.1, high=3),) for n in SIZES], rtol=1e-13)
@somd
def mathematics(a: A) -> None:
    for i in range(len(a)):
        x = math.exp(-a[i]) * math.sin(a[i]) + math.log1p(a[i]) + math.atan2(a[i], 2.0)
        a[i] = x + math.hypot(a[i], 1.0) + a[i] ** 0.3 + math.tanh(a[i])


@program(lambda: [(numbers(n, 3), numbers(n, low=1)) for n in (0, 1, 2, 9, 20)])
@somd
def n_body_accelerations(x: A, m: np.ndarray) -> np.ndarray:
    acc = np.zeros_like(x)
    for i in range(len(m)):
        for j in range(len(m)):
            dx = x[j, 0] - x[i, 0]
            dy = x[j, 1] - x[i, 1]
            dz = x[j, 2] - x[i, 2]
            r2 = dx * dx + dy * dy + dz * dz + 0.01
            w = m[j] / (r2 * math.sqrt(r2))
            acc[i, 0] += w * dx
            acc[i, 1] += w * dy
            acc[i, 2] += w * dz
    return acc


def neighbours(x, i):
    return x[i] - x[i + 1]


@program(lambda: [(numbers(n), numbers(n + 1, seed=1)) for n in SIZES])
@somd
def sum_of_array_helper_as_operand(a: A, b: np.ndarray) -> None:
    for i in range(len(a)):
        a[i] = 2.0 * neighbours(b, i) - a[i] / -neighbours(b, i)


# --- helpers with arrays of their own, or that take some; they are written out in their callers -------------------


def sort(w):
    for k in range(1, len(w)):
        x = w[k]
        j = k
        while j > 0 and w[j - 1] > x:
            w[j] = w[j - 1]
            j -= 1
        w[j] = x


def first_above(w, limit, start=0):
    """Returns from a loop, from a branch, and at the end."""
    if start < 0:
        return -1
    for k in range(start, len(w)):
        if w[k] > limit:
            return k
    return len(w)


def smallest_pair(w):
    low, high = w[0], w[1]
    if high < low:
        low, high = high, low
    for k in range(2, len(w)):
        if w[k] < low:
            low, high = w[k], low
        elif w[k] < high:
            high = w[k]
    return low, high


def half_range(w, by):
    low, high = smallest_pair(w)
    return low + (w[0] - high) / by


def spread(x, y, z):
    w = np.zeros(3)
    w[0] = x
    w[1] = y
    w[2] = z
    sort(w)
    if w[0] < 0:
        return w[2] - w[0]
    elif w[1] == w[2]:
        return 0.0
    return w[2] - w[1]


def nearest(table, x):
    best = 0
    for k in range(len(table)):
        if table[k] == x:
            return k, 0.0
        if abs(table[k] - x) < abs(table[best] - x):
            best = k
    return best, table[best] - x


def spread_twice(x):
    return spread(x, 2.0, 1.0) + spread(1.0, x, x)


def crossings(table, limit):
    """A loop in a loop that returns, and a `while`."""
    for k in range(len(table)):
        j = k
        while j >= 0:
            if table[j] > limit:
                return j + 10 * k
            j -= 2
    return -1


@program(lambda: [(numbers(n, 5), np.zeros(n)) for n in SIZES])
@somd
def median_by_helper(a: A, out: A) -> None:
    for i in range(a.shape[0]):
        w = np.empty(a.shape[1])
        for k in range(a.shape[1]):
            w[k] = a[i, k]
        sort(w)
        out[i] = w[len(w) // 2]


@program(lambda: [(numbers(n, 5), np.zeros(n, np.int64), np.zeros(n)) for n in SIZES])
@somd
def helpers_of_local_arrays(a: A, where: A, out: A) -> None:
    for i in range(a.shape[0]):
        w = np.empty(5)
        for k in range(5):
            w[k] = a[i, k]
        low, high = smallest_pair(w)
        where[i] = first_above(w, 0.5) + 10 * first_above(w, limit=low, start=1) + first_above(w, 0.0, -1)
        if first_above(w, high) < 3:
            out[i] = high - low
        elif crossings(w, 5.0) > 1:
            out[i] = 1.0
        out[i] -= 2.0 * smallest_pair(w)[1] - half_range(w, 2.0) * 3.0
        sort(w)
        out[i] += w[0] - w[1]


@program(vectors)
@somd
def helpers_with_local_arrays(a: A) -> None:
    for i in range(len(a)):
        x = spread(a[i], 1.0, -a[i])
        a[i] = x + spread_twice(a[i]) + spread(x, x, 1.0)


@program(lambda: [(np.linspace(-9.0, 9.0, 10), numbers(n), np.zeros(n), np.zeros(n)) for n in SIZES])
@somd
def nearest_in_a_table(table: np.ndarray, a: A, place: A, distance: A) -> None:
    for i in range(len(a)):
        place[i], distance[i] = nearest(table, a[i])
        while crossings(table, a[i] + place[i]) > 3:
            place[i] -= 1.0


@program(lambda: [(numbers(n, low=-2, high=2),) for n in SIZES])
@somd
def helpers_of_arrays_in_serial_code(a: A) -> float:
    w = np.ones(4)
    w[2] = -1.0
    with single:
        k = first_above(w, 0.5, 1)
        while first_above(w, 2.5) == len(w):
            w[k] += 1.0
        sort(w)
    for i in range(len(a)):
        a[i] = a[i] * w[3] + k
    return w[0]


def first(x):
    return x[0]


def ramp(n):
    return np.full((n, 2), 0.5)


def through_a_table(x, size):
    table = np.zeros(size + 1)
    for k in range(size):
        table[k + 1] = table[k] + x
    return table[size]


@program(lambda: [(numbers(n), numbers(4)) for n in SIZES])
@somd
def helpers_that_make_arrays(a: A, b: np.ndarray) -> None:
    t = ramp(3)
    for i in range(len(a)):
        w = ramp(2)
        w[1, 1] = t[2, 0]
        a[i] = first(b) * a[i] + w[1, 1] + through_a_table(a[i], 4)
