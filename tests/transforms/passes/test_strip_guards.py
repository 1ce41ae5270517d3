"""Strips where accesses under conditions are inside: which conditions are asked, what else runs, bugs in the pass."""

from __future__ import annotations

import functools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.loops.printer import expression_text, program_text
from somd.transforms.loops.program import Region
from somd.transforms.passes import strip_guards as module
from somd.transforms.passes import strip_mining as strips
from somd.transforms.passes.strip_mining import strip_mining
from tests.differential import harness
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

run = partial(strip_mining, room=1 << 14, lanes=(64, 1024))
VALUES = np.linspace(-2.0, 3.0, 17)
RINGS = np.linspace(0.0, 1.0, 9)

MEANS = """
def means(data: A, radius: np.ndarray, rings: A, out: A):
    for i in range(len(rings)):
        total = 0.0
        count = 0
        for k in range(len(radius)):
            if rings[i] <= radius[k] and radius[k] < rings[i] + 0.5:
                total += data[k] * 0.5
                count += 1
        out[i] = total + count
"""
SHIFTED = """
def shifted(data: A, given: np.ndarray, rings: A, out: A):
    for i in range(len(rings)):
        s = rings[i]
        for k in range(2, len(given)):
            if s < 0.7:
                s = s * 0.5 + data[k + 1]
            else:
                s = s - data[k - 2]
        out[i] = s
"""
OWN = """
def own(data: A, rings: A, out: A):
    for i in range(len(rings)):
        s = 1.0
        for k in range(len(rings)):
            if rings[i] > 0.5:
                s = s * 0.5 + data[i]
        out[i] = s
"""
CHOSEN = """
def chosen(data: A, at: np.ndarray, rings: A, out: A):
    for i in range(len(rings)):
        s = 1.0
        for k in range(len(at)):
            if rings[i] > 0.5:
                s = s * 0.5 + data[at[k]]
        out[i] = s
"""
ALWAYS = """
def always(data: A, rings: A, out: A):
    for i in range(len(rings)):
        s = 1.0
        for k in range(len(data)):
            if rings[i] > 0.5:
                s = s * 0.5 + data[k]
        out[i] = s
"""
SOMETIMES = """
def sometimes(data: A, given: np.ndarray, rings: A, out: A):
    for i in range(len(rings)):
        s = rings[i]
        for k in range(len(given)):
            if s > 0.2:
                if k < len(data):
                    s = s * 0.75 + data[k] * given[k]
        out[i] = s
"""
MOVED = """
def moved(data: A, rings: A, out: A):
    for i in range(len(rings)):
        s = 1.0
        for k in range(len(rings)):
            k = k * 2
            if rings[i] > 0.5:
                s = s * 0.5 + data[k]
        out[i] = s
"""


PULLS = """
def pulls(at: np.ndarray, n: int, out: A):
    for i in range(len(out)):
        s = 0.0
        for k in range(n):
            x = at[k, 0] - at[i, 0]
            y = at[k, 1] - at[i, 1]
            s += x / (x * x + y * y + 0.5)
        out[i] = s
"""
POINTS = np.linspace(-1.0, 2.0, 36).reshape(18, 2)


@functools.cache
def guarded() -> tuple[Case, ...]:
    out = np.zeros(9)
    return (
        case(MEANS, data=VALUES, radius=np.resize(RINGS, 17), rings=RINGS, out=out),
        case(MEANS, data=VALUES[:5].copy(), radius=np.resize(RINGS, 17), rings=RINGS, out=out),  # raises
        case(MEANS, data=VALUES[:5].copy(), radius=np.full(17, 9.0), rings=RINGS, out=out),  # is not reached
        case(SHIFTED, data=VALUES, given=VALUES[:9].copy(), rings=RINGS, out=out),
        case(SHIFTED, data=VALUES, given=VALUES, rings=np.full(9, 5.0), out=out),
        case(SHIFTED, data=VALUES, given=VALUES[:1].copy(), rings=RINGS, out=out),
        case(OWN, data=VALUES, rings=RINGS, out=out),
        case(OWN, data=VALUES[:7].copy(), rings=np.zeros(9), out=out),
        case(ALWAYS, data=VALUES, rings=RINGS, out=out),
        case(SOMETIMES, data=VALUES[:5].copy(), given=VALUES, rings=RINGS, out=out),
        case(PULLS, at=POINTS, n=18, out=out),
        case(PULLS, at=POINTS[:5].copy(), n=0, out=out),  # has no points of its own for all, and reads none
    )


