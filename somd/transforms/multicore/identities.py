"""Neutral elements of reductions, and what scans start blocks from, as Python text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    return number_text(OPERATORS[op].neutral, scalar)


def number_text(number: Callable[[np.dtype[Any]], Any], scalar: ScalarType) -> str:
    """What `number` gives for the type, as a number of Python's."""
    dtype = np.dtype(scalar.dtype)
    value = number(dtype)
    ends = {} if scalar.kind not in "iu" else {np.iinfo(dtype).max: "max", np.iinfo(dtype).min: "min"}
    if value in ends and value:
        return f"np.iinfo(np.{dtype}).{ends[value]}"
    if scalar.kind == "c":
        return f"complex({value.real}, {value.imag})"
    return str(value).replace("inf", "np.inf")
