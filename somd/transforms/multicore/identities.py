"""Neutral elements of reductions as Python text."""

from __future__ import annotations

import numpy as np

from somd.language.operators import OPERATORS
from somd.transforms.emit.python_text import numpy_name
from somd.transforms.types.scalars import ScalarType


def identity(op: str, scalar: ScalarType) -> str:
    """The neutral element of `op` in the accumulator's type."""
    if scalar.kind == "c" and OPERATORS[op].of_complex is not None:
        return f"empty_product(np.{scalar.dtype})"
    text = neutral_text(op, scalar)
    return text if OPERATORS[op].skips and scalar.kind == "b" else f"np.{numpy_name(scalar.dtype)}({text})"


def neutral_text(op: str, scalar: ScalarType) -> str:
    """The neutral element as a number of Python's."""
    operator, dtype = OPERATORS[op], np.dtype(scalar.dtype)
    value = operator.neutral(dtype)
    if scalar.kind in "iu" and (operator.better or value == np.iinfo(dtype).max):
        return f"np.iinfo(np.{dtype}).{'max' if value == np.iinfo(dtype).max else 'min'}"
    if scalar.kind == "c":
        return f"complex({value.real}, {value.imag})"
    return str(value).replace("inf", "np.inf")
