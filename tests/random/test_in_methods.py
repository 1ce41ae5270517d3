"""What a method is told of streams that it cannot take; what it takes is in `tests/language/random_numbers.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import somd
from somd.random import Stream

RNG = Stream(2026)


def of_a_list(x: np.ndarray) -> np.ndarray:
    return RNG.normal(size=[len(x), 2])  # type: ignore[no-any-return, call-overload]


def both(x: np.ndarray) -> np.ndarray:
    return RNG.normal(3, size=len(x))  # type: ignore[call-overload, no-any-return]


def without_a_name(x: np.ndarray) -> None:
    for i in range(len(x)):
        x[i] = RNG.child(i).uniform(0)


def returned(x: np.ndarray) -> Stream:
    part = RNG.child(len(x))
    return part


@pytest.mark.parametrize(
    ("function", "code", "words"),
    [
        (of_a_list, "SOMD203", "is written out"),
        (both, "SOMD203", "`size` takes no index"),
        (without_a_name, "SOMD208", "give it a name, once"),
        (returned, "SOMD208", "`part` is an object"),
    ],
)
def test_what_is_refused(function: Callable[..., Any], code: str, words: str) -> None:
    with pytest.raises(somd.SomdCompileError, match=words) as refused:
        somd.somd(function)(np.zeros(3))
    assert refused.value.diagnostics[0].code == code
