"""Each comparison: its arrays, our method, and the launches of the kernels written by hand.

All arrays are on the device before the clock starts. `theirs` returns pyopencl's events; of several ways to write a
kernel by hand the fastest counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.javagrande import sparsematmult
from benchmarks.opencl_peers import methods
from benchmarks.opencl_peers.hand import GROUP, Case, Hand
from benchmarks.opencl_peers.papers import of_papers

ROWS, WIDE, HIGH, SLICE = 32, 32, 8, 11264


def cases(scale: int = 1) -> list[Case]:
    """All comparisons, `scale` times smaller in each dimension."""
    n, edge = 2**27 // scale, 8192 // scale
    grids = [_heat(edge), _sor(edge // 2)]
    counts = [_histogram(name, n // 2, bins) for name, bins in (("bins256", 256), ("bins64k", 1 << 16))]
    usual = [_copy(n), _axpy(n), _dot(n), _matvec(2 * edge, edge), *grids, _sparse(scale), *counts]
    return [*usual, *of_papers(scale)]


def _random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(shape)


def _copy(n: int) -> Case:
    def theirs(hand: Hand, a: Any, b: Any) -> list[Any]:
        return [hand.launch("copy", (n,), (GROUP,), a, b, np.int32(n))]

    return Case("copy", lambda: [_random(n), np.zeros(n)], methods.axpy, {"copy": theirs}, 16 * n, None)


def _axpy(n: int) -> Case:
    def theirs(hand: Hand, x: Any, y: Any) -> list[Any]:
        return [hand.launch("axpy", (n,), (GROUP,), x, y, np.float64(1.5), np.int32(n))]

    def ours(x: Any, y: Any) -> None:
        methods.axpy(x, y, 1.5)

    return Case("axpy", lambda: [_random(n), _random(n, seed=1)], ours, {"by hand": theirs}, 24 * n, 1)


def _dot(n: int) -> Case:
    def theirs(hand: Hand, a: Any, b: Any) -> list[Any]:
        import pyopencl.array as arrays

        groups = hand.queue.device.max_compute_units * 8
        sums, total = (arrays.empty(hand.queue, count, np.float64) for count in (groups, 1))
        first = hand.launch("dot", (groups * GROUP,), (GROUP,), a, b, sums, np.int32(n))
        return [first, hand.launch("sum", (GROUP,), (GROUP,), sums, total, np.int32(groups))]

    return Case("dot", lambda: [_random(n), _random(n, seed=1)], methods.dot, {"by hand": theirs}, 16 * n, None)


def _matvec(m: int, n: int) -> Case:
    def tree(hand: Hand, A: Any, x: Any, y: Any) -> list[Any]:
        return [hand.launch("matvec", (m * GROUP,), (GROUP,), A, x, y, np.int32(n))]

    def in_order(hand: Hand, A: Any, x: Any, y: Any) -> list[Any]:
        groups = -(-m // ROWS)
        return [hand.launch("matvec_in_order", (groups * GROUP,), (GROUP,), A, x, y, np.int32(m), np.int32(n))]

    theirs = {"a group a row": tree, "in order": in_order}
    return Case(
        "matvec", lambda: [_random(m, n), _random(n), np.zeros(m)], methods.matvec, theirs, 8 * m * n, 2, bitwise=False
    )


def _heat(edge: int, steps: int = 5) -> Case:
    def by(kernel: str, group: tuple[int, int]) -> Callable[..., list[Any]]:
        def theirs(hand: Hand, a: Any, b: Any) -> list[Any]:
            m = np.int32(edge)
            return [
                hand.launch(kernel, (edge - 2, edge - 2), group, *pair, m, m)
                for _ in range(steps)
                for pair in ((a, b), (b, a))
            ]

        return theirs

    def ours(a: Any, b: Any) -> None:
        methods.heat(a, b, steps)

    theirs = {"plain": by("heat", (64, 4)), "tiled": by("heat_tiled", (WIDE, HIGH))}
    grids = lambda: [_random(edge, edge), _random(edge, edge)]  # noqa: E731
    return Case("heat", grids, ours, theirs, 16 * edge * edge * 2 * steps, 0)


def _sor(edge: int, sweeps: int = 20) -> Case:
    def by(group: tuple[int, int]) -> Callable[..., list[Any]]:
        def theirs(hand: Hand, G: Any) -> list[Any]:
            numbers = np.float64(0.25 * 1.25), np.float64(1.0 - 1.25)
            return [
                hand.launch("sor", (edge // 2, edge - 2), group, G, *numbers, np.int32(p % 2), np.int32(edge))
                for p in range(1, sweeps + 1)
            ]

        return theirs

    def ours(G: Any) -> None:
        methods.sor(G, 1.25, sweeps)

    theirs = {"32 x 8": by((32, 8)), "64 x 4": by((64, 4)), "128 x 2": by((128, 2))}
    return Case("SOR", lambda: [_random(edge, edge)], ours, theirs, 16 * edge * edge * sweeps, 0)


def _sparse(scale: int, times: int = 20) -> Case:
    edge, non_zeros = 500_000 // scale, 2_500_000 // scale
    y, values, row, column, x, _ = sparsematmult.inputs(edge, non_zeros)
    start = np.searchsorted(row, np.arange(edge + 1)).astype(np.int32)

    def by(kernel: str) -> Callable[..., list[Any]]:
        def theirs(hand: Hand, y: Any, values: Any, row: Any, column: Any, x: Any, start: Any) -> list[Any]:
            arguments = y, values, start, column, x, np.int32(edge)
            return [hand.launch(kernel, (edge,), (GROUP,), *arguments) for _ in range(times)]

        return theirs

    def ours(y: Any, values: Any, row: Any, column: Any, x: Any, start: Any) -> None:
        methods.sparse(y, values, row, column, x, times)

    theirs = {"plain": by("sparse"), "staged": by("sparse_staged")}
    return Case("sparse", lambda: [y, values, row, column, x, start], ours, theirs, times * 12 * non_zeros, 0)


def _histogram(name: str, n: int, bins: int) -> Case:
    def local(hand: Hand, key: Any, h: Any) -> list[Any]:
        most = min(bins, SLICE)
        slices = -(-bins // most)
        groups = max(1, hand.queue.device.max_compute_units * 2 // slices) * slices
        width = -(-bins // slices)
        arguments = key, h, np.int32(n), np.int32(bins), np.int32(width)
        return [hand.launch("histogram_local", (groups * 1024,), (1024,), *arguments)]

    def in_place(hand: Hand, key: Any, h: Any) -> list[Any]:
        groups = hand.queue.device.max_compute_units * 8
        return [hand.launch("histogram_shared", (groups * GROUP,), (GROUP,), key, h, np.int32(n))]

    def arrays() -> list[np.ndarray]:
        return [np.random.default_rng(0).integers(0, bins, n, np.int32), np.zeros(bins, np.int32)]

    theirs = {"local": local, "in place": in_place}
    return Case(name, arrays, methods.histogram, theirs, 4 * n, 1)
