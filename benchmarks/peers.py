"""The ports of `benchmarks.javagrande` on several cores against the same kernels written by hand in Numba.

    python -m benchmarks.peers [--class A|B|C] [--benchmarks sor,crypt] [--workers 2] [--repeat 9]

All versions of a kernel run in one process and in turn, on fresh arguments, with equally many threads; every run is
validated. Prints the median of each and its ratio to somd's: above 1, somd is faster.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

import somd
from benchmarks.javagrande.invalid import InvalidResult
from benchmarks.javagrande.registry import BENCHMARKS, Benchmark, Entry

Kernel = Callable[..., Any]


def versions(entry: Entry, workers: int) -> dict[str, Kernel]:
    """The kernels to compare by name, somd's first."""
    import numba

    port = entry.load()

    def annotated(*args: Any) -> Any:
        with somd.use(target="multicore", workers=workers):
            return port.kernel(*args)

    def threaded(kernel: Kernel) -> Kernel:
        def run(*args: Any) -> Any:
            numba.set_num_threads(workers)
            return kernel(*args)

        return run

    by_hand = importlib.import_module(f"benchmarks.hand_written.{entry.module}").PEERS
    return {"somd": annotated, **{name: threaded(kernel) for name, kernel in by_hand.items()}}


def seconds(port: Benchmark, size: str, kernel: Kernel) -> float:
    """The time of one validated run on fresh arguments.

    Raises:
        InvalidResult: the run did not validate.
    """
    args = port.prepare(size)
    start = time.perf_counter()
    result = kernel(*args)
    elapsed = time.perf_counter() - start
    port.validate(size, args, result)
    return elapsed


def measure(entry: Entry, size: str, workers: int, repeat: int) -> dict[str, float]:
    """Median seconds by version; a version that does not validate has none."""
    port, kernels = entry.load(), versions(entry, workers)
    samples: dict[str, list[float]] = {name: [] for name in kernels}
    for repetition in range(repeat + 1):
        for name in list(kernels):
            try:
                taken = seconds(port, size, kernels[name])
            except InvalidResult as error:
                Console(stderr=True).print(f"{entry.name}, {name}: not valid: {error}")
                del kernels[name], samples[name]
                continue
            if repetition:  # the first run compiles
                samples[name].append(taken)
    return {name: statistics.median(taken) for name, taken in samples.items()}


def main() -> int:
    """Measure and print; 1 where somd's result was not valid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--class", dest="size", choices="ABC", default="A")
    parser.add_argument("--benchmarks", default=",".join(entry.module for entry in BENCHMARKS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    wanted = options.benchmarks.lower().split(",")
    unknown = set(wanted) - {entry.module for entry in BENCHMARKS}
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    table = Table(
        title=f"Class {options.size}, {options.workers} threads, medians of {options.repeat}", box=box.SIMPLE_HEAD
    )
    for heading, side in (("kernel", "left"), ("version", "left"), ("ms", "right"), ("over somd", "right")):
        table.add_column(heading, justify="right" if side == "right" else "left")
    valid = True
    for entry in BENCHMARKS:
        if entry.module not in wanted:
            continue
        medians = measure(entry, options.size, options.workers, options.repeat)
        valid &= "somd" in medians
        for name, median in medians.items():
            ratio = f"{median / medians['somd']:.2f}" if "somd" in medians else ""
            table.add_row(entry.name, name, f"{median * 1e3:.2f}", ratio)
        table.add_section()
    Console().print(table)
    return 0 if valid else 1


if __name__ == "__main__":
    raise SystemExit(main())
