"""Campaigns with `fastmath`: what is told of a method's results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.property.calls import Call
from tests.property.contracted import Fastmath, contracted
from tests.property.mixed import HEADER, Mixed, mixed
from tests.property.outcomes import outcome
from tests.property.plain import namespace_of, plain_function

TEXT = f"""{HEADER}

@somd(fastmath=True)
def method(a: dist[np.ndarray], b: np.ndarray):
    for i in range(len(a)):
        a[i] = a[i] * b[i] - 0.1
"""


def test_programs_have_it() -> None:
    with contracted(exact=True):
        assert "\n@somd(fastmath=True)\ndef " in mixed(3).text
    assert "fastmath" not in mixed(3).text


def test_results_are_the_interpreters_and_the_same_for_all_workers() -> None:
    made = Mixed(0, TEXT, "method", (), {}, frozenset(), False, False, False)
    file = "<contracted>"
    given = Call((np.random.default_rng(0).random(50), np.random.default_rng(1).random(50)), "")
    fast = Fastmath(made, namespace_of(TEXT, file)["method"], "multicore")
    plain, mine = outcome(plain_function(made, file, True, True), given), fast.interpreted(given)
    assert mine.arguments[0].tobytes() != plain.arguments[0].tobytes()
    assert fast.difference(given, mine, "differs from plain Python") == ""
    assert "argument 0" in fast.difference(given, plain, "differs from plain Python")
    assert fast.difference(given, plain, "").startswith("depends on the number of workers: argument 0")
    assert fast.difference(given, replace(mine, error=IndexError("1")), "").startswith("depends")
