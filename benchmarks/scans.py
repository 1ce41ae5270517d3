"""Scans, filters and searches on the multicore target, beside a copy, NumPy, and the plain loop in Numba.

    python -m benchmarks.scans [--count 67108864] [--workers 2 4 8] [--repeat 7] [--only NAME,NAME]

Prints medians in milliseconds with one worker and with each number in `--workers`, taken in turn, and the bandwidth
that counts each element once in and once out. "In order" are sums of floats in source order whose terms cost some
nanoseconds each; below them, and below `scan="+"`, stands how many times as fast they are as their plain loops, and
below the filter as NumPy's, run in turn with them.
`--only` has names of rows, or parts of them.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np

from examples.papers.filtered import filtered
from somd import dist, somd, sync, use


@somd
def sums(a: dist[np.ndarray], out: dist[np.ndarray]) -> float:
    """Running sums in lanes and blocks."""
    s = 0.0
    with sync(s, scan="+"):
        for i in range(len(a)):
            s += a[i]
            out[i] = s
    return s


@somd
def recurrence(a: dist[np.ndarray], out: dist[np.ndarray]) -> float:
    """A linear recurrence in lanes and blocks."""
    s = 0.0
    with sync(s, scan="affine"):
        for i in range(len(a)):
            s = 0.5 * s + a[i]
            out[i] = s
    return s


@somd
def sums_in_order(a: dist[np.ndarray], out: dist[np.ndarray]) -> float:
    """Running sums in source order of terms that cost more than the sums."""
    s = 0.0
    for i in range(len(a)):
        s += math.exp(-a[i] * a[i]) / (1.0 + a[i])
        out[i] = s
    return s


@somd
def roots_in_order(a: dist[np.ndarray], out: dist[np.ndarray]) -> float:
    """Running sums in source order of terms that take divisions and a root."""
    s = 0.0
    for i in range(len(a)):
        s += math.sqrt(a[i] + 1.0) / (1.0 + a[i] / (2.0 + a[i]))
        out[i] = s
    return s


@somd
def root_in_order(a: dist[np.ndarray], out: dist[np.ndarray]) -> float:
    """Running sums in source order of terms that take a division and a root: about 3 ns."""
    s = 0.0
    for i in range(len(a)):
        s += math.sqrt(a[i] + 1.0) / (1.0 + a[i])
        out[i] = s
    return s


@somd
def copied(a: dist[np.ndarray], out: dist[np.ndarray]) -> None:
    """A copy by all workers."""
    for i in range(len(a)):
        out[i] = a[i]


@somd
def first_above(a: dist[np.ndarray], limit: float) -> int:
    """The first index of an element above the limit."""
    for i in range(len(a)):
        if a[i] > limit:
            return i
    return -1


@numba.njit  # type: ignore[untyped-decorator,unused-ignore]
def plain_sums(a: np.ndarray, out: np.ndarray) -> float:
    """The loop as written."""
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        out[i] = s
    return s


@numba.njit  # type: ignore[untyped-decorator,unused-ignore]
def plain_sums_in_order(a: np.ndarray, out: np.ndarray) -> float:
    """The loop as written."""
    s = 0.0
    for i in range(len(a)):
        s += math.exp(-a[i] * a[i]) / (1.0 + a[i])
        out[i] = s
    return s


@numba.njit  # type: ignore[untyped-decorator,unused-ignore]
def plain_roots_in_order(a: np.ndarray, out: np.ndarray) -> float:
    """The loop as written."""
    s = 0.0
    for i in range(len(a)):
        s += math.sqrt(a[i] + 1.0) / (1.0 + a[i] / (2.0 + a[i]))
        out[i] = s
    return s


@numba.njit  # type: ignore[untyped-decorator,unused-ignore]
def plain_root_in_order(a: np.ndarray, out: np.ndarray) -> float:
    """The loop as written."""
    s = 0.0
    for i in range(len(a)):
        s += math.sqrt(a[i] + 1.0) / (1.0 + a[i])
        out[i] = s
    return s


#: what sums and the filter are compared with, in turn
PLAIN = {
    'scan="+"': "plain loop",
    "in order": "plain, in order",
    "in order, roots": "plain, roots",
    "in order, 3 ns": "plain, 3 ns",
    "filter": "a[a >= 0]",
}


def milliseconds(runs: Sequence[Callable[[], Any]], repeat: int) -> list[float]:
    """The median times of some calls, taken in turn, after one that compiles."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(repeat + 1):
        for run, each in zip(runs, times, strict=True):
            start = time.perf_counter()
            run()
            each.append(time.perf_counter() - start)
    return [statistics.median(each[1:]) * 1e3 for each in times]


def by_workers(run: Callable[[], Any], workers: int) -> Callable[[], Any]:
    """A call with so many workers."""

    def call() -> None:
        with use(target="multicore", workers=workers):
            run()

    return call


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=1 << 26)
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    a = np.random.default_rng(0).random(options.count)
    out, low = np.zeros_like(a), a - 0.5
    late = a.copy()
    late[len(a) // 100] = 2.0
    alone: dict[str, Callable[[], Any]] = {
        "copy": lambda: np.copyto(out, a),
        "np.cumsum": lambda: np.cumsum(a, out=out),
        "plain loop": lambda: plain_sums(a, out),
        "plain, in order": lambda: plain_sums_in_order(a, out),
        "plain, roots": lambda: plain_roots_in_order(a, out),
        "plain, 3 ns": lambda: plain_root_in_order(a, out),
        "a[a >= 0]": lambda: low[low >= 0],
    }
    ours: dict[str, Callable[[], Any]] = {
        "copy by workers": lambda: copied(a, out),
        'scan="+"': lambda: sums(a, out),
        'scan="affine"': lambda: recurrence(a, out),
        "in order": lambda: sums_in_order(a, out),
        "in order, roots": lambda: roots_in_order(a, out),
        "in order, 3 ns": lambda: root_in_order(a, out),
        "filter": lambda: filtered(low, 0.0),
        "search, no hit": lambda: first_above(a, 1.5),
        "search, at 1 %": lambda: first_above(late, 1.5),
    }
    print(f"{options.count} doubles, milliseconds, medians of {options.repeat}")
    wanted = options.only.split(",")
    for name, run in alone.items():
        if any(word in name for word in wanted):
            print(row(name, milliseconds([run], options.repeat), a.nbytes))
    for name, run in ours.items():
        if any(word in name for word in wanted):
            peers = [alone[PLAIN[name]]] if name in PLAIN else []
            calls = [by_workers(run, workers) for workers in (1, *options.workers)]
            found = milliseconds([*calls, *peers], options.repeat)
            print(row(name, found[: len(calls)], a.nbytes))
            if peers:
                print(f"{'':16}" + "".join(f"{found[-1] / each:10.2f} {'times':13}" for each in found[:-1]))


def row(name: str, times: list[float], size: int) -> str:
    """A line of the table."""
    return f"{name:16}" + "".join(f"{each:10.2f} ({2 * size / each / 1e6:6.2f} GB/s)" for each in times)


if __name__ == "__main__":
    main()
