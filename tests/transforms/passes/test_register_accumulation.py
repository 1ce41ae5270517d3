"""Elements in variables: what is held, what is not, and bugs in the pass."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.loops.program import Assign, If, Loop, Store
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes import register_accumulation as module
from somd.transforms.passes.register_accumulation import _Holding, register_accumulation
from tests.differential import harness
from tests.differential.features import text_of
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

NUMBERS = np.linspace(-3.0, 7.0, 12)
SMALL = NUMBERS.astype(np.float32)
MATRIX = np.arange(48.0).reshape(12, 4) / 7

PRODUCT = """
def product(a: A, b: np.ndarray, c: A):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
"""
NARROW = """
def narrow(a: A, b: np.ndarray):
    for i in range(len(a)):
        a[i] = 0.0
        for k in range(len(b)):
            if b[k] > 0:
                a[i] = a[i] * 0.7 + np.float32(b[k])
"""
TRIANGLE = """
def triangle(a: A, out: A):
    for i in range(len(a)):
        for k in range(i, 2, -1):
            out[i] = out[i] * 0.5 + a[k]
"""
NO_TRIPS = """
def no_trips(a: A, out: A, n: int):
    for i in range(len(a)):
        for k in range(n):
            out[i] += a[i] * k
"""
TWO = """
def two(a: A, sums: A, squares: A):
    for i in range(a.shape[0]):
        squares[i] = 1.0
        for k in range(4):
            sums[i] += a[i, k]
            for m in range(3):
                squares[i] = squares[i] * 0.5 + a[i, m]
"""
OTHER = """
def other(a: A, out: A):
    for i in range(a.shape[0]):
        for k in range(4):
            out[i, 0] = out[i, 0] * 0.5 + a[i, k]
            out[i, k] = out[i, 0]
"""
MOVED = """
def moved(a: A, out: A):
    for i in range(len(a)):
        s = a[i]
        for k in range(4):
            s = s * 0.5 + k
            out[i, k] = out[i, k] * s
"""
LEFT = """
def left(a: A, out: A):
    for i in range(len(a)):
        for k in range(6):
            if a[i] > k:
                break
            out[i] += a[i] * k
"""
SECOND = """
def second(a: A, out: A):
    for i in range(len(a)):
        for k in range(4):
            out[i] = out[i] + a[i]
"""
COUNTED = """
def counted(a: A, at: np.ndarray, out: A):
    for i in range(len(a)):
        for k in range(len(at)):
            out[i] += a[at[k]]
"""


ROWS_BELOW = """
def rows_below(b: A, f: np.ndarray):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            for k in range(i + 1, b.shape[0]):
                b[i, j] += f[k] * b[k, j]
"""
FACTORS = """
def factors(a: A):
    for i in range(a.shape[0]):
        for j in range(i, a.shape[1]):
            for k in range(i - 1, -1, -1):
                a[i, j] -= a[i, k] * a[k, j]
