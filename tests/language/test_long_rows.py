"""Sums of rows of any length, in one matrix, have the bits of the plain loop, whatever is added."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd import somd as method

A = dist[np.ndarray]
#: terms of a long row: several strips of blocks, and some beside
LONG = 6000


@method
def of_rows(start: A, begin: A, x: np.ndarray, y: np.ndarray, out: A, both: A) -> None:
    for i in range(len(out)):
        s = begin[i]
        for j in range(start[i], start[i + 1]):
            s += x[j]
        out[i] = s
        first, last = start[i], start[i + 1]
        t = begin[i]
        for j in range(first, last):
            if y[j] > 0:
                t = t - x[j] * y[j]
        both[i] = t


def hostile(dtype: Any) -> Iterator[tuple[float, np.ndarray]]:
    """What makes sums round in every way: a start, and terms."""
    draw, kind = np.random.default_rng(11), np.finfo(dtype)
    for base in (9, -kind.maxexp // 2):
        power, unit = np.ldexp(1.0, base), np.ldexp(1.0, base - kind.nmant)
        small = draw.integers(-4, 5, LONG)
        yield 0.0, draw.random(LONG) * power
        yield -power, -draw.random(LONG) * unit * 1e4
        yield 1.5 * power, small * unit / 2
        yield power, abs(small) * unit / 4 + power / (1 << 13)
        yield -1.75 * power, small * unit * 2
        yield power, (draw.random(LONG) - 0.5) * power / 64
        yield 0.0, draw.standard_normal(LONG) * power
        yield power, np.where(np.arange(LONG) % 2, 1, -1) * power * draw.random(LONG)
        jumps = np.where(draw.random(LONG) < 1e-3, 1000 * power, power / (1 << 10))
        yield 3 * power, jumps * draw.choice([1, 1, 1, -1], LONG)
        yield 1.5 * power, np.where(np.arange(LONG) == 3000, -3.0 * power, unit / 8)
    yield 0.0, draw.integers(0, 3, LONG) * float(kind.smallest_subnormal)
    yield -0.0, np.full(LONG, -0.0)
    yield float(kind.max), draw.random(LONG) * float(kind.max) * float(kind.eps)
    for what in (np.inf, np.nan, float(kind.max)):
        late = draw.random(LONG)
        late[[3000, -5]] = what, -what
        yield 1.0, late
    yield 1.0, np.zeros(0)
    yield -0.0, np.ones(1)


def bits(array: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(array), 0, array.view(f"int{array.itemsize * 8}"))


def matrix(dtype: Any) -> tuple[Any, ...]:
    with np.errstate(all="ignore"):
        begins, rows = zip(*((dtype(begin), row.astype(dtype)) for begin, row in hostile(dtype)), strict=True)
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    signs = np.random.default_rng(5).choice([-1, 1, 1, 1], start[-1]).astype(dtype)
    return start, np.array(begins, dtype), np.concatenate(rows), signs


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.usual(2)
def test_rows_of_any_length_have_the_bits_of_plain_python(dtype: Any) -> None:
    given = matrix(dtype)
    wanted, found = ([np.zeros(len(given[0]) - 1, dtype) for _ in range(2)] for _ in range(2))
    with np.errstate(all="ignore"):
        of_rows.sequential(*given, *wanted)
    for workers in (1, 2, 3, 7):
        with somd.use(target="multicore", workers=workers):
            of_rows(*given, *found)
        for own, plain in zip(found, wanted, strict=True):
            assert np.array_equal(bits(own), bits(plain)), (workers, np.flatnonzero(bits(own) != bits(plain)))


def test_elements_are_their_own_terms() -> None:
    text = of_rows.source("multicore")
    assert "added_in_order(s, x, j_first, j_stop)" in text, text
    assert re.search(r"t_terms\[j_term\] = -\(x\[j\] \* y\[j\]\)", text), text
    assert "added_in_order(t, t_terms, 0, j_count)" in text, text
