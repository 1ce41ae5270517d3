"""From how much work on two workers are faster than one: what `small_work` is by default.

    python -m benchmarks.small_work [--layer omp|tbb|workqueue] [--repeat 9]

Phases of growing length, two in each of 200 turns, by one worker and by two in turn, in one process; for calls that
gather a crew and for calls whose phases enter regions of the layer, and for phases with few operations an iteration,
with more, and with dear ones (roots and quotients). Prints the operations, by the compiler's count, from which two
workers take at most nine tenths of the time of one, and the microseconds that one takes for them.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import time
from typing import Any

import numpy as np

from somd import dist, somd, sync, use

TURNS = 200
#: what makes a call large enough for a crew
LARGE = 1 << 14


@somd
def cheap(a: dist[np.ndarray], b: dist[np.ndarray], n: int, turns: int) -> None:
    """A product and a sum an element; the one element that all MIs read keeps phases apart."""
    for _ in range(turns):
        with sync:
            for i in range(n):
                b[i] = a[i] * 0.5 + a[n - 1]
        with sync:
            for i in range(n):
                a[i] = b[i] * 0.5 + b[n - 1]


@somd
def usual(a: dist[np.ndarray], b: dist[np.ndarray], n: int, turns: int) -> None:
    """Some more of them."""
    for _ in range(turns):
        with sync:
            for i in range(n):
                x = a[i] * 0.5 + a[n - 1]
                b[i] = x * (x - 0.25) * 0.5 - x * 0.75 + 0.125
        with sync:
            for i in range(n):
                x = b[i] * 0.5 + b[n - 1]
                a[i] = x * (x - 0.25) * 0.5 - x * 0.75 + 0.125


@somd
def dear(a: dist[np.ndarray], b: dist[np.ndarray], n: int, turns: int) -> None:
    """Roots and quotients."""
    for _ in range(turns):
        with sync:
            for i in range(n):
                x = a[i] + a[n - 1] + 2.0
                y = np.sqrt(x) / (x + 1.0)
                b[i] = np.sqrt(y * y + 1.0) / (y + x) + np.sqrt(x + y) / x
        with sync:
            for i in range(n):
                x = b[i] + b[n - 1] + 2.0
                y = np.sqrt(x) / (x + 1.0)
                a[i] = np.sqrt(y * y + 1.0) / (y + x) + np.sqrt(x + y) / x


METHODS = {"cheap": cheap, "usual": usual, "dear": dear}


def microseconds(method: Any, arrays: Any, n: int, workers: int) -> float:
    """The time of one phase."""
    with use(target="multicore", workers=workers, small_work=0):
        start = time.perf_counter()
        method(*arrays, n, TURNS)
        return (time.perf_counter() - start) / (2 * TURNS) * 1e6


def weight(method: Any) -> int:
    """The operations of one iteration, as the compiler counts them."""
    text = method.source("multicore")
    found = re.search(r"trips\([^\n]*\) \* (\d+) < small_work", text)
    if found is None:
        raise SystemExit(f"the phase is meant to be weighed:\n{text}")
    return int(found.group(1))


def break_even(method: Any, size: int, repeat: int) -> tuple[int, float] | None:
    """The iterations from which two workers gain a tenth, and what one takes for them."""
    found = None
    for n in sorted({int(64 * 2 ** (k / 2)) for k in range(23)}, reverse=True):
        arrays = np.ones(max(n, size)), np.ones(max(n, size))
        pairs = [[microseconds(method, arrays, n, workers) for workers in (1, 2)] for _ in range(repeat)]
        one, two = (statistics.median(column) for column in zip(*pairs, strict=True))
        if two > 0.9 * one:
            break
        found = n, one
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--layer", choices=("omp", "tbb", "workqueue"))
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    if options.layer:
        os.environ["NUMBA_THREADING_LAYER"] = options.layer
    import numba

    for method in METHODS.values():
        microseconds(method, (np.ones(LARGE), np.ones(LARGE)), 8, 2)
    print(f"layer {numba.threading_layer()}: operations from which two workers are faster, and one's microseconds")
    print(f"{'':10}{'in a crew':>22}{'by the layer':>22}")
    for name, method in METHODS.items():
        cells = []
        for size in (LARGE, 0):
            found = break_even(method, size, options.repeat)
            cells.append("none" if found is None else f"{found[0] * weight(method)} {found[1]:8.2f}")
        print(f"{name:10}{cells[0]:>22}{cells[1]:>22}")


if __name__ == "__main__":
    main()
