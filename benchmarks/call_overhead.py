"""What a call on tiny arrays costs beyond that of the same function compiled by Numba.

    python -m benchmarks.call_overhead [--repeat 15]

Medians of runs of 5000 calls, Numba's and ours in turn, in one process.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

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


def microseconds(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """The time of one call, in a run of many."""
    start = time.perf_counter()
    for _ in range(CALLS):
        function(*args)
    return (time.perf_counter() - start) / CALLS * 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    x, y, z = np.ones(4), np.ones(4), np.ones(4)
    print(f"microseconds a call, medians of {options.repeat}")
    print(f"{'':12}{'numba':>8}{'somd':>8}{'more':>8}")
    cases: tuple[tuple[Any, tuple[Any, ...]], ...] = ((scale, (x, 1.0)), (add, (x, y, z)), (total, (x,)))
    for plain, args in cases:
        theirs, ours = numba.njit(plain), somd(plain)
        theirs(*args), ours(*args)
        pairs = [(microseconds(theirs, args), microseconds(ours, args)) for _ in range(options.repeat)]
        base, mine = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"{plain.__name__:12}{base:8.2f}{mine:8.2f}{mine - base:8.2f}")


if __name__ == "__main__":
    main()
