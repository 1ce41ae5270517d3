"""Loops of an iteration in three pieces: which are split, that the bits stay, and bugs in the pass."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.mpi import launched
from somd.runtime.opencl import Device, NoDevice, select
from somd.transforms import pipeline
from somd.transforms.loops.program import Loop
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes import index_set_splitting as module
from somd.transforms.passes.index_set_splitting import index_set_splitting
from somd.transforms.types.scalars import ArrayType
from tests.differential import harness
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

MATRIX = (np.arange(77.0).reshape(7, 11) % 13 - 6) / 7
VECTOR = np.linspace(-1.0, 2.0, 11)

CLEARED = """
def cleared(a: A):
    for k in range(a.shape[1]):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] = a[i, j] * 0.5 - a[i, k]
"""
FROM_ROW = """
def from_row(a: A, b: A):
    for i in range(a.shape[0]):
        f = a[i, 0]
        for j in range(1, a.shape[1]):
            t = a[i, j] + f
            if t > a[i, 3]:
                a[i, j] = t * a[i, 3]
            b[j, i] = t - b[j, i]
"""
TWO = """
def two(a: A):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[i, 1] - a[i, 3] * a[i, j]
"""
NEIGHBOURS = """
def neighbours(a: A):
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, 2] - a[i, j - 1]
"""
CHAIN = """
def chain(a: A):
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = 0.5 - a[i, j - 1]
"""
HANDED = """
def handed(a: A):
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s = s * 0.5 + a[i, 4]
            a[i, j] = s
"""
SEEN = """
def seen(a: A, out: A):
    for i in range(a.shape[0]):
        j, t = -1, 0.0
        for j in range(a.shape[1]):
            t = a[i, j]
            a[i, j] = t - a[i, 2]
        out[i] = j + t
"""
ALONG = """
def along(a: A, at: np.ndarray):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[i, at[j]] - a[i, 2]
"""
MIRRORED = """
def mirrored(a: A):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, a.shape[1] - 1 - j] = a[i, 2] + 1.0
"""


@functools.cache
def split() -> tuple[Case, ...]:
    return (
        case(CLEARED, a=MATRIX.copy()),
        case(FROM_ROW, a=MATRIX.copy(), b=MATRIX.T.copy()),
        case(FROM_ROW, a=MATRIX[:, :4].copy(), b=MATRIX[:, :4].T.copy()),
    )


@functools.cache
def left() -> tuple[Case, ...]:
    places = np.array([3, *range(10)])
    plain = [case(each, a=MATRIX.copy()) for each in (TWO, NEIGHBOURS, CHAIN, HANDED, MIRRORED)]
    return (*plain, case(SEEN, a=MATRIX.copy(), out=VECTOR.copy()), case(ALONG, a=MATRIX.copy(), at=places))


def test_loops_are_split() -> None:
    for each in split():
        assert validate(index_set_splitting, [each]) == 1
        made = [n for n in statements_in(index_set_splitting(each.program).body) if isinstance(n, Loop)]
        assert [node.order for node in made].count("free") >= 2


@pytest.mark.parametrize("each", range(len(left())))
def test_others_are_left(each: int) -> None:
    assert index_set_splitting(left()[each].program) is left()[each].program


BUGS = [
    Bug("what moves counts as what stays", module, "is_steady", lambda node, changed: True),
    Bug("scalars that are handed on do not count", module, "exposed_in", lambda body: set()),
    Bug("what is read behind does not count", module, "read_beside", lambda body, node: set()),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, index_set_splitting, lambda: (*split(), *left()))


@somd.somd
def shortest(path: dist[np.ndarray]) -> None:
    for k in range(path.shape[0]):
        for i in range(path.shape[0]):
            for j in range(path.shape[0]):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])


def device() -> Device:
    try:
        return select("intel")
    except NoDevice as error:
        pytest.skip(str(error).splitlines()[0])


@somd.somd
def eliminated(a: dist[np.ndarray]) -> None:
    for k in range(a.shape[0]):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] = 0.75 * a[i, j] - 0.01 * a[i, k] * a[k, j]


@pytest.mark.parametrize("method", [shortest, eliminated], ids=["eight turns in two launches", "in pieces, by groups"])
def test_launches(method: Any) -> None:
    """Numbers below zero, so that the trip between the pieces changes what the others read."""
    found = device()
    path = np.random.default_rng(0).normal(size=(70, 70))
    path[3, 4] = np.nan
    with somd.use(device=f"{found.info.platform}:{found.index}"):
        harness.check(method, (path,), "opencl", workers=(1,))
    text = method.source("opencl")
    assert ("eliminated_1_wide" in text) == (method is eliminated)
    assert text.count("run.launch(") == (2 if method is shortest else 5)


def test_ranks_share_out_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = pipeline.compile_for(shortest.__wrapped__, {"path": ArrayType("float64", 2)}, {})
    monkeypatch.setattr(launched, "several_ranks", lambda: True)
    assert pipeline.module_text(compiled, "opencl").count("run.launch(") == 5
