"""NumPy's types in OpenCL C: their names, literals and conversions. A bool is a byte of 0 or 1."""

from __future__ import annotations

import math

import numpy as np

from somd.transforms.opencl.c_tree import UNARY, C, conditional, infix, prefix

CTYPES = {
    "bool": "uchar",
    "int8": "char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "uint8": "uchar",
    "uint16": "ushort",
    "uint32": "uint",
    "uint64": "ulong",
    "float32": "float",
    "float64": "double",
}
_SUFFIXES = {"int64": "L", "uint32": "u", "uint64": "ul"}
_ALL_INTS = 31


def kind_of(dtype: str) -> str:
    """NumPy's kind letter: `b`, `i`, `u` or `f`."""
    return "b" if dtype == "bool" else dtype[0]


def bits(dtype: str) -> int:
    return np.dtype(dtype).itemsize * 8


def literal(value: int | float | bool, dtype: str) -> C:
    """A literal of type `dtype`; its value must lie in the type's range."""
    kind = kind_of(dtype)
    if kind == "b":
        return C("1" if value else "0", dtype, value=bool(value))
    if kind == "f":
        text = _float_text(float(value), dtype)
        return C(text, dtype, UNARY if text[0] == "-" else 16, float(value))
    number = int(value)
    lowest = kind == "i" and bits(dtype) >= 32 and number == -(2 ** (bits(dtype) - 1))
    if lowest:
        suffix = _SUFFIXES.get(dtype, "")
        return C(f"(-{-number - 1}{suffix} - 1{suffix})", dtype, value=number)
    level = UNARY if number < 0 else 16
    if bits(dtype) < 32:
        return C(f"({CTYPES[dtype]}){number}", dtype, UNARY, number, short=str(number))
    small = str(number) if dtype == "int64" and abs(number) < 2**_ALL_INTS else ""
    return C(f"{number}{_SUFFIXES.get(dtype, '')}", dtype, level, number, short=small)


def _float_text(value: float, dtype: str) -> str:
    if math.isnan(value):
        return "NAN" if dtype == "float32" else "(double)NAN"
    if math.isinf(value):
        name = "INFINITY" if dtype == "float32" else "(double)INFINITY"
        return name if value > 0 else f"-{name}"
    with np.errstate(over="ignore"):
        text = str(np.float32(value)) if dtype == "float32" else repr(value)
    if text.lstrip("-") == "inf":
        return text.replace("inf", "INFINITY")
    if "." not in text and "e" not in text:
        text += ".0"
    return f"{text}f" if dtype == "float32" else text


def converted(c: C, dtype: str) -> C:
    """`c` as `dtype`: by C's conversion, which is NumPy's where the value fits; bool means unequal to 0."""
    if c.dtype == dtype:
        return c
    if c.value is not None:
        folded = _folded(c.value, dtype)
        if folded is not None:
            return folded
    if dtype == "bool":
        return infix("!=", c, literal(0, c.dtype), "bool")
    if kind_of(c.dtype) == "f" and kind_of(dtype) in "iu":
        if bits(dtype) < 32:
            c = prefix("(int)", c, "int32")
        elif dtype == "uint32":
            c = prefix("(long)", c, "int64")
        elif dtype == "uint64":
            negative = infix("<", c, literal(0, c.dtype), "bool")
            whole = prefix("(ulong)", prefix("(long)", c, "int64"), dtype)
            return conditional(negative, whole, prefix("(ulong)", c, dtype), dtype)
    return prefix(f"({CTYPES[dtype]})", c, dtype)


def _folded(value: int | float | bool, dtype: str) -> C | None:
    """A literal converted at once; None where its value is not one of `dtype`."""
    if dtype == "bool":
        return literal(bool(value), dtype)
    if kind_of(dtype) == "f":
        return literal(value, dtype)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    number = int(value)
    limits = np.iinfo(dtype)
    return literal(number, dtype) if limits.min <= number <= limits.max else None
