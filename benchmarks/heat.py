"""The README's heat in a plate: NumPy's slices, Numba's `prange`, somd, and a GPU if there is one.

    python -m benchmarks.heat [--points 1000] [--steps 100] [--repeat 9]

Milliseconds, the fastest of some runs, one of each in turn, compilation outside; all give the same bits. Prints a table
for docs/results.md, from which `tools/charts.py` draws.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import prange

import somd
from somd import dist


def heat(u: dist[np.ndarray], v: dist[np.ndarray], steps: int) -> None:
    """As the README has it."""
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u, v = v, u


def heat_in_slices(u: np.ndarray, v: np.ndarray, steps: int) -> None:
    """As a NumPy user writes it."""
    for _ in range(steps):
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u, v = v, u


def heat_shared(u: np.ndarray, v: np.ndarray, steps: int) -> None:
    """As a Numba user writes it."""
    for _ in range(steps):
        for i in prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u, v = v, u


def plate(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Two plates of `points` by `points`, one edge of which is hot."""
    u = np.zeros((points, points))
    u[0] = 1.0
    return u, u.copy()


def gpu() -> bool:
    """Whether the device that methods run on is a GPU."""
    if somd.targets()["opencl"] is not None:
        return False
    from somd.settings.targets import target_of

    devices, _ = target_of("opencl").devices(None)
    return any(each.kind.lower() == "gpu" and each.state == "chosen" for each in devices)


def on(method: Callable[..., Any], **where: Any) -> Callable[..., Any]:
    """Calls of a method on a target, with so many workers."""

    def call(*args: Any) -> None:
        with somd.use(**where):
            method(*args)

    return call


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    method, workers = somd.somd(heat), numba.config.NUMBA_NUM_THREADS
    ways = {
        "NumPy slices": heat_in_slices,
        "Numba `njit`": numba.njit(heat),
        f"Numba `prange`, {workers} threads": numba.njit(parallel=True)(heat_shared),
        "somd, 1 worker": on(method, target="multicore", workers=1),
        f"somd, {workers} workers": on(method, target="multicore", workers=workers),
    }
    if gpu():
        ways["somd, GPU"] = on(method, target="opencl")
    want = plate(options.points)
    heat_in_slices(*want, options.steps)
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(options.repeat + 1):
        for name, way in ways.items():
            made = plate(options.points)
            start = time.perf_counter()
            way(*made, options.steps)
            taken = time.perf_counter() - start
            assert all(a.tobytes() == b.tobytes() for a, b in zip(made, want, strict=True)), name
            if turn:  # the first one compiles
                times[name].append(taken * 1e3)
    print(f"{options.points} x {options.points} points, {options.steps} steps\n\n| | ms |\n|---|---|")
    for name, each in times.items():
        print(f"| {name} | {min(each):.3g} |")


if __name__ == "__main__":
    main()
