"""Scalars that stay on the device between kernels: a structure in a small buffer, its members items here.

kept = Kept(context, {"norm": float, "at": np.int64})     typedef struct { double norm_; long at_; } kept_scalars;

What a kernel left in it is read when the master asks for it; what the master sets is written to the device at
once, without waiting. Python's own `bool`, `int` and `float` come back as such, NumPy's types as scalars of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from somd.runtime.opencl.context import Context
from somd.runtime.opencl.failures import device_errors

#: so many readings may pass before it is asked whether something went wrong
SETTLED = 32


class Kept:
    """The scalars of one call. `types` gives NumPy's or Python's type of each, in the order of the C structure."""

    def __init__(
        self,
        context: Context,
        types: Mapping[str, type],
        settle: Callable[[], None] | None = None,
        settled: int = SETTLED,
    ) -> None:
        layout = _layout({name: np.dtype(kind) for name, kind in types.items()})
        self._context = context
        self._kinds = dict(types)
        self._host = np.zeros((), layout)
        #: those that a kernel may have changed since they were read
        self._stale: set[str] = set()
        self._parts: dict[tuple[str, ...], KeptPart] = {}
        self._settle, self._settled = settle, settled
        #: what the master set, as it did: a variable may be a Python number until a kernel makes it one of NumPy's
        self._given: dict[str, Any] = {}
        self._reads = 0
        #: how often they may have changed, for who keeps copies
        self.changes = 0
        self.buffer = context.allocate(layout.itemsize)
        self._fill(np.zeros(1, np.uint8), 0, layout.itemsize)

    def part(self, *names: str) -> KeptPart:
        """These alone, for a launch that writes no others."""
        found = self._parts.get(names)
        if found is None:
            found = self._parts[names] = KeptPart(self, names)
        return found

    def changed(self, names: tuple[str, ...]) -> None:
        """A kernel may have changed these."""
        self.changes += 1
        self._stale.update(names)
        for name in names:
            self._given.pop(name, None)

    def are_stale(self, names: tuple[str, ...]) -> bool:
        """Whether the device alone has them."""
        return self._stale.issuperset(names)

    def to_device(self) -> Any:
        """The buffer, where everything is."""
        return self.buffer

    def __getitem__(self, name: str) -> Any:
        kind = self._kinds[name]
        if name in self._stale:
            self._read()
        elif name in self._given:
            return self._given[name]
        value = self._host[name][()]
        return value if issubclass(kind, np.generic) else value.item()

    def __setitem__(self, name: str, value: Any) -> None:
        self._host[name] = value
        self._given[name] = value
        self._stale.discard(name)
        dtype, offset = self._host.dtype.fields[name][:2]
        self._fill(np.array(value, dtype), offset, dtype.itemsize)

    def _read(self) -> None:
        # Seldom: it waits, too. After a fault a loop goes on with wrong numbers, but not for ever.
        self._reads += 1
        if self._settle is not None and self._reads % self._settled == 0:
            self._settle()
        context = self._context
        with context.lock, device_errors("reading scalars", str(context.device)):
            context.cl.enqueue_copy(context.queue, self._host, self.buffer, is_blocking=True)
        self._stale.clear()

    def _fill(self, pattern: Any, offset: int, size: int) -> None:
        context = self._context
        self.changes += 1
        with context.lock, device_errors("setting scalars", str(context.device)):
            context.cl.enqueue_fill_buffer(context.queue, self.buffer, pattern, offset, size)


class KeptPart:
    """Scalars that a launch writes. A kernel always may, and finds everything there."""

    writeable, overlaps, device_valid = True, False, True

    def __init__(self, kept: Kept, names: tuple[str, ...]) -> None:
        self._kept, self._names = kept, names

    @property
    def host_valid(self) -> bool:
        """Whether the host has some of them."""
        return not self._kept.are_stale(self._names)

    def written_on_device(self) -> None:
        """A kernel may have changed all of them."""
        self._kept.changed(self._names)

    def to_device(self) -> None:
        """Nothing is to be brought there."""


def _layout(types: Mapping[str, np.dtype[Any]]) -> np.dtype[Any]:
    """The layout of the C structure: each member at a multiple of its size, which a vector of two keeps too."""
    offsets, end = [], 0
    for dtype in types.values():
        offsets.append(-(-end // dtype.itemsize) * dtype.itemsize)
        end = offsets[-1] + dtype.itemsize
    widest = max((dtype.itemsize for dtype in types.values()), default=1)
    size = -(-end // widest) * widest
    return np.dtype({"names": [*types], "formats": [*types.values()], "offsets": offsets, "itemsize": size})
