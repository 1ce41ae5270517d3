"""Loops that read elements before they change them: which read from copies, that they mean the same, and bugs.

Random loops and their forms with copies are run as plain Python, which is both the oracle and what the form means.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from unittest.mock import patch

import libcst as cst
import numpy as np

from somd import dist, somd
from somd.transforms import pipeline
from somd.transforms.access import Affine
from somd.transforms.frontend.old_values import with_old_values
from somd.transforms.plan import old_values
from somd.transforms.plan.method_to_plan import method_to_plan
from tests.differential import harness
from tests.transforms.plan.test_distribution import function_of, planned

A = dist[np.ndarray]


def triangle(alpha: float, a: A, b: A) -> None:
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            for k in range(i + 1, a.shape[0]):
                b[i, j] += a[k, i] * b[k, j]
            b[i, j] *= alpha


def test_a_product_with_a_triangle_in_place() -> None:
    text = planned(triangle)
    assert "b__old = b.copy()\nfor i in" in text and "b[i, j] += a[k, i] * b__old[k, j]" in text
    numbers, method = np.random.default_rng(3), somd(triangle)
    for rows, columns in ((1, 2), (13, 37)):
        given = (1.5, numbers.random((rows, rows)), numbers.random((rows, columns)))
        harness.check(method, given, "multicore", workers=(1, 2, 3))
    assert "sum_in_registers" in method.source("multicore")


def test_what_is_read_after_it_is_changed_stays() -> None:
    def solved(a: A, b: A) -> None:
        for i in range(b.shape[0]):
            for j in range(b.shape[1]):
                for k in range(i):
                    b[i, j] -= a[i, k] * b[k, j]

    def both(a: A, b: A) -> None:
        for i in range(b.shape[0]):
            for j in range(b.shape[1]):
                for k in range(b.shape[0]):
                    b[i, j] += a[k, i] * b[k, j]

    def cheap(b: A) -> None:
        for i in range(len(b) - 1):
            b[i] = b[i] + b[i + 1]

    for function in (solved, both, cheap):
        assert not method_to_plan(pipeline.front(function)).anew.old, function.__name__


# --- random loops --------------------------------------------------------------------------------------------------

MOST, SIZE, ARRAYS = 40, 12, "ab"


def a_loop(choose: random.Random) -> str:
    up = choose.random() < 0.7
    body = []
    for _ in range(choose.randint(1, 2)):
        inner = choose.choice(("range(4)", "range(i, 6)", "range(1, 3)", "range(3, 0, -1)"))
        value = f"{choose.choice('aab')}[{choose.choice(('j', 'i + j', 'i'))} + {choose.randint(0, 4)}]"
        body += [f"        for j in {inner}:", f"            a[i + {choose.choice((0, 0, 1))}] += 0.5 * {value}"]
    header = "range(4)" if up else "range(3, -1, -1)"
    return "\n".join(("def f(a: A, b: A) -> None:", f"    for i in {header}:", *body, ""))


def keeps_its_meaning(text: str, name: str) -> bool | None:
    """Whether a loop and its form with copies give the same; None where it has none."""
    function = function_of(text, name)
    method = pipeline.front(function)
    old = method_to_plan(method).anew.old
    if not old:
        return None
    made = cst.Module([with_old_values(method, old).function.with_changes(decorators=())]).code
    arrays = [np.random.default_rng(k).random(SIZE) for k in range(len(ARRAYS))]
    found = []
    for each in (function, function_of(made, f"{name} with copies")):
        mine = [array.copy() for array in arrays]
        each(*mine)
        found.append(mine)
    return all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


def outcomes() -> Iterator[bool | None]:
    choose = random.Random(86)
    count = 1500 if os.environ.get("SOMD_ALL_CASES") else MOST
    return (keeps_its_meaning(a_loop(choose), f"random loop {k} in place") for k in range(count))


def test_random_loops_keep_their_meaning() -> None:
    found = list(outcomes())
    assert False not in found and found.count(True) > len(found) // 10


def test_a_bug_in_the_question_is_caught() -> None:
    def never(text: str, names: frozenset[str] = frozenset()) -> Affine:
        return Affine("1 = 0" if "=" in text and "!" not in text else text, names)

    with patch.object(old_values, "Affine", never):
        assert False in outcomes()
