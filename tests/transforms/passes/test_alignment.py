"""Loops are cut where vectors begin, where that helps, and give what they gave."""

from __future__ import annotations

import textwrap

import numba
import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.multicore import aligned_from
from somd.runtime.multicore.arrays import VECTOR
from somd.transforms.loops.program import If, Loop
from somd.transforms.loops.verify import verify
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes import alignment as module
from somd.transforms.passes.alignment import alignment
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate
from tests.transforms.passes.shown import program_of_text

ARRAYS = {"a": "float64[:, :]", "b": "float32[:]", "c": "int64[:, :]", "d": "float64[:]"}


def cut(inner: str) -> bool:
    """Whether the loop over `i` is marked that stands in one over the rows of an array."""
    text = "def f(a: A, b: A, c: A, d: A, k: int, n: int):\n    for j in range(n):\n        t = 0.0\n"
    program = alignment(program_of_text(text + textwrap.indent(inner, " " * 8), **ARRAYS, k="int64", n="int64"))
    verify(program)
    loops = {node.variable.name: node.aligned for node in statements_in(program.body) if isinstance(node, Loop)}
    return loops["i"]


@pytest.mark.parametrize(
    "inner",
    [
        "for i in range(k + 1, a.shape[1]):\n    a[j, i] += d[j] * a[j, i]",
        "for i in range(k, a.shape[1]):\n    x = a[j, i]\n    a[j, i] = x * 2.0",
    ],
)
def test_cut(inner: str) -> None:
    assert cut(inner)


@pytest.mark.parametrize(
    "inner",
    [
        "for i in range(a.shape[1]):\n    a[j, i] = 0.0",
        "for i in range(1, a.shape[1]):\n    a[j, i] = 0.0",
        "for i in range(k, a.shape[1], 2):\n    a[j, i] = 0.0",
        "for i in range(k, len(b)):\n    t += b[i]\nd[j] = t",
        "for i in range(k, a.shape[1] - 1):\n    a[j, i + 1] = 0.0",
        "for i in range(k, c.shape[1]):\n    c[j, i] = 0",
        "for i in range(k, a.shape[1]):\n    if a[j, i] > 0:\n        a[j, i] = 0.0",
    ],
)
def test_left_whole(inner: str) -> None:
    assert not cut(inner)


def cases() -> list[Case]:
    """A loop that is cut, and some that must not be: the start changes, one element is stored, another step, a test."""
    each = "def f(a: A, c: A, k: int):\n    for j in range(1, a.shape[0]):\n"
    inner = (
        "for i in range(k, a.shape[1]):\n    a[j, i] += 2.0",
        "m = k\nfor i in range(m, a.shape[1]):\n    a[j, i] += 2.0\n    m += 1",
        "for i in range(k, a.shape[1]):\n    a[j, 2] += c[i]",
        "for i in range(k, a.shape[1], 2):\n    a[j, i] += 2.0",
        "for i in range(k, a.shape[1]):\n    if c[i] > 0.5:\n        a[j, i] += c[i]",
    )
    grid, weights = np.linspace(0.0, 1.0, 21).reshape(3, 7), np.linspace(0.1, 0.9, 7)
    return [case(each + textwrap.indent(text, " " * 8), a=grid.copy(), c=weights, k=2) for text in inner]


def test_validated() -> None:
    assert validate(alignment, cases()) == 1, "the first alone"


BUGS = [
    Bug("every loop is cut", module, "_gains", lambda loop: True),
    Bug("one element is taken for a row", module, "_gains", lambda loop: not isinstance(loop.body[0], If)),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, alignment, cases)


@numba.njit
def first(row: np.ndarray, start: int, stop: int) -> int:
    return aligned_from(row, start, stop)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_first_element_of_a_vector(dtype: type) -> None:
    whole = np.zeros(200, dtype)
    for offset in range(9):
        row = whole[offset : offset + 100]
        for start in range(20):
            found = first(row, start, 90)
            assert start <= found < start + VECTOR // row.itemsize
            assert (row.ctypes.data + found * row.itemsize) % VECTOR == 0
    assert first(row, 40, 30) == 30
    assert first(whole[::3], 5, 60) == 5
    shifted = np.frombuffer(bytearray(whole.nbytes + 3)[3:], np.uint8)[1:-2]
    odd = np.ndarray(20, dtype, shifted, offset=1 if shifted.ctypes.data % 2 == 0 else 0)
    assert first(odd, 4, 20) == 4


@somd.somd
def triangle(a: dist[np.ndarray], k: int) -> None:
    for j in range(a.shape[0]):
        for i in range(k + 1, a.shape[1]):
            a[j, i] += 2.0 * a[j, k] + j


@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (3, 4), (7, 33), (40, 131)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("step", [1, 2])
def test_as_plain(shape: tuple[int, int], dtype: type, step: int) -> None:
    with somd.use(target="multicore", workers=3):
        for k in (0, shape[1] // 2, shape[1] - 1):
            base = np.arange(shape[0] * shape[1] * step, dtype=dtype).reshape(shape[0], shape[1] * step)
            expected, found = base.copy()[:, ::step], base.copy()[:, ::step]
            triangle.sequential(expected, k)
            triangle(found, k)
            assert np.array_equal(found, expected)