@functools.cache
def left() -> tuple[Case, ...]:
    at = np.array([0, 3, -2, 40])
    return (
        case(CHOSEN, data=VALUES, at=at, rings=RINGS, out=np.zeros(9)),
        case(MOVED, data=VALUES[:12].copy(), rings=RINGS, out=np.zeros(9)),
    )


def conditions_of(each: Case) -> list[str]:
    [region] = [node for node in run(each.program).body if isinstance(node, Region)]
    assert region.strips is not None
    return [expression_text(condition) for condition in region.strips.where]


def test_conditions_are_those_of_the_loops() -> None:
    assert conditions_of(guarded()[0]) == ["length(radius, 0) <= length(data, 0)"]
    assert conditions_of(guarded()[3]) == [
        "(length(given, 0) + -2) <= length(data, 0)",
        "(length(given, 0) + 1) <= length(data, 0)",
    ]


def test_what_counts_through_its_own_array_is_read_before_the_condition() -> None:
    assert conditions_of(guarded()[8]) == conditions_of(guarded()[9]) == []
    assert "data'1: float64 = data[k]\n" in program_text(run(guarded()[8].program))
    text = program_text(run(guarded()[9].program))
    assert "given'1: float64 = given[k]\n" in text and "= data[k]\n" not in text


def test_what_is_the_same_for_all_trips_and_lies_apart_is_read_once() -> None:
    assert conditions_of(guarded()[10]) == [
        "0 < length(at, 1)",
        "1 < length(at, 1)",
        "length(out, 0) <= length(at, 0)",
    ]
    text = program_text(run(guarded()[10].program))
    strips = text[text.index("in strips") :]
    assert strips.index("= at[i, 1]") < strips.index("for k from") and strips.count("at[i, ") == 2


def test_strips_and_loops_give_the_same() -> None:
    for each in guarded():
        assert validate(run, [each]) == 1


@pytest.mark.parametrize("each", range(len(left())))
def test_others_stay(each: int) -> None:
    assert run(left()[each].program) is left()[each].program


def means(data: dist[np.ndarray], radius: np.ndarray, rings: dist[np.ndarray]) -> np.ndarray:
    out = np.zeros(len(rings))
    for i in range(len(rings)):
        total = 0.0
        count = 0
        for k in range(len(radius)):
            if rings[i] <= radius[k] and radius[k] < rings[i] + 0.5:
                total += data[k]
                count += 1
        out[i] = total / (count + 1)
    return out


@pytest.mark.parametrize("length", [17, 5, 0])
def test_on_cores(length: int) -> None:
    """All of `data`, too little of it, so that one raises at the first that is missing, and none."""
    given = (VALUES[:length].copy(), np.resize(RINGS, 17), np.linspace(0.0, 1.0, 70))
    harness.check(somd.somd(means), given, "multicore", workers=(1, 3))


def no_conditions(region):  # type: ignore[no-untyped-def]
    made = where_inside(region)
    return None if made is None else replace(made, conditions=())


def ends_alone(index, array, axis, loops):  # type: ignore[no-untyped-def]
    found = of_index(index, array, axis, loops)
    return found if found is None else tuple(each for each in found if each.operator == ">=")


def only_tested(*args):  # type: ignore[no-untyped-def]
    made = read_once(*args)
    return replace(made, conditions=args[0].conditions)


read_once = module.read_once
where_inside, of_index = module.where_inside, module._of_index
BUGS = [
    Bug("conditions are not asked", strips, "where_inside", no_conditions),
    Bug("what is read once is inside", strips, "read_once", only_tested),
    Bug("ends of loops do not count", module, "_of_index", ends_alone),
    Bug("any name counts the trips", module, "set_by", lambda node: set()),
    Bug("conditions are taken to hold", module, "_holds", lambda condition: True),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, run, lambda: (*guarded(), *left()))
