"""Divisions under conditions in loops: what they give, and which of them are calls."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba.core import compiler, ir

from somd import dist, somd, use
from somd.runtime.multicore.compilation import slave
from somd.runtime.multicore.numba_internals.quotients import Quotients


def numbers_of_calls(function: Callable[..., Any]) -> int:
    """How many divisions of a function become calls."""
    state = compiler.StateDict()
    state.func_ir = compiler.run_frontend(function)
    Quotients().run_pass(state)
    found = [statement for block in state.func_ir.blocks.values() for statement in block.find_insts(ir.Assign)]
    return sum(isinstance(each.value, ir.Global) and each.value.name in ("quotient", "remainder") for each in found)


def in_each_trip(a: Any, n: int, m: int) -> None:
    for i in range(n):
        for k in range(3):
            a[k] = i % m


def under_a_condition(a: Any, n: int, m: int) -> None:
    for i in range(n):
        if a[i] > 0:
            a[i] = i // m


def behind_continue(a: Any, n: int, m: int) -> None:
    for i in range(n):
        if a[i] > 0:
            continue
        a[i] = i % m


def loop_under_a_condition(a: Any, n: int, m: int) -> None:
    for i in range(n):
        if a[i] > 0:
            for k in range(3):
                a[k] = i % m


def second_operand(a: Any, n: int, m: int) -> None:
    for i in range(n):
        a[i] = a[i] > 0 and i % m == 1


def by_constants(a: Any, n: int, m: int) -> None:
    for i in range(n):
        if a[i] > 0:
            a[i] = i % 2 + i // 4


def without_a_loop(i: int, m: int) -> int:
    return i % m


def in_place(a: Any, n: int, m: int) -> None:
    for i in range(n):
        if a[i] > 0:
            n //= m


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (in_each_trip, 0),
        (under_a_condition, 1),
        (behind_continue, 1),
        (loop_under_a_condition, 1),
        (second_operand, 1),
        (by_constants, 0),
        (without_a_loop, 1),
        (in_place, 1),
    ],
)
def test_divisions_that_do_not_happen_in_each_trip_are_calls(function: Callable[..., Any], count: int) -> None:
    assert numbers_of_calls(function) == count


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.uint64, np.float64, np.bool_])
@pytest.mark.parametrize("divide", [operator.floordiv, operator.mod])
def test_quotients_are_numbas(kind: Any, divide: Callable[[Any, Any], Any]) -> None:
    if divide is operator.mod:

        @slave
        def part(left, right, out):
            for i in range(len(left)):
                if right[i] != 0:
                    out[i] = left[i] % right[i]

    else:

        @slave
        def part(left, right, out):
            for i in range(len(left)):
                if right[i] != 0:
                    out[i] = left[i] // right[i]

    signed = np.issubdtype(kind, np.signedinteger) or kind is np.float64
    ends = (-100, -7, -1, 0, 1, 2, 7) if signed else (0, 1, 2, 3, 7, 100)
    left, right = (np.array(each).astype(kind) for each in zip(*itertools.product(ends, ends), strict=True))
    used = right != 0
    out = np.zeros(len(left), divide(left[used], right[used]).dtype)
    wanted = out.copy()
    wanted[used] = divide(left[used], right[used])
    part(left, right, out)
    assert out.tobytes() == wanted.tobytes()


def test_what_a_condition_keeps_apart_is_not_divided() -> None:
    """LLVM moves a call whose operands do not change in front of the loop, past the test of the divisor."""

    @somd
    def moved(a: dist[np.ndarray], turns: int, k: int):
        for _ in range(turns):
            step = k % len(a) if len(a) > 0 else 0
            for i in range(len(a)):
                a[i] += step

    for length in (3, 0):
        values = np.ones(length)
        with use(target="multicore", workers=1):
            moved(values, 2, 7)
        assert (values == 3).all()
