"""Integers that leave their width: hashes, generators of random numbers, checksums, and what a compiler that takes
overflow for impossible would make of comparisons, quotients and indexes."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from somd import dist, reduce, somd
from tests.language.program import SIZES, numbers, program, spaced

A = dist[np.ndarray]
WHOLE = (np.int64, np.int32, np.int8, np.uint64)


def edges(*dtypes, count=1):
    """For each dtype arrays of many lengths with all its values, those at the ends of its range among the first."""
    made = []
    for dtype in map(np.dtype, dtypes):
        limits = np.iinfo(dtype)
        ends = np.array([limits.max, limits.min, limits.max - 1, limits.min + 1, 0, 1, 3, limits.max // 3 + 1], dtype)
        for n in (*SIZES, 500):
            case = []
            for k in range(count):
                drawn = np.random.default_rng([n, k]).integers(limits.min, limits.max, n, dtype, endpoint=True)
                drawn[: len(ends)] = np.roll(ends, k)[:n]
                case.append(drawn)
            made.append(tuple(case))
    return made


@program(lambda: edges(*WHOLE) + [(spaced(edges(np.int64)[-1][0]),)])
@somd
def polynomial_hash(a: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        h = a[i]
        for _k in range(20):
            h = h * 31 + 7
        out[i] = h
    return out


@program(lambda: edges(np.int64, np.uint64))
@somd
def congruential_generator(a: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        x = a[i]
        for _k in range(5):
            x = x * 6364136223846793005 + 1442695040888963407
        out[i] = x >> 33
    return out


@program(lambda: edges(*WHOLE))
@somd
def quotients_of_products(a: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = (a[i] * 3) // 3 + (a[i] + a[i]) // 2 - (a[i] * 5) % 5
    return out


@program(lambda: edges(*WHOLE, count=2))
@somd
def distances(a: A, b: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = abs(a[i] - b[i]) ^ max(a[i] - 1, a[i]) ^ min(a[i] + b[i], a[i])
    return out


@program(lambda: edges(*WHOLE, count=2))
@somd
def comparisons_of_sums(a: A, b: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        if a[i] * a[i] < 0:
            out[i] += 1
        if a[i] + 1 > a[i]:
            out[i] += 2
        if a[i] - b[i] < 0:
            out[i] += 4
        if a[i] * 2 == b[i] * 2:
            out[i] += 8
        if -a[i] == a[i]:
            out[i] += 16
        if a[i] < 0 and -a[i] < 0:
            out[i] += 32
    return out


@program(lambda: [(a, np.arange(1000)) for (a,) in edges(np.int64)])
@somd
def hashed_table(a: A, table: np.ndarray) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        h = a[i]
        for _k in range(20):
            h = h * 31 + 7
        out[i] = table[h % 1000] + table[(h * h) % 1000] + table[abs(h) % 1000 - 1]
    return out


@program(lambda: [(numbers(n), np.arange(16)) for n in SIZES])
@somd
def operations_on_literals(a: A, table: np.ndarray) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        out[i] = table[(i - 9223372036854775000 * 31) % 16] + (i + (4611686018427387904 + 4611686018427387904)) % 64
        out[i] += ((i ^ (1 << 62) * 5) & 31) + ((10**30 - i) & 63) + ((i - (-9223372036854775807 - 2)) & 7)
        out[i] += ((i | -(-9223372036854775807 - 1)) & 255) + (9223372036854775807 * 3 * i + 2**63 - 5) % 128
    return out


@program(
    lambda: [(numbers(n),) for n in SIZES],
    xfail={"opencl": "work-items behind the last would leave 64 bits"},
)
@somd
def literals_near_the_ends(a: A) -> int:
    most = 0
    for i in range(9223372036854775000, len(a) + 9223372036854775000, 2):
        a[i - 9223372036854775000] *= (i - 9223372036854775000 * 31) % 4
        most = max(most, (i * 3 + 9223372036854775000 * 2) & 63)
    return most


@program(lambda: [(a, np.arange(16)) for (a,) in edges(np.int64)])
@somd
def probed_table(a: A, table: np.ndarray) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        at = (a[i] * 2654435761) & 15
        step = 0
        while table[at] > 12 and step < 16:
            at = (at + 1) & 15
            step += 1
        out[i] = at
    return out


@program(lambda: edges(np.int64))
@somd
def checksum(a: A) -> Annotated[int, reduce("+")]:
    total = np.int64(0)
    for i in range(len(a)):
        total += a[i] * 31 + i
    return total


@program(lambda: edges(np.int64))
@somd
def product_and_alternation(a: A) -> int:
    product = np.int64(1)
    parity = np.int64(0)
    for i in range(len(a)):
        product *= a[i] | 1
    for i in range(len(a)):
        parity ^= a[i] * 5
    return product ^ parity


def mixed(h, value):
    h = (h ^ value) * 1099511628211
    return h + (h << 3)


@program(lambda: edges(np.int64, np.uint64))
@somd
def mixed_in_helpers(a: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        h = a[i]
        for _k in range(4):
            h = mixed(h, a[i])
        out[i] = h if h - 1 < h else -h
    return out


@program(lambda: [(a, np.int64(seed)) for (a,) in edges(np.int64) for seed in (2**63 - 1, -(2**63), 12345)])
@somd
def seeded(a: A, seed: int) -> np.ndarray:
    out = np.empty_like(a)
    state = seed * 31 + 7
    for i in range(len(a)):
        out[i] = a[i] + state if a[i] + state > a[i] else state - a[i]
    return out


@program(lambda: edges(np.int64, np.int32))
@somd
def python_integers_wrap(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        x = int(a[i])
        half = x // 2
        if half + half <= x and -half - 1 < half + 1 + i:
            out[i] += 1
        out[i] += abs(half) - half // 2
    return out


@program(lambda: [(a, k) for (a,) in edges(np.int64)[:4] for k in (2**63 - 1, -(2**63), 2**62 + 5, 7)])
@somd
def hash_between_loops(a: A, k: int) -> tuple:
    """Ints that are Python's and meet 64 bits only in loops: their last bits are the same."""
    out = np.zeros(len(a), np.int64)
    h = k * 4 + 1
    for r in range(3):
        h = h * 31 + r
        for i in range(len(a)):
            out[i] += (h * 5 + i) & 1023
    total, odd = h, h
    for i in range(len(a)):
        total += int(a[i])
        odd ^= int(a[i])
    return out, total & 1023, odd & 1023


