"""Reductions by their definition: every logical block starts from the identity, and the blocks follow in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from somd.language.operators import OPERATORS
from somd.transforms.stages import FIRST, Reduction
from somd.transforms.taken import takes_text

#: values are taken as floats are: of others no two are equal and yet different
KIND = "f"


class NoProduct:
    """The product of no complex numbers of the type of `one`."""

    __array_ufunc__ = None

    def __init__(self, one: Any) -> None:
        self.one = one

    def __mul__(self, other: Any) -> Any:
        return other if isinstance(other, NoProduct) else type(self.one * other)(other)

    __rmul__ = __mul__


def identity(op: str, value: Any) -> Any:
    """The neutral element of `op` in the type of the accumulator, whose value before the nest is `value`."""
    operator = OPERATORS[op]
    if operator.of_complex is not None and isinstance(value, complex | np.complexfloating):
        return NoProduct(type(value)(1))
    if operator.better:
        return operator.neutral(np.dtype(float))
    neutral = operator.neutral(np.dtype(type(value)))
    return neutral if operator.skips else type(value)(neutral)


def fresh_copy(op: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A private copy of an array that a fence combines: every element neutral."""
    if OPERATORS[op].of_complex is not None and array.dtype.kind == "c":
        return np.full_like(array, NoProduct(array.dtype.type(1)), dtype=object)
    return np.full_like(array, OPERATORS[op].neutral(array.dtype))


def combine_copy(op: str, array: np.ndarray[Any, Any], copy: np.ndarray[Any, Any]) -> None:
    """Bring what a private copy has accumulated into the array."""
    for place in np.ndindex(array.shape):
        array[place] = OPERATORS[op].combine(array[place], copy[place])


def start(reduction: Reduction, values: Sequence[Any]) -> tuple[Any, ...]:
    """What a block starts from; `values` are those of the accumulator and its companions before the nest. Behind them
    stands a flag, where one is needed."""
    first = math.nan if reduction.taking(KIND).unordered else identity(reduction.op, values[0])
    return (first, *values[1:], *((False,) if reduction.flagged(KIND) else ()))


def combined(reduction: Reduction, values: tuple[Any, ...], partial: tuple[Any, ...]) -> tuple[Any, ...]:
    """`values` after the block that gave `partial`; companions follow a new extremum."""
    if not reduction.companions and reduction.taking(KIND) == FIRST:
        return (OPERATORS[reduction.op].combine(values[0], partial[0]),)
    taken = takes_text(reduction, KIND, "partial[0]", "partial[-1]")
    better = eval(taken, {reduction.name: values[0], "partial": partial})
    return partial[: len(values)] if better else values
