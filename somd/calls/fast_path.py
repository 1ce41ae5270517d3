"""The short way for a call that is like one before: same kinds of arguments, same target, nothing else changed.

What a first call finds out about its arguments from their texts, a later one knows from their kinds: types of scalars,
dtypes and dimensions of arrays. What depends on the arrays themselves is asked each time. After some calls of one kind
the target is asked for a call in machine code, which checks all that this one does by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from somd.arguments.device_arrays import on_device
from somd.arguments.overlaps import may_share
from somd.arguments.signatures import MOST_ELEMENTS, SCALARS
from somd.calls.lengths import with_length
from somd.calls.specialisations import Entry
from somd.capture.attributes import MISSING
from somd.capture.watching import Watch
from somd.diagnostics.refusals import comes_from_a_statement
from somd.settings.config import Grounds, Settings
from somd.settings.targets import NOTHING, Native, Same

_LIMIT = 1 << 63
#: after so many calls there is one in machine code: making the first of a process takes as long as 4000 calls
_PATIENCE = 1000
#: of functions, as `Watched` has them
_ATTRIBUTES = ("__code__", "__defaults__", "__kwdefaults__", "__annotations__")
_array, _may_share_memory = np.ndarray, np.may_share_memory


def kinds_of(values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What the entry for arguments depends on, as long as no two are the same array; None where that takes a closer
    look."""
    kinds: list[Any] = []
    for value in values:
        kind = type(value)
        if kind is _array and value.size <= MOST_ELEMENTS:
            kinds += (value.dtype, value.ndim)
        elif kind in SCALARS and (kind is not int or -_LIMIT <= value < _LIMIT):
            kinds.append(kind)
        elif on_device(value):
            kinds += (kind, value.dtype, len(value.shape))
        else:
            return None
    return tuple(kinds)


@dataclass(slots=True)
class WarmCall:
    """The entry for arguments of some kinds, and the pairs of arrays of which one is written.

    `on_device` says that all arrays are on a device. `calls` counts those that came this way, `patience` how many of
    them come before there is a `NativeCall`.
    """

    entry: Entry
    pairs: tuple[tuple[int, int], ...]
    on_device: bool = False
    calls: int = 0
    patience: int = _PATIENCE

    def fits(self, values: tuple[Any, ...]) -> bool:
        """Whether the entry may be called at once: written arrays are plain, and share no memory with others."""
        if self.on_device:
            return not any(may_share(values[k], values[other]) for k, other in self.pairs)
        for k in self.entry.written:
            flags = values[k].flags
            if not (flags.writeable and (flags.c_contiguous or flags.f_contiguous)):
                return False
        for k, other in self.pairs:  # noqa: SIM110 - each call asks, and a generator costs more than the answer
            if _may_share_memory(values[k], values[other]):
                return False
        return True


def warm_call(entry: Entry, values: tuple[Any, ...]) -> WarmCall | None:
    """The short way to an entry that is for arguments of which no two are one array; None where some arrays are on a
    device, and others are not."""
    far = [on_device(values[k]) for k in entry.arrays]
    if any(far) and not all(far):
        return None
    pairs = {(min(k, other), max(k, other)) for k in entry.written for other in entry.arrays if k != other}
    return WarmCall(entry, tuple(sorted(pairs)), any(far))


@dataclass(frozen=True, slots=True)
class NativeCall:
    """A call in machine code: `call(*values)` gives NotImplemented where something has changed."""

    call: Callable[..., Any]
    finish: Callable[[Any], Any] | None
    entry: Entry
    error: Callable[[Exception], BaseException]

    def meant(self, error: Exception, values: tuple[Any, ...]) -> BaseException:
        """The exception that an error of the call stands for."""
        meant = self.error(error)
        if not isinstance(meant, IndexError) or not with_length(meant, self.entry, values):
            comes_from_a_statement(meant)
        return meant


def native_call(
    warm: WarmCall, values: tuple[Any, ...], watch: Watch, grounds: Grounds, settings: Settings
) -> NativeCall | None:
    """The call in machine code for calls like one that has come the short way; None where there is none.

    `watch` was unchanged in that call, and `grounds` are what its settings depend on.
    """
    warm.calls = 0
    warm.patience *= 2  # where layouts alternate, making these must not become what calls spend their time on
    entry, seen = warm.entry, watch.by_identity()
    if entry.combine is not None or seen is None or not isinstance(entry.call, Native):
        return None
    names: list[tuple[Any, object, object]] = []
    names += [(owner, name, _there(value, MISSING)) for owner, name, value in seen.names]
    names += [(owner, name, _there(value, None)) for owner, name, value in grounds.names]
    attributes = [
        (function, name, _there(value, None))
        for function, *found in seen.functions
        for name, value in zip(_ATTRIBUTES, found, strict=True)
        if name != "__annotations__" or value is not None
    ]
    cells = [(cell, _there(value, MISSING)) for cell, value in seen.cells]
    same = Same(names, attributes, cells, grounds.context, grounds.folder, warm.pairs)
    made = entry.call.native(values, same, settings.workers, settings.small_work)
    return None if made is None else NativeCall(made[0], entry.call.finish, entry, made[1])


def _there(value: object, absent: object) -> object:
    return NOTHING if value is absent else value
