"""Memory bandwidth of annotated sum, dot and axpy against a triad written by hand in Numba.

    python -m benchmarks.bandwidth [--elements 50000000] [--workers 1,2] [--repeat 7]

All run in one process and in turn. Prints GB/s by the bytes that each must move (a triad and axpy: two reads and a
write of 8 bytes an element; dot: two reads; sum: one), medians, and the ratio to the triad with as many threads.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Annotated, Any

import numba
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import somd as package
from somd import dist, reduce, somd


@somd
def total(x: dist[np.ndarray]) -> Annotated[float, reduce("+")]:
    """The sum of `x`."""
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


@somd
def dot(x: dist[np.ndarray], y: dist[np.ndarray]) -> Annotated[float, reduce("+")]:
    """The inner product of `x` and `y`."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


@somd
def axpy(a: float, x: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    """Add `a * x` to `y`."""
    for i in range(len(x)):
        y[i] += a * x[i]


@numba.njit(parallel=True, error_model="numpy")  # type: ignore[untyped-decorator,unused-ignore]
def triad(a: float, x: Any, y: Any, z: Any) -> None:
    """z = x + a y, a block of elements for each thread."""
    threads = numba.get_num_threads()
    for rank in numba.prange(threads):
        first, last = len(x) * rank // threads, len(x) * (rank + 1) // threads
        mine, ours, theirs = z[first:last], x[first:last], y[first:last]
        for i in range(len(mine)):
            mine[i] = ours[i] + a * theirs[i]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--elements", type=int, default=50_000_000)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    n = options.elements
    x, y, z = np.ones(n), np.full(n, 2.0), np.zeros(n)
    kernels: dict[str, tuple[int, Callable[[], Any]]] = {
        "triad by hand": (24, lambda: triad(0.5, x, y, z)),
        "sum": (8, lambda: total(x)),
        "dot": (16, lambda: dot(x, y)),
        "axpy": (24, lambda: axpy(0.5, x, z)),
    }
    table = Table(title=f"{n:,} doubles, medians of {options.repeat}", box=box.SIMPLE_HEAD)
    for heading in ("kernel", "threads", "GB/s", "of the triad", "over one thread"):
        table.add_column(heading, justify="left" if heading == "kernel" else "right")
    first: dict[str, float] = {}
    for workers in (int(each) for each in options.workers.split(",")):
        samples: dict[str, list[float]] = {name: [] for name in kernels}
        with package.use(target="multicore", workers=workers):
            for repetition in range(options.repeat + 1):
                for name, (_, run) in kernels.items():
                    numba.set_num_threads(workers)
                    start = time.perf_counter()
                    run()
                    elapsed = time.perf_counter() - start
                    if repetition:  # the first run compiles
                        samples[name].append(elapsed)
        rates = {name: size * n / statistics.median(samples[name]) / 1e9 for name, (size, _) in kernels.items()}
        for name, rate in rates.items():
            first.setdefault(name, rate)
            share, gain = rate / rates["triad by hand"], rate / first[name]
            table.add_row(name, str(workers), f"{rate:.1f}", f"{share:.2f}", f"{gain:.2f}")
        table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
