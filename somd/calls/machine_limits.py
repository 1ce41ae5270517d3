"""What this machine reaches: bytes a second from and to memory, operations of float64 and of int64 a second.

Measured when first asked for, in some tenths of a second: copies of blocks beyond the caches by as many threads as
there are cores, and products of matrices by NumPy's library. That library multiplies and adds in one instruction, so
generated code, which does not, reaches half of it at best on most processors. Integers are added, and their bits
compared, in registers; products and remainders take a processor several times as long.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from somd.runtime.numba_here import without_numba

#: elements that a thread copies, and the side of the matrices
ELEMENTS, SIDE = 4_000_000, 1000
REPEATED = 3


class Limits(NamedTuple):
    """Giga a second."""

    gbytes: float
    gflops: float


#: numbers that a thread adds to, how often, and operations on each: more than registers hold, less than a cache
INTEGERS, ROUNDS, CHAIN = 1024, 4000, 16


@cache
def limits() -> Limits:
    """The limits of this machine."""
    threads = _threads()
    pairs = [(np.ones(ELEMENTS), np.zeros(ELEMENTS)) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        seconds = []
        for _ in range(REPEATED):
            begun = time.perf_counter()
            list(pool.map(lambda pair: np.copyto(pair[1], pair[0]), pairs))
            seconds.append(time.perf_counter() - begun)
    gbytes = threads * 16 * ELEMENTS / min(seconds) / 1e9
    a = np.ones((SIDE, SIDE))
    a @ a
    seconds = []
    for _ in range(REPEATED):
        begun = time.perf_counter()
        a @ a
        seconds.append(time.perf_counter() - begun)
    return Limits(gbytes, 2 * SIDE**3 / min(seconds) / 1e9)


@cache
def integer_limit() -> float | None:
    """Giga operations of int64 a second; None where Numba cannot be used. It takes as long as compiling a loop."""
    if without_numba() is not None:
        return None
    from numba import njit

    made: Any = njit(nogil=True)(_added)
    threads = _threads()
    given = [np.arange(INTEGERS) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        made(given[0], 1, 3, 5)
        seconds = []
        for _ in range(REPEATED):
            begun = time.perf_counter()
            list(pool.map(lambda values: made(values, ROUNDS, 3, 5), given))
            seconds.append(time.perf_counter() - begun)
    return threads * INTEGERS * ROUNDS * CHAIN / min(seconds) / 1e9


def _added(values: Any, rounds: int, more: int, bits: int) -> None:
    for _ in range(rounds):
        for i in range(len(values)):
            x = values[i]
            for _ in range(CHAIN // 2):
                x = (x + more) ^ bits
            values[i] = x


def _threads() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
