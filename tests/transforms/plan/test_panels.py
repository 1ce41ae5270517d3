"""Loops that update all behind them, or sum over all before: which go in panels, that they mean the same, and bugs.

Random loops and their forms in panels of three iterations are run as plain Python, which is both the oracle and what
the form means.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from unittest.mock import patch

import libcst as cst
import numpy as np
import pytest

from somd import dist, somd
from somd.transforms import pipeline
from somd.transforms.frontend import panels as front
from somd.transforms.frontend import row_panels as by_rows
from somd.transforms.frontend.panels import with_panels
from somd.transforms.frontend.row_panels import with_row_panels
from somd.transforms.frontend.sums_in_place import with_sums_in_place
from somd.transforms.plan import panels, row_panels, sums_in_place
from somd.transforms.plan.explain import explain
from somd.transforms.plan.method_to_plan import method_to_plan
from somd.transforms.stages import Method
from tests.differential import harness
from tests.transforms.loops.building import compiled
from tests.transforms.plan.test_distribution import agrees, function_of
from tests.usual import ALL

A = dist[np.ndarray]


def cholesky(a: A) -> None:
    n = a.shape[0]
    for k in range(n):
        a[k, k] = np.sqrt(a[k, k])
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                a[i, j] -= a[i, k] * a[j, k]


def factors(a: A, b: np.ndarray) -> None:
    # eliminate
    for k in range(a.shape[0] - 1):
        for i in range(k + 1, a.shape[0]):
            a[i, k] /= a[k, k] + b[0, 0]
        # and update
        for i in range(k + 1, a.shape[0]):
            for j in range(k + 1, a.shape[1]):
                a[i, j] -= a[i, k] * a[k, j]


def cholesky_by_rows(a: A) -> None:
    for i in range(a.shape[0]):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        s = a[i, i]
        for k in range(i):
            s = s - a[i, k] * a[i, k]
        a[i, i] = np.sqrt(s)


def factors_by_rows(a: A) -> None:
    for i in range(a.shape[0]):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        # what is above the diagonal
        for j in range(i, a.shape[0]):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]


def test_factors_of_matrices() -> None:
    numbers = np.random.default_rng(7)
    methods = one, by_rows, other, others_rows = (*map(somd, (cholesky, cholesky_by_rows, factors, factors_by_rows)),)
    for n in (0, 1, 33, 71):
        square = numbers.random((n, n)) + n * np.eye(n)
        harness.check(one, (square @ square.T,), "multicore", workers=(1, 2, 3, 7))
        harness.check(by_rows, (square @ square.T,), "multicore", workers=(1, 3))
        if ALL:
            agrees(other, (numbers.random((n, n + 7)) + 9.0, np.full((1, 1), 3.0)), (1, 3))
            harness.check(others_rows, (square,), "multicore", workers=(1, 3))
    assert all("sum_in_registers" in each.source("multicore") for each in methods)
    text = other.source("multicore")
    assert text.count("# eliminate\n") == 1 and text.count("# and update\n") >= 1
    if ALL:
        square = numbers.random((40, 40)) + 40 * np.eye(40)
        agrees(other, (square, square), (1, 3))  # `b[0, 0]` is what the loop changes


def test_columns_that_are_missing() -> None:
    """The exception is plain Python's, whatever has been stored before."""
    with pytest.raises(IndexError):
        somd(cholesky)(np.ones((50, 40)))


def weighted(a: A, b: A) -> None:
    for i in range(a.shape[0]):
        for j in range(i):
            w = a[i, j]
            for k in range(j):
                w -= a[i, k] * a[j, k] * b[k, k]
            a[i, j] = w * b[j, j]


@pytest.mark.parametrize(("dtype", "panels"), [("float32", True), ("int64", False)])
def test_sums_of_floats_in_scalars(dtype: str, panels: bool) -> None:
    plan = compiled(weighted, *(np.ones((2, 2), dtype) for _ in range(2))).plan
    assert ("__panel" in explain(plan)) is panels


def test_an_element_that_is_read_meanwhile() -> None:
    def mine(a: A) -> None:
        for i in range(a.shape[0]):
            for j in range(i):
                w = a[i, j]
                for k in range(j):
                    w -= a[i, j] * a[j, k]
                a[i, j] = w

    method = pipeline.front(mine)
    assert in_panels(method) is None
    with patch.object(sums_in_place._Meanwhile, "is_read", never):
        assert in_panels(method) is not None


# --- random loops --------------------------------------------------------------------------------------------------

MOST, SIZE = 8, 11
FIRST = (
    "a[k, k] = a[k, k] * 0.5",
    "for i in range(k + 1, n):\n            a[i, k] *= 0.5",
    "for i in range(k, n):\n            b[i, k] = a[i, k] + a[k, k]",
    "for j in range(k + 1, n):\n            a[k, j] *= 0.5",
    "a[k, k] += a[k + 1, k]",
    "b[k, 0] = a[k + 1, k + 1]",
    "b[k, k] = a[k, n]",
    "a[n, n] += a[k, k]",
)
FACTORS = ("a[i, k]", "a[k, j]", "a[j, k]", "a[k, k]", "b[i, k]", "b[k, j]", "a[i, k + 1]", "a[i - 1, k]", "a[n, n]")


