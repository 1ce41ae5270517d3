"""Arguments of a call that share memory: what generated code takes for granted is checked here.

In: the values of a call, and which of them are arrays, which are written. Out: the parameters that are the same array,
or an error where arrays overlap in part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from somd.arguments.device_arrays import layout_of, memory_of, on_device
from somd.errors import SomdRuntimeError


def same_arrays(
    written: Sequence[int],
    arrays: Sequence[int],
    values: Sequence[Any],
    names: Sequence[str],
    texts: Sequence[str],
) -> tuple[tuple[str, str], ...]:
    """Parameters that are the same array as an earlier one, as (name, first of these).

    Raises:
        SomdRuntimeError: SOMD309, a written array overlaps another one in part.
    """
    first_of = list(range(len(values)))
    for k in written:
        for other in arrays:
            if other == k:
                continue
            first, second = values[min(k, other)], values[max(k, other)]
            if not may_share(first, second):
                continue
            if same_memory(first, second):
                one, two = first_of[k], first_of[other]
                first_of = [min(one, two) if each in (one, two) else each for each in first_of]
            elif on_device(first) or np.shares_memory(first, second):
                both = f"arguments `{texts[min(k, other)]}` and `{texts[max(k, other)]}`"
                raise SomdRuntimeError(
                    f"{both} overlap in memory and one of them is written: pass a copy of one of them", "SOMD309"
                )
    return tuple(sorted((names[k], names[each]) for k, each in enumerate(first_of) if each != k))


def may_share(first: Any, second: Any) -> bool:
    """Whether two arrays, on the host or on a device, may have memory in common; quickly."""
    if first is second:
        return True
    if on_device(first) or on_device(second):
        return on_device(first) and on_device(second) and memory_of(first) == memory_of(second)
    return np.may_share_memory(first, second)


def same_memory(first: Any, second: Any) -> bool:
    """Whether two arrays that may share memory have the same elements at the same places."""
    if first is second:
        return True
    if on_device(first):
        return layout_of(first) == layout_of(second)
    return bool(
        first.__array_interface__["data"][0] == second.__array_interface__["data"][0]
        and first.shape == second.shape
        and first.strides == second.strides
        and first.dtype == second.dtype
    )


def check_writeable(written: Sequence[int], values: Sequence[Any], names: Sequence[str]) -> None:
    """Every written array may be written, and its elements are apart.

    Raises:
        ValueError: it is read-only, as NumPy says it.
        SomdRuntimeError: SOMD309, elements share memory.
    """
    for k in written:
        if isinstance(values[k], np.ndarray) and not values[k].flags.writeable:
            raise ValueError(f"argument `{names[k]}` is written by the method, but the array is read-only")
        if isinstance(values[k], np.ndarray) and _overlaps_itself(values[k]):
            message = f"argument `{names[k]}` is written, and several of its elements are the same memory: pass a copy"
            raise SomdRuntimeError(message, "SOMD309")


def _overlaps_itself(array: np.ndarray[Any, Any]) -> bool:
    """Whether two elements of an array may be the same memory, as in a sliding window view."""
    flags = array.flags
    if flags.c_contiguous or flags.f_contiguous or array.size < 2:
        return False
    reach = array.itemsize
    for stride, length in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach = stride * (length - 1) + reach
    return False
