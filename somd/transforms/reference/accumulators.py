"""Reductions by their definition: every logical block starts from the identity, and the blocks follow in order."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from somd.transforms.stages import FIRST, Reduction
from somd.transforms.taken import takes_text

#: values are taken as floats are: of others no two are equal and yet different
KIND = "f"
COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "min": min,
    "max": max,
    "and": lambda left, right: left and right,
    "or": lambda left, right: left or right,
}


def identity(op: str, value: Any) -> Any:
    """The neutral element of `op` in the type of the accumulator, whose value before the nest is `value`."""
    if op in ("min", "max"):
        return math.inf if op == "min" else -math.inf
    if op in ("and", "or"):
        return op == "and"
    kind = type(value)
    if op == "&" and not isinstance(value, bool | np.bool_):
        return kind(np.iinfo(kind).max) if isinstance(value, np.unsignedinteger) else kind(-1)
    if op == "+" and isinstance(value, float | np.floating):
        return kind(-0.0)
    if op == "+" and isinstance(value, complex | np.complexfloating):
        return kind(complex(-0.0, -0.0))
    return kind(1) if op in ("*", "&") else kind(0)


def fresh_copy(op: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A private copy of an array that a fence combines: every element neutral."""
    kind = array.dtype.kind
    if op in ("min", "max") and kind in "iu":
        limits = np.iinfo(array.dtype)
        return np.full_like(array, limits.max if op == "min" else limits.min)
    if kind == "b":
        return np.full_like(array, op in ("&", "*", "min", "and"))
    return np.full_like(array, identity(op, array.dtype.type(0)))


def combine_copy(op: str, array: np.ndarray[Any, Any], copy: np.ndarray[Any, Any]) -> None:
    """Bring what a private copy has accumulated into the array."""
    for place in np.ndindex(array.shape):
        array[place] = COMBINE[op](array[place], copy[place])


def start(reduction: Reduction, values: Sequence[Any]) -> tuple[Any, ...]:
    """What a block starts from; `values` are those of the accumulator and its companions before the nest. Behind them
    stands a flag, where one is needed."""
    first = math.nan if reduction.taking(KIND).unordered else identity(reduction.op, values[0])
    return (first, *values[1:], *((False,) if reduction.flagged(KIND) else ()))


def combined(reduction: Reduction, values: tuple[Any, ...], partial: tuple[Any, ...]) -> tuple[Any, ...]:
    """`values` after the block that gave `partial`; companions follow a new extremum."""
    if not reduction.companions and reduction.taking(KIND) == FIRST:
        return (COMBINE[reduction.op](values[0], partial[0]),)
    taken = takes_text(reduction, KIND, "partial[0]", "partial[-1]")
    better = eval(taken, {reduction.name: values[0], "partial": partial})
    return partial[: len(values)] if better else values
