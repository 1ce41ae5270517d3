"""The recipe for a new optimisation holds: one entry in a schedule, and code, tools and validation have the pass."""

from __future__ import annotations

import doctest
import importlib
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.settings.targets import TARGETS
from somd.transforms.loops.making import operation
from somd.transforms.loops.program import Constant, Expression, Operation
from somd.transforms.passes import Pass
from tests.cli.conftest import Somdc, Write, somdc, write  # noqa: F401 - fixtures
from tests.language import program as corpus
from tests.language.test_corpus import on_passes
from tests.property.calls import Call
from tests.property.examining import _Planned
from tests.transforms.passes import strength_reduction as module
from tests.transforms.passes.mutation import Bug, case, is_caught, validate
from tests.transforms.passes.shown import before_and_after
from tests.transforms.passes.strength_reduction import strength_reduction
from tests.transforms.passes.validation import Mistranslated

MODEL = """
import numpy as np
from somd import dist, somd


@somd
def twice(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        x = a[i] + 1.0
        a[i] = 2.0 * x
"""
VALUES = np.array([0.5, -0.0, np.nan, np.inf, 1e308, 5e-324, 3.0])


def twice(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        x = a[i] + 1.0
        a[i] = 2.0 * x


def enter(step: Pass, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one entry: the pass, behind the others, in the schedule of a target."""
    schedule = importlib.import_module(f"somd.transforms.schedules.{target}")
    monkeypatch.setattr(schedule, "SCHEDULE", (*schedule.SCHEDULE, step))


def test_before_and_after() -> None:
    failed, tried = doctest.testmod(module, extraglobs={"before_and_after": before_and_after})
    assert failed == 0 and tried == 1


@pytest.mark.parametrize("target", TARGETS)
def test_generated_code_and_tools(
    target: str,
    monkeypatch: pytest.MonkeyPatch,
    somdc: Somdc,  # noqa: F811
    write: Write,  # noqa: F811
) -> None:
    assert "x + x" not in somd.somd(twice).source(target)
    enter(strength_reduction, target, monkeypatch)
    for each in TARGETS:
        assert ("x + x" in somd.somd(twice).source(each)) == (each == target)
    write("model.py", MODEL)
    out = somdc("explain", "model.py", "--stage", "passes").out
    assert f"{target}, strength_reduction\n-            a[i] = 2.0 * x\n+            a[i] = x + x\n" in out


def without_the_factor(node: Expression) -> Expression:
    """A bug: the product is taken for its value."""
    found = reduced(node)
    sums = isinstance(found, Operation) and found.operator == "+" and found.operands[0] is found.operands[1]
    return operation("+", found.operands[0], Constant(0.0, found.type, None)) if sums else found


reduced = module._reduced


@pytest.mark.parametrize("target", TARGETS)
def test_validation_covers_it(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a bug in the pass, the test of the corpus and the judge of random programs find it."""
    monkeypatch.setattr(module, "_reduced", without_the_factor)
    cases = [(VALUES,)]
    program = corpus.Program(somd.somd(twice), lambda: cases, 0.0, {}, "2.0")
    on_passes(program)
    enter(strength_reduction, target, monkeypatch)
    with pytest.raises(Mistranslated):
        on_passes(program)
    found: dict[bool, set[str]] = {False: set(), True: set()}
    for name, outcome in _Planned(somd.somd(twice)).outcomes(Call((VALUES,), "few values")):
        found["after the passes" in name].add(str(outcome))
    assert found[True] and not found[True] & found[False]


def test_bugs_are_caught() -> None:
    def cases() -> list[Any]:
        text = "def twice(a: A):\n    for i in range(len(a)):\n        x = a[i] + 1.0\n        a[i] = 2.0 * x\n"
        return [case(text, a=VALUES)]

    assert validate(strength_reduction, cases()) == 1
    assert is_caught(Bug("the product is its value", module, "_reduced", without_the_factor), strength_reduction, cases)
