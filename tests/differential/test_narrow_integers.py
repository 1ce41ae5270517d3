"""Numbers that integers of a type do not hold, stored or joined with such in loops as written: what NumPy raises is
raised, before the loop, or by the lowest iteration that comes to it (`docs/limits.md`)."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist, sync
from somd.transforms.frontend import inline
from tests.differential import harness

A = dist[np.ndarray]
ALL = bool(os.environ.get("SOMD_ALL_CASES"))


@somd.somd
def scaled(a: A, b: A, k: int, m: int) -> None:
    for i in range(len(a)):
        x = b[i] + 1
        a[i] = x * k
        if a[i] == 7:
            a[i] = m


@somd.somd
def in_turns(a: A, steps: int, k: int) -> np.int16:
    s = np.int16(0)
    for _ in range(steps):
        for i in range(len(a) - 2, -1, -1):
            for j in range(a.shape[1]):
                a[i, j] |= k
    for _ in range(len(a)):
        s += k
    return s


@somd.somd
def counted(a: A, b: A, first: int, last: int, start: int) -> None:
    for i in range(len(a)):
        a[i] = i
    for j in range(first, last):
        b[j - start] = b[j - start] + j


@somd.somd
def left(a: A, k: int) -> None:
    for i in range(len(a)):
        if i > 2:
            continue
        a[i] = k


def each(method: Any, target: str, *cases: tuple[Any, ...]) -> None:
    if reason := harness.unavailable(target):
        pytest.skip(reason)
    for case in cases:
        harness.check(method, case, target, workers=(1, 3))


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_ints_that_no_loop_changes(target: str) -> None:
    b = np.arange(5).astype(np.uint8)
    cases = [(np.zeros(n, np.uint8), b[:n], k, m) for n in (0, 5) for k in (3, 255, 256, -1) for m in (1, 200)]
    each(scaled, target, *cases)
    a = np.arange(6).astype(np.int16).reshape(3, 2)
    ints = (1, -32768, 32767, 32768, -32769)
    each(in_turns, target, *((a[:rows], steps, k) for rows in (1, 3) for steps in (0, 2) for k in ints))


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_variables_of_loops(target: str) -> None:
    b = np.arange(300).astype(np.int8)
    ranges = [
        (0, 20, 0),
        (100, 128, 100),
        (100, 129, 100),
        (-128, 0, -128),
        (-129, 0, -129),
        (300, 310, 300),
        (300, 9, 0),
    ]
    each(counted, target, *((np.zeros(128, np.int8), b, *each) for each in ranges))
    each(counted, target, *((np.zeros(n, np.int8), b, 0, 0, 0) for n in (0, 129, 200)))


@somd.somd
def in_places(a: A, out: A, index: np.ndarray, k: int) -> None:
    for i in range(len(a)):
        if a[i] > 9:
            out[i, index[i]] = int(a[i]) * k
        elif i % 2 == 1 and a[i] + k > 3:
            out[i, index[i]] = a[i] - (k + 0) if a[i] < 5 else a[i] // k


@somd.somd
def stored(b: A, out: A) -> None:
    for i in range(len(b)):
        if i != 3:
            out[i] = b[i]


@somd.somd
def floats(b: A, out: A, scale: float) -> None:
    for i in range(len(b)):
        out[i], out[i] = 1, scale * i
        out[i] -= b[i]


@somd.somd
def positions(a: A, out: A, found: A) -> int:
    n = 0
    for i in range(len(a)):
        if a[i] > 0:
            found[n] = a[i]
            n += 1
        out[i] = n
    return n


@somd.somd
def nearest(x: A, centres: np.ndarray) -> np.ndarray:
    label = np.zeros(len(x), np.int32)
    for i in range(len(x)):
        best = 0
        for k in range(1, len(centres)):
            if abs(x[i] - centres[k]) < abs(x[i] - centres[best]):
                best = k
        label[i] = best
    return label


@somd.somd
def first_beyond(a: A, out: A, limit: int) -> None:
    for i in range(limit):
        if i < len(a) and a[i] > 0:
            out[i] = i


@somd.somd
def grey(r: A, g: A, out: A) -> None:
    for i in range(len(r)):
        out[i] = (int(r[i]) * 3 + int(g[i])) // 4


@somd.somd
def histogram(k: A, w: A, h: np.ndarray) -> None:
    with sync(h, reduce="+"):
        for i in range(len(k)):
            h[k[i] % 4] += int(w[i])


@somd.somd
def wider_sums(k: A, w: A, h: np.ndarray) -> None:
    with sync(h, reduce="+"):
        for i in range(len(k)):
            h[k[i] % 4] += w[i]


def stepped(x: Any, k: int) -> Any:
    return x + k if x > 1 else x


def twice(x: Any, k: int) -> Any:
    return stepped(x, k) * 2


@somd.somd
def by_functions(a: A, out: A, k: int, step: int) -> None:
    for i in range(len(a)):
        n = 0
        while n < 5 and a[i] + step * n < 20:
            n += 1
            if n == 2:
                continue
            out[i] = n
        if i > 0:
            out[i] = twice(a[i], k) - stepped(a[i], 1)


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_in_functions_and_conditions_of_while_loops(target: str) -> None:
    a, out = np.array([9, 1, 2, 3], np.int8), np.zeros(4, np.int8)
    each(by_functions, target, *((a, out, k, step) for k, step in ((3, 4), (300, 4), (-129, 4), (3, -70), (3, 43))))


def test_functions_that_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(a: A, out: A, k: int) -> None:
        for i in range(len(a)):
            out[i] = stepped(a[i], k)

    monkeypatch.setattr(inline, "MAX_DEPTH", 0)
    with pytest.raises(somd.SomdCompileError, match="in what this calls"):
        somd.somd(deep)(np.zeros(4, np.int8), np.zeros(4, np.int8), 1)


@somd.somd
def parts(a: A, d: A, h: np.ndarray, k: int, m: int, x: float, y: np.int64) -> np.ndarray:
    b = np.array([1, k], dtype=np.int8)
    c = np.pad(a, 1, constant_values=m)
    a[1:] = x
    a[a > 5] = y
    a[h] = y
    np.maximum.at(a, h, y)
    np.fill_diagonal(d, m - 1)
    return c + np.arange(m, m + 5, dtype=np.int8) + np.full(5, x * 40.0, dtype=np.int8) + b[1]


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_stores_into_parts_of_arrays(target: str) -> None:
    """They raise where slices tell; NumPy's own numbers wrap where masks or indexes do, and floats in `np.full`."""
    numbers = [(3, 4, 7.5), (128, 4, 7.5), (3, 128, 7.5), (3, 127, 7.5), (3, -128, 7.5), (3, 4, 128.5), (3, 4, np.nan)]
    for k, m, x in numbers:
        a, d, h = np.array([9, 1, 2], np.int8), np.zeros((2, 2), np.int8), np.array([0, 2, 0])
        each(parts, target, (a, d, h, k, m, x, np.int64(300)))


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_where_they_are(target: str) -> None:
    """Under conditions, where they are computed, and behind indexes that may leave their array."""
    a, index = np.array([3, 12, 7, 40, 2, 90, 6, 100, 4], np.uint8), np.arange(9)
    bad = np.where(index == 5, 99, index)
    ks = (1, 2, 3, 7, -1, 300)
    each(in_places, target, *((a, np.zeros((9, 9), np.uint8), i, k) for i in (index, bad) for k in ks))
    each(left, target, (np.zeros(5, np.int8), 300), (np.zeros(5), 300), (np.zeros(0, np.int8), 300))


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_stores_of_other_types(target: str) -> None:
    """NumPy's wider numbers into signed integers raise, into unsigned ones wrap."""
    wide = np.array([5, -3, 100, 4000, 127, 300, -129, 70], np.int64)
    each(stored, target, *((wide, np.zeros(8, dtype)) for dtype in ("int8", "uint8", "int32")[: 3 if ALL else 1]))
    each(stored, target, *((w, np.zeros(8, "int64")) for w in (wide, wide.astype(np.uint64))[0 if ALL else 1 :]))
    numbers = np.array([0.5, -0.9, 127.9, 1e3, -127.9, 128.0, np.nan, 1e20])
    for dtype in ("float64", "float32")[: 2 if ALL or target == "opencl" else 1]:
        each(stored, target, *((numbers[:n].astype(dtype), np.zeros(8, "int8")) for n in (5, 6)))
        each(stored, target, *((numbers[k : k + 1].astype(dtype), np.zeros(1, "int64")) for k in (0, 6, 7)))
    each(floats, target, *((np.arange(9) % 5, np.zeros(9, "int8"), scale) for scale in (1.0, 15.9, 16.0, -17.0)))


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_scans_and_sums(target: str) -> None:
    """The tests change nothing in how loops are divided."""
    a = np.arange(300) % 7 - 2
    each(positions, target, *((a * f, np.zeros(300, np.uint8), np.zeros(300, np.int8)) for f in (1, 20, 60)))
    w = a + 0
    w[250] = 2**31
    each(histogram, target, *((a, each_, np.zeros(4, np.int32)) for each_ in (a, w)))
    with pytest.raises(somd.SomdCompileError, match="SOMD402"), somd.use(target=target):
        wider_sums(a, w, np.zeros(4, np.int32))


