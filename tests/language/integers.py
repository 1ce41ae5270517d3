"""Integer and bit arithmetic."""

from __future__ import annotations

import numpy as np

from somd import dist, somd
from tests.language.program import SIZES, numbers, program, spaced

A = dist[np.ndarray]


def ints(dtype=np.int64, low=-99, high=99, count=1, zero=True):
    found = [tuple(numbers(n, dtype=dtype, low=low, high=high, seed=k) for k in range(count)) for n in SIZES]
    return found if zero else [tuple(np.where(x == 0, 3, x).astype(dtype) for x in case) for case in found]


@program(lambda: ints(count=2, zero=False) + ints(np.int32, count=2, zero=False))
@somd
def floor_division_and_modulo(a: A, b: A):
    q = np.empty_like(a)
    r = np.empty_like(a)
    for i in range(len(a)):
        q[i] = a[i] // b[i]
        r[i] = a[i] % b[i]
    wrong = 0
    for i in range(len(a)):
        if q[i] * b[i] + r[i] != a[i]:
            wrong += 1
    for i in range(len(a)):
        q[i] = q[i] * 1000 + r[i]
    return wrong


@program(lambda: ints(count=2) + ints(np.int8, count=2))
@somd
def division_by_zero_gives_zero(a: A, b: A) -> None:
    for i in range(len(a)):
        a[i] = a[i] // (b[i] % 3) + a[i] % (b[i] % 3)


@program(lambda: ints(np.uint64, high=2**64 - 1))
@somd
def xorshift(state: A) -> None:
    for i in range(len(state)):
        x = state[i]
        x ^= x << 13
        x ^= x >> 7
        x ^= x << 17
        state[i] = x


@program(lambda: ints(np.uint32, high=2**32 - 1))
@somd
def linear_congruences(state: A) -> None:
    for i in range(len(state)):
        for k in range(5):
            state[i] = state[i] * 1664525 + 1013904223


@program(lambda: ints(np.uint64, high=2**64 - 1))
@somd
def fnv_hash(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.uint64)
    for i in range(len(a)):
        h = np.uint64(14695981039346656037)
        for k in range(8):
            h = (h ^ ((a[i] >> (8 * k)) & 255)) * 1099511628211
        out[i] = h
    return out


@program(lambda: ints(low=0, high=2**40) + ints(np.uint8))
@somd
def population_count(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        x = int(a[i])
        n = 0
        while x != 0:
            x &= x - 1
            n += 1
        out[i] = n
    return out


@program(lambda: ints(np.uint8, high=255))
@somd
def reverse_bits(a: A) -> None:
    for i in range(len(a)):
        x = a[i]
        x = ((x & 0xF0) >> 4) | ((x & 0x0F) << 4)
        x = ((x & 0xCC) >> 2) | ((x & 0x33) << 2)
        x = ((x & 0xAA) >> 1) | ((x & 0x55) << 1)
        a[i] = x


@program(lambda: ints(low=1, high=400, count=2))
@somd
def greatest_common_divisor(a: A, b: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        x, y = a[i], b[i]
        while y != 0:
            x, y = y, x % y
        out[i] = x
    return out


@program(lambda: [(0,), (1,), (2,), (3,), (400,)])
@somd
def count_primes(n: int) -> int:
    prime = np.zeros(n, np.int64)
    for i in range(2, n):
        k = 2
        p = 1
        while k * k <= i:
            if i % k == 0:
                p = 0
                break
            k += 1
        prime[i] = p
    count = 0
    for i in range(n):
        count += int(prime[i])
    return count


@program(lambda: [(0,), (1,), (300,)])
@somd
def collatz_lengths(n: int) -> np.ndarray:
    out = np.zeros(n, np.int64)
    for i in range(1, n):
        x = i
        length = 1
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            length += 1
        out[i] = length
    return out


@program(lambda: ints(low=-5, high=5) + ints(np.uint8, high=9))
@somd
def integer_powers(a: A) -> None:
    for i in range(len(a)):
        a[i] = a[i] ** 3 - a[i] ** 2 + a[i] ** 0


@program(lambda: ints(np.int8, low=-128, high=127))
@somd
def narrow_integers_wrap(a: A) -> None:
    for i in range(len(a)):
        a[i] = (a[i] * 3 + 100) - (-a[i]) + abs(a[i])


@program(lambda: [(numbers(n, dtype=np.int8), numbers(n, dtype=np.uint8)) for n in SIZES])
@somd
def narrow_and_unsigned_mixed(a: A, b: A) -> np.ndarray:
    out = np.zeros(len(a), np.int16)
    for i in range(len(a)):
        out[i] = a[i] * b[i] + a[i]
    return out


@program(lambda: [(numbers(n, dtype=np.int32), numbers(n, dtype=np.int64)) for n in SIZES])
@somd
def comparisons_of_widths(a: A, b: A) -> np.ndarray:
    out = np.zeros(len(a), np.bool_)
    for i in range(len(a)):
        out[i] = a[i] < b[i] <= 5 or a[i] == b[i]
    return out


@program(lambda: ints(np.uint8, high=255) + ints(np.uint64, high=2**60))
@somd
def unsigned_against_negative(a: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        if a[i] > -1:
            out[i] += 1
        if a[i] - 1 >= 0:
            out[i] += 2
    return out


@program(lambda: ints(low=-(2**62), high=2**62) + ints(np.int32, low=-(2**31), high=2**31 - 1))
@somd
def shifts_and_masks(a: A) -> None:
    for i in range(len(a)):
        a[i] = ((a[i] << 3) ^ (a[i] >> 5)) & ~(a[i] | 12)


@program(lambda: [(np.array([1, 3, -5, 7, 1]), np.array([3, 63, 64, 70, 200]))])
@somd
def wide_shifts(a: A, by: A) -> None:
    for i in range(len(a)):
        by[i] = (a[i] << by[i]) + (a[i] >> by[i])


@program(lambda: ints() + [(spaced(numbers(9, dtype=np.int64)),)])
@somd
def gray_code(a: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = a[i] ^ (a[i] >> 1)
    return out


@program(lambda: ints(low=0, high=3650000))
@somd
def weekday_and_leap_years(days: A) -> np.ndarray:
    out = np.zeros(len(days), np.int64)
    for i in range(len(days)):
        year = days[i] // 365
        leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
        out[i] = 10 * ((days[i] + 4) % 7) + (1 if leap else 0)
    return out


NARROW = (np.uint8, np.int8, np.uint64, np.int64)


def beside(*more):
    """Arrays of narrow integers beside Python ints, some of which they do not hold."""
    values = (3, -1, 128, -129, 300)
    return [(numbers(n, dtype=d, low=0), k, *more) for d in NARROW for k in values for n in (7, 0)]


@program(beside)
@somd
def ints_among_narrow_ones(a: A, k: int) -> tuple[np.ndarray, np.ndarray]:
    b = a * k - a
    a[1:3] += k
    return b, a


@program(beside)
@somd
def ints_into_narrow_ones(a: A, k: int) -> np.ndarray:
    half = k // 2
    a[::2] = half
    a[a > 2] = k
    return np.maximum(a, half) ^ k


@program(beside)
@somd
def ints_beside_narrow_ones(a: A, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return a < k, a / (k + 1000), np.where(a == k, a, a + 1)


@program(lambda: [(*given, steps) for given in beside() for steps in (0, 2)][::3])
@somd
def ints_among_narrow_ones_in_turns(a: A, k: int, steps: int) -> np.ndarray:
    for _ in range(steps):
        a[1:] = a[:-1] + k
    return a
