"""The table of operators is all that a reduction operator needs: two that only this test knows work on every target."""

from __future__ import annotations

import math
from typing import Annotated, Any, get_args

import numpy as np
import pytest

from somd import dist, reduce, somd, sync
from somd.language.markers import SyncOperator
from somd.language.operators import OPERATORS, Operator, symbols
from tests.differential import harness

Array = np.ndarray[Any, Any]
random = np.random.default_rng(5)
DIVISOR = Operator("gcd", "math.gcd({0}, {1})", lambda _: 0, function=math.gcd, fold=np.gcd.reduce)
#: unlike `max` it keeps nan, and so may be taken in any order
GREATEST = Operator("greatest", "np.maximum({0}, {1})", OPERATORS["max"].neutral, function=np.maximum)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPERATORS, "gcd", DIVISOR)
    monkeypatch.setitem(OPERATORS, "greatest", GREATEST)


def divisor(a: dist[Array]) -> Annotated[int, reduce("gcd")]:  # type: ignore[arg-type]
    found = 0
    for i in range(len(a)):
        found = math.gcd(found, a[i])
    return found


def divisors(k: dist[Array], a: dist[Array], h: Array) -> Array:
    with sync(h, reduce="gcd"):  # type: ignore[arg-type]
        for i in range(len(a)):
            h[k[i]] = math.gcd(a[i], h[k[i]])
    return h


def greatest(a: dist[Array]) -> float:
    found = -2.5
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            found = np.maximum(found, a[i, j])
    return found


def kept_on_device(a: dist[Array], n: int) -> Array:
    for _ in range(n):
        found = 0
        for i in range(len(a)):
            found = math.gcd(found, a[i])
        for i in range(len(a)):
            a[i] = a[i] // (found + 1)
    return a


def integers(count: int, least: int = 1) -> Array:
    return random.integers(least, 10**5, count) * 12


def with_nan(values: Array) -> Array:
    values[3, 5] = np.nan
    return values


CASES = [
    (divisor, (integers(5000),)),
    (divisor, (integers(0),)),
    (divisors, (random.integers(0, 7, 5000), integers(5000), integers(7) * 5)),
    (greatest, (random.random((50, 70)),)),
    (greatest, (with_nan(random.random((50, 70))),)),
    (kept_on_device, (integers(3000), 2)),
]


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize(("function", "arguments"), CASES)
@pytest.mark.usual(3)
def test_an_operator_of_the_table_works_on_every_target(target: str, function: Any, arguments: tuple[Any, ...]) -> None:
    why = harness.unavailable(target)
    if why is not None:
        pytest.skip(why)
    method = somd(function)
    assert " by gcd" in method.explain() or " by greatest" in method.explain()
    harness.check(method, arguments, target, workers=(1, 2, 3, 7))


def test_markers_name_the_operators_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert get_args(SyncOperator) == symbols()
