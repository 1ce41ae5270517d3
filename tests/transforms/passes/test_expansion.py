"""Arrays of an iteration with places for many: where that is done, that bits stay, and bugs in the pass."""

from __future__ import annotations

import functools
from collections import Counter
from functools import partial

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.loops.making import whole_number
from somd.transforms.loops.program import Program, Region
from somd.transforms.passes import expansion as module
from somd.transforms.passes import fission
from somd.transforms.passes.expansion import expansion
from somd.transforms.schedules import schedule_of
from tests.differential import harness
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate
from tests.transforms.passes.validation import Outcomes, Run, validated

MATRIX = (np.arange(90.0).reshape(10, 9) % 13 - 6) / 7
SQUARE = (np.arange(81.0).reshape(9, 9) % 17 - 8) / 3

ROWS = """
def rows(a: A, b: np.ndarray):
    for r in range(a.shape[0]):
        for q in range(a.shape[1]):
            row = np.zeros(a.shape[2])
            for p in range(a.shape[2]):
                for s in range(a.shape[2]):
                    row[p] += a[r, q, s] * b[s, p]
            for p in range(a.shape[2]):
                a[r, q, p] = row[p]
"""
LAYERS = """
def layers(x: np.ndarray, w: np.ndarray, v: np.ndarray, out: A):
    for i in range(out.shape[0]):
        h = np.empty(w.shape[1])
        for j in range(w.shape[1]):
            h[j] = 0.5
            for k in range(w.shape[0]):
                h[j] += x[i, k] * w[k, j]
        most = np.full((2, w.shape[1]), -1)
        for j in range(len(h)):
            if h[j] > 0.0:
                most[1, j] = j
            else:
                h[j] = most[0, j]
        for j in range(out.shape[1]):
            for k in range(w.shape[1]):
                out[i, j] += h[k] * v[k, j]
            out[i, j] *= 0.5
"""
INSIDE = """
def inside(a: A, b: np.ndarray):
    for i in range(a.shape[0]):
        for t in range(2):
            row = np.zeros(a.shape[1])
            for p in range(a.shape[1]):
                for s in range(a.shape[1]):
                    row[p] += a[i, s] * b[s, p]
            for p in range(a.shape[1]):
                a[i, p] = row[p]
"""
SCALAR = """
def scalar(a: A, b: np.ndarray):
    for i in range(a.shape[0]):
        row = np.zeros(a.shape[1])
        most = 0.0
        for p in range(a.shape[1]):
            most = max(most, a[i, p])
        for p in range(a.shape[1]):
            for s in range(a.shape[1]):
                row[p] += a[i, s] * b[s, p]
        for p in range(a.shape[1]):
            a[i, p] = row[p] - most
"""
FAILING = """
def failing(a: A, b: np.ndarray, at: np.ndarray):
    for i in range(a.shape[0]):
        row = np.zeros(a.shape[1])
        for p in range(a.shape[1]):
            for s in range(a.shape[1]):
                row[p] += a[i, s] * b[s, p]
        for p in range(a.shape[1]):
            a[i, p] = row[at[p]]
"""
CHAIN = """
def chain(a: A, b: np.ndarray):
    for i in range(a.shape[0]):
        row = np.ones(a.shape[1])
        for p in range(1, a.shape[1]):
            for s in range(a.shape[1]):
                row[p] += row[p - 1] * b[s, p]
        for p in range(a.shape[1]):
            a[i, p] = row[p]
"""
FEW = """
def few(a: A, b: np.ndarray):
    for i in range(a.shape[0]):
        row = np.zeros(3)
        for p in range(3):
            for s in range(a.shape[1]):
                row[p] += a[i, s] * b[s, p]
        a[i, 0] = row[2]
"""
ONE = partial(expansion, rows=6, width=256)


@functools.cache
def taken() -> tuple[Case, ...]:
    return (
        case(ROWS, a=np.resize(MATRIX, (2, 5, 9)), b=SQUARE),
        case(ROWS, a=np.resize(MATRIX, (2, 3, 0)), b=SQUARE[:0, :0].copy()),
        case(LAYERS, x=MATRIX, w=SQUARE, v=np.resize(SQUARE, (9, 11)), out=np.resize(MATRIX, (10, 11))),
    )


