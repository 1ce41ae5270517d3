"""Comparisons of the programs that papers of other systems measure, at their sizes; scans and a filter beside a copy.

In the papers: BlackScholes on 4 million options, molecular dynamics on 12,288 particles (SHOC's, with 128 neighbours
each), gemv with a matrix of 8192 x 16384; all in single precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.opencl_peers.hand import GROUP, Case, Hand
from examples.papers import black_scholes, filtered, gemv, molecular_dynamics, prefix_sums

NEIGHBOURS = 128


def of_papers(scale: int = 1) -> list[Case]:
    """All comparisons, `scale` times smaller."""
    return [
        _black_scholes(4_000_000 // scale),
        _molecular_dynamics(12_288 // scale),
        _gemv(8192 // scale, 16384 // scale),
        *_scans(2**26 // scale),
    ]


def _singles(*shape: int, low: float = 0.0, high: float = 1.0, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def _black_scholes(n: int) -> Case:
    market = tuple(map(np.float32, (50.0, 2.0, 0.03, 0.3)))

    def theirs(hand: Hand, price: Any, call: Any, put: Any) -> list[Any]:
        return [hand.launch("black_scholes", (n,), (GROUP,), price, call, put, *market, np.int32(n))]

    def rounded(hand: Hand, price: Any, call: Any, put: Any) -> list[Any]:
        return [hand.launch("black_scholes", (n,), (GROUP,), price, call, put, *market, np.int32(n), exact=True)]

    def ours(price: Any, call: Any, put: Any) -> None:
        found = black_scholes.black_scholes(price, *market)
        for array, made in zip((call, put), found, strict=True):
            array.set(np.asarray(made))

    arrays = lambda: [_singles(n, low=5, high=95), np.zeros(n, np.float32), np.zeros(n, np.float32)]  # noqa: E731
    peers = {"by hand": theirs, "by hand, rounded as ours": rounded}
    return Case("black-scholes", arrays, ours, peers, 12 * n, 1, bitwise=False, rtol=1e-3)


def _molecular_dynamics(n: int) -> Case:
    def theirs(hand: Hand, position: Any, neighbours: Any, force: Any) -> list[Any]:
        arguments = position, neighbours, force, np.float32(16.0), np.int32(NEIGHBOURS), np.int32(n)
        return [hand.launch("molecular_dynamics", (n,), (128,), *arguments)]

    def ours(position: Any, neighbours: Any, force: Any) -> None:
        force.set(np.asarray(molecular_dynamics.forces(position, neighbours, 16.0)))

    def arrays() -> list[np.ndarray]:
        away = 1 + np.random.default_rng(1).integers(0, min(400, n - 1), (NEIGHBOURS, n))  # none is its own neighbour
        near = (np.arange(n) + away) % n
        return [_singles(n, 3, high=20), near.astype(np.int32), np.zeros((n, 3), np.float32)]

    moved = 4 * n * NEIGHBOURS * 4
    return Case("md", arrays, ours, {"by hand": theirs}, moved, 2, bitwise=False, rtol=1e-3)


def _gemv(m: int, n: int) -> Case:
    alpha, beta = np.float32(1.5), np.float32(0.5)

    def theirs(hand: Hand, a: Any, x: Any, y: Any) -> list[Any]:
        return [hand.launch("gemv", (m * GROUP,), (GROUP,), a, x, y, alpha, beta, np.int32(n))]

    def ours(a: Any, x: Any, y: Any) -> None:
        gemv.gemv(alpha, a, x, beta, y)

    arrays = lambda: [_singles(m, n), _singles(n, seed=1), _singles(m, seed=2)]  # noqa: E731
    return Case("gemv", arrays, ours, {"a group a row": theirs}, 4 * m * n, 2, bitwise=False, rtol=1e-3)


def _scans(n: int) -> list[Case]:
    """A scan of floats, one of integers and a filter that keeps half, beside a copy of as many elements."""

    kept: list[Any] = []

    def theirs(hand: Hand, a: Any) -> list[Any]:
        import pyopencl.array as arrays

        if not kept:  # once: where the driver gives or takes back memory, what runs behind it is slower
            kept.append(arrays.empty(hand.queue, n, np.float64))
        return [hand.launch("copy", (n,), (GROUP,), a.view(np.float64), kept[0], np.int32(n))]

    floats = lambda: [np.random.default_rng(0).random(n)]  # noqa: E731
    integers = lambda: [np.random.default_rng(0).integers(-9, 9, n)]  # noqa: E731
    halves = lambda: [np.random.default_rng(0).random(n) - 0.5]  # noqa: E731
    beside = {"copy": theirs}
    return [
        Case("scan", floats, prefix_sums.prefix_sums_of_floats, beside, 16 * n, None),
        Case("exact-scan", integers, prefix_sums.prefix_sums, beside, 16 * n, None),
        Case("filter", halves, lambda a: filtered.filtered(a, 0.0), beside, 16 * n, None),
    ]
