"""Loops with a version that tests nothing: which have one, that both do and fail the same, and bugs in the pass."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.loops.printer import expression_text
from somd.transforms.loops.program import PROVED, Element, If, Loop, Proved
from somd.transforms.loops.verify import verify
from somd.transforms.loops.walking import expressions_in, statements_in
from somd.transforms.passes import strip_guards
from somd.transforms.passes import versioning as module
from somd.transforms.passes.versioning import _Versions, versioning
from somd.transforms.pipeline import compile_for, loop_program
from somd.transforms.schedules import scheduled
from somd.transforms.signature_text import parse_type
from tests.differential import harness
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate
from tests.transforms.passes.validation import schedules

NUMBERS = np.linspace(-1.0, 2.0, 24)
PLACES = np.array([2, 0, 1, 2])

STRIDED = """
def strided(x: A, y: A, stride: int):
    for j in range(len(y)):
        for k in range(stride):
            y[j] += x[2 * j * stride + k]
"""
DOWN = """
def down(x: A, y: A, n: int, m: int):
    for j in range(len(y)):
        for k in range(n, -1, -2):
            for q in range(1, m):
                y[j] += x[j * m - k + q]
"""
LOOKED_UP = """
def looked_up(x: A, y: A, at: np.ndarray, n: int):
    for j in range(len(y)):
        for k in range(n):
            for q in range(3):
                y[j] += x[at[j] * n + q - k]
"""
HALVES = """
def halves(x: A, y: A, n: int):
    for j in range(len(y)):
        for k in range(n * n):
            if k < n:
                y[j] += x[j * n + k]
"""
BESIDE = """
def beside(x: A, y: A, at: np.ndarray, n: int):
    for j in range(len(y)):
        for k in range(n):
            y[j] += x[at[k]]
            for k in range(2):
                y[j] += x[j * n + k]
"""
FROM_THE_END = """
def from_the_end(x: A, y: A, n: int):
    for j in range(len(y)):
        for k in range(3):
            y[j] += x[2 - k - n] + x[j * n + k]
"""
LAST = """
def last(x: A, y: A, n: int):
    for j in range(len(y)):
        for k in range(n):
            if k > j:
                y[j] += x[-1]
"""
ROWS = """
def rows(x: A, y: A, start: np.ndarray, at: np.ndarray):
    for j in range(len(y)):
        for k in range(start[j], start[j + 1]):
            y[j] += x[k] * x[at[k]]
"""
SCATTERED = """
def scattered(x: A, y: A, start: np.ndarray, at: np.ndarray):
    for j in range(len(y)):
        s = 1.0
        for k in range(start[j + 1], start[j], -2):
            s += x[k + 1 - j] * x[at[at[k]]]
        y[j] = s
"""
MOVED = """
def moved(x: A, y: A, n: int):
    for j in range(len(y)):
        t = j * n
        for k in range(n):
            y[j] += x[t + k]
            t += 1
"""
TWICE = """
def twice(x: A, y: A, n: int):
    for j in range(len(y)):
        for k in range(n):
            y[j] += x[k * n]
