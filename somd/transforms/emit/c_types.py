"""NumPy's types in OpenCL C: their names, literals and conversions. A bool is a byte of 0 or 1, a complex
number a vector of its two parts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from somd.transforms.emit.c_guards import SHORT
from somd.transforms.emit.c_tree import UNARY, C, call, conditional, infix, prefix
from somd.transforms.types.scalars import Number

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
    "complex64": "float2",
    "complex128": "double2",
}
_SUFFIXES = {"int64": "L", "uint32": "u", "uint64": "ul"}
_ALL_INTS = 31


def kind_of(dtype: str) -> str:
    """NumPy's kind letter: `b`, `i`, `u`, `f` or `c`."""
    return "b" if dtype == "bool" else dtype[0]


def bits(dtype: str) -> int:
    return np.dtype(dtype).itemsize * 8


def part_of(dtype: str) -> str:
    """The type of the parts of a complex type."""
    return "float32" if dtype == "complex64" else "float64"


def zero(dtype: str) -> str:
    """0 as C text, of a type that C makes one of `dtype` by itself."""
    return literal(0, dtype).text if kind_of(dtype) == "c" else "0"


def literal(value: Number, dtype: str) -> C:
    """A literal of type `dtype`; its value must lie in the type's range, and is rounded to it."""
    kind = kind_of(dtype)
    if kind == "c":
        number = complex(_rounded(value, dtype))
        parts = [literal(each, part_of(dtype)).text for each in (number.real, number.imag)]
        return C(f"({CTYPES[dtype]})({', '.join(parts)})", dtype, UNARY, number)
    assert not isinstance(value, complex)
    if kind == "b":
        return C("1" if value else "0", dtype, value=bool(value))
    if kind == "f":
        real = float(_rounded(value, dtype))
        text = _float_text(real, dtype)
        return C(text, dtype, UNARY if text[0] == "-" else 16, real)
    whole = int(value)
    lowest = kind == "i" and bits(dtype) >= 32 and whole == -(2 ** (bits(dtype) - 1))
    if lowest:
        suffix = _SUFFIXES.get(dtype, "")
        return C(f"(-{-whole - 1}{suffix} - 1{suffix})", dtype, value=whole)
    level = UNARY if whole < 0 else 16
    if bits(dtype) < 32:
        return C(f"({CTYPES[dtype]}){whole}", dtype, UNARY, whole, short=str(whole))
    small = str(whole) if dtype == "int64" and abs(whole) < 2**_ALL_INTS else ""
    return C(f"{whole}{_SUFFIXES.get(dtype, '')}", dtype, level, whole, short=small)


def _rounded(value: Number, dtype: str) -> Any:
    """A number as one of `dtype`: what is folded later must see what the device sees."""
    with np.errstate(over="ignore"):
        return np.dtype(dtype).type(value).item()


def _float_text(value: float, dtype: str) -> str:
    if math.isnan(value):
        return "NAN" if dtype == "float32" else "(double)NAN"
    if math.isinf(value):
        name = "INFINITY" if dtype == "float32" else "(double)INFINITY"
        return name if value > 0 else f"-{name}"
    text = str(np.float32(value)) if dtype == "float32" else repr(value)
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
        unequal = infix("!=", c, literal(0, c.dtype), "bool")
        return call("any", "bool", unequal) if kind_of(c.dtype) == "c" else unequal
    if kind_of(dtype) == "c":
        if kind_of(c.dtype) == "c":
            return call(f"convert_{CTYPES[dtype]}", dtype, c)
        part = part_of(dtype)
        text = f"({CTYPES[dtype]})({converted(c, part).loose}, {literal(0, part).text})"
        return C(text, dtype, UNARY, needs=c.mentions)
    if kind_of(c.dtype) == "f" and kind_of(dtype) in "iu":
        if bits(dtype) < 32:
            c = prefix("(int)", c, "int32")
        elif dtype == "uint32":
            c = prefix("(long)", c, "int64")
        elif dtype == "uint64":
            negative = infix("<", c, literal(0, c.dtype), "bool")
            whole = prefix("(ulong)", prefix("(long)", c, "int64"), dtype)
            return conditional(negative, whole, prefix("(ulong)", c, dtype), dtype)
    return cast(c, dtype)


def cast(c: C, dtype: str) -> C:
    """C's cast of a number; `c_guards` says why integers become 16 bits wide by a macro."""
    if dtype == "int16" and kind_of(c.dtype) in "iu" and c.dtype not in ("int8", "uint8"):
        made = call(SHORT, dtype, c)
        return replace(made, needs=made.needs | {SHORT})
    return prefix(f"({CTYPES[dtype]})", c, dtype)


def _folded(value: Number, dtype: str) -> C | None:
    """A literal converted at once; None where its value is not one of `dtype`."""
    if dtype == "bool":
        return literal(bool(value), dtype)
    if kind_of(dtype) in "fc":
        return literal(value, dtype)
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    number = int(value)
    limits = np.iinfo(dtype)
    return literal(number, dtype) if limits.min <= number <= limits.max else None