@functools.cache
def left() -> tuple[Case, ...]:
    given = {"a": MATRIX.copy(), "b": SQUARE}
    failing = case(FAILING, a=MATRIX.copy(), b=SQUARE, at=np.array([*range(8), 99]))
    return (*(case(each, **given) for each in (INSIDE, SCALAR, CHAIN, FEW)), failing)


def region_of(program: Program) -> Region:
    [region] = [node for node in program.body if isinstance(node, Region)]
    return region


def test_arrays_get_places() -> None:
    assert validate(ONE, taken()) == len(taken())


@pytest.mark.parametrize("each", range(len(left())))
def test_others_are_left(each: int) -> None:
    assert ONE(left()[each].program) is left()[each].program


@pytest.mark.parametrize(("each", "packed"), [(0, 1), (2, 2)])
def test_products_are_packed(each: int, packed: int) -> None:
    program, outcomes = taken()[each].program, Outcomes()
    for step in schedule_of("multicore"):
        program = validated(program, step, [Run(taken()[each].given)], outcomes)
    assert sum(piece.packed is not None for piece in region_of(program).pieces) == packed


def layers(x: np.ndarray, w: np.ndarray, v: np.ndarray, out: dist[np.ndarray]) -> None:
    # images
    for i in range(out.shape[0]):
        h = np.empty(w.shape[1])
        # the layer inside
        for j in range(w.shape[1]):
            h[j] = 0.5
            for k in range(w.shape[0]):
                h[j] += x[i, k] * w[k, j]
        for j in range(w.shape[1]):
            h[j] = h[j] if h[j] > 0.0 else 0.1 * h[j]
        # and the last one
        for j in range(out.shape[1]):
            for k in range(w.shape[1]):
                out[i, j] += h[k] * v[k, j]


@pytest.mark.parametrize("count", [0, 1, 401])
def test_on_cores(count: int) -> None:
    """Several chunks for each thread, the last one of few rows."""
    x, w, v = np.resize(MATRIX, (count, 9)), np.resize(SQUARE, (9, 35)), np.resize(SQUARE, (35, 10))
    method = somd.somd(layers)
    harness.check(method, (x, w, v, np.resize(MATRIX, (count, 10))), "multicore", workers=(1, 2, 3, 7))
    text = method.source("multicore")
    assert text.count("sum_in_registers(") == 2 and "chunk_trips(8 * (w.shape[1]))" in text
    assert all(f"# {each}" in text for each in ("images", "the layer inside", "and the last one"))


def rows(a: dist[np.ndarray], b: np.ndarray) -> None:
    for r in range(a.shape[0]):
        for q in range(a.shape[1]):
            row = np.zeros(a.shape[2], np.float32)
            for p in range(a.shape[2]):
                for s in range(a.shape[2]):
                    row[p] += a[r, q, s] * b[s, p]
            for p in range(a.shape[2]):
                a[r, q, p] = row[p]


def test_below_an_outer_loop() -> None:
    """Chunks of the inner of two loops; one array by two names, which is not cut; and nothing to do."""
    method, b = somd.somd(rows), SQUARE.astype(np.float32)
    for shape in ((3, 200, 9), (1, 0, 9), (5, 7, 0)):
        a = np.resize(MATRIX, shape).astype(np.float32)
        harness.check(method, (a, b[: shape[2], : shape[2]].copy()), "multicore", workers=(1, 2, 3, 7))
    assert "chunk_trips(4 * (a.shape[2]))" in method.source("multicore")
    harness.check(method, (np.resize(b, (9, 9, 9)), np.resize(b, (4, 9))), "multicore", workers=(1, 3))


BUGS = [
    Bug("all iterations have one place", module, "operation", lambda *given: whole_number(0)),
    Bug(
        "new arrays hold what they held",
        module,
        "_filled",
        lambda node, names: () if hasattr(node, "fill") else (node,),
    ),
    Bug("scalars may go from piece to piece", fission, "reads_of", lambda body: Counter()),
    Bug("failures do not count", fission, "tests_accesses", lambda body: False),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, ONE, lambda: (*taken(), *left()))
