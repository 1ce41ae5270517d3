"""What methods are told of functions that give more than numbers: arrays of what they draw, and objects.

In: functions of `somd.random`. Out: marks on them, which the capture of what a call reaches, and the front end, read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeVar, cast

Marked = TypeVar("Marked", bound=Callable[..., Any])
#: the parameters of a drawing function: which element draws, and how many there are instead
INDEX, SIZE = "index", "size"


@dataclass(frozen=True)
class Parts:
    """The attributes that methods read of an object, and the function that gives their values."""

    names: tuple[str, ...]
    values: FunctionType


def draws(dtype: type) -> Callable[[Marked], Marked]:
    """Mark a function that gives a number for `index`, and for `size` an array of those from index 0 on."""

    def mark(function: Marked) -> Marked:
        function.__somd_draws__ = dtype  # type: ignore[attr-defined]
        return function

    return mark


def gives_object(*names: str, values: Callable[..., Any]) -> Callable[[Marked], Marked]:
    """Mark a function that gives an object of its class, of which `values` computes the attributes `names`."""

    def mark(function: Marked) -> Marked:
        function.__somd_parts__ = Parts(names, cast(FunctionType, values))  # type: ignore[attr-defined]
        values.__somd_values__ = True  # type: ignore[attr-defined]
        return function

    return mark


def drawn_dtype(function: object) -> type | None:
    """The dtype of the arrays that a function draws."""
    return getattr(function, "__somd_draws__", None)


def parts_given(function: object) -> Parts | None:
    """The attributes of the object that a function gives."""
    return getattr(function, "__somd_parts__", None)


def gives_values(function: object) -> bool:
    """Whether a function gives the attributes of an object."""
    return getattr(function, "__somd_values__", False)
