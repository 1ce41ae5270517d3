"""Run: one call of a SOMD method on a device. Generated host modules are written against it.

In: the generated program, the arguments. Out: launched kernels, and at the end what is visible outside. Nothing is
written to the caller's arrays before `finish`, so an exception on the way leaves them as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from somd.arguments.device_arrays import memory_of
from somd.arguments.overlaps import may_share, same_memory
from somd.language.combining import Join
from somd.language.library import LibraryCall
from somd.language.raising import Raises
from somd.runtime.opencl import workgroups
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.context import Context, context_for, forget
from somd.runtime.opencl.device_array import (
    DeviceArray,
    context_of_array,
    device_array_of,
    group_of_array,
    is_device_array,
    managed_of,
)
from somd.runtime.opencl.devices import Device, select
from somd.runtime.opencl.failures import device_errors, lost, no_doubles, overlapping
from somd.runtime.opencl.kept import Kept, KeptPart
from somd.runtime.opencl.local_room import KEPT_BACK, Room, room_of
from somd.runtime.opencl.programs import Kernel, Program, Sizes, build
from somd.runtime.opencl.second_names import second_name
from somd.runtime.opencl.several.group import group_for
from somd.runtime.recording import current, noted

if TYPE_CHECKING:
    from somd.runtime.opencl.fault_record import Faults, First

Held = Managed | KeptPart
Rows = Callable[[int, int], tuple[tuple[Any, ...], ...]]
#: `Any`: the stubs of NumPy before 2.5 know two special values only
_WORK_OF_OVERLAP: Any = 10_000
_NEVER = Raises({})


class Run:
    """One call: its arrays by identity, and its kernels. A context manager; leaving it returns buffers to the pool."""

    def __init__(self, context: Context, program: Program, kernel_names: Sequence[str]) -> None:
        self.context = context
        #: those of all devices at work
        self.contexts: tuple[Context, ...] = (context,)
        self._kernels = program.kernels(kernel_names)
        self._arrays: dict[int, tuple[Any, Managed]] = {}
        #: the device arrays among them, by their memory
        self._memories: dict[object, tuple[Any, Managed]] = {}
        #: the arguments of the call, and the partitioners of parameters by position
        self.given: tuple[Any, ...] = ()
        self.partitioners: Mapping[int, Any] = {}
        #: the functions that fences call, by number
        self.joins: Sequence[Join | LibraryCall] = ()
        #: where kernels note accesses outside their arrays, if they may
        self.faults: Faults | None = None
        #: the `raise` statements of the method
        self.raises = _NEVER

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if lost(error):
            self._let_go()
            forget(self.context)
            return
        self.close()

    def array(self, array: Any, *, overwritten: bool = False) -> Managed:
        """An argument: a NumPy array, a DeviceArray or a `pyopencl.array.Array`; the same Managed for the same object.

        `overwritten` promises that kernels write every element before any is read: it is not uploaded.

        Raises:
            TypeError: not an array, or elements that have no place on a device.
            ValueError: a device array of another context or layout.
        """
        known = self._arrays.get(id(array))
        if known is not None:
            return known[1]
        if is_device_array(array):
            managed = managed_of(array)
            if managed.context is not self.context and managed.context.handle != self.context.handle:
                raise ValueError("device arrays of two OpenCL contexts in one call")
        else:
            managed = Managed.of(self.context, array)
            if overwritten:
                managed.device_valid = True
        managed.settle = self.settle
        managed = self._named_before(array, managed)
        self._arrays[id(array)] = (array, managed)  # the array as well: its id must stay its own
        return managed

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Managed:
        """A new array on the device, of undefined content. It has no host side until `to_host` is asked for."""
        extents = (shape,) if isinstance(shape, (int, np.integer)) else shape
        if extents and min(extents) < 0:
            raise ValueError("negative dimensions are not allowed")
        managed = Managed(self.context, extents, dtype)
        managed.device_valid = True
        managed.settle = self.settle
        return managed

    def from_host(self, array: np.ndarray[Any, Any]) -> Managed:
        """A new array that the master has made; nothing is copied yet."""
        managed = Managed.of(self.context, array)
        managed.settle = self.settle
        return managed

    def keep(self, types: Mapping[str, type]) -> Kept:
        """Scalars that stay on the device between kernels, all zero."""
        return Kept(self.context, types, self.settle)

    def full(self, shape: int | tuple[int, ...], value: Any, dtype: Any) -> Managed:
        """A new array on the device, every element `value`; filled there, when it is first asked for."""
        managed = self.empty(shape, dtype)
        managed.fill_later(value)
        return managed

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Managed:
        """A new array of zeros on the device."""
        return self.full(shape, 0, dtype)

    def launch(
        self,
        kernel_name: str,
        global_size: tuple[int, ...],
        args: tuple[Any, ...],
        reads: tuple[Managed, ...] = (),
        writes: tuple[Held, ...] = (),
    ) -> None:
        """Runs a kernel over an index space of `global_size`, dimension 0 being the fastest, and returns at once.

        `args` are arrays, kept scalars, the record of faults, and numbers. The space is rounded up to whole
        work-groups: the kernel guards itself. An empty one launches nothing. What is stale on the device is uploaded
        for `reads`, and for `writes` too, since a kernel may write a part only; for `writes` the host is stale
        afterwards.

        Raises:
            SomdRuntimeError: the driver fails; or overlapping arguments, one of them written (SOMD309).
            ValueError: a read-only array among `writes`.
        """
        kernel = self._kernels[kernel_name]
        sizes = kernel.sizes.get(global_size) or kernel.sizes_for(global_size)
        if sizes[0][0]:
            self._launch(kernel, sizes, args, reads, writes)

    def launch_groups(
        self,
        kernel_name: str,
        groups: int,
        local: int,
        args: tuple[Any, ...],
        reads: tuple[Managed, ...] = (),
        writes: tuple[Held, ...] = (),
    ) -> None:
        """Runs a one-dimensional kernel in `groups` work-groups of exactly `local` items; otherwise like `launch`."""
        if groups > 0:
            kernel = self._kernels[kernel_name]
            sizes = kernel.groups.get((groups, local)) or kernel.sizes_of_groups(groups, local)
            self._launch(kernel, sizes, args, reads, writes)

    def split(self, kernel_name: str, dimension: int, rows: Rows) -> None:
        """How launches of a kernel may be cut along a dimension of their index space, where several devices work:
        `rows(first, last)` tells what work-items, or work-groups, `first` to `last` touch, as (array, (low, high)) of
        the rows touched and, if some are written, a (low, high) of those; arrays that it leaves out are read whole."""

    def lanes(self, kernel_name: str, count: int, inner: int | None) -> int:
        """Work-items for each of `count` iterations that share out a loop of `inner` trips, or of an unknown number of
        them; 0 where an iteration is better run by one work-item."""
        return workgroups.lanes(self._kernels[kernel_name].limits, count, inner)

    def tile_lanes(
        self, kernel_name: str, count: int, inner: int | None, wanted: int, rows: int = 0, across: int = 0
    ) -> int:
        """Work-items, so many as are `wanted`, for each tile of `count` iterations that walk along a loop of `inner`
        trips; 0 where they are better off without tiles, as where so many `across` are neighbours that read
        neighbouring elements, or with fewer than these `rows` in a tile."""
        if across >= workgroups.SHORT or (rows and not self._filled(workgroups.tiles(count, rows))):
            return 0
        return workgroups.tile_lanes(self._kernels[kernel_name].limits, count, inner, wanted)

    def chained_lanes(self, kernel_name: str, count: int, inner: int | None, wanted: int) -> int:
        """The work-items of a group that wants so many, and adds up blocks of chains of `inner` additions side by side,
        as `count` iterations have one each; 0 for short chains, or where iterations enough have one."""
        short = inner is None or inner < workgroups.LONG_CHAIN
        if short or self._filled(workgroups.tiles(count, workgroups.ROWS)):
            return 0
        return self.striped_lanes(kernel_name, wanted)

    def short_lanes(self, kernel_name: str, wanted: int, most: int, *widths: int, groups: int | None = None) -> int:
        """The work-items of a group that wants so many, and brings in whole rows of such `widths`, of which it has room
        for `most`; 0 where rows are longer, or a work-item does as well by itself, or so many `groups` are too few."""
        if groups is not None and not self._filled(groups):
            return 0
        return workgroups.short_lanes(self._kernels[kernel_name].limits, wanted, most, widths)

    def striped_lanes(self, kernel_name: str, wanted: int) -> int:
        """The work-items of a group that wants so many, and shares what they load and store; 0 where a work-item does
        as well by itself."""
        return workgroups.striped_lanes(self._kernels[kernel_name].limits, wanted)

    def group_rows(self, count: int, most: int) -> int:
        """How many of `count` iterations each group runs: `most` of them, or fewer where they would not fill the
        device."""
        return workgroups.group_rows(self.context.device.info.compute_units, count, most)

    def packed_lanes(self, kernel_name: str, wanted: int, groups: int, finer: bool = False) -> int:
        """The work-items of each of so many groups that have a tile of sums each, and want so many; 0 where they are
        too few to fill the device, or fill less of it than the tiles of a `finer` kernel would."""
        fewest = self.context.device.info.compute_units // workgroups.QUICKER
        enough = self._filled(groups) if finer else groups >= fewest
        return self.striped_lanes(kernel_name, wanted) if enough else 0

    def room_of_rows(
        self, kernel_name: str, rows: tuple[int, ...], inner: tuple[int, ...], widths: tuple[int, ...]
    ) -> Room | None:
        """Local memory for arrays of `widths` bytes, each beginning at a word of 8, for groups that run several phases
        of a row each: where all phases have as many `rows`, and the longest of their `inner` loops pays a group."""
        wanted = workgroups.of_rows(self._kernels[kernel_name].limits, rows, inner, widths)
        local = self.context.device.info.local_memory - KEPT_BACK - workgroups.OF_A_ROW_FOUND
        lanes = workgroups.lanes_of_row(max(inner, default=0))
        return room_of(self.context.cl, wanted, lanes) if 0 < wanted <= local else None

    def room_for_rows(
        self,
        kernel_name: str,
        count: int,
        inner: int | None,
        wanted: int,
        most: int,
        widths: tuple[tuple[int, ...], ...],
    ) -> Room | None:
        """Local memory for groups of so many work-items as are `wanted` that keep some of `count` rows, `most` at most,
        and go along them by loops of `inner` trips; `widths` are the bytes of an element and the lengths of what may
        lie there, for each place of a row. None where rows are short or too long, or a cache will do."""
        limits, nbytes = self._kernels[kernel_name].limits, workgroups.bytes_of_row(widths)
        local = self.context.device.info.local_memory - KEPT_BACK - workgroups.OF_ROWS_FOUND
        short = inner is None or inner < workgroups.SHORT or count <= 0
        if short or not 0 < nbytes <= local or not workgroups.striped_lanes(limits, wanted):
            return None
        rows = workgroups.rows_of_group(limits, count, most, nbytes, local)
        return room_of(self.context.cl, rows * nbytes, wanted, rows)

    def _filled(self, groups: int) -> bool:
        """Whether so many groups with large tiles are no slower than more of them with smaller ones."""
        return groups >= self.context.device.info.compute_units * workgroups.FILLED

    def group_of(self, kernel_name: str, most: int) -> int:
        """Work-items of a group, a power of two: `most` of them, or as many as the device allows for the kernel."""
        return workgroups.group_of(self._kernels[kernel_name].limits, most)

    def _launch(
        self,
        kernel: Kernel,
        sizes: Sizes,
        args: tuple[Any, ...],
        reads: tuple[Managed, ...],
        writes: tuple[Held, ...],
    ) -> None:
        for array in writes:
            # What a kernel of this call wrote before has been looked at.
            if array.host_valid or array.overlaps or not array.device_valid:
                _made_ready(array)
        for managed in reads:
            if not managed.device_valid:
                managed.to_device()
        if current() is not None:
            self.context.queue.finish()  # so that the kernel's time is its own
            with noted("kernel", kernel.name), self.context.lock:
                kernel.launch(args, sizes)
                self.context.launched()
                self.context.queue.finish()
            return
        with self.context.lock:  # not `acquire`, behind which Ctrl-C could end the call
            try:
                kernel.launch(args, sizes)
                self.context.launched()
            except self.context.cl.Error:
                with device_errors(f"launching {kernel.name} over {sizes[0]}", str(self.context.device)):
                    raise

    def settle(self) -> None:
        """Raises what went wrong in the kernels launched so far, the first of it.

        Raises:
            BaseException: an IndexError for an access outside its array, or what the method raises.
        """
        if self.faults is not None:
            error = self.faults.found()
            if error is not None:
                raise error

    def lowest(self, found: list[First]) -> list[First]:
        """The faults that devices have noted; with those of other ranks."""
        return found

    def finish(self, written: tuple[Managed, ...] = ()) -> None:
        """Waits for the kernels and copies what they changed of `written` to the host.

        Arrays that live on the device, the caller's device arrays among them, stay there: ask them for `to_host`.
        If all do, and no kernel can have failed, nobody waits: what follows in the queue comes behind.

        Raises:
            IndexError: a kernel has noted an access outside its array.
        """
        if not written and self.faults is None:
            self.context.flush()
            return
        # First, so that an error of a kernel comes before anything of the caller's is changed.
        self.context.finish()
        self.settle()
        for array in written:
            if array.host is not None:
                array.to_host()

    def result(self, managed: Managed, on_device: bool = False) -> np.ndarray[Any, Any] | DeviceArray:
        """What the caller gets for an array that the call made: on the host, or left on the device."""
        return device_array_of(managed) if on_device else managed.to_host()

    def close(self) -> None:
        """Lets go of all arrays; what was enqueued still runs, in order, before their memory is used again."""
        self._let_go()
        with self.context.lock:
            for kernel in self._kernels.values():
                if kernel.holds:
                    kernel.forget()
            self.context.trim()

    def _let_go(self) -> None:
        self._arrays.clear()
        self._memories.clear()

    def _named_before(self, array: Any, new: Managed) -> Managed:
        """`new`, or the array of this call that has the same memory; what shares memory in part is noted."""
        if is_device_array(array):
            known, old = self._memories.setdefault(memory_of(array), (array, new))
            return second_name(old, array) if known is not array and same_memory(array, known) else new
        for known, old in self._arrays.values():
            if not may_share(array, known):
                continue
            if same_memory(array, known):
                return second_name(old, array)
            if new.host is None or old.host is None:
                continue
            try:
                shared = np.shares_memory(new.host, old.host, max_work=_WORK_OF_OVERLAP)
            except np.exceptions.TooHardError:
                shared = True
            if shared:
                new.overlaps = old.overlaps = True
        return new


def _made_ready(array: Held) -> None:
    """Bring an array to the device for a kernel that writes it, which leaves the host's side stale."""
    if not array.writeable:
        raise ValueError("assignment destination is read-only")
    if array.overlaps:
        raise overlapping()
    if not array.device_valid:
        array.to_device()
    array.written_on_device()


