"""The master's half of a reduction: trips, and the partial results of logical blocks combined as on every target.

For each operator there is `reduce_...`; float sums and products are taken by pairs of neighbours, level by level. In:
the value before the nest and a 1-D array of partial results, empty where the nest had no iteration. Out: the value
after it. One of Python's ints wraps where it meets partial results of 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from somd.errors import SomdRuntimeError
from somd.language.operators import by_pairs, named
from somd.runtime.opencl.ints import wrapped

Partials = np.ndarray[Any, Any]


def trips(start: int, stop: int, step: int) -> int:
    """How many values `range(start, stop, step)` has, for a kernel that takes its ends with 64 bits, wrapping.

    Raises:
        SomdRuntimeError: these are 2**63 at least, and for ints that do not wrap there is one, too (SOMD609).
    """
    if start == 0 and step == 1 and 0 <= stop < 2**63:
        return int(stop)
    count = _values(wrapped(int(start)), wrapped(int(stop)), step)
    if count < 2**63:
        return count
    if not _values(int(start), int(stop), step):
        return 0
    raise SomdRuntimeError(f"range({start}, {stop}, {step}): a loop over it on a device leaves 64 bits", "SOMD609")


def _values(start: int, stop: int, step: int) -> int:
    return max(0, -(-(stop - start) // step))  # `len` of a range knows no more than 2**63


def trips_between(low: int, high: int, step: int) -> int:
    """How many values a range with this step has at most when they lie from `low` to `high`."""
    return max(0, (high - low) // step + 1)


def __getattr__(name: str) -> Any:
    return _made(name)


@cache
def _made(name: str) -> Callable[[Any, Partials], Any]:
    """`reduce_...` of an operator: `first` combined with all partial results, of which none is NaN for an extremum."""
    operator = named(name, "reduce_")
    fold = operator.fold or partial(by_pairs, operator.combine)

    def reduced(first: Any, partials: Partials) -> Any:
        if not len(partials):
            return first
        with np.errstate(all="ignore"):
            return operator.combine(first if operator.better else wrapped(first), fold(partials))

    return reduced


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
