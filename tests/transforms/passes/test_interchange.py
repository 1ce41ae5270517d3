"""Loops that change places: which do, that each element sees its operands in their order, and bugs in the pass."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.loops.program import Loop
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes import interchange as module
from somd.transforms.passes.interchange import _Interchange, interchange
from tests.differential import harness
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

MATRIX = (np.arange(77.0).reshape(7, 11) % 13 - 6) / 7
SQUARE = (np.arange(49.0).reshape(7, 7) % 11 - 5) / 3
VECTOR = np.linspace(-1.0, 2.0, 7)

GRAM = """
def gram(a: A, c: A):
    for i in range(c.shape[0]):
        c[i, i] = 1.0
        for j in range(i + 1, c.shape[1]):
            c[i, j] = c[i, j] * 0.25
            for k in range(a.shape[0]):
                c[i, j] += a[k, i] * a[k, j]
            c[j, i] = c[i, j]
"""
ROWS = """
def rows(a: A, b: np.ndarray, out: A):
    for i in range(a.shape[0]):
        row = np.zeros(b.shape[1])
        for p in range(b.shape[1]):
            for s in range(b.shape[0]):
                t = a[i, s] * b[s, p]
                row[p] = row[p] * 0.5 + t
            out[i] += row[p]
"""
TWO = """
def two(a: A, b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        last = 0.0
        for j in range(c.shape[1]):
            for k in range(b.shape[0]):
                c[i, j] = c[i, j] * 0.5 + a[i, k] * b[k, j]
            last = last + c[i, j]
            for k in range(b.shape[0]):
                c[i, j] = c[i, j] * 0.5 - b[k, j] * last
"""
DOWN = """
def down(b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        c[i, 0] = 1.0
        for j in range(c.shape[1] - 2, 0, -1):
            for k in range(b.shape[0] - 1, -1, -2):
                c[i, j + 1] = c[i, j + 1] * 0.5 + b[k, j]
"""
READ = """
def read(a: A, b: np.ndarray):
    for i in range(a.shape[0]):
        row = np.zeros(b.shape[1])
        for p in range(b.shape[1]):
            for s in range(b.shape[0]):
                row[p] += a[i, s] * b[s, p]
            a[i, p] = row[p] + 1.0
"""
CONDITIONS = """
def conditions(a: A, b: np.ndarray, out: A):
    for i in range(a.shape[0]):
        row = np.zeros(b.shape[1])
        seen = np.zeros(b.shape[1])
        after = np.zeros(b.shape[1])
        for p in range(b.shape[1]):
            if p > 0:
                for q in range(b.shape[1] - 1):
                    seen[q] += 0.5
            for s in range(b.shape[0]):
                row[p] += a[i, s] * b[s, p]
            if p > 1:
                for q in range(b.shape[1] - 1):
                    after[q] += seen[q + 1]
        out[i] = row[0] + after[0]
"""
NEIGHBOURS = """
def neighbours(b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        for j in range(1, c.shape[1]):
            for k in range(b.shape[0]):
                c[i, j] = c[i, j - 1] * 0.5 + c[i, j] * b[k, j]
"""
BOUNDS = """
def bounds(b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        c[i, 0] = 1.0
        for j in range(c.shape[1]):
            for k in range(j, b.shape[0]):
                c[i, j] = c[i, j] * 0.5 + b[k, j]
"""
HANDED = """
def handed(b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        s = 0.5
        for j in range(c.shape[1]):
            for k in range(b.shape[0]):
                s = s * 0.5 + b[k, j]
                c[i, j] = c[i, j] * s
"""
SCALED = """
def scaled(b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        c[i, 0] = 1.0
        for j in range(c.shape[1]):
            f = b[0, j]
            for k in range(b.shape[0]):
                c[i, j] = c[i, j] * f + b[k, j]
"""
AFTER = """
def after(b: np.ndarray, c: A, out: A):
    for i in range(c.shape[0]):
        j = -1
        k = -1
        for j in range(c.shape[1]):
            for k in range(b.shape[0]):
                c[i, j] = c[i, j] * 0.5 + b[k, j]
        out[i] = j * 10 + k
"""
EMPTY = """
def empty(b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        for j in range(0):
            for k in range(i):
                c[i, j] += b[k, j]
"""
ALONG = """
def along(b: np.ndarray, c: A):
    for i in range(c.shape[0]):
        c[i, 0] = 1.0
        for j in range(c.shape[1]):
            for k in range(b.shape[1]):
                c[i, j] = c[i, j] * 0.5 + b[j, k]
"""


@functools.cache
def changed() -> tuple[Case, ...]:
    return (
        case(GRAM, a=MATRIX[:, :7].copy(), c=SQUARE.copy()),
        case(GRAM, a=np.ones((0, 7)), c=SQUARE.copy()),
        case(ROWS, a=MATRIX, b=np.ones((11, 5)) / 3, out=VECTOR.copy()),
        case(DOWN, b=MATRIX, c=MATRIX.copy()),
        case(TWO, a=SQUARE, b=MATRIX, c=MATRIX.copy().astype(np.float32)),
    )


@functools.cache
def left() -> tuple[Case, ...]:
    return (
        case(READ, a=SQUARE.copy(), b=SQUARE),
        case(NEIGHBOURS, b=MATRIX, c=MATRIX.copy()),
        case(BOUNDS, b=MATRIX, c=MATRIX.copy()),
        case(HANDED, b=MATRIX, c=MATRIX.copy()),
        case(SCALED, b=MATRIX, c=MATRIX.copy()),
        case(AFTER, b=MATRIX[:0].copy(), c=MATRIX.copy(), out=VECTOR.copy()),
        case(CONDITIONS, a=SQUARE, b=SQUARE, out=VECTOR.copy()),
        case(ALONG, b=MATRIX, c=SQUARE.copy()),
        case(EMPTY, b=MATRIX, c=SQUARE.copy()),
    )


def test_loops_change_places() -> None:
    for each in changed():
        assert validate(interchange, [each]) == 1


@pytest.mark.parametrize("each", range(len(left())))
def test_others_stay(each: int) -> None:
    assert interchange(left()[each].program) is left()[each].program


def test_what_needs_the_rest_stays_behind_it() -> None:
    made = interchange(changed()[4].program).body
    loops = [node.variable.name for node in statements_in(made) if isinstance(node, Loop)]
    assert loops == ["i", "k", "j", "j", "k"]


def gram(a: dist[np.ndarray], c: dist[np.ndarray]) -> None:
    for i in range(c.shape[0]):
        c[i, i] = 1.0
        for j in range(i + 1, c.shape[1]):
            for k in range(a.shape[0]):
                c[i, j] += a[k, i] * a[k, j]
            c[j, i] = c[i, j]


def test_on_cores() -> None:
    harness.check(somd.somd(gram), (np.resize(MATRIX, (9, 13)), np.zeros((13, 13))), "multicore", workers=(1, 2, 3, 7))


def yes(*given: object) -> bool:
    return True


BUGS = [
    Bug("what is read behind is not looked for", module, "apart", yes),
    Bug("neighbours do not count", module, "have_their_own", yes),
    Bug("limits that move count as steady", module, "is_steady", yes),
    Bug("scalars that are handed on do not count", module, "exposed_in", lambda body: set()),
    Bug("scalars of the outer loop do not count", _Interchange, "scalars", lambda self, part: (set(), set())),
    Bug("names that are read behind do not count", module, "reads_of", lambda body: Zeros()),
]


class Zeros(dict):  # type: ignore[type-arg]
    """Counts nothing."""

    def __missing__(self, key: str) -> int:
        return 0


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, interchange, lambda: (*changed(), *left()))
