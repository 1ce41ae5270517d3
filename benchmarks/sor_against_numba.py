"""SOR, class A: the multicore target against a straight port to Numba's `prange`, on equally many threads.

    python -m benchmarks.sor_against_numba [--workers 2] [--repeat 9]

Both run in one process, taken in turn, on fresh grids, and both are validated. Prints the two medians and their ratio.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numba
import numpy as np

import somd
from benchmarks.javagrande import sor

SIZE = "A"

Kernel = Callable[[np.ndarray, float, int], float]


@numba.njit(parallel=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def sor_prange(G: np.ndarray, omega: float, iterations: int) -> float:
    """The plain function of `benchmarks.javagrande.sor`, its row loops handed to `prange`."""
    neighbours = 0.25 * omega
    own = 1.0 - omega
    for p in range(1, 2 * iterations + 1):
        for i in numba.prange(1, G.shape[0] - 1):
            for j in range(1 + (i + p) % 2, G.shape[1] - 1, 2):
                G[i, j] = neighbours * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1]) + own * G[i, j]
    total = 0.0
    for i in numba.prange(1, G.shape[0] - 1):
        for j in range(1, G.shape[1] - 1):
            total += G[i, j]
    return total


def seconds(kernel: Kernel) -> float:
    """The time of one validated call on a fresh grid."""
    args = sor.prepare(SIZE)
    start = time.perf_counter()
    result = kernel(*args)
    elapsed = time.perf_counter() - start
    sor.validate(SIZE, args, result)
    return elapsed


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()

    def prange_version(G: np.ndarray, omega: float, iterations: int) -> float:
        numba.set_num_threads(options.workers)
        return float(sor_prange(G, omega, iterations))

    kernels: dict[str, Kernel] = {"numba prange": prange_version, "somd multicore": sor.kernel}
    samples: dict[str, list[float]] = {name: [] for name in kernels}
    with somd.use(target="multicore", workers=options.workers):
        for repetition in range(options.repeat + 1):
            for name, kernel in kernels.items():
                taken = seconds(kernel)
                if repetition:  # the first run compiles
                    samples[name].append(taken)
    medians = {name: statistics.median(taken) for name, taken in samples.items()}
    for name, median in medians.items():
        print(f"{name:15} {median * 1e3:8.2f} ms  (median of {options.repeat}, {options.workers} threads)")
    print(f"somd is {medians['numba prange'] / medians['somd multicore']:.2f} times as fast")


if __name__ == "__main__":
    main()
