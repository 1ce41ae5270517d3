"""What a `sync` inside a loop costs, against an empty `prange` region in a loop, on the same threading layer.

    python -m benchmarks.fence_cost [--layer omp|tbb|workqueue] [--workers 2] [--repeat 11]

Both run in one process, taken in turn: 2000 regions a run, over two elements, so that nearly nothing but the region is
timed; for small arrays, whose phases enter regions of the layer, and for arrays for which a crew is gathered. The
elements are read from the far end, each by another MI than wrote it, so that the compiler must keep every fence (of a
loop of `a[i] += 1.0` it would make one region for many turns); that the generated module has the two regions of a turn
is checked. Then all again beside a process that keeps one core busy, and beside a thread that runs Python.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from somd import dist, somd, sync, use

REGIONS = 2000


@somd
def fences(a: dist[np.ndarray], b: dist[np.ndarray], n: int, turns: int) -> None:
    """A phase of next to no work and a fence, twice in a turn; what a phase reads, another MI has just written."""
    for _ in range(turns):
        with sync:
            for i in range(n):
                b[i] = a[n - 1 - i]
        with sync:
            for i in range(n):
                a[i] = b[n - 1 - i] + 1.0


def microseconds(run: Callable[[], None], repeat: int) -> float:
    """The median time of one region, over so many runs."""
    taken = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        taken.append((time.perf_counter() - start) / REGIONS * 1e6)
    return statistics.median(taken)


@contextmanager
def busy_process() -> Iterator[None]:
    """A block beside which another process computes."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def busy_thread() -> Iterator[None]:
    """A block beside which another thread of this process runs Python."""
    ended = threading.Event()

    def spin() -> None:
        while not ended.is_set():
            pass

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def main() -> None:
    """Measure and print."""
    _measure(_options())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--layer", choices=("omp", "tbb", "workqueue"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=11)
    return parser.parse_args()


def _measure(options: argparse.Namespace) -> None:
    if options.layer:
        os.environ["NUMBA_THREADING_LAYER"] = options.layer
    import numba

    @numba.njit(parallel=True)  # type: ignore[untyped-decorator,unused-ignore]
    def regions(a: np.ndarray, steps: int) -> None:
        for _ in range(steps):
            for i in numba.prange(len(a)):
                a[i] += 1.0

    few, many = ((np.zeros(size), np.zeros(size)) for size in (2, 8192))

    def ours(arrays: tuple[np.ndarray, np.ndarray] = few) -> None:
        with use(target="multicore", workers=options.workers, small_work=0):  # or two elements are no phase
            fences(*arrays, 2, REGIONS // 2)

    def crew() -> None:
        ours(many)

    def theirs() -> None:
        numba.set_num_threads(options.workers)
        regions(few[0], REGIONS)

    ours(), crew(), theirs()
    turn = fences.source("multicore").partition("for _ in range(turns):")[2]
    if turn.count("in prange(") != 2:
        raise SystemExit(f"a turn is meant to have two regions, and is:\n{turn}")
    print(f"layer {numba.threading_layer()}, {options.workers} threads, microseconds for a region")
    print(f"{'':24}{'somd fence':>12}{'in a crew':>12}{'empty prange':>14}{'ratios':>12}")
    for name, beside, repeat in (
        ("idle", None, options.repeat),
        ("beside a busy process", busy_process, max(3, options.repeat // 3)),
        ("beside a Python thread", busy_thread, 3),
    ):
        with beside() if beside is not None else _nothing():
            runs = [tuple(microseconds(run, 1) for run in (ours, crew, theirs)) for _ in range(repeat)]
        small, large, other = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"{name:24}{small:12.2f}{large:12.2f}{other:14.2f}{small / other:6.2f}{large / other:6.2f}")


@contextmanager
def _nothing() -> Iterator[None]:
    yield


if __name__ == "__main__":
    main()
