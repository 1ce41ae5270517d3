"""Which loops run in order beside distributed ones, and which of them are reductions into an element."""

from __future__ import annotations

import inspect

import libcst as cst
import numpy as np
import pytest

from somd import SomdCompileError, dist, somd, sync
from somd.transforms import pipeline
from somd.transforms.tree.loops import statements_of

A = dist[np.ndarray]


def in_order(function) -> list[str]:
    """What `explain` says of loops that run in order."""
    lines = somd(function).explain().splitlines()
    first = inspect.getsourcelines(function)[1]
    found = []
    for k, line in enumerate(lines):
        if "in order, line" in line:
            number = int(line.split("line ")[1].split(":")[0]) - first
            found.append(f"{number}: {line.split(': ', 1)[1]}: {lines[k + 1].strip()}")
    return found


def planned(function) -> str:
    """The body of the method that is planned in the end."""
    method = pipeline.check(function).method
    return "".join(cst.Module([]).code_for_node(s) for s in statements_of(method.function.body))


def test_a_carried_loop_beside_a_distributed_one() -> None:
    def f(a: A, b: A) -> None:
        for i in range(1, len(a)):
            a[i] += 0.5 * a[i - 1]
        for i in range(len(b)):
            b[i] = 2.0 * a[i]

    assert in_order(f) == ["1: for i in range(1, len(a)): iteration i reads what iteration i-1 writes (SOMD301)"]


def test_inside_a_uniform_loop_the_rest_is_distributed() -> None:
    def f(a: A, y: A, t: A) -> None:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                t[i] += a[i, j] * y[j]
            for j in range(a.shape[1]):
                y[j] += a[i, j] * t[i]

    reason = "an iteration of `j` reads what another writes (SOMD301)"
    assert in_order(f) == [f"2: for j in range(a.shape[1]): {reason}"]
    assert "__held" not in planned(f)


def test_a_loop_of_which_nothing_is_distributed_is_serial_code() -> None:
    def f(a: A, b: A) -> None:
        for i in range(1, a.shape[0]):
            for j in range(1, a.shape[1]):
                a[i, j] = a[i - 1, j] + 0.5 * a[i, j - 1]
        for i in range(len(b)):
            b[i] = 0.0

    text = somd(f).explain()
    assert "taken by all parts together" not in text
    assert "in order, line" in text


def test_without_anything_distributed_the_reasons_are_errors() -> None:
    def f(a: A, b: A) -> None:
        for i in range(1, len(a)):
            a[i] += 0.5 * a[i - 1]
        last = 0.0
        for i in range(len(b)):
            last = 0.5 * last + b[i]
            b[i] = last

    with pytest.raises(SomdCompileError) as caught:
        somd(f)
    assert [d.code for d in caught.value.diagnostics] == ["SOMD301", "SOMD304"]


def test_a_fence_asks_for_something_distributed() -> None:
    def f(a: A, b: A) -> None:
        with sync:
            for i in range(1, len(a)):
                a[i] += 0.5 * a[i - 1]
        for i in range(len(b)):
            b[i] = 0.0

    with pytest.raises(SomdCompileError, match="SOMD301"):
        somd(f)


def test_an_element_is_held_while_a_loop_runs() -> None:
    def f(low: A, x: A) -> None:
        for i in range(len(x)):
            for j in range(i):
                x[i] -= low[i, j] * x[j]
            x[i] /= low[i, i]

    assert "if (0) < (i):\n" in planned(f)
    assert "x__held -= low[i, j] * x[j]\n" in planned(f)
    assert "x[i] = x__held\n" in planned(f)


def test_where_the_element_may_not_be_reached_its_index_is_asked() -> None:
    def f(a: A, b: A, at: int) -> None:
        for i in range(len(b)):
            if b[i] > 0:
                a[at] += b[i]

    assert "if (0) < (len(b)) and -a.shape[0] <= (at) and (at) < a.shape[0]:\n" in planned(f)
    assert "else:\n" in planned(f)


def test_an_element_that_other_accesses_reach_is_not_held() -> None:
    def read(a: A) -> None:
        for i in range(len(a)):
            a[0] += a[i]

    def written(a: A, b: A, at: int, other: int) -> None:
        for i in range(len(b)):
            a[at] += b[i]
            a[other] -= b[i]

    def two_operators(a: A, b: A) -> None:
        for i in range(len(b)):
            a[0] += b[i]
            a[0] *= 0.5

    for function in (read, written, two_operators):
        with pytest.raises(SomdCompileError, match="SOMD301"):
            somd(function)


def test_two_names_of_one_array_are_one_element() -> None:
    @somd
    def f(a: A, b: A) -> None:
        for i in range(len(b)):
            a[3] += b[i]

    f(np.ones(5), np.ones(5))
    same = np.ones(5)
    with pytest.raises(SomdCompileError, match="SOMD301"):
        f(same, same)


def test_an_element_that_rounds_at_every_turn_is_not_held() -> None:
    @somd
    def f(a: A, b: A) -> None:
        for i in range(len(b)):
            a[0] += b[i]

    f(np.ones(5, np.float32), np.ones(5, np.float32))
    with pytest.raises(SomdCompileError, match="SOMD301"):
        f(np.ones(5, np.float32), np.ones(5))
