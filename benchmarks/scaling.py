"""How the five JavaGrande kernels and eight loop kernels gain by workers.

    python -m benchmarks.scaling [--class C] [--size M] [--workers 1,2,4,8,16] [--repeat 5] [--only NAME,...]

All run in one process, the numbers of workers in turn, on fresh copies of the arguments; results must have the bits of
those of the first number of workers. Prints medians in milliseconds, the gain over the first number of workers, and the
share of linear gain. The first row is a triad written by hand in Numba, whose gain is that of the memory's bandwidth.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import somd
from benchmarks.bandwidth import triad
from benchmarks.javagrande.registry import BENCHMARKS
from benchmarks.loops.kernel import duplicate
from benchmarks.loops.registry import by_name

LOOPS = ("gemm", "jacobi_2d", "heat_3d", "spmv", "azimint_naive", "nbody", "mandelbrot", "softmax")
TRIAD = "triad by hand"
ELEMENTS = 20_000_000
PAUSE = 0.02
"""Seconds between two runs, in which threads stop to spin."""

Run = tuple[str, Callable[..., Any], tuple[Any, ...]]


def programs(class_: str, size: str, only: set[str]) -> Iterator[Run]:
    """Name, function and arguments of each program."""
    x, y, z = np.ones(ELEMENTS), np.full(ELEMENTS, 2.0), np.zeros(ELEMENTS)
    yield TRIAD, lambda: triad(0.5, x, y, z), ()
    for entry in BENCHMARKS:
        if not only or entry.name in only:
            benchmark = entry.load()
            yield entry.name, benchmark.kernel, tuple(benchmark.prepare(class_))
    kernels = by_name()
    for name in LOOPS:
        if not only or name in only:
            yield name, kernels[name].somd(), kernels[name].prepare(size)


def samples(
    function: Callable[..., Any], args: tuple[Any, ...], workers: list[int], repeat: int
) -> dict[int, list[float]]:
    """Seconds of the runs by the number of workers, the first run of each left out.

    Raises:
        SystemExit: the bits of two results differ.
    """
    found: dict[int, list[float]] = {each: [] for each in workers}
    bits: list[bytes] | None = None
    for repetition in range(repeat + 1):
        for each in workers:
            own = duplicate(args)
            numba.set_num_threads(each)
            time.sleep(PAUSE)
            with somd.use(target="multicore", workers=each):
                start = time.perf_counter()
                result = function(*own)
                elapsed = time.perf_counter() - start
            if repetition:
                found[each].append(elapsed)
                continue
            results = (*(result if isinstance(result, tuple) else (result,)), *own)
            these = [np.asarray(part).tobytes() for part in results if isinstance(part, (np.ndarray, int, float))]
            bits = these if bits is None else bits
            if these != bits:
                raise SystemExit(f"{each} workers: other bits than with {workers[0]}")
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--class", dest="class_", default="C", choices=("A", "B", "C"))
    parser.add_argument("--size", default="M", choices=("S", "M", "L"))
    parser.add_argument("--workers", default="1,2,4,8,16")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", default="", help="names, with commas between them")
    options = parser.parse_args()
    workers = [int(each) for each in options.workers.split(",")]
    title = f"class {options.class_}, size {options.size}: ms, medians of {options.repeat} (gain, share of linear)"
    table = Table(title=title, box=box.SIMPLE_HEAD)
    table.add_column("")
    for each in workers:
        table.add_column(f"{each}", justify="right")
    for name, function, args in programs(options.class_, options.size, set(filter(None, options.only.split(",")))):
        medians = {w: statistics.median(s) for w, s in samples(function, args, workers, options.repeat).items()}
        base = medians[workers[0]]
        cells = [f"{base * 1e3:.3g}"]
        for each in workers[1:]:
            gain = base / medians[each]
            cells.append(f"{medians[each] * 1e3:.3g} ({gain:.1f}, {gain * workers[0] / each:.2f})")
        table.add_row(name, *cells)
        print(name, *cells, file=sys.stderr, flush=True)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
