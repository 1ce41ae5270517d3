"""SOR and heat on one OpenCL device and on several, in turn.

    python -m benchmarks.several_devices [--devices gpu:0,gpu:1] [--edge 16384] [--steps 100] [--repeat 5]

Arrays stay on the devices (`somd.to_device`); a second figure, "from the host", has uploads and downloads in it. Prints
medians in milliseconds and the time of one device over that of all. The results must have the same bits.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

import somd
from somd import dist


@somd.somd
def heat(a: dist[np.ndarray], b: dist[np.ndarray], steps: int) -> None:
    """Explicit steps of the heat equation on a square grid, 5 points, from `a` to `b` and back."""
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = a[i, j] + 0.1 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j])
        a, b = b, a


@somd.somd
def sor(g: dist[np.ndarray], steps: int) -> None:
    """Red-black over-relaxation, in place; a step is a sweep over one colour."""
    for p in range(steps):
        for i in range(1, g.shape[0] - 1):
            for j in range(1 + (i + p) % 2, g.shape[1] - 1, 2):
                g[i, j] = 0.3125 * (g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1]) - 0.25 * g[i, j]


Method = Callable[..., None]
METHODS: dict[str, tuple[Method, int]] = {"heat": (heat, 2), "sor": (sor, 1)}


def on_devices(
    method: Method, arrays: Sequence[np.ndarray], steps: int, device: Sequence[str]
) -> tuple[float, list[np.ndarray]]:
    """Seconds of a call on arrays that are there, and their content after it."""
    with somd.use(target="opencl", device=device):
        there = [somd.to_device(array) for array in arrays]
        method(*there, 0)
        start = time.perf_counter()
        method(*there, steps)
        return time.perf_counter() - start, [array.to_host() for array in there]


def from_host(
    method: Method, arrays: Sequence[np.ndarray], steps: int, device: Sequence[str]
) -> tuple[float, list[np.ndarray]]:
    """Seconds of a call on host arrays, and their content after it."""
    given = [array.copy() for array in arrays]
    with somd.use(target="opencl", device=device):
        start = time.perf_counter()
        method(*given, steps)
        return time.perf_counter() - start, given


def measure(name: str, edge: int, steps: int, repeat: int, devices: Sequence[str]) -> None:
    """Print the figures of one method."""
    method, count = METHODS[name]
    arrays = [np.random.default_rng(k).random((edge, edge)) for k in range(count)]
    for what, run in (("on devices", on_devices), ("from the host", from_host)):
        times: dict[str, list[float]] = {"one": [], "all": []}
        for turn in range(repeat + 1):
            results = {}
            for which, chosen in (("one", devices[:1]), ("all", devices)):
                seconds, results[which] = run(method, arrays, steps, chosen)
                times[which] += [seconds] if turn else []
            same = all(np.array_equal(x, y) for x, y in zip(results["one"], results["all"], strict=True))
            if not same:
                raise AssertionError(f"{name} {what}: the devices do not agree")
        one, every = (statistics.median(times[which]) for which in ("one", "all"))
        figures = f"{one * 1e3:9.2f} ms on one, {every * 1e3:9.2f} ms on {len(devices)}"
        print(f"{name:5} {what:14} {figures}: {one / every:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--devices", default="gpu:0,gpu:1")
    parser.add_argument("--edge", type=int, default=16384)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    chosen = parser.parse_args()
    for name in METHODS:
        measure(name, chosen.edge, chosen.steps, chosen.repeat, chosen.devices.split(","))


if __name__ == "__main__":
    main()
