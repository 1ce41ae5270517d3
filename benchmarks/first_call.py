"""The first call of SOR's kernel: somd's compiler and Numba's together, against the straight `prange` port.

    python -m benchmarks.first_call [--repeat 5] [--workers 2]

Each call is made in a process of its own with empty caches, the two taken in turn. Processor time is counted, from
behind the imports to the result on a small grid, so that other work on the machine matters less. Prints the two medians
and their ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
EDGE, ITERATIONS = 20, 2
NAMES = ("numba prange", "somd multicore")


def measure(name: str, workers: int) -> float:
    """Processor seconds of the first call, in this process."""
    import numba

    import somd
    from benchmarks.javagrande import sor
    from benchmarks.sor_against_numba import sor_prange

    args = sor.inputs(EDGE, ITERATIONS)
    kernel = sor.kernel if name == NAMES[1] else sor_prange
    numba.set_num_threads(workers)
    with somd.use(target="multicore", workers=workers):
        start = time.process_time()
        kernel(*args)
        return time.process_time() - start


def in_new_process(name: str, workers: int) -> float:
    """`measure` in a new process with empty caches."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        caches = {"SOMD_CACHE_DIR": f"{folder}/somd", "NUMBA_CACHE_DIR": f"{folder}/numba"}
        command = [sys.executable, "-m", "benchmarks.first_call", "--only", name, "--workers", str(workers)]
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **caches}, capture_output=True, text=True, check=True
        )
        return float(done.stdout.split()[-1])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=NAMES, help="measure one first call, in this process")
    options = parser.parse_args()
    if options.only:
        print(measure(options.only, options.workers))
        return
    samples: dict[str, list[float]] = {name: [] for name in NAMES}
    for _ in range(options.repeat):
        for name in NAMES:
            samples[name].append(in_new_process(name, options.workers))
    medians = {name: statistics.median(taken) for name, taken in samples.items()}
    for name, median in medians.items():
        print(f"{name:15} {median:6.2f} s  (median of {options.repeat})")
    print(f"somd takes {medians[NAMES[1]] / medians[NAMES[0]]:.2f} times as long")


if __name__ == "__main__":
    main()
