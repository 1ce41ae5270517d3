"""What `fastmath` gives: the same kernels exact and with it, in turn, on one target; differences as rounded errors.

    python -m benchmarks.fastmath --size 512 --workers 1

In: `kernels`. Out: a table of medians in ms, their ratio, and the largest difference by the greatest value.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from somd import dist, somd, use


def product(a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    """c = a b, matrices."""
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


def matrix_vector(a: dist[np.ndarray], x: np.ndarray, y: dist[np.ndarray]) -> None:
    """y = a x, a matrix and vectors."""
    for i in range(len(y)):
        s = 0.0
        for k in range(len(x)):
            s += a[i, k] * x[k]
        y[i] = s


def distances(a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    """The squared distance of each row of a from each row of b."""
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                d = a[i, k] - b[j, k]
                s += d * d
            c[i, j] = s


def stencil(a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    """A weighted mean of five points; b is not read."""
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            c[i, j] = 0.4 * a[i, j] + 0.2 * (a[i - 1, j] + a[i + 1, j]) + 0.1 * (a[i, j - 1] + a[i, j + 1])


def kernels(size: int) -> dict[Callable[..., Any], tuple[np.ndarray, ...]]:
    """The kernels with their arguments, of float64; the last one is the result."""
    r = np.random.default_rng(0)
    square = (size, size)
    return {
        product: (r.random(square), r.random(square), np.zeros(square)),
        matrix_vector: (r.random(square), r.random(size), np.zeros(size)),
        distances: (r.random((size, 64)), r.random((size, 64)), np.zeros(square)),
        stencil: (r.random(square), r.random(square), np.zeros(square)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--target", default="multicore")
    given = parser.parse_args()
    print(f"{'kernel':16}{'exact':>9}{'fastmath':>10}{'ratio':>7}   difference")
    with use(target=given.target, workers=given.workers):
        for function, arguments in kernels(given.size).items():
            *inputs, out = arguments
            times: tuple[list[float], list[float]] = ([], [])
            results = []
            methods = somd(function), somd(fastmath=True)(function)
            for method in methods:
                out[:] = 0
                method(*inputs, out)
                results.append(out.copy())
            for _ in range(given.repeat):
                for method, found in zip(methods, times, strict=True):
                    start = time.perf_counter()
                    method(*inputs, out)
                    found.append(time.perf_counter() - start)
            exact, fast = (1e3 * statistics.median(each) for each in times)
            apart = np.abs(results[0] - results[1]).max() / np.abs(results[0]).max()
            print(f"{function.__name__:16}{exact:9.3f}{fast:10.3f}{exact / fast:7.2f}   {apart:.1e}")


if __name__ == "__main__":
    main()
