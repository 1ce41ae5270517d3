"""The short way for a call that is like one before: same kinds of arguments, same target, nothing else changed.

What a first call finds out about its arguments from their texts, a later one knows from their kinds: types of scalars,
dtypes and dimensions of arrays. What depends on the arrays themselves is asked each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from somd.arguments.signatures import SCALARS
from somd.calls.specialisations import Entry

_LIMIT = 1 << 63
_array, _may_share_memory = np.ndarray, np.may_share_memory


def kinds_of(values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What the entry for arguments depends on, as long as no two are the same array; None where that takes a closer
    look."""
    kinds: list[Any] = []
    for value in values:
        kind = type(value)
        if kind is _array:
            kinds += (value.dtype, value.ndim)
        elif kind in SCALARS and (kind is not int or -_LIMIT <= value < _LIMIT):
            kinds.append(kind)
        else:
            return None
    return tuple(kinds)


@dataclass(frozen=True, slots=True)
class WarmCall:
    """The entry for arguments of some kinds, and the pairs of arrays of which one is written."""

    entry: Entry
    pairs: tuple[tuple[int, int], ...]

    def fits(self, values: tuple[Any, ...]) -> bool:
        """Whether the entry may be called at once: written arrays are plain, and share no memory with others."""
        for k in self.entry.written:
            flags = values[k].flags
            if not (flags.writeable and (flags.c_contiguous or flags.f_contiguous)):
                return False
        for k, other in self.pairs:  # noqa: SIM110 - each call asks, and a generator costs more than the answer
            if _may_share_memory(values[k], values[other]):
                return False
        return True


def warm_call(entry: Entry) -> WarmCall:
    """The short way to an entry that is for arguments of which no two are one array."""
    pairs = {(min(k, other), max(k, other)) for k in entry.written for other in entry.arrays if k != other}
    return WarmCall(entry, tuple(sorted(pairs)))
