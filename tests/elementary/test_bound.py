"""Elementary functions are within 2 units of the last place of the correctly rounded value: a small sample of what
`tools/measure_functions.py` looks at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import somd
from tests.elementary.methods import EXPONENTS, ONE, TWO, literal_powers, of_one, of_one_single, of_two, of_two_single

pytest.importorskip("mpmath")
from tools import measure_functions as measuring

COUNT = 120


def measured(
    method: Any, row: int, count: int, arguments: tuple[np.ndarray, ...], target: str = "multicore"
) -> np.ndarray:
    out = np.zeros((count, len(arguments[0])), arguments[0].dtype)
    with somd.use(target=target, workers=2):
        method(*arguments, out)
    return out[row]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_within_two_units(name: str, dtype: Any) -> None:
    single = dtype == np.float32
    names, method = (TWO, of_two_single if single else of_two) if name in TWO else (ONE, of_one)
    if name in ONE and single:
        if name in ONE[20:]:
            pytest.skip("NumPy has no such function")
        names, method = ONE[:20], of_one_single
    with np.errstate(over="ignore", under="ignore"):
        arguments = measuring.arguments_of(name, dtype, COUNT)
    found = measured(method, list(names).index(name), len(names), arguments)
    worst, where = measuring.worst(name, found, arguments, measuring.exacts_of(name, arguments))
    assert worst <= 2.0, where


@pytest.mark.parametrize("row", range(7))
def test_literal_powers_within_two_units(row: int) -> None:
    name = f"x ** {EXPONENTS[row]}"
    arguments = measuring.arguments_of(name, np.float64, COUNT)
    found = measured(literal_powers, row, len(EXPONENTS), arguments)
    worst, where = measuring.worst(name, found, arguments, measuring.exacts_of(name, arguments))
    assert worst <= (0.51 if EXPONENTS[row] in (2.0, -1.0, 0.5, 3.0, 4.0) else 2.0), where
