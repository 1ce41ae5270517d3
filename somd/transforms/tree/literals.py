"""The values of literals. libcst has Python parse the text of one each time that it is asked."""

from __future__ import annotations

from functools import lru_cache
from typing import overload

import libcst as cst

#: of how many literals the values are kept
_KEPT = 4096


@overload
def number_of(node: cst.Integer) -> int: ...
@overload
def number_of(node: cst.Float) -> float: ...
@overload
def number_of(node: cst.Imaginary) -> complex: ...
def number_of(node: cst.Integer | cst.Float | cst.Imaginary) -> int | float | complex:
    """The number that a literal stands for.

    >>> number_of(cst.Integer("0x10"))
    16
    """
    return _number(type(node), node.value)


@lru_cache(_KEPT)
def _number(kind: type[cst.Integer | cst.Float | cst.Imaginary], text: str) -> int | float | complex:
    return kind(text).evaluated_value
