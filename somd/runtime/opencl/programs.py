"""Programs and their kernels. In: generated OpenCL C. Out: kernel objects, made once, whose arguments are set once.

`program.kernel(...)` of pyopencl costs 100 us and more a call; here an argument is set when it differs from the last
launch's, and a launch only enqueues.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import struct
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from somd.runtime.opencl import binaries, workgroups
from somd.runtime.opencl.arrays import Managed
from somd.runtime.opencl.context import Context
from somd.runtime.opencl.enqueue import Prepared, prepared
from somd.runtime.opencl.failures import build_refused, device_errors
from somd.runtime.opencl.folders import cache_folder, write_whole
from somd.runtime.opencl.ints import wrapped
from somd.runtime.opencl.watching import note_launch, watchers
from somd.runtime.recording import making

Size = tuple[int, ...]
#: an index space rounded up to whole work-groups, a work-group, and the launch over them without an event
Sizes = tuple[Size, Size, Prepared | None]
_NOTHING: Sizes = ((0,), (0,), None)
_MOST_SIZES = 4096
#: bytes that a work-item of a reduction loads at a time, ahead of what it adds: few must keep the memory of a GPU busy
AHEAD = {"gpu": 256, "simulator": 64}
#: bytes of rows for each compute unit, about half of those that its groups keep at a time, by which what is fetched for
#: groups to come lies ahead; none where the cache has not room for so many times as much
PREFETCHED, CACHED = {"gpu": 80000}, 3
_EXACT = "#pragma OPENCL FP_CONTRACT OFF\n#line 1\n"
#: for a compiler that is wrong: an effect without instructions, across which it cannot move conditions; work-items not
#: made vectors of; and a number taken over by way of a 0 that it does not know
_CAREFUL = """#define GUARDS_END __asm__ volatile("")
#define LOOPS_END __asm__ volatile("")
#define ONE_AT_A_TIME __attribute__((intel_vec_len_hint(1)))
static int unknown_0(void) { int none = 0; __asm__("" : "+r"(none)); return none; }
#define COPY(x) ((x) - unknown_0())
#line 1
"""
#: for one that extends the negatives of 16-bit integers wrongly: a 0 that it does not know, for an index space has
#: three dimensions at most
_CAREFUL_OF_SHORTS = """#define SHORT(x) ((short)((x) + (int)(get_work_dim() >> 2)))
#line 1
"""
#: reciprocals within a unit in the last place, for normal numbers, those of doubles within 2**-18 or so (the driver's
#: own quotients and roots begin with them). `native_recip` and `native_rsqrt` take subnormal
#: ones besides, with a test and a multiplication on either side: a loop over pairs of bodies took twice the time.
#: And `prefetch`, of which that compiler makes nothing
_NEAR = """#define PREFETCH(p) __asm__ volatile("prefetch.global.L2 [%0];" :: "l"(p))
#define NEAR_RECIPROCALS
#define RECIPROCAL_NEAR(near, a) __asm__("rcp.approx.ftz.f64 %0, %1;" : "=d"(near) : "d"(a))
#define ROOT_RECIPROCAL_NEAR(near, a) __asm__("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(near) : "d"(a))
static float recip_near(float a)
{
    float near;
    __asm__("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(a));
    return near;
}
static float rsqrt_near(float a)
{
    float near;
    __asm__("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(a));
    return near;
}
#line 1
"""
#: devices that share a launch: the number of a work-group is that in the whole
_SHARED = "#define get_group_id(k) (get_group_id(k) + get_global_offset(k) / get_local_size(k))\n#line 1\n"


class Kernel:
    """A kernel with the arguments of its last launch. Not thread-safe: the caller holds the context's lock."""

    def __init__(self, context: Context, handle: Any, name: str) -> None:
        self.name = name
        self.context = context
        self.count: int = handle.num_args
        self._handle = handle
        self._last: list[Any] = [None] * self.count
        #: numbers as they were passed: Python's ints, and the bytes of others; and local memory
        self._words: list[int | None] = [None] * self.count
        self._bytes: list[Any] = [None] * self.count
        self._given: tuple[Any, ...] = ()
        #: whether there are arguments of a launch
        self.holds = False
        #: whether there are floats among the arguments
        self._floats: bool | None = None
        # set_arg tries all kinds of objects before bytes: 6 us against 0.1.
        self._set_bytes: Any = getattr(handle, "_set_arg_buf", None) or handle.set_arg
        self._enqueue: Any = context.cl.enqueue_nd_range_kernel
        #: by the size of an index space, and by number and size of the groups
        self.sizes: dict[Size, Sizes] = {}
        self.groups: dict[tuple[int, int], Sizes] = {}
        query, info = context.cl.kernel_work_group_info, handle.get_work_group_info
        self.limits = workgroups.Limits(
            kind=context.device.info.kind,
            multiple=int(info(query.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, context.device.handle)),
            largest=int(info(query.WORK_GROUP_SIZE, context.device.handle)),
            per_dimension=context.device.info.max_work_item_sizes,
            units=context.device.info.compute_units,
        )

    def sizes_for(self, size: tuple[int, ...]) -> Sizes:
        """Index space and work-group for `size`; (0,) for one without items."""
        space = tuple(wrapped(int(extent)) for extent in size)
        if min(space) <= 0:
            return _NOTHING
        local = workgroups.local_size(self.limits, space)
        return self._prepared(self.sizes, size, workgroups.rounded(space, local), local)

    def sizes_of_groups(self, groups: int, local: int) -> Sizes:
        """One-dimensional index space and work-group for so many `groups` of exactly `local` items."""
        return self._prepared(self.groups, (groups, local), (groups * local,), (local,))

    def _prepared(self, table: dict[Any, Sizes], key: Size, space: Size, local: Size) -> Sizes:
        if len(table) >= _MOST_SIZES:
            table.clear()
        found = space, local, prepared(self.context.cl, self.context.queue, self._handle, space, local)
        table[key] = found
        return found

    def launch(self, args: tuple[Any, ...], sizes: Sizes) -> None:
        """Sets the arguments that differ from those set before and enqueues the kernel; returns at once.

        `args` holds scalars and what has a `buffer`; a Python int is passed as a 64-bit integer, a float as a double, a
        bool as a byte, a NumPy scalar as what it is. Ints that need more than 64 bits wrap.

        Raises:
            TypeError: wrong number of arguments.
        """
        # Equal integers are the same bytes; of equal floats one may be -0.0.
        if args != self._given or self._floats:
            self._bind(args)
        space, group, bare = sizes
        # A launch that fails is tried once more: pyopencl makes an exception of the error.
        if watchers or bare is None or bare():
            event = self._enqueue(self.context.queue, self._handle, space, group)
            if watchers:
                note_launch(self.name, event)

    def _bind(self, args: tuple[Any, ...]) -> None:
        if len(args) != self.count:
            raise TypeError(f"kernel {self.name} takes {self.count} arguments, {len(args)} given")
        if self._floats is None:
            self._floats = any(isinstance(value, (float, np.inexact)) for value in args)
        self._given, self.holds = (), True
        last, words = self._last, self._words
        for index, value in enumerate(args):
            if value is last[index]:
                continue
            last[index] = None  # what a failure leaves behind is unknown
            if type(value) is int:
                if value != words[index]:
                    words[index] = self._bytes[index] = None
                    self._set_bytes(index, (value & _WORD).to_bytes(8, sys.byteorder))
                    words[index] = value
            elif isinstance(value, Managed):
                self._set_bytes(index, value.passed())
            elif isinstance(value, (int, float, np.generic)):
                data = _bytes(value)
                if data != self._bytes[index]:
                    words[index] = self._bytes[index] = None
                    self._set_bytes(index, data)
                    self._bytes[index] = data
            else:
                pointer = getattr(value.buffer, "int_ptr", None)
                if pointer is not None:
                    self._set_bytes(index, pointer.to_bytes(_POINTER, sys.byteorder))
                elif value is not self._bytes[index]:  # local memory
                    self._bytes[index] = None
                    self._handle.set_arg(index, value.buffer)
                    self._bytes[index] = value
            last[index] = value
        self._given = args

    def launch_part(
        self, args: tuple[Any, ...], first: Size, size: Size, local: Size, queue: Any = None, behind: Any = None
    ) -> Any:
        """Runs a part of an index space, from `first` on, of `size` work-items, and gives the event of its end;
        otherwise like `launch`. In another `queue` it waits for the event `behind`."""
        if args != self._given or self._floats:
            self._bind(args)
        wait_for = None if behind is None else [behind]
        event = self._enqueue(queue or self.context.queue, self._handle, size, local, first, wait_for=wait_for)
        if watchers:
            note_launch(self.name, event)
        return event

    def forget(self) -> None:
        """Lets go of the buffers of the last launch, which would be kept from the pool."""
        self._last = [None] * self.count
        self._given, self.holds = (), False


_double = struct.Struct("d").pack
_WORD, _POINTER = 2**64 - 1, struct.calcsize("P")


def _bytes(value: int | float | np.generic) -> bytes:
    if isinstance(value, np.generic):
        return value.tobytes()
    if isinstance(value, float):
        return _double(value)
    return (value & _WORD).to_bytes(1 if isinstance(value, bool) else 8, sys.byteorder)


class Program:
    """A program built for a context's device, and its kernels by name."""

    def __init__(self, context: Context, handle: Any) -> None:
        self.context = context
        self._handle = handle
        self._kernels: dict[str, Kernel] = {}
        self._together: dict[tuple[str, ...], dict[str, Kernel]] = {}

    def kernels(self, names: Sequence[str]) -> dict[str, Kernel]:
        """The kernels `names` by name; not to be changed."""
        key = tuple(names)
        found = self._together.get(key)
        if found is None:
            found = self._together[key] = {name: self.kernel(name) for name in key}
        return found

    def kernel(self, name: str) -> Kernel:
        """The kernel `name`, the same object each time.

        Raises:
            SomdRuntimeError: the program has no such kernel.
        """
        kernel = self._kernels.get(name)
        if kernel is None:
            with self.context.lock, device_errors(f"making the kernel {name}", str(self.context.device)):
                made = Kernel(self.context, self.context.cl.Kernel(self._handle, name), name)
                kernel = self._kernels.setdefault(name, made)
        return kernel


def options_for(context: Context, fastmath: bool) -> tuple[str, ...]:
    """The options of the compiler. Without `fastmath` arithmetic is that of IEEE 754, as NumPy's is."""
    options = ["-cl-std=CL1.2"]
    ahead = AHEAD.get(context.device.info.kind)
    if ahead is not None:
        options.append(f"-DAHEAD={ahead}")
    info = context.device.info
    prefetched = PREFETCHED.get(info.kind, 0) * info.compute_units
    if 0 < prefetched * CACHED <= info.cache:
        options.append(f"-DPREFETCHED={prefetched}")
    if fastmath:
        options.append("-cl-fast-relaxed-math")
    elif info.rounds_singles:
        options.append("-cl-fp32-correctly-rounded-divide-sqrt")
    return tuple(options)


def text_for(context: Context, source: str, fastmath: bool) -> str:
    """What the driver is given: `source` and what its device needs in front of it."""
    first = "" if fastmath else _EXACT
    first = first if context.alone else _SHARED + first
    info = context.device.info
    careful = _CAREFUL if info.is_intels_cpu else _CAREFUL_OF_SHORTS if info.is_nvidias else ""
    careful += _NEAR if info.is_nvidias and not fastmath else ""
    return careful + first + source


def build(context: Context, source: str, fastmath: bool = False) -> Program:
    """The program of `source` for the context's device: from this process, from disk, or from the driver's compiler.

    Raises:
        SomdRuntimeError: the driver refuses it (SOMD504); the message names the file in which the source is kept.
    """
    key = (source, fastmath)
    program: Program | None = context.programs.get(key)
    if program is None:
        with making("compiling"), context.lock:
            program = context.programs.get(key)
            if program is None:
                text = text_for(context, source, fastmath)
                program = Program(context, _handle(context, text, options_for(context, fastmath)))
                context.programs[key] = program
    return program


def _handle(context: Context, source: str, options: tuple[str, ...]) -> Any:
    cl, info = context.cl, context.device.info
    entry = binaries.entry(source, options, info)
    binary = binaries.load(entry) if binaries.kept(info) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        if binary is not None:
            try:
                return cl.Program(context.handle, [context.device.handle], [binary]).build(list(options))
            except cl.Error:  # not for this driver after all
                pass
        try:
            handles = [context.device.handle]
            built = cl.Program(context.handle, source).build(list(options), devices=handles, cache_dir=False)
        except cl.Error as error:
            raise build_refused(str(context.device), placed(_log(str(error)), source), _keep(source)) from error
    if binaries.kept(info):
        with device_errors("reading a program's binary", str(context.device)):
            # Of the devices of a group only this one has got a program.
            found = next((binary for binary in built.binaries if binary), None)
        if found is not None:
            binaries.store(entry, bytes(found))
    return built


def _log(text: str) -> str:
    """What the driver said, without what pyopencl puts around it; its own copy of the source is deleted."""
    saved = re.search(r"\n\(source saved as (.+)\)\s*$", text)
    if saved is not None:
        with contextlib.suppress(OSError):
            os.unlink(saved[1])
    said = re.search(r"Build on <.*?>:\n(.*?)(\n\(options: |$)", text, re.DOTALL)
    return said[1] if said is not None else text


def placed(log: str, source: str) -> str:
    """`log` with the places that `#line` directives give; NVIDIA's compiler tells the lines of the text instead.

    >>> placed("<kernel>:3:5: error", '#line 40 "model.py"\\nx = 1;\\ny = 2;')
    'model.py:41:5: error'
    """
    places: dict[int, str] = {}
    name, number = "<kernel>", 0
    for physical, line in enumerate(source.splitlines(), 1):
        directive = re.match(r'#line (\d+)(?: "(.*)")?', line)
        if directive is not None:
            name, number = directive[2] or name, int(directive[1]) - 1
        else:
            number += 1
        places[physical] = f"{name}:{number}:"
    return re.sub(r"<kernel>:(\d+):", lambda found: places.get(int(found[1]), found[0]), log)


def _keep(source: str) -> str:
    path = cache_folder("refused", hashlib.sha256(source.encode()).hexdigest()[:16] + ".cl")
    return str(path) if write_whole(path, source.encode()) else "(could not be written)"
