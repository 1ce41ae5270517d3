"""Ranked: an array of which each rank holds some rows, on its device, on its host, or on both.

Which rows a rank holds follows from what all ranks have done, so all of them know it (`Shared`); on which of its sides
they lie is a matter of its own (`places`). Elements that the master asks for all ranks get. An array without an axis,
or without elements, is none of these: every rank has it, as one process has.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from somd.runtime.mpi.addresses import reserved
from somd.runtime.mpi.holders import everywhere
from somd.runtime.mpi.session import Session, Shared
from somd.runtime.opencl import elements
from somd.runtime.opencl.ranks.crossing import Crossing
from somd.runtime.opencl.several.arrays import Spread
from somd.runtime.opencl.several.group import Group
from somd.runtime.opencl.several.places import HOST


class Ranked(Spread):
    """An array of a call that ranks share; its group is the one device of this rank."""

    __slots__ = ("__weakref__", "crossing", "session", "shared")

    def __init__(
        self,
        session: Session,
        group: Group,
        crossing: Crossing,
        shape: tuple[int, ...],
        dtype: Any,
        shared: Shared | None = None,
    ) -> None:
        """Of `shared` the array is the host's side; without it a new array, of undefined content."""
        host = reserved(shape, dtype) if shared is None else shared.array
        super().__init__(group, shape, dtype, host)
        self.session, self.crossing = session, crossing
        if shared is None:
            self.places.drop(HOST)
            shared = Shared(host, session.world.rank, session.world.size)
        self.shared = shared
        shared.side = weakref.ref(self)

    # --- what the session asks (`Side`) ------------------------------------------------------------------------------

    def leaves(self, low: int, high: int) -> None:
        """The host gets rows that the device has written, those that cross when they have `left`."""
        self._cross(HOST, low, high)

    def leaving(self, low: int, high: int) -> bool:
        """Whether some of these rows are on their way to the host."""
        return self.crossing.takes_from(self.shared.array[low:high])

    def left(self) -> None:
        """The host has all rows that leave."""
        self.crossing.left()

    def arrived(self, low: int, high: int) -> None:
        """The host has got rows from others; so does the device, if they cross."""
        self.written(HOST, low, high)
        if self.crossing.takes((high - low) * self.row_bytes):
            self._cross(0, low, high)

    def _cross(self, place: int, low: int, high: int) -> None:
        """As `need`, beside what the device computes where that can be."""
        with self.context.lock:
            for copy in self.places.need(place, low, high):
                rows = self.shared.array[copy.low : copy.high]
                if not self.crossing.takes(rows.nbytes) or not rows.flags.c_contiguous or rows.dtype != self.dtype:
                    self._move(copy)
                elif place == HOST:
                    self.crossing.leave(self.sides[copy.source], copy.low * self.row_bytes, rows)
                else:
                    self.crossing.arrive(self.sides[place], copy.low * self.row_bytes, rows)

    def let_go(self) -> None:
        """The host gets all rows that this rank holds; the device is needed no more."""
        self._leave()
        self.shared.side = None

    # --- what masters ask, all ranks alike ---------------------------------------------------------------------------

    def fetch(self, low: int, high: int) -> None:
        """All ranks get rows.

        Raises:
            BaseException: a kernel of some rank has failed before.
        """
        if self.settle is not None:
            self.settle()
        self.session.rows_of(self.shared, low, high)

    def to_host(self) -> np.ndarray[Any, Any]:
        """The host's array, of which all ranks get all."""
        self.fetch(0, self.places.rows)
        return super().to_host()

    def to_device(self) -> Any:
        """The buffer, with all rows that this rank holds."""
        for low, high in self.shared.holders[self.shared.rank]:
            self.need(0, low, high)
        return self.sides[0].buffer

    def __getitem__(self, index: Any) -> Any:
        """An element.

        Raises:
            IndexError: it lies outside.
        """
        host = self._with_row(index)
        return host[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        """Sets an element, on every rank.

        Raises:
            IndexError, ValueError: as NumPy's arrays.
        """
        host = self._with_row(index)
        host[index] = value
        row = self._row(index)
        self.arrived(row, row + 1)

    def _with_row(self, index: Any) -> np.ndarray[Any, Any]:
        """The host's array, in which the row of an element is current on all ranks; after many, all that a rank holds
        comes from its device."""
        row = self._row(index)
        self.fetch(row, row + 1)
        self._singles += 1
        if elements.worth(self, self._singles):
            self.leaves(row, row + 1)
        else:
            self._leave()
        return self.shared.array

    def _leave(self) -> None:
        for low, high in self.shared.holders[self.shared.rank]:
            self.leaves(low, high)

    def fill(self, value: Any) -> None:
        """Sets every element, on every rank."""
        super().fill(value)
        self.shared.holders = everywhere(self.places.rows, self.session.world.size)

    def duplicate(self) -> Ranked:
        """A new array with the same content, each rank having the rows that it holds."""
        made = Ranked(self.session, self.group, self.crossing, self.shape, self.dtype)
        made.settle = self.settle
        made.shared.holders = self.shared.holders
        self.to_device()
        for low, high in self.shared.holders[self.shared.rank]:
            offset, size = low * self.row_bytes, (high - low) * self.row_bytes
            self.sides[0].copy_to(made.sides[0], offset, size)
            made.places.hold(0, low, high)
        return made
