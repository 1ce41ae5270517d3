"""Elements handed on in variables from trip to trip: where that is done, that bits stay, and bugs in the pass."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.passes import scalar_replacement as module
from somd.transforms.passes.scalar_replacement import scalar_replacement
from tests.differential import harness
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

MATRIX = (np.arange(63.0).reshape(7, 9) % 13 - 6) / 7

BOTH = """
def both(a: np.ndarray, p: A, q: A):
    for i in range(p.shape[0]):
        for j in range(1, p.shape[1]):
            p[i, j] = a[i, j] - 0.5 * p[i, j - 1]
            q[i, j] = p[i, j] + q[i, j - 1] * p[i, j - 1]
        for j in range(p.shape[1] - 2, -1, -1):
            q[i, j] = q[i, j] + 0.25 * q[i, j + 1]
"""
DOWN = """
def down(a: np.ndarray, p: A):
    for i in range(p.shape[1]):
        for j in range(p.shape[0] - 1):
            t = p[j, i] * 0.5
            p[j + 1, i] = t + a[j, i]
"""
AFTER = """
def after(a: A, p: A):
    for i in range(p.shape[0]):
        for j in range(1, p.shape[1]):
            a[i, j] = p[i, j]
            p[i, j] = p[i, j - 1] * 0.5 + a[i, j]
            a[i, j] += p[i, j] * p[i, j - 1]
"""
TWICE = """
def twice(p: A):
    for i in range(p.shape[0]):
        for j in range(1, p.shape[1]):
            p[i, j] = p[i, j - 1] * 0.5 + p[i, j]
            p[i, j - 1] = 1.0
"""
CHOSEN = """
def chosen(a: np.ndarray, p: A):
    for i in range(p.shape[0]):
        for j in range(1, p.shape[1]):
            p[i, j] = p[i, j - 1] if a[i, j] > 0.0 else 0.5
"""
APART = """
def apart(p: A):
    for i in range(p.shape[0]):
        for j in range(2, p.shape[1], 2):
            p[i, j] = p[i, j - 1] * 0.5
"""
MOVING = """
def moving(a: np.ndarray, p: A):
    for i in range(p.shape[0]):
        k = 0
        for j in range(1, p.shape[1]):
            k = 1 - k
            p[i, j] = a[k, j] + a[k, j - 1]
"""
LAGGED = """
def lagged(p: A):
    for i in range(p.shape[0]):
        for j in range(2, p.shape[1]):
            p[i, j] = p[i, j - 2] * 0.5
"""
WHOLE = """
def whole(p: A):
    for i in range(p.shape[0]):
        for j in range(1, p.shape[1]):
            p[i, j] = p[i, j - 1] + p[i, j]
"""


@functools.cache
def taken() -> tuple[Case, ...]:
    return (
        case(BOTH, a=MATRIX, p=MATRIX.copy(), q=MATRIX * 0.5),
        case(BOTH, a=MATRIX[:, :0].copy(), p=MATRIX[:, :0].copy(), q=MATRIX[:, :0].copy()),
        case(BOTH, a=MATRIX.astype(np.float32), p=MATRIX.astype(np.float32), q=MATRIX.astype(np.float32)),
        case(DOWN, a=MATRIX, p=MATRIX * 0.5),
        case(AFTER, a=MATRIX.copy(), p=MATRIX * 0.5),
    )


@functools.cache
def left() -> tuple[Case, ...]:
    return (
        case(TWICE, p=MATRIX.copy()),
        case(CHOSEN, a=MATRIX, p=MATRIX.copy()),
        case(APART, p=MATRIX.copy()),
        case(LAGGED, p=MATRIX.copy()),
        case(MOVING, a=MATRIX, p=MATRIX.copy()),
        case(WHOLE, p=np.arange(63).reshape(7, 9)),
    )


def test_elements_are_handed_on() -> None:
    assert validate(scalar_replacement, taken()) == len(taken())


@pytest.mark.parametrize("each", range(len(left())))
def test_others_are_left(each: int) -> None:
    assert scalar_replacement(left()[each].program) is left()[each].program


def waves(a: dist[np.ndarray], p: dist[np.ndarray], q: dist[np.ndarray]) -> None:
    for i in range(p.shape[0]):
        # to
        for j in range(1, p.shape[1]):
            # the first
            p[i, j] = a[i, j] / (2.0 - p[i, j - 1])  # of two
            q[i, j] = (a[i, j] - q[i, j - 1]) * p[i, j - 1]
        # and fro
        for j in range(p.shape[1] - 2, -1, -1):
            q[i, j], p[i, j] = q[i, j + 1] * p[i, j] + q[i, j], p[i, j + 1] * 0.5


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.usual(2)
def test_on_cores(dtype: type) -> None:
    method = somd.somd(waves)
    for shape in ((0, 5), (7, 1), (7, 0), (7, 23)):
        given = tuple(np.resize(MATRIX.astype(dtype) * k, shape) for k in (1, 2, 3))
        harness.check(method, given, "multicore", workers=(1, 2, 3, 7))
    text = method.source("multicore")
    assert "p_before_1 = p_stored_1" in text and all(text.count(f"# {each}\n") == 1 for each in ("to", "and fro"))
    assert text.count("# the first\n") == 1 and text.count("# of two\n") == 1


def test_one_array_by_two_names() -> None:
    square = np.resize(MATRIX, (9, 9))
    harness.check(somd.somd(waves), (square, square, np.resize(MATRIX, (9, 9))), "multicore", workers=(1, 3))


BUGS = [
    Bug("elements of any place are the one before", module, "_follows", lambda read, stored, loop: read != stored),
    Bug("it is read wherever the loop goes", module, "_at_start", lambda element, loop: element),
    Bug("the element is not told from that before", module, "_with", lambda body, *given: body),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, scalar_replacement, lambda: (*taken(), *left()))