def open_run(
    source: str,
    kernel_names: Sequence[str],
    *,
    device: Device | str | tuple[Device, ...] | None = None,
    arguments: tuple[Any, ...] = (),
    doubles: bool = True,
    fastmath: bool = False,
) -> Run:
    """A Run of the program `source`, on the device where the device arrays among `arguments` live, else on `device`.

    `doubles` says that the program computes in double precision.

    Raises:
        SomdRuntimeError: no device (NoDevice, SOMD502), no doubles there (SOMD503), a program that the driver refuses
            (SOMD504), or a process forked after OpenCL was first used.
    """
    lives = None
    for value in arguments:
        if is_device_array(value):
            lives = value
            break
    group = group_of_array(lives) if lives is not None else None
    if lives is None and isinstance(device, tuple):
        group = group_for(device)
    if group is not None:
        from somd.runtime.opencl.several.session import SpreadRun

        return SpreadRun(
            group, [_built(context, source, doubles, fastmath) for context in group.contexts], kernel_names
        )
    if lives is not None:
        context = context_of_array(lives)
    else:
        assert not isinstance(device, tuple)
        context = context_for(device if isinstance(device, Device) else select(device))
    return Run(context, _built(context, source, doubles, fastmath), kernel_names)


def _built(context: Context, source: str, doubles: bool, fastmath: bool) -> Program:
    if doubles and not context.device.info.doubles:
        raise no_doubles(str(context.device))
    return build(context, source, fastmath)
