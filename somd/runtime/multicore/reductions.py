"""Combining partial results: floating-point sums and products in a fixed tree, the rest in order of the blocks."""

from __future__ import annotations

from typing import Any

from somd.runtime.multicore.intrinsics import FAR, assume
from somd.runtime.multicore.numba_internals.native import native


@native
def reduce_sum(partials: Any) -> Any:
    """Sum by pairs of neighbours, level by level; `partials` (1-D, not empty) is used up."""
    count = len(partials)
    while count > 1:
        half = count >> 1
        for k in range(half):
            assume(0 <= 2 * k < FAR)
            partials[k] = partials[2 * k] + partials[2 * k + 1]
        if count & 1:
            partials[half] = partials[count - 1]
        count -= half
    return partials[0]


@native
def reduce_product(partials: Any) -> Any:
    """Product by pairs of neighbours, level by level; `partials` (1-D, not empty) is used up."""
    count = len(partials)
    while count > 1:
        half = count >> 1
        for k in range(half):
            assume(0 <= 2 * k < FAR)
            partials[k] = partials[2 * k] * partials[2 * k + 1]
        if count & 1:
            partials[half] = partials[count - 1]
        count -= half
    return partials[0]


@native
def reduce_min(first: Any, partials: Any) -> Any:
    """`min(first, *partials)` as Python orders it."""
    result = first
    for k in range(len(partials)):
        if partials[k] < result:
            result = partials[k]
    return result


@native
def reduce_max(first: Any, partials: Any) -> Any:
    """`max(first, *partials)` as Python orders it."""
    result = first
    for k in range(len(partials)):
        if partials[k] > result:
            result = partials[k]
    return result


@native
def reduce_and(first: Any, partials: Any) -> Any:
    """`first & partials[0] & ...`"""
    result = first
    for k in range(len(partials)):
        result = result & partials[k]
    return result


@native
def reduce_or(first: Any, partials: Any) -> Any:
    """`first | partials[0] | ...`"""
    result = first
    for k in range(len(partials)):
        result = result | partials[k]
    return result


@native
def reduce_xor(first: Any, partials: Any) -> Any:
    """`first ^ partials[0] ^ ...`"""
    result = first
    for k in range(len(partials)):
        result = result ^ partials[k]
    return result


@native
def reduce_all(first: Any, partials: Any) -> Any:
    """`first and partials[0] and ...`"""
    result = bool(first)
    for k in range(len(partials)):
        result = result and bool(partials[k])
    return result


@native
def reduce_any(first: Any, partials: Any) -> Any:
    """`first or partials[0] or ...`"""
    result = bool(first)
    for k in range(len(partials)):
        result = result or bool(partials[k])
    return result
