"""How the five JavaGrande kernels and eight loop kernels gain by workers.

    python -m benchmarks.scaling [--class C] [--size M] [--workers 1,2,4,8,16] [--repeat 5] [--only NAME,...]

Workers may run on one CPU of each core, where the system shows which CPUs are threads of a core, and on all that there
are: where there are more than workers, nothing else has to take one from them. The numbers of workers are taken in
turn, on fresh copies of the arguments, short programs several times in a row, so that threads are awake; results must
have the bits of those of the first number of workers. Prints medians in milliseconds, and the share of linear gain. The
first row is a triad written by hand in Numba, whose gain is that of the memory's bandwidth. The title names Numba's
threading layer: a fence on `workqueue` costs fifty times one on `omp`.

The *bound* is the share that as many independent copies of the program have, each with one worker and data of its own,
on CPUs as far from each other as there are (`benchmarks.independent`): what the machine leaves of linear gain. So many
workers bring a program what is asked where its share is at least 0.6 (`linear`), or at least the bound (`bound`).
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import cores

Program = tuple[Callable[..., Any], tuple[Any, ...]]

LOOPS = ("gemm", "jacobi_2d", "heat_3d", "spmv", "azimint_naive", "nbody", "mandelbrot", "softmax")
TRIAD = "triad"
ELEMENTS = {"tiny": 1000, "S": 1_000_000, "M": 20_000_000, "L": 50_000_000}
PAUSE = 0.02
"""Seconds between two measurements, in which threads stop to spin."""
ENOUGH = 0.6
"""The share of linear gain that is asked for."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--class", dest="class_", default="C", choices=("A", "B", "C"))
    parser.add_argument("--size", default="M", choices=("tiny", "S", "M", "L"))
    parser.add_argument("--workers", default="1,2,4,8,16")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", default="", help="names, with commas between them")
    options = parser.parse_args()
    workers = [int(each) for each in options.workers.split(",")]
    cpus = cores.one_for_each_core(cores.allowed())
    os.environ["NUMBA_NUM_THREADS"] = str(max(workers))  # before Numba is imported
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("", *map(str, workers), "bound", ""):
        table.add_column(heading, justify="right" if heading else "left")
    for name in options.only.split(",") if options.only else names():
        cells, layer = row(program(name, options.class_, options.size), workers, cpus, options.repeat)
        table.add_row(name, *cells)
        print(name, *cells, file=sys.stderr, flush=True)
    title = f"class {options.class_}, size {options.size}, {cores.described(cpus)}, layer {layer}"
    table.title = f"{title}: ms and share of linear gain, medians of {options.repeat}"
    Console(width=120).print(table)


def names() -> list[str]:
    """Of all programs, the triad first."""
    from benchmarks.javagrande.registry import BENCHMARKS

    return [TRIAD, *(entry.name for entry in BENCHMARKS), *LOOPS]


def program(name: str, class_: str, size: str) -> Program:
    """A function and its arguments."""
    from benchmarks.bandwidth import triad
    from benchmarks.javagrande.registry import BY_NAME
    from benchmarks.loops.registry import by_name

    if name == TRIAD:
        n = ELEMENTS[size]
        return functools.partial(triad, 0.5), (np.ones(n), np.full(n, 2.0), np.zeros(n))
    if name.lower() in BY_NAME:
        benchmark = BY_NAME[name.lower()].load()
        return benchmark.kernel, tuple(benchmark.prepare(class_))
    kernel = by_name()[name]
    return kernel.somd(), kernel.prepare(size)


def row(measured: Program, workers: list[int], cpus: list[int], repeat: int) -> tuple[list[str], str]:
    """The cells of a program's row, and the threading layer; bounds are measured for the most workers, and where shares
    are small."""
    from benchmarks.independent import beside_copies, in_child

    times, layer = in_child(seconds_by_workers, measured, workers, cpus, repeat)
    one, most = workers[0], workers[-1]
    shares = {each: times[one] * one / (times[each] * each) for each in workers[1:]}
    alone = beside_copies(measured, cpus[:1], repeat)
    asked = [each for each, share in shares.items() if share < ENOUGH or each == most]
    bounds = {each: alone / beside_copies(measured, cores.spread(cpus, each), repeat) for each in asked}
    cells = [f"{times[one] * 1e3:.3g}", *(f"{times[each] * 1e3:.3g} ({shares[each]:.2f})" for each in shares)]
    return [*cells, ", ".join(f"{bound:.2f}" for bound in bounds.values()), verdict(shares, bounds)], layer


def seconds_by_workers(
    measured: Program, workers: list[int], cpus: list[int], repeat: int
) -> tuple[dict[int, float], str]:
    """Seconds of a run by the number of workers, medians, and the threading layer; no compiled code has run in this
    process.

    Raises:
        SystemExit: the bits of two results differ.
    """
    import numba

    from benchmarks.independent import runs_in_a_row, seconds_of_runs

    if hasattr(os, "sched_setaffinity"):  # threads are not bound one by one: something else may need one of the CPUs
        os.sched_setaffinity(0, cpus)
    threads: Any = numba
    found: dict[int, list[float]] = {each: [] for each in workers}
    bits, runs = None, {}
    for each in workers:
        these = _with(each, lambda: _bits(measured))
        bits = these if bits is None else bits
        if these != bits:
            raise SystemExit(f"{each} workers: other bits than with {workers[0]}")
        runs[each] = _with(each, lambda: runs_in_a_row(measured))
    for _ in range(repeat):
        for each in workers:
            run = seconds_of_runs(measured, runs[each])
            time.sleep(PAUSE)
            found[each].append(_with(each, run))
    return {each: statistics.median(taken) for each, taken in found.items()}, threads.threading_layer()


def _with(workers: int, run: Callable[[], Any]) -> Any:
    """What `run` gives with so many workers."""
    import numba

    import somd

    numba.set_num_threads(workers)
    with somd.use(target="multicore", workers=workers):
        return run()


def _bits(measured: Program) -> list[bytes]:
    """Of all that the program gives or may have changed."""
    from benchmarks.loops.kernel import duplicate

    function, args = measured
    own = duplicate(args)
    result = function(*own)
    results = (*(result if isinstance(result, tuple) else (result,)), *own)
    return [np.asarray(part).tobytes() for part in results if isinstance(part, (np.ndarray, int, float))]


def verdict(shares: dict[int, float], bounds: dict[int, float]) -> str:
    """Whether the shares by the number of workers are what is asked for, and where they are not.

    >>> verdict({2: 0.9, 4: 0.58, 8: 0.5, 16: 0.3}, {4: 0.55, 8: 0.6, 16: 0.4})
    'below at 8, 16'
    >>> verdict({2: 0.9, 16: 0.5}, {16: 0.4})
    'bound'
    >>> verdict({2: 0.9, 16: 0.7}, {16: 0.8})
    'linear'
    """
    short = [workers for workers, share in shares.items() if share < ENOUGH]
    below = [str(workers) for workers in short if shares[workers] < bounds[workers]]
    if below:
        return f"below at {', '.join(below)}"
    return "bound" if short else "linear"


if __name__ == "__main__":
    main()
