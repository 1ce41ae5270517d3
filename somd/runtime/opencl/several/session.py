"""SpreadRun: one call on several devices. Generated masters use it as they use a `Run`.

A launch with blocks (`split`) is cut into one part a device, of whole work-groups. What a part reads is brought to its
device before any part is launched, and what it writes is stale on the others from then on. Everything else runs on the
first device.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np

from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.device_array import DeviceArray, is_device_array
from somd.runtime.opencl.failures import device_errors, lost, overlapping
from somd.runtime.opencl.fault_record import Faults
from somd.runtime.opencl.ints import wrapped
from somd.runtime.opencl.kept import Kept
from somd.runtime.opencl.programs import Kernel, Program
from somd.runtime.opencl.session import Held, Rows, Run
from somd.runtime.opencl.several.arrays import Spread
from somd.runtime.opencl.several.device_array import SpreadDeviceArray, spread_of
from somd.runtime.opencl.several.group import Group, forget
from somd.runtime.opencl.several.parts import Part, parts_of


class SpreadRun(Run):
    """One call: its arrays by identity, and its kernels on each device."""

    def __init__(self, group: Group, programs: Sequence[Program], kernel_names: Sequence[str]) -> None:
        super().__init__(group.lead, programs[0], kernel_names)
        self.group = group
        self.contexts = group.contexts
        self._on: list[dict[str, Kernel]] = [{n: program.kernel(n) for n in kernel_names} for program in programs]
        self._split: dict[str, tuple[int, Rows]] = {}
        #: copies of kept scalars on other devices, and how often these had changed when a copy was made
        self._kept: dict[tuple[int, int], tuple[Managed, int]] = {}

    @property
    def sharers(self) -> int:
        """Among how many a launch is shared."""
        return len(self.contexts)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if lost(error):
            self._let_go()
            forget(self.group)
            return
        self.close()

    def array(self, array: Any, *, overwritten: bool = False) -> Managed:
        """As that of `Run`; device arrays must be spread over the same devices.

        Raises:
            ValueError: a device array that lives elsewhere.
        """
        known = self._arrays.get(id(array))
        if known is not None:
            return known[1]
        if is_device_array(array):
            if not isinstance(array, SpreadDeviceArray) or array.spread.group is not self.group:
                raise ValueError("device arrays of two OpenCL contexts in one call")
            spread = array.spread
        else:
            spread = spread_of(self.group, array)
            if overwritten:
                spread.everywhere()
        spread.settle = self.settle
        managed = self._named_before(array, spread)
        self._arrays[id(array)] = (array, managed)
        return managed

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Managed:
        """A new array on the devices, of undefined content."""
        extents = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        if any(extent < 0 for extent in extents):
            raise ValueError("negative dimensions are not allowed")
        spread = Spread(self.group, tuple(int(extent) for extent in extents), dtype)
        spread.settle = self.settle
        return spread

    def from_host(self, array: np.ndarray[Any, Any]) -> Managed:
        """A new array that the master has made; nothing is copied yet."""
        spread = spread_of(self.group, array)
        spread.settle = self.settle
        return spread

    def split(self, kernel_name: str, dimension: int, rows: Rows) -> None:
        """Launches of this kernel are cut along a dimension."""
        self._split[kernel_name] = (dimension, rows)

    def room_of_rows(
        self, kernel_name: str, rows: tuple[int, ...], inner: tuple[int, ...], widths: tuple[int, ...]
    ) -> None:
        """None: such launches are not cut."""

    def room_for_rows(
        self,
        kernel_name: str,
        count: int,
        inner: int | None,
        wanted: int,
        most: int,
        widths: tuple[tuple[int, ...], ...],
    ) -> None:
        """None: such launches are not cut."""

    def launch(
        self,
        kernel_name: str,
        global_size: tuple[int, ...],
        args: tuple[Any, ...],
        reads: tuple[Managed, ...] = (),
        writes: tuple[Held, ...] = (),
    ) -> None:
        """As that of `Run`, on as many devices as the launch can be cut for."""
        space = tuple(wrapped(int(extent)) for extent in global_size)
        if min(space) > 0:
            self._share(
                self._kernels[kernel_name], space, self._kernels[kernel_name].sizes_for(space)[1], args, reads, writes
            )

    def launch_groups(
        self,
        kernel_name: str,
        groups: int,
        local: int,
        args: tuple[Any, ...],
        reads: tuple[Managed, ...] = (),
        writes: tuple[Held, ...] = (),
    ) -> None:
        """As that of `Run`, on as many devices as the launch can be cut for."""
        if groups > 0:
            self._share(self._kernels[kernel_name], (int(groups),), (local,), args, reads, writes, groups=True)

    def finish(self, written: tuple[Managed, ...] = ()) -> None:
        """Waits for the kernels of all devices and copies what they changed of `written` to the host.

        Raises:
            IndexError: a kernel has noted an access outside its array.
        """
        self.group.flush()
        for context in self.contexts[1:]:
            context.finish()
        super().finish(written)

    def result(self, managed: Managed, on_device: bool = False) -> np.ndarray[Any, Any] | DeviceArray:
        """What the caller gets for an array that the call made: on the host, or left on the devices."""
        if on_device and isinstance(managed, Spread):
            managed.leave_host()
            return SpreadDeviceArray(managed)
        return managed.to_host()

    def close(self) -> None:
        """Lets go of all arrays."""
        self._let_go()
        self._kept.clear()
        with self.context.lock:
            for kernels, context in zip(self._on, self.contexts, strict=True):
                for kernel in kernels.values():
                    kernel.forget()
                context.trim()

    # --- launches ------------------------------------------------------------------------------------------------

    def _share(
        self,
        kernel: Kernel,
        space: tuple[int, ...],
        local: tuple[int, ...],
        args: tuple[Any, ...],
        reads: tuple[Managed, ...],
        writes: tuple[Held, ...],
        groups: bool = False,
    ) -> None:
        for array in writes:
            if not array.writeable:
                raise ValueError("assignment destination is read-only")
            if array.overlaps:
                raise overlapping()
        for array in (*reads, *writes):
            if not isinstance(array, Spread) and not array.device_valid:
                array.to_device()
        self._run_parts(kernel, self._parts(kernel.name, space, local, args, reads, writes, groups), args)
        for array in writes:
            if not isinstance(array, Spread):
                array.written_on_device()

    def _run_parts(self, kernel: Kernel, parts: list[Part], args: tuple[Any, ...]) -> None:
        with self.context.lock:
            for part in parts:
                for spread, (low, high) in part.touched:
                    spread.need(part.device, low, high)
            for part in parts:
                mine = self._on[part.device][kernel.name]
                given = tuple([self._side(value, part.device) for value in args])
                context = self.contexts[part.device]
                with device_errors(f"launching {kernel.name} over {part.size}", str(context.device)):
                    mine.launch_part(given, part.first, part.size, part.local)
                    if len(parts) > 1:
                        context.queue.flush()
            for part in parts:
                self.contexts[part.device].launched()
                for spread, (low, high) in part.written:
                    spread.written(part.device, low, high)

    def _parts(
        self,
        name: str,
        space: tuple[int, ...],
        local: tuple[int, ...],
        args: tuple[Any, ...],
        reads: tuple[Managed, ...],
        writes: tuple[Held, ...],
        groups: bool,
    ) -> list[Part]:
        known = self._split.get(name)
        fixed = any(not isinstance(array, Spread) for array in (*reads, *writes))  # such as those without elements
        count = 1 if known is None or fixed else self.sharers
        dimension, rows = known if known is not None and count > 1 else (0, None)
        spreads = tuple(array for array in (*reads, *writes) if isinstance(array, Spread))
        changed = tuple(array for array in writes if isinstance(array, Spread))
        given = tuple(array for array in args if isinstance(array, Spread))
        return parts_of(space, local, groups, dimension, count, rows, given, spreads, changed)

    def _side(self, value: Any, device: int) -> Any:
        """What stands for an argument on a device."""
        if isinstance(value, Spread):
            return value.sides[device]
        if isinstance(value, Faults):
            return value.sides[device]
        if isinstance(value, Kept) and device:
            return self._kept_copy(value, device)
        assert not (isinstance(value, Managed) and device), "an array of one device in a launch on several"
        return value

    def _kept_copy(self, kept: Kept, device: int) -> Managed:
        size = int(kept.buffer.size)
        made, seen = self._kept.get((id(kept), device), (None, -1))
        if made is None:
            made = Managed(self.contexts[device], (size,), np.uint8)
        if seen != kept.changes:
            original = Managed(self.context, (size,), np.uint8, buffer=kept.buffer)
            self.group.copy(original, made, 0, size)
            self._kept[id(kept), device] = (made, kept.changes)
        return made
