"""Some rows of complex sums at once: which loops are taken so, that sums keep their bits, and bugs in the pass."""

from __future__ import annotations

import functools
from functools import partial

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.passes import row_jamming as module
from somd.transforms.passes.row_jamming import row_jamming
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

run = partial(row_jamming, rows=2)
PRODUCTS = """
def products(a: A, b: np.ndarray, c: A, rows: int):
    for i in range(len(c)):
        last = c.shape[1]
        for x in range(1, last):
            for y in range(b.shape[1]):
                c[i, x, y] = {}
            for z in range(rows):
                for y in range(b.shape[1]):
                    c[i, x, y] {} {}
"""
LEFT: tuple[tuple[str, ...], ...] = (
    ("+=", "a[i, x, z] * b[z, y]", "c[i, x - 1, y]"),  # of the row before
    ("+=", "a[i, x, z] * a[i, z, x]"),  # no row that all have in common
    ("=", "a[i, x, z] * b[z, y]"),  # no sum
)


def numbers(*shape: int) -> np.ndarray:
    parts = np.random.default_rng(0).normal(size=(*shape, 2))
    return parts[..., 0] + 1j * parts[..., 1]


def given(rows: int, operator: str, term: str, first: str = "0.0") -> Case:
    text = PRODUCTS.format(first, operator, term)
    return case(text, a=numbers(2, 6, 6), b=numbers(rows, 3), c=numbers(2, 6, 3), rows=rows)


@functools.cache
def taken() -> tuple[Case, ...]:
    terms = ("+=", "a[i, x, z] * b[z, y]"), ("-=", "b[z, y] * (a[i, x, z] + 0.5)")
    return tuple(given(rows, *each) for each in terms for rows in (0, 3))


def test_rows_are_taken_at_once() -> None:
    assert validate(run, taken()) == len(taken())
    assert validate(partial(row_jamming, rows=4), taken()) == len(taken())


@pytest.mark.parametrize("each", LEFT)
def test_others_stay(each: tuple[str, ...]) -> None:
    program = given(3, *each).program
    assert run(program) is program


BUGS = (
    Bug("rows that reach into each other", module, "have_their_own", lambda loop, name: True),
    Bug("one name for all rows", module, "_at_once", lambda body, times: body),
    Bug("no rest", module, "cut", lambda loop, rows: (loop.stop, loop.stop)),
)


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, run, lambda: (*taken(), *(given(3, *each) for each in LEFT)))


@somd.somd
def blocks(a: dist[np.ndarray], b: np.ndarray, out: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        t = np.zeros((a.shape[1], b.shape[1]), dtype=a.dtype)
        for x in range(a.shape[1]):
            for z in range(a.shape[2]):
                for y in range(b.shape[1]):
                    t[x, y] += a[i, x, z] * b[z, y]
        for x in range(a.shape[1]):
            for y in range(b.shape[1]):
                out[i, x, y] = t[x, y]


def test_bits() -> None:
    for rows, inner, columns in ((9, 3, 7), (4, 1, 4), (3, 0, 5)):
        a, b = numbers(3, rows, inner), numbers(inner, columns)
        if inner:
            a[0, 0, 0], b[0, 0] = complex(np.inf, -0.0), -0.0
        expected, found = (np.ones((3, rows, columns), complex) for _ in range(2))
        with np.errstate(invalid="ignore"):
            blocks.__wrapped__(a, b, expected)
        with somd.use(target="multicore", workers=2):
            blocks(a, b, found)
        assert np.array_equal(expected, found, equal_nan=True)
        assert np.array_equal(np.signbit(expected.real[1:]), np.signbit(found.real[1:]))
