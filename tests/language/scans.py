"""Loops that hand scalars on in ways that blocks of iterations can be told to continue: scans, filters, states."""

from __future__ import annotations

import numpy as np

from somd import dist, somd, sync
from tests.language.program import SHAPES, SIZES, numbers, program, reverse, spaced

A = dist[np.ndarray]


def vectors(*more, dtype=np.int64, low=-9, high=9, sizes=SIZES):
    return [(numbers(n, dtype=dtype, low=low, high=high), *more) for n in sizes]


# --- one operator -----------------------------------------------------------------------------------------------


@program(lambda: vectors() + [(numbers(131, dtype=np.uint8, low=0, high=255),), (spaced(numbers(40, dtype=np.int32)),)])
@somd
def inclusive_sums(a: A) -> np.ndarray:
    out = np.empty_like(a)
    s = 0
    for i in range(len(a)):
        s += a[i]
        out[i] = s
    return out


@program(
    lambda: vectors(5, low=-(2**63), high=2**63 - 1, sizes=SIZES[1:]) + [(reverse(numbers(50, dtype=np.int64)), -7)]
)
@somd
def exclusive_sums_in_place(a: A, first: int) -> int:
    s = first
    for i in range(len(a)):
        before = s
        s = a[i] + s
        a[i] = before
    return s


@program(lambda: vectors(3, sizes=SIZES[1:]) + vectors(-2, sizes=SIZES[1:]))
@somd
def running_products_backwards(a: A, factor: int) -> tuple[np.ndarray, int]:
    out = np.zeros_like(a)
    p = 1
    for i in range(len(a) - 1, -1, -2):
        p *= factor * a[i] + 1
        out[i] = p
    return out, p


@program(
    lambda: (
        vectors(sizes=SIZES[1:])
        + vectors(dtype=np.float64, sizes=SIZES[1:])
        + [(np.array([0.0, -0.0, np.nan, 2.0, np.nan, 2.0]),)]
    )
)
@somd
def running_extremes(a: A) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    least = np.empty_like(a)
    greatest = np.empty_like(a)
    latest = np.empty_like(a)
    low, high, last = a[0], a[0], a[0]
    for i in range(len(a)):
        low = min(low, a[i])
        if a[i] > high:
            high = a[i]
        last = a[i] if a[i] >= last else last
        least[i], greatest[i], latest[i] = low, high, last
    return least, greatest, latest


@program(lambda: [(numbers(n, dtype=bool),) for n in SIZES])
@somd
def truth_so_far(p: A) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    every = np.empty_like(p)
    some = np.empty_like(p)
    odd = np.empty_like(p)
    e, s, o = True, False, False
    for i in range(len(p)):
        e = e and p[i]
        s = s or p[i]
        o ^= p[i]
        every[i], some[i], odd[i] = e, s, o
    return every, some, odd


@program(lambda: vectors(dtype=np.uint16, high=65535) + vectors())
@somd
def bits_so_far(a: A) -> np.ndarray:
    out = np.empty((len(a), 3), np.int64)
    x, y, z = 0, 1, 0xFFF
    for i in range(len(a)):
        x ^= a[i]
        y |= a[i]
        z = z & ~a[i]
        out[i, 0] = x
        out[i, 1] = y
        out[i, 2] = z
    return out


# --- several operators, and values that are set anew ------------------------------------------------------------


@program(lambda: [(numbers(n, dtype=np.int64), numbers(n, dtype=bool, seed=1)) for n in SIZES])
@somd
def sums_of_segments(a: A, begins: A) -> np.ndarray:
    out = np.empty_like(a)
    s = 0
    for i in range(len(a)):
        if begins[i]:
            s = 0
        s += a[i]
        out[i] = s
    return out


@program(
    lambda: [(numbers(n, dtype=np.int64, low=-(2**62), high=2**62), numbers(n, dtype=np.int64, seed=1)) for n in SIZES]
)
@somd
def recurrence(a: A, b: A) -> np.ndarray:
    out = np.empty_like(a)
    x = 7
    for i in range(len(a)):
        if a[i] % 5 == 3:
            x = a[i]
        elif b[i] > 2:
            x = a[i] - (x << 2)
        else:
            t = -x * 3
            x = t * a[i] + b[i]
        out[i] = x
    return out


@program(lambda: [(numbers(n, dtype=np.uint32, high=2**32 - 1),) for n in SIZES])
@somd
def hashes(a: A) -> np.ndarray:
    out = np.empty_like(a)
    h = np.uint32(2166136261)
    for i in range(len(a)):
        if a[i] % 8 == 0:
            h = np.uint32(17)
        h = (h + a[i]) * np.uint32(16777619)
        out[i] = h
    return out


@program(lambda: vectors())
@somd
def masks(a: A) -> np.ndarray:
    out = np.empty_like(a)
    x = 0x55
    for i in range(len(a)):
        if a[i] > 4:
            x = ~(x & 0x3F0F) ^ a[i]
        else:
            x = x | a[i] if a[i] % 2 == 0 else a[i]
        out[i] = x
    return out


