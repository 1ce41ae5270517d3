"""The neutral elements of reductions change no value, the greatest and the least ones included."""

from __future__ import annotations

import numpy as np
import pytest

from somd.language.operators import OPERATORS
from somd.transforms.types.scalars import REALS


def values_of(dtype: np.dtype) -> list:
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind == "f":
        return [0.0, -0.0, np.inf, -np.inf, 1.5, float(np.finfo(dtype).max), float(np.finfo(dtype).tiny)]
    info = np.iinfo(dtype)
    return [int(info.min), int(info.max), 0, 1]


@pytest.mark.parametrize("symbol", OPERATORS)
def test_neutral_elements(symbol: str) -> None:
    operator = OPERATORS[symbol]
    for dtype in map(np.dtype, REALS):
        if (dtype.kind == "f" and symbol in ("&", "|", "^")) or (operator.skips and dtype.kind != "b"):
            continue
        neutral = dtype.type(operator.neutral(dtype))
        for value in map(dtype.type, values_of(dtype)):
            found = [operator.combine(*pair) for pair in ((neutral, value), (value, neutral))]
            assert all(dtype.type(each).tobytes() == value.tobytes() for each in found), (dtype, value)
