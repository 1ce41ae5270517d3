"""Types from text: `float64[:, :]`, `int`, `np.float32`; and Numba signature strings."""

from __future__ import annotations

import re

import numpy as np

from somd.transforms.types.scalars import BOOL, COMPLEX, FLOAT, INT, ArrayType, ScalarType, Type

_WEAK = {"int": INT, "float": FLOAT, "bool": BOOL, "complex": COMPLEX}


def parse_type(text: str) -> Type:
    """The type that a description stands for; of an array the layout (`::1` in Numba) is left open.

    Raises:
        ValueError: it stands for none.
    """
    text = text.strip()
    if text in _WEAK:
        return _WEAK[text]
    array = re.fullmatch(r"(\w+)\s*\[(\s*:(?::1)?\s*(?:,\s*:(?::1)?\s*)*)\]", text)
    try:
        if array is not None:
            return ArrayType(np.dtype(array.group(1)).name, array.group(2).count(",") + 1)
        return ScalarType(np.dtype(text.removeprefix("np.")).name)
    except TypeError:
        raise ValueError(f"{text!r} is no type of an argument") from None


def parse_signature(text: str) -> list[Type]:
    """The argument types of a Numba signature string such as `float64[:,:], int64`; int64, float64 and complex128
    scalars stand for Python's int, float and complex, as they do in Numba."""
    inner = re.sub(r"^\s*[\w\[\]:, ]*\(", "", text.strip()).rstrip(")") if "(" in text else text
    parts = re.findall(r"\w+(?:\s*\[[^\]]*\])?", inner)
    weak = {"int64": "int", "float64": "float", "complex128": "complex", "boolean": "bool"}
    return [parse_type(weak.get(part, part)) for part in parts]
