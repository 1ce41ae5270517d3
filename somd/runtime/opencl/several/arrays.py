"""Spread: an array of which each device of a group holds some rows. It looks like a `Managed` from outside.

Each device has a buffer for the whole array, so that an index is the same everywhere; `places` knows which rows of it
are valid. An array without an axis counts as one row.

Calls of several threads may share an array that stays on the devices: what `places` says, the copies that make it so
and the host's side change under the group's lock, together.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from somd.runtime.opencl import elements
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.several.group import Group
from somd.runtime.opencl.several.places import HOST, Copy, Places
from somd.runtime.opencl.transfers import note_download, note_exchange, note_upload


class Spread(Managed):
    """An array of a group's devices; `sides` are its buffers, one a device."""

    __slots__ = ("group", "places", "row_bytes", "sides")

    def __init__(
        self, group: Group, shape: tuple[int, ...], dtype: Any, host: np.ndarray[Any, Any] | None = None
    ) -> None:
        super().__init__(group.lead, shape, dtype, host)
        self.group = group
        self.sides = tuple(Managed(context, self.shape, self.dtype) for context in group.contexts)
        rows = self.shape[0] if self.shape else 1
        self.row_bytes = math.prod(self.shape[1:]) * self.dtype.itemsize
        self.places = Places(rows if self.row_bytes else 0, len(group))
        if host is not None:
            self.places.hold(HOST)
        self._told()

    @property
    def buffer(self) -> Any:
        """The buffer of the first device, with the whole content."""
        return self.to_device()

    def need(self, device: int, low: int, high: int) -> None:
        """Brings rows [low, high) to a device; after what is enqueued, before what will be."""
        with self.context.lock:
            for copy in self.places.need(device, low, high):
                self._move(copy)

    def written(self, device: int, low: int, high: int) -> None:
        """A kernel on `device` has changed rows [low, high)."""
        with self.context.lock:
            self.places.written(device, low, high)
            self._told()

    def to_device(self) -> Any:
        """The buffer of the first device, with the whole content."""
        with self.context.lock:
            self.need(0, 0, self.places.rows)
            self._told()
            return self.sides[0].buffer

    def to_host(self) -> np.ndarray[Any, Any]:
        """The host array, with the content of the devices where the host's is stale.

        Raises:
            ValueError: the host array is read-only and stale.
            IndexError: a kernel before has noted an access outside its array.
        """
        with self.context.lock:
            if self.host is None:
                self.host = np.empty(self.shape, self.dtype)
            if not self.places.whole(HOST):
                if self.settle is not None:
                    self.settle()
                if not self.writeable:
                    raise ValueError("assignment destination is read-only")
                for copy in self.places.need(HOST, 0, self.places.rows):
                    self._move(copy)
            self.host_valid = True
            return self.host

    def __getitem__(self, index: Any) -> Any:
        """An element, from a place that has its row, if that costs less than the array.

        Raises:
            IndexError: it lies outside; or a kernel before has noted an access outside its array.
        """
        with self.context.lock:
            place = self._place_of(index)
            if place == HOST or not elements.worth(self, self._singles):
                return self.to_host()[index]
            if self.settle is not None:
                self.settle()
            self._singles += 1
            return elements.read(self.sides[place], index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Sets an element, at a place that has its row, if that costs less than the array.

        Raises:
            IndexError, ValueError: as NumPy's arrays, and as `to_host`.
        """
        with self.context.lock:
            place = self._place_of(index)
            self._singles += 1
            if place == HOST or not self.writeable or not elements.worth(self, self._singles):
                self.to_host()[index] = value
                self.written_on_host()
            else:
                elements.write(self.sides[place], index, value)
                row = self._row(index)
                self.written(place, row, row + 1)

    def _place_of(self, index: Any) -> int:
        """A device that holds the row of an element, where the host does not."""
        row = self._row(index)
        if not 0 <= row < self.places.rows or self.places.holds(HOST, row):
            return HOST
        return next((device for device in range(len(self.sides)) if self.places.holds(device, row)), HOST)

    def _row(self, index: Any) -> int:
        first = index[0] if isinstance(index, tuple) else index
        return int(first) + (self.places.rows if first < 0 else 0)

    def content(self) -> np.ndarray[Any, Any]:
        """A new NumPy array with the content; where it is valid stays as it is."""
        found = np.empty(self.shape, self.dtype)
        with self.context.lock:
            for copy in self.places.sources():
                target = found[copy.low : copy.high] if self.shape else found
                if copy.source == HOST:
                    assert self.host is not None
                    target[...] = self.host[copy.low : copy.high] if self.shape else self.host
                else:
                    self.sides[copy.source].download(target, copy.low * self.row_bytes)
                    note_download((copy.high - copy.low) * self.row_bytes)
        return found

    def leave_host(self) -> None:
        """Brings what only the host has to the first device."""
        with self.context.lock:
            for low, high in self.places.on_no_device():
                self.need(0, low, high)
            self.release_host()

    def release_host(self) -> None:
        """Forgets the host's side, whose rows devices have."""
        with self.context.lock:
            self.host = None
            self.places.drop(HOST)
            self._told()

    def written_on_device(self) -> None:
        """The first device's side holds the truth from now on."""
        self.written(0, 0, self.places.rows)

    def written_on_host(self) -> None:
        """The host side holds the truth from now on."""
        with self.context.lock:
            if self.host is not None:
                self.places.written(HOST, 0, self.places.rows)
            self._told()

    def everywhere(self) -> None:
        """No device needs the content: all of it will be written before it is read."""
        with self.context.lock:
            for device in range(len(self.sides)):
                self.places.hold(device)
            self._told()

    def fill(self, value: Any) -> None:
        """Sets every element, on all devices, without a transfer."""
        with self.context.lock:
            for side in self.sides:
                side.fill(value)
            self.written(0, 0, self.places.rows)
            self.everywhere()

    def fill_later(self, value: Any) -> None:
        self.fill(value)

    def duplicate(self) -> Spread:
        """A new array with the same content, made where the content is."""
        made = Spread(self.group, self.shape, self.dtype)
        with self.context.lock:
            for low, high in self.places.on_no_device():
                self.need(0, low, high)
            for device in range(len(self.sides)):
                for low, high in self.places.valid(device):
                    offset, size = low * self.row_bytes, (high - low) * self.row_bytes
                    self.sides[device].copy_to(made.sides[device], offset, size)
                    made.places.hold(device, low, high)
        made._told()
        return made

    def _move(self, copy: Copy) -> None:
        offset, size = copy.low * self.row_bytes, (copy.high - copy.low) * self.row_bytes
        if copy.source == HOST:
            assert self.host is not None
            source = np.asarray(self.host[copy.low : copy.high] if self.shape else self.host, self.dtype, order="C")
            self.sides[copy.target].upload(source, offset)
            note_upload(size)
        elif copy.target == HOST:
            assert self.host is not None
            target = self.host[copy.low : copy.high] if self.shape else self.host
            self.sides[copy.source].download(target, offset)
            note_download(size)
        else:
            self.group.copy(self.sides[copy.source], self.sides[copy.target], offset, size)
            note_exchange(size)

    def _told(self) -> None:
        """What a `Managed` says of its sides."""
        self.device_valid = self.places.whole(0)
        self.host_valid = self.places.whole(HOST)
