"""Reductions by their definition: every logical block starts from the identity, and the blocks follow in order."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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
    return kind(1) if op in ("*", "&") else kind(0)


def combined(op: str, value: Any, partials: Sequence[Any]) -> Any:
    """`value` with the partial results of the blocks, in their order."""
    for partial in partials:
        value = COMBINE[op](value, partial)
    return value
