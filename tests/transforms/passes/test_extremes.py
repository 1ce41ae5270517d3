"""Loops that keep an extreme: which do, that nan and the signs of zeros stay what they were, and bugs in the pass."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from somd.transforms.passes import extremes as module
from somd.transforms.passes.extremes import extremes
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

FORM = """
def kept(a: A, b: A):
    for i in range(a.shape[0]):
        m = b[i]
        for j in range(1, a.shape[1]):
            {statement}
        b[i] = m
"""
FORMS = (
    "m = np.maximum(m, a[i, j])",
    "m = np.minimum(a[i, j], m)",
    "m = max(m, a[i, j] * 0.5)",
    "m = min(a[i, j - 1], m)",
    "m = max(a[i, j], m)",
    "if a[i, j] > m:\n                m = a[i, j]",
    "if m >= a[i, j]:\n                m = a[i, j]",
    "if m < a[i, j]:\n                m = a[i, j]",
)
#: other loops: strided, over what is tested, with more than the extreme, down, of integers
LEFT_ALONE = (
    "m = np.maximum(m, a[j % 3, 0])",
    "m = np.maximum(m, m * a[i, j])",
    "m = np.maximum(m, a[i, j]) + 0.0",
    "m = max(m, a[i, j], 0.0)",
)


def rows() -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers with nan, zeros of both signs, infinities, and what comes before each of them."""
    kinds = (0.0, -0.0, np.nan, -np.inf, 1.5, -2.5)
    chance = np.random.default_rng(5)
    signed = chance.choice([0.0, -0.0, -1.0], (24, 21))
    a = np.concatenate([chance.choice(kinds, (24, 21)), signed, -signed, chance.choice(kinds[3:], (24, 21))])
    return a, chance.choice(kinds, len(a))


@functools.cache
def cases() -> Sequence[Case]:
    a, b = rows()
    return [case(FORM.format(statement=each), a=a, b=b) for each in FORMS]


def test_each_form_keeps_its_bits() -> None:
    with np.errstate(all="ignore"):
        assert validate(extremes, cases()) == len(FORMS)


@pytest.mark.parametrize("statement", LEFT_ALONE)
def test_what_does_more_is_left_alone(statement: str) -> None:
    a, b = rows()
    assert validate(extremes, [case(FORM.format(statement=statement), a=a, b=b)]) == 0


_of_call, _of_test, _kept = module._of_call, module._of_test, module.extreme_of


def _turned(found):  # type: ignore[no-untyped-def]
    return None if found is None else replace(found, last=not found.last)


def _other(found):  # type: ignore[no-untyped-def]
    names = {"quick maximum": "quick minimum", "quick minimum": "quick maximum"}
    return None if found is None else replace(found, quick=names[found.quick])


BUGS = (
    Bug("the other one of equal zeros, of calls", module, "_of_call", lambda *given: _turned(_of_call(*given))),
    Bug("the other one of equal zeros, of tests", module, "_of_test", lambda *given: _turned(_of_test(*given))),
    Bug("the smallest for the largest", module, "extreme_of", lambda loop: _other(_kept(loop))),
)


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    assert is_caught(bug, extremes, cases)
