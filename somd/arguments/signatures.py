"""The signature of a call: what the generated code depends on, without looking into the arrays.

An argument is described by a short text: `float64[:, :]` for an array, `int`, `float`, `complex`, `bool` for Python
numbers, `float32` for NumPy scalars.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from somd.arguments.device_arrays import on_device
from somd.arguments.instead import instead_of
from somd.errors import SomdCompileError

_REALS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
SUPPORTED = frozenset((*_REALS, "complex64", "complex128"))
_INSTEAD = {
    "float16": "convert it first: `a.astype(np.float32)`",
    "longdouble": "convert it first: `a.astype(np.float64)`",
    "float128": "convert it first: `a.astype(np.float64)`",
    "complex256": "convert it first: `a.astype(np.complex128)`",
}
_arrays: dict[tuple[np.dtype[Any], int], str] = {}
_PLAIN = (np.ndarray, np.memmap)
_LIMIT = 1 << 63
#: the largest int, without its sign, that may stand for a float where nothing tells them apart
LARGEST_FOR_FLOAT = 1 << 31
#: elements of an array at most: more than any machine has, and far from the end of 64 bits, as the compiler counts on
MOST_ELEMENTS = 1 << 44
#: the types of scalars that a method takes
SCALARS = frozenset((bool, int, float, complex, *(np.dtype(name).type for name in SUPPORTED)))
_scalars: dict[type, str] = {bool: "bool", int: "int", float: "float", complex: "complex"}


def describe_all(values: Sequence[Any], names: Sequence[str]) -> tuple[str, ...]:
    """The descriptions of all arguments; `names` are those of the parameters.

    Raises:
        SomdCompileError: SOMD404, some value is nothing that a method takes.
    """
    try:
        return tuple([describe(v) for v in values])
    except Unsupported:
        pass
    for name, value in zip(names, values, strict=False):
        try:
            describe(value)
        except Unsupported as what:
            raise _refused(f"argument `{name}` is {what}", what.instead) from None
    raise AssertionError("an argument was refused, and then was not")


def with_floats(values: Sequence[Any], positions: Sequence[int]) -> tuple[Any, ...] | None:
    """The values with floats for the ints at `positions`; None where one is too large to be taken for a float."""
    changed = list(values)
    for k in positions:
        if type(changed[k]) is int:
            if not -LARGEST_FOR_FLOAT <= changed[k] <= LARGEST_FOR_FLOAT:
                return None
            changed[k] = float(changed[k])
    return tuple(changed)


class Unsupported(Exception):
    """What an argument is, in words, and what to pass instead where that is no matter of course."""

    def __init__(self, what: str, instead: str = "") -> None:
        super().__init__(what)
        self.instead = instead


def describe(value: Any) -> str:
    """The description of an argument.

    Raises:
        Unsupported: the value is nothing that a method takes.
    """
    if type(value) is int and not -_LIMIT <= value < _LIMIT:
        raise Unsupported("an integer of more than 64 bits")
    if isinstance(value, np.ndarray):
        if type(value) not in _PLAIN and not hasattr(type(value), "somd_distributed"):
            raise Unsupported(f"an array of type `{type(value).__name__}`")
        if value.size > MOST_ELEMENTS:
            raise Unsupported("an array of more than 2**44 elements")
        return _array_text(value.dtype, value.ndim)
    text = _scalars.get(type(value))
    if text is None and on_device(value):
        return _array_text(value.dtype, len(value.shape))
    if text is None:
        text = _scalars[type(value)] = _scalar(value)
    return text


def _array_text(dtype: np.dtype[Any], ndim: int) -> str:
    text = _arrays.get((dtype, ndim))
    if text is None:
        text = _arrays[dtype, ndim] = _array(dtype, ndim)
    return text


def _array(dtype: np.dtype[Any], ndim: int) -> str:
    if dtype.name not in SUPPORTED or not dtype.isnative or ndim == 0:
        order = "" if dtype.isnative else " of foreign byte order"
        instead = _INSTEAD.get(dtype.name, "")
        if ndim == 0:
            instead = "pass its element, `a[()]`, or an array of one element, `a.reshape(1)`"
        elif dtype.names:
            instead = f'pass each field as an array of its own: `a["{dtype.names[0]}"]`'
        elif not dtype.isnative:
            instead = "convert it first: `a.astype(a.dtype.newbyteorder('='))`"
        what = f"an array of dtype {dtype.name}{order} with {ndim} dimension{'s' if ndim != 1 else ''}"
        raise Unsupported(what, instead)
    return f"{dtype.name}[{', '.join(':' * ndim)}]"


def _scalar(value: Any) -> str:
    if isinstance(value, np.generic) and value.dtype.name in SUPPORTED:
        return f"np.{value.dtype.name}"
    raise Unsupported(f"of type `{type(value).__name__}`", instead_of(value))


def _refused(what: str, instead: str = "") -> SomdCompileError:
    from somd.diagnostics.model import Diagnostic

    helps = (
        (instead,)
        if instead
        else (
            "arguments are NumPy arrays and scalars of bool, integer, float and complex dtypes, and Python numbers",
            "they may stand in tuples and lists, but for parameters that carry `dist`",
        )
    )
    return SomdCompileError((Diagnostic("SOMD404", what, (), helps),))