@program(lambda: vectors(0) + vectors(100) + vectors(-3, dtype=np.int16))
@somd
def kept_within(a: A, x: int) -> np.ndarray:
    out = np.empty_like(a)
    x = int(x)
    for i in range(len(a)):
        if a[i] < 0:
            x = max(x, int(a[i]))
        elif a[i] < 6:
            x = min(int(a[i]), x)
        else:
            x = 3
        out[i] = x
    return out


@program(lambda: [(np.frombuffer(text, np.uint8).copy(), 34) for text in (b"", b'"', b'a,"b,c",d,"e"",f",g' * 9)])
@somd
def outside_quotes(text: A, quote: int) -> tuple[np.ndarray, int]:
    commas = np.zeros(len(text), np.bool_)
    inside = False
    for i in range(len(text)):
        if text[i] == quote:
            inside = not inside
        elif inside:
            commas[i] = False
        else:
            commas[i] = text[i] == 44
    return commas, int(inside)


@program(
    lambda: (
        [(numbers(n), numbers(n, dtype=bool, seed=2), -1.5) for n in SIZES]
        + [(np.array([np.nan, -0.0, 1.0]), np.array([True, True, False]), 0.0)]
    )
)
@somd
def filled_forward(a: A, known: A, first: float) -> np.ndarray:
    out = np.empty_like(a)
    last = first
    for i in range(len(a)):
        if known[i]:
            last = a[i]
        out[i] = last
    return out


@program(lambda: [(numbers(n), 3.0) for n in SIZES[1:]])
@somd
def last_places(a: A, limit: float) -> tuple[int, int, float]:
    at, count, last = -1, 0, 0.0
    for i in range(len(a)):
        x = a[i] * 2.0
        if x > limit:
            at = i
            count += 1
        last = x
    return at, count, last


# --- filters ----------------------------------------------------------------------------------------------------


@program(lambda: [(numbers(n),) for n in SIZES] + [(np.full(9, 1.0),), (np.full(9, -1.0),)])
@somd
def positive(a: A) -> tuple[np.ndarray, int]:
    out = np.zeros_like(a)
    k = 0
    for i in range(len(a)):
        if a[i] > 0:
            out[k] = a[i]
            k += 1
    return out, k


@program(lambda: vectors())
@somd
def parted(a: A) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    below = np.zeros(len(a))
    others = np.zeros_like(a)
    places = np.zeros(len(a), np.int64)
    k = m = 0
    for i in range(len(a)):
        if a[i] < 0:
            below[k] = a[i] / 2
            k = k + 1
            continue
        others[m] = a[i]
        m += 1
        places[m - 1] = i
    return below, others, places, k


@program(lambda: [(numbers(n, dtype=np.int64, low=0, high=4), np.zeros(3 * n + 3)) for n in SIZES])
@somd
def spread_out(counts: A, out: A) -> int:
    k = 2
    for i in range(len(counts)):
        for j in range(counts[i]):
            if j == 2:
                continue
            out[k] += i + 0.25 * j
            k += 1
    return k


@program(lambda: [(numbers(n, dtype=np.int64), np.zeros((2, 2 * n + 1), np.int64)) for n in SIZES])
@somd
def pairs(a: A, out: A) -> int:
    k = 0
    for i in range(len(a)):
        if a[i] % 3 != 1:
            out[0, k] = a[i]
            out[1, k] = i
            out[0, 1 + k] = -a[i]
            k += 2
    return k


@program(lambda: [(numbers(20), numbers(5), k) for k in (-3, 0, 2)] + [(numbers(20), numbers(30), -2)])
@somd
def beyond_the_end(a: A, out: A, k: int) -> int:
    for i in range(len(a)):
        if a[i] > 0:
            out[k] = a[i]
            k += 1
    return k


@program(lambda: [(numbers(n, dtype=np.int64), limit) for n in SIZES for limit in (-9, 8, 9)])
@somd
def checked_positive(a: A, limit: int) -> np.ndarray:
    out = np.zeros_like(a)
    k = 0
    for i in range(len(a)):
        if a[i] > limit:
            raise ValueError(f"element {i}")
        if a[i] > 0:
            out[k] = a[i]
            k += 1
    return out


# --- where they stand -------------------------------------------------------------------------------------------


def weight(x: int) -> int:
    return x * x + 1


@program(lambda: [(numbers(*shape, dtype=np.int64), 3) for shape in SHAPES])
@somd
def sums_of_rows(a: A, rounds: int) -> np.ndarray:
    out = np.zeros(a.shape[0], np.int64)
    for turn in range(rounds):
        s = turn
        if a.shape[1] > 1:
            for i in range(a.shape[0]):
                for j in range(a.shape[1]):
                    s += weight(a[i, j])
                out[i] += s
    return out


@program(lambda: vectors())
@somd
def between_fences(a: A) -> np.ndarray:
    out = np.zeros_like(a)
    total = 0
    with sync(total, reduce="+"):
        for i in range(len(a)):
            total += a[i]
    with sync:
        s = total
        for i in range(len(a)):
            s -= a[i]
            out[i] = s
    return out
