"""Loops that become several ones: which do, that what depends on what stays in order, and bugs in the search for parts.

Random loops and their distributed forms are run as plain Python, which is both the oracle and what the form means.
"""

from __future__ import annotations

import linecache
import os
import random
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import libcst as cst
import numpy as np
import pytest

from somd import dist, somd
from somd.sources.expected import expected_of
from somd.sources.verifying import NOT_RUN, verify
from somd.transforms import pipeline
from somd.transforms.access import Affine
from somd.transforms.frontend.distribution import with_distributed_loops
from somd.transforms.plan import distribution
from somd.transforms.plan.method_to_plan import method_to_plan
from somd.transforms.tree.loops import statements_of
from tests.differential import harness
from tests.usual import ALL

A = dist[np.ndarray]
NAMES = {"A": A, "np": np, "dist": dist}


def function_of(text: str, name: str) -> Any:
    """The function that a text defines."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    defined: dict[str, Any] = dict(NAMES)
    exec(compile(text, file, "exec", dont_inherit=True), defined)
    return defined["f"]


def distributed_text(function: Any) -> str | None:
    """The text of a function with all the loops that the planner finds parts of in parts; None where it finds none."""
    method = pipeline.front(function)
    parts = method_to_plan(method).anew.parts
    if not parts:
        return None
    made = with_distributed_loops(method, parts).function
    return cst.Module([made.with_changes(decorators=())]).code


def planned(function: Any) -> str:
    """The body of the method that is planned in the end."""
    method = pipeline.check(function).method
    return "".join(cst.Module([]).code_for_node(s) for s in statements_of(method.function.body))


# --- which loops ---------------------------------------------------------------------------------------------------


def test_products_with_a_matrix_and_its_transpose() -> None:
    def f(a: A, x: A, y: A, t: A) -> None:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                t[i] += a[i, j] * x[j]
            for j in range(a.shape[1]):
                y[j] += a[i, j] * t[i]

    text = planned(f)
    assert text.count("for i in range(a.shape[0])") == 2 and "__held" not in text
    assert str(somd(f).explain()).count("fence") == 2


def test_a_loop_inside_is_taken_apart_too_and_what_sets_an_element_stays_with_its_sum() -> None:
    def f(a: A, p: A, r: A, q: A, s: A) -> None:
        for i in range(a.shape[0]):
            q[i] = 0.0
            for j in range(a.shape[1]):
                s[j] += r[i] * a[i, j]
                q[i] += a[i, j] * p[j]

    lines = [line.strip() for line in planned(f).splitlines()]
    assert lines == [
        "for i in range(a.shape[0]):",
        "q[i] = 0.0",
        "for j in range(a.shape[1]):",
        "q[i] += a[i, j] * p[j]",
        "for j in range(a.shape[1]):",
        "for i in range(a.shape[0]):",
        "s[j] += r[i] * a[i, j]",
    ]


def test_a_loop_whose_turns_wait_goes_inside_where_others_do_not() -> None:
    def f(a: A, s: A) -> None:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                s[j] = s[j] * 0.5 + a[i, j]

    def g(a: A, s: A) -> None:
        for i in range(a.shape[0]):
            for j in range(1, a.shape[1]):
                s[j] = s[j - 1] * 0.5 + a[i, j]

    lines = [line.strip() for line in planned(f).splitlines()]
    assert lines[:2] == ["for j in range(a.shape[1]):", "for i in range(a.shape[0]):"]

    def rows(a: A, b: A) -> None:
        for i in range(1, a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] += a[i - 1, j] * b[i, j]

    def two(a: A, r: A, s: A) -> None:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                s[0, j] += a[i, j]
                s[1, j] += r[i] * s[0, j]

    assert distributed_text(g) is None and distributed_text(rows) is None
    assert planned(two).strip().startswith("for j in range(a.shape[1]):")


def symmetric(alpha: float, c: A, a: A, b: A) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = 0.0
            for k in range(i):
                c[k, j] += alpha * b[i, j] * a[i, k]
                total += b[k, j] * a[i, k]
            c[i, j] = 0.5 * c[i, j] + alpha * total


def test_loops_of_a_triangle_change_places() -> None:
    text = planned(symmetric)
    [first, last] = text.split("for k in range(0, (c.shape[0]) - 1):")
    assert "c[k, j]" not in first and "c[i, j] = 0.5" in first
    assert last.split("\n")[1].strip() == "for j in range(c.shape[1]):"
    assert "for i in range(k + 1, c.shape[0]):" in last
    method, numbers = somd(symmetric), np.random.default_rng(5)
    for rows, columns in ((1, 3), (13, 37)):
        given = (1.5, numbers.random((rows, columns)), numbers.random((rows, rows)), numbers.random((rows, columns)))
        agrees(method, given, (1, 2, 3))


def agrees(method: Any, given: tuple[Any, ...], workers: tuple[int, ...]) -> None:
    """That plain Python agrees: with the plan, which is quick to make; with all cases with what multicore compiles."""
    if ALL:
        harness.check(method, given, "multicore", workers=workers)
        return
    for found in verify(method, [expected_of(method, given)], ["plan"], workers, len(workers)):
        assert found.doubtful or (found.agrees and not found.agrees.startswith(NOT_RUN)), found


def test_what_waits_for_each_other_stays() -> None:
    def cycle(a: A, y: A, t: A) -> None:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                t[i] += a[i, j] * y[j]
            for j in range(a.shape[1]):
                y[j] += a[i, j] * t[i]

    def scalar(a: A, y: A, t: A) -> None:
        for i in range(a.shape[0]):
            s = 0.0
            for j in range(a.shape[1]):
                s += a[i, j]
            for j in range(a.shape[1]):
                y[j] += a[i, j] * s

    def read_behind(a: A, x: A, y: A, t: A) -> int:
        j = -1
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                t[i] += a[i, j] * x[j]
            for j in range(a.shape[1]):
                y[j] += a[i, j] * t[i]
        return j

    def raises(a: A, x: A, y: A, t: A) -> None:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                t[i] += a[i, j] * x[j]
            if t[i] < 0.0:
                raise ValueError("negative")
            for j in range(a.shape[1]):
                y[j] += a[i, j] * t[i]

    for function in (cycle, scalar, read_behind, raises):
        assert not method_to_plan(pipeline.front(function)).anew.parts, function.__name__


# --- random loops --------------------------------------------------------------------------------------------------

MOST, SIZE = 30, 9
ARRAYS = "abcd"
INNER = (
    "for j in range(4):",
    "",
    "for j in range(4):",
    "for j in range(i, 6):",
    "for j in range(5, 0, -1):",
    "for j in range(i):",
)


def a_loop(choose: random.Random) -> str:
    """A loop over i with some statements, most of them in loops of their own, that reach elements nearby."""

    def element(array: str, names: str) -> str:
        return f"{array}[{choose.choice(names)} + {choose.choice((0, 0, 0, 1, 2))}]"

    body = []
    rows = choose.randrange(2)
    for k in range(choose.randint(2, 3)):
        header = choose.choice(INNER[: 1 if k == rows else None])
        pad = "            " if header else "        "
        body += [f"        {header}"] if header else []
        for _ in range(choose.randint(1, 2) if header else 1):
            names = "ij" if header else "i"
            target = f"{ARRAYS[k]}[i]" if k == rows else element(choose.choice(ARRAYS[k : k + 2]), names)
            value = element(choose.choice(ARRAYS), names)
            body.append(f"{pad}{target} {choose.choice(('=', '+=', '-='))} 0.5 * {value} + 0.25")
    return "\n".join(("def f(a: A, b: A, c: A, d: A) -> None:", "    for i in range(4):", *body, ""))


def keeps_its_meaning(text: str, name: str) -> bool | None:
    """Whether a loop and its distributed form give the same; None where it has none."""
    function = function_of(text, name)
    made = distributed_text(function)
    if made is None:
        return None
    arrays = [np.random.default_rng(k).random(SIZE) for k in range(len(ARRAYS))]
    found = []
    for each in (function, function_of(made, f"{name} distributed")):
        mine = [array.copy() for array in arrays]
        each(*mine)
        found.append(mine)
    return all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


def outcomes(count: int) -> Iterator[bool | None]:
    choose = random.Random(86)
    return (keeps_its_meaning(a_loop(choose), f"random loop {k}") for k in range(count))


def test_random_loops_keep_their_meaning() -> None:
    found = list(outcomes(1500 if os.environ.get("SOMD_ALL_CASES") else MOST))
    assert False not in found and found.count(True) > len(found) // 8


def nothing(*_: Any) -> bool:
    return False


def backwards(groups: Any, edges: Any, kind: Any) -> Any:
    return list(reversed(groups))


def in_one_iteration(*_: Any) -> Affine:
    return Affine("v_i = v_i__2", frozenset({"v_i", "v_i__2"}))


@pytest.mark.parametrize(
    ("owner", "attribute", "bug"),
    [
        (distribution._Distribution, "comes_first", nothing),
        (distribution, "_ordered", backwards),
        (distribution._Distribution, "earlier", in_one_iteration),
    ],
)
def test_a_bug_in_the_search_for_parts_is_caught(owner: Any, attribute: str, bug: Callable[..., Any]) -> None:
    with patch.object(owner, attribute, bug):
        assert False in outcomes(MOST)


RECURRENCE = """
def f(a: A, b: A, c: A, d: A) -> None:
    for i in range(6):
        for j in range(4):
            a[i] += d[j]
        for j in range(i):
            b[i + 1] += 0.5 * b[j + 3]
"""


ALONG = """
def f(a: A, b: A, c: A, d: A) -> None:
    for i in range(5):
        for j in range(4):
            b[j + 1] += 0.5 * b[j] + a[i]
"""


@pytest.mark.parametrize("text", [RECURRENCE, ALONG])
def test_loops_whose_iterations_wait_are_not_turned(text: str) -> None:
    assert keeps_its_meaning(text, "a recurrence") is not False
    ask = distribution._Distribution.order

    def unasked(self: Any, group: frozenset[int]) -> tuple[cst.For, ...]:
        with patch.object(distribution._Distribution, "meet", nothing):
            return ask(self, group)

    with patch.object(distribution._Distribution, "order", unasked):
        assert keeps_its_meaning(text, "a recurrence") is False