def many_at_a_time():
    return [(np.arange(n) - n // 2, np.zeros(n), np.ones(n), np.linspace(-3, 7, n)) for n in (*SIZES, 500)]


@program(many_at_a_time)
@somd
def complements_otherwise(z: A, y: A, x: A, a: A) -> tuple:
    count, most, least = 0, -3, 3
    for i in range(len(z)):
        y[i] = np.int64(a[i])
        if x[-i - 1] > 0.0:
            count += 1
        most = max(most, int(-1 - z[i] * z[i]))
        if least > int(z[i]) ^ -1:
            least = int(z[i]) ^ -1
    return count, most, least


@program(many_at_a_time)
@somd
def complements(z: A, y: A, x: A, a: A) -> tuple:
    """Beside an extremum, many of them at a time: compilers keep all bits set for each in a register of vectors."""
    count, most, least = 0, -3, 3
    for i in range(len(z)):
        y[i] = np.int64(a[i])
        if x[-i - 1] > 0.0:
            count += 1
        most = max(most, int(~(z[i] ** 2)))
        least = min(least, int(~z[i]))
    return count, most, least


@program(
    lambda: (
        [
            (numbers(n, dtype=dtype), np.zeros(n, np.int64), np.zeros(n))
            for dtype in (np.int8, np.int16, np.int32)
            for n in SIZES
        ]
        + [(np.array([-(2**15), 1, 2**15 - 1], np.int16), np.zeros(3, np.int64), np.zeros(3))]
    )
)
@somd
def negatives_made_wider(x: A, y: A, z: A) -> None:
    for i in range(len(x)):
        y[i] = -x[i]
        z[i] = np.int16(-(y[i] + 1))
        y[i] += abs(x[i]) + x[i] // -1
