"""Extremes of rows with their places: which become one loop, that it finds what two found, and bugs in the pass."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import pytest

from somd.transforms.passes import places as module
from somd.transforms.passes.places import places
from tests.transforms.passes.mutation import Bug, Case, case, is_caught, validate

FORM = """
def places_of(a: A):
    return a.{name}(axis=1)
"""


@functools.cache
def cases() -> Sequence[Case]:
    chance = np.random.default_rng(7)
    odd = chance.choice([0.0, -0.0, np.nan, -np.inf, 1.5, 1.5, -2.5], (24, 21))
    given = (odd, chance.choice([0.0, -0.0, -1.0], (8, 9)).astype(np.float32), chance.integers(-3, 3, (9, 130)))
    return [case(FORM.format(name=name), a=a) for a in given for name in ("argmax", "argmin")]


def test_both_loops_become_one() -> None:
    with np.errstate(all="ignore"):
        assert validate(places, cases()) == len(cases())


def test_what_is_no_row_of_words_is_left_alone() -> None:
    a = np.arange(40.0).reshape(5, 8)
    texts = (
        "return a.T.argmax(axis=1)",
        "return (a * 2).argmax(axis=1)",
        "return a.argmax()",
        "return a.argmax(axis=0)",
    )
    others = [case(f"\ndef places_of(a: A):\n    {text}\n", a=a) for text in texts]
    others += [case(FORM.format(name="argmax"), a=a.astype(dtype)) for dtype in (np.int16, np.bool_)]
    assert validate(places, others) == 0


_better = module.better
BUGS = (
    Bug("the other extreme", module, "SYMBOLS", {"np.maximum": "<", "np.minimum": ">"}),
    Bug("nan is no extreme", module, "better", lambda symbol, new, best, odd: _better(symbol, new, best, False)),
    Bug("the last of equals", module, "better", lambda symbol, *given: _better(f"{symbol}=", *given)),
)


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_bugs_are_caught(bug: Bug) -> None:
    with np.errstate(all="ignore"), _any_row():
        assert is_caught(bug, places, cases)


def _any_row():  # type: ignore[no-untyped-def]
    """Without the question whether Numba's code has something for the loop."""
    from unittest.mock import patch

    return patch.object(module, "place_in_row", lambda loop: loop)
