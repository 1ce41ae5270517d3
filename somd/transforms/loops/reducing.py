"""Reductions by their definition: every block starts from the neutral element, and the blocks follow in order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from somd.language.operators import OPERATORS, Operator
from somd.transforms.loops.operators import number
from somd.transforms.loops.program import Reduced
from somd.transforms.stages import FIRST


def fresh_copy(op: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A private copy of an array that a fence combines: every element neutral."""
    return np.full_like(array, _operator(op, array.dtype).neutral(array.dtype))


def combine_copy(op: str, array: np.ndarray[Any, Any], copy: np.ndarray[Any, Any]) -> None:
    """Bring what a private copy has accumulated into the array."""
    combine = _operator(op, array.dtype).combine
    for place in np.ndindex(array.shape):
        array[place] = combine(array[place], copy[place])


def _operator(op: str, dtype: np.dtype[Any]) -> Operator:
    return OPERATORS[op].of_kind(dtype.kind)


def start(reduction: Reduced, names: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a block starts from: the neutral element, companions as they are before the region, the flag not set."""
    dtype = np.dtype(reduction.variable.type.dtype)
    neutral = math.nan if reduction.taking.unordered else _operator(reduction.op, dtype).neutral(dtype)
    companions = tuple(names.get(variable.name) for variable in reduction.companions)
    flag = () if reduction.flag is None else (np.bool_(False),)
    return (number(neutral, dtype.name), *companions, *flag)


def combined(reduction: Reduced, values: tuple[Any, ...], partial: tuple[Any, ...]) -> tuple[Any, ...]:
    """`values` after the block that gave `partial`; companions follow a new extremum."""
    if reduction.taking == FIRST and not reduction.companions:
        dtype = np.dtype(reduction.variable.type.dtype)
        return (number(_operator(reduction.op, dtype).combine(values[0], partial[0]), dtype.name),)
    return partial if _taken(reduction, values[0], partial) else values


def _taken(reduction: Reduced, value: Any, partial: tuple[Any, ...]) -> bool:
    """Whether the partial result takes the accumulator's place."""
    candidate, flag = partial[0], reduction.flag is None or bool(partial[-1])
    greatest = OPERATORS[reduction.op].better == ">"
    if reduction.taking.unordered:
        kept = _better(value, candidate, greatest, not reduction.taking.equal)
        return flag or bool(candidate == candidate and not kept)
    return flag and _better(candidate, value, greatest, reduction.taking.equal)


def _better(one: Any, other: Any, greatest: bool, equal: bool) -> bool:
    """Whether one value is better than another, or as good where `equal`."""
    return bool((one > other if greatest else one < other) or (equal and one == other))