"""


@functools.cache
def versions() -> tuple[Case, ...]:
    y = np.ones(4)
    return (
        *(case(STRIDED, x=NUMBERS, y=y.copy(), stride=n) for n in (3, 0, -2, 4, 24)),
        *(case(DOWN, x=NUMBERS, y=y.copy(), n=n, m=m) for n, m in ((4, 3), (1, 6), (-1, 3), (9, 2), (4, -3))),
        *(case(LOOKED_UP, x=NUMBERS, y=y.copy(), at=PLACES, n=n) for n in (5, 0, 9, -3)),
        case(LOOKED_UP, x=NUMBERS, y=y.copy(), at=PLACES[:0].copy(), n=0),
        case(LOOKED_UP, x=NUMBERS, y=y.copy(), at=PLACES[:3].copy(), n=5),
        *(case(FROM_THE_END, x=NUMBERS, y=y.copy(), n=n) for n in (1, 0, 4)),
        *(case(HALVES, x=NUMBERS, y=y.copy(), n=n) for n in (2, 7)),
        *(case(BESIDE, x=NUMBERS, y=y.copy(), at=np.append(PLACES, PLACES), n=n) for n in (5, 9)),
    )


@functools.cache
def in_part() -> tuple[Case, ...]:
    at = np.arange(24) * 7 % 24
    far, below = at.copy(), at.copy()
    far[13], below[3] = 24, -25
    starts = [
        [0, 3, 3, 9, 24],
        [0, 0, 0, 0, 0],
        [0, 5, 2, 20, 25],
        [-3, 0, 2, 4, 8],
        [9, 3, 2, 30, 1],
        [24, 24, 30, 2, 5],
    ]
    starts += [[-(2**63), 2**63 - 1, 0, 4, 4], [2**63 - 1, -(2**63), 4, 9, 12]]
    given = [(start, at) for start in starts] + [(starts[0], far), (starts[0], below), (starts[0], at[:20].copy())]
    return tuple(
        case(text, x=NUMBERS, y=np.ones(4), start=np.array(start), at=places)
        for text in (ROWS, SCATTERED)
        for start, places in given
        if text is ROWS or max(map(abs, start)) < 2**62
    )


@functools.cache
def left() -> tuple[Case, ...]:
    return tuple(case(text, x=NUMBERS, y=np.ones(4), n=4) for text in (MOVED, TWICE, LAST))


def test_loops_have_versions() -> None:
    for each in versions():
        assert validate(versioning, [each]) == 1


def test_what_is_found_in_an_innermost_loop_is_tested_in_both() -> None:
    for each in in_part():
        assert validate(versioning, [each]) == 1
    [choice] = [node for node in statements_in(versioning(in_part()[0].program).body) if isinstance(node, If)]
    kept = [
        [expression_text(each) for each in expressions_in(body) if isinstance(each, Element)]
        for body in (choice.body, choice.orelse)
    ]
    assert [[each for each in texts if "test" in each] for texts in kept] == [
        ["x[test at[k]]"],
        ["x[test k]", "x[test at[test k]]", "at[test k]"],
    ]


def test_loops_between_elements_are_asked_for_few_trips() -> None:
    [choice] = [node for node in statements_in(versioning(in_part()[-1].program).body) if isinstance(node, If)]
    assert "(start[j] >= 0)" in expression_text(choice.test)


@pytest.mark.parametrize("each", range(len(left())))
def test_others_have_none(each: int) -> None:
    assert versioning(left()[each].program) is left()[each].program


def test_the_outermost_loop_is_asked_about() -> None:
    made = versioning(versions()[5].program)
    [choice] = [node for node in statements_in(made.body) if isinstance(node, If)]
    [fast], [slow] = choice.body, choice.orelse
    assert isinstance(fast, Loop) and isinstance(slow, Loop) and fast.variable.name == "k"
    assert all(isinstance(each.access, Proved) for each in expressions_in((fast,)) if isinstance(each, Element))
    assert not all(isinstance(each.access, Proved) for each in expressions_in((slow,)) if isinstance(each, Element))


def strided(x: dist[np.ndarray], y: dist[np.ndarray], stride: int) -> None:
    for j in range(len(y)):
        # each of them
        for k in range(stride):
            y[j] += x[2 * j * stride + k]


@pytest.mark.parametrize("stride", [3, 0, 5, 1 << 61])
def test_on_cores(stride: int) -> None:
    harness.check(somd.somd(strided), (np.resize(NUMBERS, 37), np.ones(6), stride), "multicore", workers=(1, 3))


def first_alone(loop: Loop):  # type: ignore[no-untyped-def]
    return loop.start, loop.start


def any_sign(name: str, *given):  # type: ignore[no-untyped-def]
    return operation("<=", given[1], given[1]) if name == ">=" else operation(name, *given)


BUGS = [
    Bug("only the first trip is asked about", module, "_ends", first_alone),
    Bug("loops have trips", module, "_is_certain", lambda test: True),
    Bug("indexes below 0 are inside", module, "operation", any_sign),
    Bug("nothing counts from the end", strip_guards, "_proved", lambda element: replace(element, access=PROVED)),
    Bug("all that is tested is asked about", module, "proved_in", lambda node, left: proved_in(node)),
    Bug("what moves otherwise stays", _Versions, "corners", lambda self, index, access: [index]),
]
operation, proved_in = module.operation, module.proved_in


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, versioning, lambda: (*versions(), *in_part(), *left()))


def chosen_rows(a: np.ndarray, mask: np.ndarray):
    return a[2:0:-1][mask].sum()


def test_versions_of_a_scan_set_its_scalars_once() -> None:
    types = {"a": parse_type("float64[:, :]"), "mask": parse_type("bool[:, :]")}
    program = loop_program(compile_for(chosen_rows, types, {}))
    for schedule in schedules():
        verify(scheduled(program, schedule))
