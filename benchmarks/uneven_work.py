"""Loops whose iterations differ in cost: the multicore target against straight ports to Numba's `prange`.

    python -m benchmarks.uneven_work [--workers 2] [--repeat 9] [--device gpu]

The Mandelbrot set, row by row, and a triangular loop (a lower triangular matrix times a vector, twenty times over).
Then the sums of rows of a sparse matrix: rows of one length, beside as many entries in rows of 0 to a million, the
longest ones last. With --device these alone, on a device, with the copies to it and back.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from somd import dist, somd, sync, use


@somd
def mandelbrot(image: dist[np.ndarray], limit: int) -> None:
    """The number of steps after which each point of the upper part of the set's plane escapes."""
    rows, columns = image.shape
    for i in range(rows):
        for j in range(columns):
            x, y = 0.0, 0.0
            a, b = -2.0 + 3.0 * j / columns, 1.25 * (rows - i) / rows
            steps = 0
            while steps < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + a, 2.0 * x * y + b
                steps += 1
            image[i, j] = steps


@somd
def triangle(m: dist[np.ndarray], v: np.ndarray, out: dist[np.ndarray], times: int) -> None:
    """`out = m @ v` over the lower triangle of `m`."""
    for _ in range(times):
        with sync:
            for i in range(m.shape[0]):
                s = 0.0
                for j in range(i + 1):
                    s += m[i, j] * v[j]
                out[i] = s


@somd
def row_sums(start: dist[np.ndarray], value: np.ndarray, out: dist[np.ndarray]) -> None:
    """The sum of each row of a matrix in compressed rows."""
    for i in range(len(out)):
        s = 0.0
        for k in range(start[i], start[i + 1]):
            s += value[k]
        out[i] = s


@numba.njit(parallel=True)  # type: ignore[untyped-decorator,unused-ignore]
def mandelbrot_prange(image: np.ndarray, limit: int) -> None:
    """The plain function, its rows handed to `prange`."""
    rows, columns = image.shape
    for i in numba.prange(rows):
        for j in range(columns):
            x, y = 0.0, 0.0
            a, b = -2.0 + 3.0 * j / columns, 1.25 * (rows - i) / rows
            steps = 0
            while steps < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + a, 2.0 * x * y + b
                steps += 1
            image[i, j] = steps


@numba.njit(parallel=True)  # type: ignore[untyped-decorator,unused-ignore]
def triangle_prange(m: np.ndarray, v: np.ndarray, out: np.ndarray, times: int) -> None:
    """The plain function, its rows handed to `prange`."""
    for _ in range(times):
        for i in numba.prange(m.shape[0]):
            s = 0.0
            for j in range(i + 1):
                s += m[i, j] * v[j]
            out[i] = s


def seconds(run: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    run(*args)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--device", help="of OpenCL")
    options = parser.parse_args()
    if options.device:
        with use(target="opencl", device=options.device):
            rows(np.random.default_rng(1), options.repeat)
        return
    numba.set_num_threads(options.workers)
    rng = np.random.default_rng(1)
    image = np.zeros((400, 600), np.int64)
    matrix, vector, out = rng.random((2000, 2000)), rng.random(2000), np.zeros(2000)
    print(f"milliseconds, medians of {options.repeat}, {options.workers} threads")
    print(f"{'':12}{'prange':>9}{'somd':>9}{'times as fast':>15}")
    cases: tuple[tuple[Any, Any, tuple[Any, ...]], ...] = (
        (mandelbrot_prange, mandelbrot, (image, 200)),
        (triangle_prange, triangle, (matrix, vector, out, 20)),
    )
    for theirs, ours, args in cases:
        with use(target="multicore", workers=options.workers):
            theirs(*args), ours(*args)
            pairs = [(seconds(theirs, args) * 1e3, seconds(ours, args) * 1e3) for _ in range(options.repeat)]
        base, mine = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"{ours.__name__:12}{base:9.2f}{mine:9.2f}{base / mine:15.2f}")
    with use(target="multicore", workers=options.workers):
        rows(rng, options.repeat)


def rows(rng: np.random.Generator, repeat: int) -> None:
    """Measure and print the sums of rows."""
    long = np.sort(np.concatenate([np.full(15, 1_000_000), rng.integers(0, 60, 160_000)]))
    entries = int(long.sum())
    print(f"\nsums of rows, {entries} entries, milliseconds, medians of {repeat}")
    times: list[float] = []
    for name, lengths in (("of one length", np.full(entries // 100, 100)), ("of 0 to a million", long)):
        start = np.concatenate([[0], np.cumsum(lengths)])
        args = (start, rng.random(entries), np.zeros(len(lengths)))
        row_sums(*args)
        times.append(statistics.median(seconds(row_sums, args) * 1e3 for _ in range(repeat)))
        print(f"{name:20}{times[-1]:9.2f}")
    print(f"{'ratio':20}{times[1] / times[0]:9.2f}")


if __name__ == "__main__":
    main()
