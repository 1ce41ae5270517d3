"""Loops that update all that is behind them: which go in panels, that they mean the same, and bugs.

Random loops and their forms in panels of three iterations are run as plain Python, which is both the oracle and what
the form means.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from unittest.mock import patch

import libcst as cst
import numpy as np
import pytest

from somd import dist, somd
from somd.transforms import pipeline
from somd.transforms.frontend import panels as front
from somd.transforms.frontend.panels import with_panels
from somd.transforms.plan import panels
from somd.transforms.plan.method_to_plan import method_to_plan
from tests.differential import harness
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


def test_factors_of_matrices() -> None:
    numbers, one, other = np.random.default_rng(7), somd(cholesky), somd(factors)
    for n in (0, 1, 33, 71):
        square = numbers.random((n, n)) + n * np.eye(n)
        harness.check(one, (square @ square.T,), "multicore", workers=(1, 2, 3, 7))
        if n < 40 or ALL:
            agrees(other, (numbers.random((n, n + 7)) + 9.0, np.full((1, 1), 3.0)), (1, 3))
    assert all("sum_in_registers" in each.source("multicore") for each in (one, other))
    text = other.source("multicore")
    assert text.count("# eliminate\n") == 1 and text.count("# and update\n") >= 1
    square = numbers.random((40, 40)) + 40 * np.eye(40)
    agrees(other, (square, square), (1, 3))  # `b[0, 0]` is what the loop changes


def test_columns_that_are_missing() -> None:
    """The exception is plain Python's, whatever has been stored before."""
    with pytest.raises(IndexError):
        somd(cholesky)(np.ones((50, 40)))


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


def keeps_its_meaning(text: str, name: str) -> bool | None:
    """Whether a loop and its form in panels give the same; None where it has none."""
    function = function_of(text, name)
    method = pipeline.front(function)
    updates = method_to_plan(method).anew.updates
    if not updates:
        return None
    with patch.object(front, "DEPTH", 3):
        made = cst.Module([with_panels(method, updates).function.with_changes(decorators=())]).code
    arrays = [np.random.default_rng(k).random((SIZE, SIZE)) for k in range(2)]
    found = []
    for each in (function, function_of(made, f"{name} in panels")):
        mine = [array.copy() for array in arrays]
        each(*mine, SIZE - 2)
        found.append(mine)
    return all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


def outcomes() -> Iterator[bool | None]:
    choose = random.Random(96)
    count = 1500 if os.environ.get("SOMD_ALL_CASES") else MOST
    return (keeps_its_meaning(a_loop(choose), f"random loop {k} in panels") for k in range(count))


def test_random_loops_keep_their_meaning() -> None:
    found = list(outcomes())
    assert False not in found and found.count(True) > len(found) // 10


def never(self: object, *given: object) -> bool:
    return False


def test_a_bug_in_the_question_is_caught() -> None:
    with patch.object(panels._Question, "meet", never):
        assert False in outcomes()
