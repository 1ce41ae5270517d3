"""What a call on tiny arrays costs, beside those of Numba's: of the same function, and of one whose loop is a `prange`.

    python -m benchmarks.call_overhead [--repeat 15]

Processor time of the thread that calls; medians of runs of 5000 calls, one of each in turn, in one process.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import prange

from somd import dist, somd

CALLS = 5000


def scale(a: dist[np.ndarray], factor: float) -> None:
    for i in range(len(a)):
        a[i] = a[i] * factor


def add(a: dist[np.ndarray], b: dist[np.ndarray], c: dist[np.ndarray]) -> None:
    for i in range(len(c)):
        c[i] = a[i] + b[i]


def total(a: dist[np.ndarray]) -> float:
    found = 0.0
    for i in range(len(a)):
        found += a[i]
    return found


def scale_shared(a: np.ndarray, factor: float) -> None:
    for i in prange(len(a)):
        a[i] = a[i] * factor


def add_shared(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    for i in prange(len(c)):
        c[i] = a[i] + b[i]


def total_shared(a: np.ndarray) -> float:
    found = 0.0
    for i in prange(len(a)):
        found += a[i]
    return found


def microseconds(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """The time of one call, in a run of many."""
    start = time.thread_time()
    for _ in range(CALLS):
        function(*args)
    return (time.thread_time() - start) / CALLS * 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    x, y, z = np.ones(4), np.ones(4), np.ones(4)
    print(f"microseconds a call, medians of {options.repeat}")
    print(f"{'':12}{'njit':>8}{'prange':>8}{'somd':>8}")
    cases: tuple[tuple[Any, Any, tuple[Any, ...]], ...] = (
        (scale, scale_shared, (x, 1.0)),
        (add, add_shared, (x, y, z)),
        (total, total_shared, (x,)),
    )
    for plain, shared, args in cases:
        compiled = numba.njit(plain), numba.njit(parallel=True)(shared), somd(plain)
        for function in compiled:
            microseconds(function, args)
        turns = [[microseconds(function, args) for function in compiled] for _ in range(options.repeat)]
        medians = [statistics.median(column) for column in zip(*turns, strict=True)]
        print(f"{plain.__name__:12}" + "".join(f"{each:8.2f}" for each in medians))


if __name__ == "__main__":
    main()
