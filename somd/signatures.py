"""The signature of a call: what the generated code depends on, without looking into the arrays.

An argument is described by a short text: `float64[:, :]` for an array, `int`, `float`, `bool` for Python numbers,
`float32` for NumPy scalars.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from somd.errors import SomdCompileError

SUPPORTED = frozenset(
    ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
)
_arrays: dict[tuple[np.dtype[Any], int], str] = {}
_PLAIN = (np.ndarray, np.memmap)
_LIMIT = 1 << 63
_scalars: dict[type, str] = {bool: "bool", int: "int", float: "float"}


def describe(value: Any) -> str:
    """The description of an argument.

    Raises:
        SomdCompileError: SOMD404, the value is nothing that a method takes.
    """
    if type(value) is int and not -_LIMIT <= value < _LIMIT:
        raise _refused("an integer of more than 64 bits")
    if isinstance(value, np.ndarray):
        if type(value) not in _PLAIN:
            raise _refused(f"an array of type `{type(value).__name__}`")
        key = (value.dtype, value.ndim)
        text = _arrays.get(key)
        if text is None:
            text = _arrays[key] = _array(value.dtype, value.ndim)
        return text
    text = _scalars.get(type(value))
    if text is None:
        text = _scalars[type(value)] = _scalar(value)
    return text


def _array(dtype: np.dtype[Any], ndim: int) -> str:
    if dtype.name not in SUPPORTED or not dtype.isnative or ndim == 0:
        raise _refused(f"an array of dtype {dtype.str} and {ndim} dimensions")
    return f"{dtype.name}[{', '.join(':' * ndim)}]"


def _scalar(value: Any) -> str:
    if isinstance(value, np.generic) and value.dtype.name in SUPPORTED:
        return f"np.{value.dtype.name}"
    raise _refused(f"an argument of type `{type(value).__name__}`")


def _refused(what: str) -> SomdCompileError:
    from somd.diagnostics.model import Diagnostic

    helps = ("arguments are NumPy arrays and scalars of bool, integer and float dtypes, and Python numbers",)
    return SomdCompileError((Diagnostic("SOMD404", f"{what} is not supported", (), helps),))
