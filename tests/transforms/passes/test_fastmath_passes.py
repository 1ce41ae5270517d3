"""Contraction and reassociation: near the program before, and what a bug in them would do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from somd.runtime.multicore import fma
from somd.transforms.loops import making
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.loops.operators import OPERATORS, Operator, fused
from somd.transforms.loops.printer import program_text
from somd.transforms.loops.verify import verify
from somd.transforms.passes import contraction as contracting
from somd.transforms.passes import reassociation as reassociating
from somd.transforms.passes.contraction import contraction
from somd.transforms.passes.reassociation import reassociation
from tests.transforms.passes.mutation import Bug, Case, case

SIDE_BY_SIDE = partial(reassociation, lanes=8, chains=4)

PRODUCTS = """
    def f(a: A, x: np.ndarray, y: A):
        for i in range(len(y)):
            s, t = 0.0, 1.0
            for k in range(len(x)):
                s += a[i, k] * x[k]
                t -= a[i, k]
            y[i] = x[0] * s - t * y[i]
"""
SPARSE = """
    def f(d: np.ndarray, at: np.ndarray, start: np.ndarray, x: np.ndarray, y: A):
        for i in range(len(y)):
            for k in range(start[i], start[i + 1]):
                y[i] += d[k] * x[at[k]]
"""
TESTED = """
    def f(d: np.ndarray, at: np.ndarray, x: np.ndarray, y: A):
        for i in range(len(y)):
            s, t = 0.0, 0.0
            for k in range(len(at)):
                s += x[at[k]]
                t += d[k]
            y[i] = s + t
"""
COLUMNS = """
    def f(a: A, b: np.ndarray, y: A):
        for i in range(len(y)):
            for j in range(b.shape[1]):
                for k in range(b.shape[0]):
                    y[i, j] += a[i, k] * b[k, j]
"""


def programs() -> list[Case]:
    r = np.random.default_rng(0)
    start = np.concatenate(([0], r.integers(0, 30, 6).cumsum()))
    return [
        case(PRODUCTS, a=r.random((3, 29)), x=r.random(29), y=r.random(3)),
        case(PRODUCTS, a=r.random((3, 3)), x=r.random(3), y=r.random(3)),
        case(PRODUCTS, a=r.random((2, 16)), x=r.random(16), y=r.random(2)),
        case(SPARSE, d=r.random(start[-1]), at=r.integers(0, 9, start[-1]), start=start, x=r.random(9), y=np.zeros(6)),
    ]


def is_near(step: Callable[[Any], Any], each: Case) -> bool:
    """Whether a program does nearly the same behind a pass, which changes it."""
    made = step(each.program)
    assert made is not each.program
    verify(made)
    found = []
    for program in (each.program, made):
        values = {name: value.copy() for name, value in each.given.items()}
        Interpreter(program).run(values, "forwards", {}, 3)
        found.append(values["y"])
    return bool(np.allclose(*found, rtol=1e-13))


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("step", [contraction, SIDE_BY_SIDE, lambda each: SIDE_BY_SIDE(contraction(each))])
def test_near_the_program_before(step: Callable[[Any], Any], number: int) -> None:
    if step is not SIDE_BY_SIDE or number < 3:  # a sum in an element is none in a variable
        assert is_near(step, programs()[number])


def test_what_has_better_forms_stays_in_order() -> None:
    program = case(COLUMNS, a=np.ones((2, 3)), b=np.ones((3, 2)), y=np.zeros((2, 2))).program
    assert SIDE_BY_SIDE(program) is program
    assert "fma(a[i, k], b[k, j], y[i, j])" in program_text(contraction(program))
    # of two that may fail, the first trip's does
    program = case(TESTED, d=np.ones(3), at=np.zeros(3, np.int64), x=np.ones(2), y=np.zeros(3)).program
    assert SIDE_BY_SIDE(program) is program
    alone = case(TESTED.replace("t += d[k]", ""), d=np.ones(3), at=np.zeros(3, np.int64), x=np.ones(2), y=np.zeros(3))
    assert is_near(SIDE_BY_SIDE, alone)


BUGS = [
    (contraction, Bug("a sign is lost", making, "negated", lambda node: node)),
    (contraction, Bug("what is subtracted is added", making, "fused", None)),
    (contraction, Bug("the product alone", OPERATORS, "fma", Operator(lambda a, b, c: a * b))),
    (SIDE_BY_SIDE, Bug("the first lane alone", reassociating, "_pairwise", lambda values: values[0])),
    (SIDE_BY_SIDE, Bug("no lanes are the same", reassociating, "cut", lambda loop, n: (loop.stop, loop.stop))),
    (SIDE_BY_SIDE, Bug("the rest is all of it", reassociating, "cut", lambda loop, n: (_cut(loop, n)[0], loop.start))),
]
_cut, _fused = reassociating.cut, making.fused


def _added(node: Any) -> Any:
    made = _fused(node)
    return _fused(making.operation("+", *node.operands)) if node.operator == "-" else made


@pytest.mark.parametrize(("step", "bug"), BUGS, ids=lambda each: each.name if isinstance(each, Bug) else "")
def test_bugs_are_caught(step: Callable[[Any], Any], bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    if bug.attribute == "fma":
        monkeypatch.setitem(bug.owner, "fma", bug.value)
    elif bug.attribute == "fused":
        monkeypatch.setattr(contracting, "fused", _added)
    else:
        monkeypatch.setattr(bug.owner, bug.attribute, bug.value)
    try:
        assert not is_near(step, programs()[0])
    except (AssertionError, IndexError) as caught:
        assert "is_near" not in str(caught)


@njit
def compiled(a: Any, b: Any, c: Any) -> Any:
    return fma(a, b, c)


def floats(kind: type, width: int) -> st.SearchStrategy[Any]:
    near = st.floats(0.5, 2.0, width=width) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-30, 1e30])
    return (st.floats(width=width) | near).map(kind)  # type: ignore[arg-type]


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from([(np.float32, 32), (np.float64, 64)]))
def test_rounded_once(data: st.DataObject, kind: tuple[type, int]) -> None:
    """The interpreter's is the processor's."""
    a, b, c = (data.draw(floats(*kind)) for _ in range(3))
    with np.errstate(all="ignore"):
        if data.draw(st.booleans()):
            c = -(a * b)
        mine, wanted = fused(a, b, c), kind[0](compiled(a, b, c))
    assert mine.tobytes() == wanted.tobytes() or (np.isnan(mine) and np.isnan(wanted))
