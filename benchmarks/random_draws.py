"""What a random number costs in an array: NumPy's generators, and `somd.random.Stream` on multicore and OpenCL.

    python -m benchmarks.random_draws [--count 2000000] [--repeat 9] [--workers 1,2]

Nanoseconds a number, medians of runs taken in turn in one process.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import somd
from somd.random import Stream

DRAWS: dict[str, tuple[Callable[[Any, int], Any], Callable[[Any, int], Any]]] = {
    "uniform": (lambda rng, n: rng.random(n), lambda rng, n: rng.uniform(size=n)),
    "normal": (lambda rng, n: rng.standard_normal(n), lambda rng, n: rng.normal(size=n)),
    "exponential": (lambda rng, n: rng.standard_exponential(n), lambda rng, n: rng.exponential(size=n)),
    "integers": (lambda rng, n: rng.integers(0, 100, n), lambda rng, n: rng.integers(size=n, high=100)),
    "poisson": (lambda rng, n: rng.poisson(30.0, n), lambda rng, n: rng.poisson(size=n, mean=30.0)),
}


def on(target: str, workers: int | None, draw: Callable[[Any, int], Any], stream: Stream) -> Callable[[int], Any]:
    """A draw on a target."""

    def drawn(count: int) -> Any:
        with somd.use(target=target, workers=workers):
            return draw(stream, count)

    return drawn


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=2_000_000)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--workers", default="1,2")
    options = parser.parse_args()
    generators = {"PCG64": np.random.PCG64(1), "Philox": np.random.Philox(1)}
    columns = [*generators, *(f"{w} workers" for w in options.workers.split(",")), "OpenCL"]
    print(f"nanoseconds a number, {options.count} numbers, medians of {options.repeat}")
    print(f"{'':12}" + "".join(f"{name:>12}" for name in columns))
    stream = Stream(1)
    for name, (theirs, ours) in DRAWS.items():
        ways: list[Callable[[int], Any]] = [
            lambda n, bits=bits, theirs=theirs: theirs(np.random.Generator(bits), n) for bits in generators.values()
        ]
        ways += [on("multicore", int(w), ours, stream) for w in options.workers.split(",")]
        if somd.targets()["opencl"] is None:
            ways.append(on("opencl", None, ours, stream))
        taken: list[list[float]] = [[] for _ in ways]
        for turn in range(options.repeat + 1):
            for way, times in zip(ways, taken, strict=True):
                start = time.perf_counter()
                way(options.count)
                if turn:
                    times.append((time.perf_counter() - start) / options.count * 1e9)
        print(f"{name:12}" + "".join(f"{statistics.median(times):12.1f}" for times in taken))


if __name__ == "__main__":
    main()
