"""Copies of arguments, and what is different between them behind a call."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from somd.sources.comparing import difference, duplicated

Pair = namedtuple("Pair", "x y")
X = np.arange(6.0)


@pytest.mark.parametrize(
    ("given", "array"),
    [
        (X, lambda given: given),
        ((X, X), lambda given: given[1]),
        (Pair(X, 2), lambda given: given.x),
        ([X, 3.0], lambda given: given[0]),
        ({"x": X}, lambda given: given["x"]),
        (SimpleNamespace(x=(1, X)), lambda given: given.x[1]),
    ],
)
def test_copies_are_apart_and_differences_are_found(given: Any, array: Any) -> None:
    [copied] = duplicated((given,))
    assert type(copied) is type(given) and difference(copied, given, "it") is None
    array(copied)[4] = 7.0
    found = difference(copied, given, "it")
    assert found is not None and found.index == (4,) and array(given)[4] == 4.0


def test_what_is_one_array_stays_so() -> None:
    (one, other), third = duplicated(((X, X), X))
    assert one is other is third is not X
