"""Truth values: bools whose memory is no 0 or 1, and what `and` and `or` give, which is one of their operands."""

from __future__ import annotations

import numpy as np

from somd import dist, shared, somd, sync
from tests.language.program import SIZES, numbers, program

A = dist[np.ndarray]


def odd_bytes(n: int, seed: int = 0) -> np.ndarray:
    """Bools in the memory of bytes of any value."""
    return (
        np.where(numbers(n, dtype=bool, seed=seed), numbers(n, dtype=np.uint8, high=255, seed=seed), 0)
        .astype(np.uint8)
        .view(bool)
    )


@program(lambda: [(odd_bytes(n), odd_bytes(n, 1)) for n in SIZES])
@somd
def bytes_as_bools(a: A, b: A) -> np.ndarray:
    out = np.zeros(len(a), dtype=np.int64)
    for i in range(len(a)):
        out[i] = (a[i] + 1) + (a[i] ^ b[i]) * 2 + (a[i] & b[i]) * 4 + (a[i] == b[i]) * 8 + (~a[i]) * 16
        out[i] += (a[i] < b[i]) * 32 + (a[i] == True) * 64 + max(a[i], b[i]) * 128 + int(a[i]) * 256  # noqa: E712
        if not a[i] or b[i]:
            out[i] = -out[i]
    return out


@program(lambda: [(odd_bytes(n), odd_bytes(n, 1)) for n in SIZES[1:]])
@somd
def bytes_counted(a: A, b: A) -> tuple:
    count = 0
    some = False
    most = 0
    for i in range(len(a)):
        count += a[i] * 3 + b[i]
        some = some or bool(a[i])
        most = max(most, int(b[i]))
    return count, bool(some), most


@program(lambda: [(odd_bytes(n), odd_bytes(n, 1)) for n in SIZES])
@somd
def bytes_stored(a: A, b: A) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = a[i]
        b[i] = b[i] ^ a[i]
    return out


@program(lambda: [(odd_bytes(n), odd_bytes(7, 1)) for n in SIZES])
@somd
def bytes_combined(a: A, found: shared[np.ndarray]) -> None:
    with sync(found, reduce="^"):
        for i in range(len(a)):
            found[i % 7] ^= a[i]


@program(lambda: [(numbers(n), more) for n in SIZES for more in (0, 1)])
@somd
def mixed_operands(a: A, n: int) -> np.ndarray:
    out = np.zeros_like(a)
    for i in range(len(a)):
        both = n > 0 and a[i] > 0
        either = a[i] > 1 or n > 0
        out[i] = both * 3 + (either | (a[i] < -1)) + (not both) * 10
        if both and (n < 1 or either):
            out[i] += 100
    return out


@program(lambda: [(numbers(n), more) for n in SIZES for more in (0, 1)])
@somd
def mixed_operands_returned(a: A, n: int) -> bool:
    all_of_them = n > 0
    for i in range(len(a)):
        all_of_them = all_of_them and a[i] > -8
    return bool(all_of_them)


@program(lambda: [(numbers(n, dtype=np.int64, low=-3, high=3), numbers(n, low=-3, high=3, seed=1)) for n in SIZES])
@somd
def compared_comparisons(a: A, b: A) -> np.ndarray:
    out = np.zeros(len(a), np.int64)
    for i in range(len(a)):
        x = (a[i] <= b[i]) >= (b[i] > 0)
        y = (a[i] == 1) != (a[i] < b[i])
        out[i] = int(x == y) + 2 * int((a[i] < 0) == x) + 4 * int((a[i] == 0) < (b[i] != 0))
        out[i] += 8 * (~abs(x)) + 16 * int(abs(np.bool_(a[i])) ^ (~abs(a[i] > b[i])))
    return out
