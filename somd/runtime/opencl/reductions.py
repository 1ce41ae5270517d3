"""The master's half of a reduction: trips, and the partial results of logical blocks combined as on every target.

Float sums and products are taken by pairs of neighbours, level by level; the rest in order of the blocks. In: the value
before the nest and a 1-D array of partial results, empty where the nest had no iteration. Out: the value after it.
One of Python's ints wraps where it meets partial results of 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from somd.errors import SomdRuntimeError
from somd.runtime.opencl.ints import wrapped

Partials = np.ndarray[Any, Any]


def trips(start: int, stop: int, step: int) -> int:
    """How many values `range(start, stop, step)` has, for a kernel that takes its ends with 64 bits.

    Raises:
        SomdRuntimeError: the ends lie so far out that the kernel would see another range (SOMD609).
    """
    count = _values(int(start), int(stop), step)
    if count and count != _values(wrapped(int(start)), wrapped(int(stop)), step):
        raise SomdRuntimeError(f"range({start}, {stop}, {step}): a loop over it on a device leaves 64 bits", "SOMD609")
    return count


def _values(start: int, stop: int, step: int) -> int:
    return max(0, -(-(stop - start) // step))  # `len` of a range knows no more than 2**63


def trips_between(low: int, high: int, step: int) -> int:
    """How many values a range with this step has at most when they lie from `low` to `high`."""
    return max(0, (high - low) // step + 1)


def _tree(combine: Callable[[Any, Any], Any], partials: Partials) -> Any:
    while len(partials) > 1:
        pairs = len(partials) // 2
        rest = partials[2 * pairs :]
        partials = np.concatenate([combine(partials[0 : 2 * pairs : 2], partials[1 : 2 * pairs : 2]), rest])
    return partials[0]


def reduce_sum(first: Any, partials: Partials) -> Any:
    """`first + (partials[0] + partials[1] + ...)`"""
    if not len(partials):
        return first
    with np.errstate(all="ignore"):
        return wrapped(first) + _tree(np.add, partials)


def _product(left: Partials, right: Partials) -> Partials:
    """`left * right`; of complex numbers by parts: NumPy's loops round less often than its scalars."""
    if left.dtype.kind != "c":
        return np.multiply(left, right)
    made = np.empty_like(left)
    made.real = left.real * right.real - left.imag * right.imag
    made.imag = left.real * right.imag + left.imag * right.real
    return made


def reduce_product(first: Any, partials: Partials) -> Any:
    """`first * (partials[0] * partials[1] * ...)`"""
    if not len(partials):
        return first
    with np.errstate(all="ignore"):
        return wrapped(first) * _tree(_product, partials)


def reduce_min(first: Any, partials: Partials) -> Any:
    """`min(first, *partials)` as Python orders it; no partial result is NaN."""
    if not len(partials):
        return first
    best = partials[int(np.argmin(partials))]
    return best if best < first else first


def reduce_max(first: Any, partials: Partials) -> Any:
    """`max(first, *partials)` as Python orders it; no partial result is NaN."""
    if not len(partials):
        return first
    best = partials[int(np.argmax(partials))]
    return best if best > first else first


def first_least(first: Any, partials: Partials) -> int:
    """The block whose minimum replaces `first`, or -1: the earliest of equal ones."""
    block = int(np.argmin(partials)) if len(partials) else -1
    return block if block >= 0 and partials[block] < first else -1


def first_greatest(first: Any, partials: Partials) -> int:
    """The block whose maximum replaces `first`, or -1: the earliest of equal ones."""
    block = int(np.argmax(partials)) if len(partials) else -1
    return block if block >= 0 and partials[block] > first else -1


def last_least(first: Any, partials: Partials, taken: Partials | None = None) -> int:
    """The block whose minimum replaces `first`, or -1: the last of equal ones, of blocks that took a value."""
    blocks = np.arange(len(partials)) if taken is None else np.flatnonzero(taken)
    if not len(blocks):
        return -1
    block = int(blocks[::-1][np.argmin(partials[blocks][::-1])])
    return block if partials[block] <= first else -1


def last_greatest(first: Any, partials: Partials, taken: Partials | None = None) -> int:
    """The block whose maximum replaces `first`, or -1: the last of equal ones, of blocks that took a value."""
    blocks = np.arange(len(partials)) if taken is None else np.flatnonzero(taken)
    if not len(blocks):
        return -1
    block = int(blocks[::-1][np.argmax(partials[blocks][::-1])])
    return block if partials[block] >= first else -1


def _behind_nan(partials: Partials, broken: Partials) -> tuple[int, Partials]:
    """The last block that took nan, or -1, and those behind it that took a value."""
    found = np.flatnonzero(broken)
    last = int(found[-1]) if len(found) else -1
    return last, last + 1 + np.flatnonzero(~np.isnan(partials[last + 1 :]))


def unordered_least(first: Any, partials: Partials, broken: Partials, equal: bool) -> int:
    """The block whose minimum replaces `first`, or -1, where nan is taken and gives way to any value: what stands
    before the last block that is `broken` does not count. Of equal values the last or the first one stays."""
    last, blocks = _behind_nan(partials, broken)
    if not len(blocks):
        return last
    found, kept = partials[blocks], first if last < 0 else partials[last]
    block = int(blocks[::-1][np.argmin(found[::-1])] if equal else blocks[np.argmin(found)])
    return last if kept < partials[block] or (not equal and kept == partials[block]) else block


def unordered_greatest(first: Any, partials: Partials, broken: Partials, equal: bool) -> int:
    """As `unordered_least`, for the maximum."""
    last, blocks = _behind_nan(partials, broken)
    if not len(blocks):
        return last
    found, kept = partials[blocks], first if last < 0 else partials[last]
    block = int(blocks[::-1][np.argmax(found[::-1])] if equal else blocks[np.argmax(found)])
    return last if kept > partials[block] or (not equal and kept == partials[block]) else block


def reduce_bit_and(first: Any, partials: Partials) -> Any:
    """`first & partials[0] & ...`"""
    return wrapped(first) & np.bitwise_and.reduce(partials) if len(partials) else first


def reduce_bit_or(first: Any, partials: Partials) -> Any:
    """`first | partials[0] | ...`"""
    return wrapped(first) | np.bitwise_or.reduce(partials) if len(partials) else first


def reduce_bit_xor(first: Any, partials: Partials) -> Any:
    """`first ^ partials[0] ^ ...`"""
    return wrapped(first) ^ np.bitwise_xor.reduce(partials) if len(partials) else first


def reduce_all(first: Any, partials: Partials) -> Any:
    """`first and partials[0] and ...`"""
    return first and partials.all() if len(partials) else first


def reduce_any(first: Any, partials: Partials) -> Any:
    """`first or partials[0] or ...`"""
    return first or partials.any() if len(partials) else first