def test_what_fits_is_not_tested() -> None:
    """By its type, by what it is made of, and variables of loops beside integers of 32 bits, tested before."""
    x, centres = np.arange(40.0) % 11, np.array([3.0, 9.0, 5.0])
    each(nearest, "opencl", (x, centres))
    each(
        grey,
        "opencl",
        (np.arange(256).astype(np.uint8), np.arange(256).astype(np.uint8)[::-1], np.zeros(256, np.uint8)),
    )
    assert not any("OverflowError" in method.source("opencl") for method in (nearest, grey))
    with pytest.raises(somd.SomdRuntimeError, match="goes beyond"), somd.use(target="multicore"):
        first_beyond(np.zeros(4), np.zeros(4, np.int32), 2**32)


@somd.somd
def behind_others(a: A, wide: A, counts: A, out: A, k: int, m: int) -> int:
    n = 0
    for i in range(len(out)):
        out[i], counts[i] = np.maximum(a[i], int(wide[i]) * 30), a[i] + m
        if m < a[i] < wide[i] + (a[i] + int(wide[i]) * k):
            n += 1
    return n


@somd.somd
def at_first(a: A, b: A, k: int) -> None:
    for i in range(len(a)):
        a[i] = b[i] + a[i] * k


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_what_python_comes_to_first_is_raised(target: str) -> None:
    a, wide = np.array([1, 2, 3], np.int8), np.array([3, 2, 6])
    counts = np.zeros(3, np.int16)
    numbers = [(wide, 2, 1), (wide, 2, 300), (wide, 90, 1), (wide, 90, 200), (wide[:2], 2, 1), (wide[1:2], 2, 300)]
    cases = [(a, each, counts, np.zeros(3, np.int32), k, m) for each, k, m in numbers]
    each(behind_others, target, *cases, (a, wide[:0], counts, np.zeros(3, np.int32), 2, 300))
    each(at_first, target, *((a[:n], a[:m], k) for n in (0, 2) for m in (0, 2) for k in (2, 300)))


@somd.somd
def floats_to_unsigned(b: A, out: A) -> None:
    for i in range(len(b)):
        out[i] = b[i]


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.usual(2)
def test_floats_wrap_in_unsigned_integers(target: str) -> None:
    b = np.array([1.5, -2.0, -3.7, 300.0, 70000.0, -70000.0, 2e9, -2e9, -1.0, 0.25])
    each(floats_to_unsigned, target, *((b, np.zeros(10, dtype)) for dtype in (np.uint8, np.uint16, np.uint32)))
