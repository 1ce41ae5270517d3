"""Array forms of the kernels of `benchmarks.loops`, and of shallow water: by somd, NumPy, Numba, and as written loops.

    python -m benchmarks.array_forms --size S --kernels jacobi_2d,hdiff --threads 2 --repeat 5

In: for each kernel its text in NumPy, and its plain loops. Out: a line for each kernel, with the seconds of somd on
so many threads, and what others take in its time: somd on one thread, somd of the loops on one thread and on all (each
beside the array form on as many), NumPy, and Numba of the same text; `--versions numpy+numba` leaves others out. All
run in turn in one process, on copies of the same arguments, and are compared with the plain loops compiled by Numba. A
version that fails is named at the end. Exit status: 0, or 1 if something of somd failed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

# read when NumPy is imported, so before anything else is
_given = dict(zip(sys.argv, sys.argv[1:], strict=False)).get("--threads", "2")
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = _given

import somd  # noqa: E402
from benchmarks.command_line import count, one_of  # noqa: E402
from benchmarks.loops.kernel import Function, Kernel  # noqa: E402
from benchmarks.loops.measure import Measurement, measure  # noqa: E402
from benchmarks.loops.registry import by_name  # noqa: E402
from benchmarks.loops.shallow_water import KERNEL as SHALLOW_WATER  # noqa: E402
from benchmarks.timed_run import CLOCKS  # noqa: E402

ARRAYS, ARRAYS1, LOOPS, LOOPS1, NUMPY, NUMBA = "arrays", "arrays, 1", "loops", "loops, 1", "numpy", "numba"
#: what each is shown beside
BESIDE = {LOOPS: ARRAYS, LOOPS1: ARRAYS1, NUMPY: ARRAYS, NUMBA: ARRAYS}


def text_of(kernel: Kernel) -> Function:
    """The form in array statements."""
    return kernel.arrays or kernel.numpy


def makers(kernel: Kernel, threads: int) -> dict[str, Callable[[], Function]]:
    """What makes each version."""
    return {
        ARRAYS: lambda: _on(somd.somd(text_of(kernel)), threads),
        ARRAYS1: lambda: _on(somd.somd(text_of(kernel)), 1),
        LOOPS: lambda: _on(kernel.somd(), threads),
        LOOPS1: lambda: _on(kernel.somd(), 1),
        NUMPY: lambda: text_of(kernel),
        NUMBA: lambda: _by_numba(kernel, threads),
    }


def _on(method: Function, workers: int) -> Function:
    def run(*args: Any) -> Any:
        with somd.use(target="multicore", workers=workers):
            return method(*args)

    return run


def _by_numba(kernel: Kernel, threads: int) -> Function:
    import numba

    compiled = kernel.compiled(text_of(kernel), numba.njit(parallel=True, error_model="numpy"))

    def run(*args: Any) -> Any:
        numba.set_num_threads(threads)
        return compiled(*args)

    return run


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return the exit status."""
    every = {**by_name(), SHALLOW_WATER.name: SHALLOW_WATER}
    parser = argparse.ArgumentParser(prog="python -m benchmarks.array_forms")
    add = parser.add_argument
    add("--kernels", type=lambda text: [one_of(name, every) for name in text.split(",")], default=list(every))
    add("--size", choices=("tiny", "S", "M", "L"), default="S")
    add("--threads", type=count, default=2)
    add("--repeat", type=count, default=5)
    add("--clock", choices=CLOCKS, default="wall")
    versions = (ARRAYS1, LOOPS, LOOPS1, NUMPY, NUMBA)
    add("--versions", type=lambda text: [one_of(name, versions) for name in text.split("+")], default=list(versions))
    options = parser.parse_args(arguments)
    print(f"{'':24}{'seconds':>10}" + "".join(f"{name:>11}" for name in (ARRAYS1, LOOPS, LOOPS1, NUMPY, NUMBA)))
    ratios: dict[str, list[float]] = {name: [] for name in BESIDE}
    errors: list[str] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["SOMD_CACHE_DIR"] = os.environ["NUMBA_CACHE_DIR"] = folder
        for name in options.kernels:
            every_maker = makers(every[name], options.threads)
            wanted = {each: maker for each, maker in every_maker.items() if each in (ARRAYS, *options.versions)}
            made = measure(every[name], wanted, options, Path(folder), lambda what: None, ARRAYS)
            found = {each.version: each for each in made}
            errors += [f"{name}, {each.version}: {each.error}" for each in made if each.error]
            print(_line(name, found, ratios), flush=True)
    means = "".join(f"{geometric_mean(ratios[each]) if ratios[each] else 0:11.2f}" for each in BESIDE)
    print(f"{'geometric mean':24}{'':21}{means}")
    for error in errors:
        print(error[:400])
    return 1 if any(f", {each}: " in error for error in errors for each in (ARRAYS, ARRAYS1)) else 0


def _line(name: str, found: dict[str, Measurement], ratios: dict[str, list[float]]) -> str:
    """Seconds, and ratios of the least times: what the others take in the time of somd's array form."""
    best = {version: min(each.samples) for version, each in found.items() if each.samples}
    line = f"{name:24}{best[ARRAYS]:10.5f}" if ARRAYS in best else f"{name:24}{'-':>10}"
    for version in (ARRAYS1, LOOPS, LOOPS1, NUMPY, NUMBA):
        beside = best.get(BESIDE.get(version, ARRAYS))
        ratio = best[version] / beside if version in best and beside else None
        if ratio is not None and version in ratios:
            ratios[version].append(ratio)
        line += f"{'-':>11}" if ratio is None else f"{ratio:11.2f}"
    return line


if __name__ == "__main__":
    raise SystemExit(main())
