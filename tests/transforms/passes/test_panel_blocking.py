"""Loops in panels give the bits of the loops; loops that must not wait have none; bugs in pass and proof."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from somd.transforms.loops import out_of_step
from somd.transforms.loops.program import Loop, Panels, Program, Statement
from somd.transforms.loops.rewriting import each_statement
from somd.transforms.loops.verify import InvalidProgram, verify
from somd.transforms.passes import panel_blocking as module
from somd.transforms.passes.panel_blocking import panel_blocking
from tests.differential.test_delays import NOT_WAITING, WAITING
from tests.transforms.passes.mutation import Bug, Case, is_caught, validate
from tests.transforms.passes.validation import runs_of


def cases_of(methods: dict[str, tuple[Any, Callable[[int], tuple[Any, ...]]]], sizes: tuple[int, ...]) -> list[Case]:
    found = []
    for method, arguments in methods.values():
        for program, runs in runs_of(method, [arguments(size) for size in sizes]):
            found += [Case(program, run.given) for run in runs]
    return found


@functools.cache
def blocked() -> tuple[Case, ...]:
    """Loops in panels: fewer trips than one has, and more."""
    return tuple(cases_of(WAITING, (1, 2, 9)))


def test_panels_give_the_same_bits() -> None:
    assert validate(panel_blocking, blocked()) == len(blocked())


def test_what_must_not_wait_is_left() -> None:
    for each in cases_of(NOT_WAITING, (4,)):
        assert panel_blocking(each.program) is each.program


def test_what_a_trip_raises_comes_behind_those_before_it() -> None:
    method, arguments = WAITING["elimination"]
    matrix, _ = arguments(7)
    [(program, [run])] = runs_of(method, [(matrix, np.zeros(4, np.int64))])
    assert validate(panel_blocking, [Case(program, run.given)]) == 1


# --- bugs ------------------------------------------------------------------------------------------------------------

BUGS = [
    Bug("no scalar is kept", module, "Panels", lambda region, kept: Panels(region, ())),
    Bug("another region waits", module, "Panels", lambda region, kept: Panels(region - 1, kept)),
]


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, panel_blocking, blocked)


def changed(program: Program, change: Callable[[Loop], Loop]) -> Program:
    """The program with other loops in the place of those that have a margin."""

    def each(node: Statement) -> Statement:
        return change(node) if isinstance(node, Loop) and node.margin is not None else node

    return replace(program, body=each_statement(program.body, each))


def test_a_wrong_margin_is_caught() -> None:
    """`next_row_too` reads two rows beyond its own."""
    each = cases_of({"next_row_too": WAITING["next_row_too"]}, (9,))[0]
    validate(panel_blocking, [each])
    wrong = Case(changed(each.program, lambda loop: replace(loop, margin=0)), each.given)
    with pytest.raises(AssertionError):
        validate(panel_blocking, [wrong])


def test_a_margin_where_none_holds_is_caught() -> None:
    """Claims that nothing proves: rows that later trips read, and a place that all rows share."""
    for name in ("last_row", "one_place", "cholesky"):
        [each] = cases_of({name: NOT_WAITING[name]}, (9,))

        def claimed(node: Statement) -> Statement:
            return replace(node, margin=0) if isinstance(node, Loop) and node.order == "in order" else node

        made = replace(each.program, body=tuple(map(claimed, each.program.body)))
        with pytest.raises(AssertionError):
            validate(panel_blocking, [Case(made, each.given)])


def test_rows_that_never_catch_up_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(out_of_step.Panel, "noted", lambda self, low, high, names: (low, min(high, self.border)))
    with pytest.raises(AssertionError):
        validate(panel_blocking, blocked())


def test_panels_that_are_wrong_are_not_verified() -> None:
    program = panel_blocking(blocked()[0].program)
    for wrong in (
        changed(program, lambda loop: replace(loop, panels=Panels(77, ()))),
        changed(program, lambda loop: replace(loop, margin=None)),
    ):
        with pytest.raises(InvalidProgram):
            verify(wrong)