def a_loop(choose: random.Random) -> str:
    first = [
        f"        {choose.choice(FIRST[:3] if choose.random() < 0.6 else FIRST)}" for _ in range(choose.randint(1, 2))
    ]
    factors = FACTORS[:6] if choose.random() < 0.6 else FACTORS
    update = f"a[i, j] {choose.choice('+-')}= {choose.choice(factors)} * {choose.choice(factors)}"
    lines = [
        "def f(a: A, b: A, n: int) -> None:",
        f"    for k in range({choose.choice(('n', 'n - 1', '1, n'))}):",
        *first,
        f"        for i in range(k + 1, {choose.choice(('n', 'n', 'n - 1'))}):",
        f"            for j in range(k + 1, {choose.choice(('n', 'n + 1', 'i + 1', 'i'))}):",
        f"                {update}",
    ]
    return "\n".join((*lines, ""))


TERMS = ("a[j, k]", "a[j, k]", "a[i, k]", "a[i, k]", "a[k, j]", "a[k, k]", "b[i, k]", "a[i, k + 1]", "a[i + 1, k]")
LAST = ("a[{c}, {c}]", "a[{c}, {c}]", "a[i, {c}]", "b[i, {c}]", "a[{c} - 1, {c}]", "a[i, n]", "a[{c}, i]")


def a_loop_over_rows(choose: random.Random) -> str:
    terms = choose.choice((TERMS[:4], TERMS[3:5], TERMS))
    start, term = choose.choice(("0", "0", "0", "1")), f"{choose.choice(terms)} * {choose.choice(terms)}"
    in_scalar = choose.random() < 0.5

    def sum_for(column: str, stop: str, depth: int) -> list[str]:
        """A sum, in the element or in a scalar, and perhaps what is done to it."""
        used = term if choose.random() < 0.8 else f"{choose.choice((*terms, 'a[i, j]'))} * 0.5"
        element = f"a[i, {column}]"
        kept = "w" if in_scalar else element
        added = choose.choice((f"{kept} -= {{}}", f"{kept} -= {{}}", f"{kept} = {kept} - {{}}"))
        lines = [f"for k in range({start}, {stop}):", f"    {added.format(used.replace('j', column))}"]
        factor = choose.choice(LAST).format(c=column)
        if in_scalar:
            lines = [f"w = {element}", *lines, f"{element} = {choose.choice((kept, f'{kept} * {factor}'))}"]
        elif choose.random() < 0.6:
            lines += [f"{element} {choose.choice(('*=', '+=', '='))} {factor}"]
        return [4 * depth * " " + line for line in lines]

    lines = [
        "def f(a: A, b: A, n: int) -> None:",
        f"    for i in range({start}, {choose.choice(('n', 'n', 'n - 1'))}):",
        f"        for j in range({start}, {choose.choice(('i', 'i', 'i + 1'))}):",
        *sum_for("j", "j", 3),
    ]
    if choose.random() < 0.6:
        lines += sum_for("i", "i", 2)
    if choose.random() < 0.4:
        first, stop = choose.choice(("i", "i", "i + 1")), choose.choice(("n", "n", "n", "n - 2", "n // 2"))
        lines += [f"        for j in range({first}, {stop}):", *sum_for("j", "i", 3)]
    return "\n".join((*lines, ""))


def in_panels(method: Method) -> Method | None:
    with patch.object(sums_in_place, "_has_type_of_elements", lambda *_: True):
        anew = method_to_plan(method).anew
    if anew.sums:
        return in_panels(with_sums_in_place(method, anew.sums))
    if anew.rows:
        return with_row_panels(method, anew.rows)
    return with_panels(method, anew.updates) if anew.updates else None


def keeps_its_meaning(text: str, name: str) -> bool | None:
    """Whether a loop and its form in panels give the same; None where it has none."""
    function = function_of(text, name)
    method = pipeline.front(function)
    with patch.object(front, "DEPTH", 3), patch.object(by_rows, "DEPTH", 3):
        made = in_panels(method)
    if made is None:
        return None
    text = cst.Module([made.function.with_changes(decorators=())]).code
    arrays = [np.random.default_rng(k).random((SIZE, SIZE)) for k in range(2)]
    found = []
    for each in (function, function_of(text, f"{name} in panels")):
        mine = [array.copy() for array in arrays]
        with np.errstate(all="ignore"):
            each(*mine, SIZE - 2)
        found.append(mine)
    return all(np.array_equal(one, other, equal_nan=True) for one, other in zip(*found, strict=True))


def outcomes(made: Callable[[random.Random], str], most: int = MOST) -> Iterator[bool | None]:
    choose = random.Random(96)
    count = 1500 if os.environ.get("SOMD_ALL_CASES") else most
    return (keeps_its_meaning(made(choose), f"{made.__name__} {k} in panels") for k in range(count))


@pytest.mark.parametrize("made", [a_loop, a_loop_over_rows])
def test_random_loops_keep_their_meaning(made: Callable[[random.Random], str]) -> None:
    found = list(outcomes(made))
    assert False not in found and found.count(True) > len(found) // 10


def never(self: object, *given: object) -> bool:
    return False


def test_a_bug_in_the_question_is_caught() -> None:
    with patch.object(panels._Question, "meet", never):
        assert False in outcomes(a_loop, 100)
    with patch.object(row_panels._Order, "meet", never):
        assert False in outcomes(a_loop_over_rows, 100)
