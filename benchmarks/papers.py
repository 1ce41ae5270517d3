"""The programs that papers of other systems measure, on the multicore target and by Numba's `prange`.

    python -m benchmarks.papers [--workers 2] [--repeat 7]

BlackScholes on 4 million options, molecular dynamics on 12,288 particles with 128 neighbours each, gemv with a matrix
of 8192 x 16384; single precision. For devices: `python -m benchmarks.opencl_peers --only black-scholes,md,gemv`.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from examples.papers.black_scholes import black_scholes, normal
from examples.papers.gemv import gemv
from examples.papers.molecular_dynamics import forces
from somd import use

MARKET = tuple(map(np.float32, (50.0, 2.0, 0.03, 0.3)))
_normal = numba.njit(normal)


@numba.njit(parallel=True)  # type: ignore[untyped-decorator,unused-ignore]
def black_scholes_prange(
    price: np.ndarray, strike: float, years: float, rate: float, volatility: float
) -> tuple[np.ndarray, np.ndarray]:
    """The plain function, its options handed to `prange`."""
    call = np.empty_like(price)
    put = np.empty_like(price)
    spread = np.float32(volatility * math.sqrt(years))
    drift = np.float32((rate + 0.5 * volatility * volatility) * years)
    discounted = np.float32(strike * math.exp(-rate * years))
    for i in numba.prange(len(price)):
        d1 = (np.log(price[i] / np.float32(strike)) + drift) / spread
        d2 = d1 - spread
        call[i] = price[i] * _normal(d1) - discounted * _normal(d2)
        put[i] = discounted * _normal(-d2) - price[i] * _normal(-d1)
    return call, put


@numba.njit(parallel=True)  # type: ignore[untyped-decorator,unused-ignore]
def forces_prange(position: np.ndarray, neighbours: np.ndarray, cutoff: float) -> np.ndarray:
    """The plain function, its particles handed to `prange`."""
    out = np.zeros_like(position)
    limit, one, two, factor = np.float32(cutoff), np.float32(1.0), np.float32(2.0), np.float32(1.5)
    for i in numba.prange(position.shape[0]):
        x = y = z = np.float32(0.0)
        for k in range(neighbours.shape[0]):
            j = neighbours[k, i]
            dx = position[i, 0] - position[j, 0]
            dy = position[i, 1] - position[j, 1]
            dz = position[i, 2] - position[j, 2]
            distance = dx * dx + dy * dy + dz * dz
            if distance < limit:
                near = one / distance
                sixth = near * near * near
                force = near * sixth * (factor * sixth - two)
                x += dx * force
                y += dy * force
                z += dz * force
        out[i, 0] = x
        out[i, 1] = y
        out[i, 2] = z
    return out


@numba.njit(parallel=True)  # type: ignore[untyped-decorator,unused-ignore]
def gemv_prange(alpha: np.float32, a: np.ndarray, x: np.ndarray, beta: np.float32, y: np.ndarray) -> None:
    """The plain function, its rows handed to `prange`."""
    for i in numba.prange(a.shape[0]):
        total = np.float32(0.0)
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
        y[i] = alpha * total + beta * y[i]


def singles(*shape: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Random numbers in single precision."""
    return np.random.default_rng(0).uniform(low, high, shape).astype(np.float32)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    numba.set_num_threads(options.workers)
    n = 12_288
    near = ((np.arange(n) + 1 + np.random.default_rng(1).integers(0, 400, (128, n))) % n).astype(np.int32)
    cases: tuple[tuple[str, Any, Any, tuple[Any, ...]], ...] = (
        ("BlackScholes", black_scholes_prange, black_scholes, (singles(4_000_000, low=5, high=95), *MARKET)),
        ("md", forces_prange, forces, (singles(n, 3, high=20), near, 16.0)),
        (
            "gemv",
            gemv_prange,
            gemv,
            (np.float32(1.5), singles(8192, 16384), singles(16384), np.float32(0.5), singles(8192)),
        ),
    )
    print(f"milliseconds, medians of {options.repeat}, {options.workers} threads")
    print(f"{'':14}{'prange':>9}{'somd':>9}{'times as fast':>15}")
    with use(target="multicore", workers=options.workers):
        for name, theirs, ours, args in cases:
            theirs(*args), ours(*args)
            pairs = [(seconds(theirs, args) * 1e3, seconds(ours, args) * 1e3) for _ in range(options.repeat)]
            base, mine = (statistics.median(column) for column in zip(*pairs, strict=True))
            print(f"{name:14}{base:9.2f}{mine:9.2f}{base / mine:15.2f}", flush=True)


def seconds(run: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    run(*args)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