"""
REACHED = ROWS_BELOW.replace("range(i + 1,", "range(")
CHANGED = ROWS_BELOW.replace("b[i, j] +=", "t = min(k, i)\n                b[i, j] +=").replace("* b[k,", "* b[t,")


@functools.cache
def held() -> tuple[Case, ...]:
    return (
        case(PRODUCT, a=MATRIX, b=MATRIX[:4].copy(), c=np.ones((12, 4), np.float32)),
        case(PRODUCT, a=np.ones((3, 0)), b=np.ones((0, 2)), c=np.ones((3, 2))),
        case(NARROW, a=SMALL, b=NUMBERS),
        case(TRIANGLE, a=NUMBERS, out=np.ones(12, np.float32)),
        case(NO_TRIPS, a=NUMBERS, out=np.zeros(2), n=0),
        case(NO_TRIPS, a=SMALL, out=NUMBERS, n=3),
        case(TWO, a=MATRIX, sums=SMALL, squares=NUMBERS),
        case(ROWS_BELOW, b=MATRIX.copy(), f=NUMBERS),
        case(FACTORS, a=np.resize(MATRIX, (7, 7))),
    )


@functools.cache
def left() -> tuple[Case, ...]:
    return (
        case(OTHER, a=MATRIX, out=MATRIX.copy()),
        case(MOVED, a=NUMBERS, out=MATRIX.copy()),
        case(REACHED, b=MATRIX.copy(), f=NUMBERS),
        case(CHANGED, b=MATRIX.copy(), f=NUMBERS),
        case(LEFT, a=NUMBERS, out=np.zeros(12)),
        case(COUNTED, a=NUMBERS, at=np.array([0, 3, -2, 40]), out=np.zeros(12)),
    )


def test_elements_are_held() -> None:
    for each in held():
        assert validate(register_accumulation, [each]) == 1


def test_no_loop_stores_what_is_held() -> None:
    for each in held():
        loops = [n for n in statements_in(register_accumulation(each.program).body) if isinstance(n, Loop)]
        inner = [loop for loop in loops if loop.order == "in order"]
        assert inner and not any(isinstance(node, Store) for loop in inner for node in loop.body)


@pytest.mark.parametrize("each", range(len(left())))
def test_others_stay(each: int) -> None:
    assert register_accumulation(left()[each].program) is left()[each].program


def test_what_may_be_one_array_stays() -> None:
    program = case(SECOND, a=NUMBERS, out=NUMBERS.copy()).program
    assert register_accumulation(program) is not program
    one = [replace(node, aliased=True) if hasattr(node, "aliased") else node for node in program.body]
    aliased = replace(program, body=tuple(one))
    assert register_accumulation(aliased) is aliased


def products(a: dist[np.ndarray], b: np.ndarray, c: dist[np.ndarray]) -> None:
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def row_sums(a: dist[np.ndarray], out: dist[np.ndarray]) -> None:
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            out[i] += a[i, k]


@pytest.mark.parametrize("function", [products, row_sums])
def test_in_c(function: Any) -> None:
    """Variables that passes make are declared, and a phase with a test around its loop keeps its kernel with tiles."""
    method = somd.somd(function)
    given = (MATRIX, np.ones((4, 5)), np.ones((12, 5))) if function is products else (MATRIX, np.ones(12))
    text = text_of(method, given, "opencl")
    assert "_held_ = " in text and ("row_sums_1_tiled" in text) == (function is row_sums)
    harness.check(method, given, "opencl", workers=(1,))
    empty = (MATRIX[:, :0].copy(), *(each[:0] for each in given[1:-1]), given[-1])
    harness.check(method, empty, "opencl", workers=(1,))


def without_test(self: _Holding, loop, before):  # type: ignore[no-untyped-def]
    made = held_by(self, loop, before)
    return made[0].body if len(made) == 1 and isinstance(made[0], If) else made


def without_load(self: _Holding, loop, before):  # type: ignore[no-untyped-def]
    return changed(held_by(self, loop, before), lambda nodes: [n for n in nodes if not isinstance(n, Assign)])


def without_store(self: _Holding, loop, before):  # type: ignore[no-untyped-def]
    return changed(held_by(self, loop, before), lambda nodes: [n for n in nodes if not isinstance(n, Store)])


def swapped(self: _Holding, loop, before):  # type: ignore[no-untyped-def]
    return changed(held_by(self, loop, before), lambda nodes: [*nodes[:-2], nodes[-1], nodes[-2]])


def changed(made, change):  # type: ignore[no-untyped-def]
    if len(made) == 1 and isinstance(made[0], If):
        return (replace(made[0], body=tuple(change(made[0].body))),)
    return tuple(change(made)) if made else made


def any_element(self: _Holding, loop):  # type: ignore[no-untyped-def]
    yield from dict.fromkeys(node.element for node in loop.body if isinstance(node, Store))


def wider(name, type_):  # type: ignore[no-untyped-def]
    return variable(name, replace(type_, dtype="float64"))


held_by, variable = _Holding.held, module.variable
BUGS = [
    Bug("a loop without trips is not told", _Holding, "held", without_test),
    Bug("nothing is loaded", _Holding, "held", without_load),
    Bug("nothing is stored", _Holding, "held", without_store),
    Bug("it is stored before the loop", _Holding, "held", swapped),
    Bug("other accesses do not count", _Holding, "elements", any_element),
    Bug("whatever changes is steady", module, "_is_steady", lambda element, changed: True),
    Bug("tests that may fail do not count", module, "Tested", ()),
    Bug("others are never the element", module, "is_alone", lambda *given: True),
    Bug("the variable is of another type", module, "variable", wider),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, register_accumulation, lambda: (*held(), *left()))
