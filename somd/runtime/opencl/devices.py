"""The OpenCL devices of this machine, and the choice of one.

In: what the configuration says (`"gpu"`, `"cpu"`, `"gpu:1"`, a part of a name, `"platform:device"`, or nothing). Out: a
Device.
Without a wish: a GPU, then Intel's CPU runtime, then PoCL, then other CPUs. A simulator (Oclgrind) or an emulated
accelerator is taken only when asked for by name.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

from somd.runtime.opencl import drivers, fork, pocl, trial
from somd.runtime.opencl.failures import NoDevice

_KINDS = ("gpu", "cpu", "accelerator", "simulator")
_CORRECT_DIVIDE = 1 << 7  # CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT


@dataclass(frozen=True)
class DeviceInfo:
    """What is told about a device. `kind` is gpu, cpu, accelerator or simulator; memory in bytes.

    `rounds_singles` tells that single-precision division and square root can be rounded correctly.
    """

    name: str
    platform: str
    platform_version: str
    vendor: str
    kind: str
    doubles: bool
    rounds_singles: bool
    compute_units: int
    max_work_group_size: int
    max_work_item_sizes: tuple[int, ...]
    local_memory: int
    global_memory: int
    driver_version: str
    #: bytes of the cache that all units share
    cache: int = 0

    def __str__(self) -> str:
        return f"{self.driver}: {self.name} ({self.kind})"

    @property
    def driver(self) -> str:
        """The platform's name; PoCL's version with it, for there may be two of them."""
        return " ".join([self.platform, ".".join(map(str, pocl.version(self.platform_version)))]).strip()

    @property
    def is_pocl(self) -> bool:
        """Portable Computing Language: needs a linker on the machine."""
        return pocl.is_pocl(self.platform)

    @property
    def is_intels_cpu(self) -> bool:
        """Intel's runtime for CPUs, whose compiler is wrong in places (`c_guards.py`)."""
        return self.kind == "cpu" and self.platform.startswith("Intel")

    @property
    def is_nvidias(self) -> bool:
        """NVIDIA's driver, whose compiler is wrong in a place (`c_guards.py`)."""
        return self.platform.startswith("NVIDIA")

    @property
    def rank(self) -> int:
        """The place in the default order: the smaller, the rather."""
        if self.kind != "cpu":
            return 0 if self.kind == "gpu" else 4 + _KINDS.index(self.kind)
        if self.platform.startswith("Intel"):
            return 1
        return 2 if self.is_pocl else 3


@dataclass(frozen=True)
class Device:
    """A device that can be used. `handle` is pyopencl's Device; `index` counts the devices of a platform from 0."""

    info: DeviceInfo
    index: int
    handle: Any = field(compare=False, hash=False, repr=False)

    def __str__(self) -> str:
        return str(self.info)


def devices() -> tuple[DeviceInfo, ...]:
    """All devices, the preferred ones first; empty where there is none or no pyopencl."""
    try:
        return tuple(device.info for device in every())
    except NoDevice:
        return ()


def select(spec: str | None = None) -> Device:
    """The device that `spec` asks for.

    Raises:
        NoDevice: none fits, with what was found.
        SomdRuntimeError: OpenCL was in use before this process was forked.
    """
    fork.check()
    reasons = []
    for device in _candidates(spec):
        reason = problem(device.info)
        if reason is None:
            return device
        reasons.append(f"{device}: {reason}")
    raise NoDevice(_none_fits(spec, reasons))


def select_all(specs: tuple[str, ...]) -> tuple[Device, ...]:
    """The devices that a list asks for, each once: a device is the first that fits its entry and is not taken yet.

    Raises:
        NoDevice: none is left for an entry, with what was found.
        SomdRuntimeError: OpenCL was in use before this process was forked.
    """
    fork.check()
    chosen: list[Device] = []
    for spec in specs:
        usable = [device for device in _candidates(spec) if problem(device.info) is None]
        free = [device for device in usable if device not in chosen]
        if not free:
            raise NoDevice(_none_fits(spec, [f"{device}: taken already" for device in usable]))
        chosen.append(free[0])
    return tuple(chosen)


def select_alike(specs: str | Device | tuple[str, ...] | None) -> tuple[Device, ...]:
    """The devices of which ranks of a machine take one each: those of a list, or all that fit what is asked for and are
    like the one that `select` gives.

    Raises:
        NoDevice, SomdRuntimeError: as `select` and `select_all`.
    """
    if isinstance(specs, Device):
        return (specs,)
    if isinstance(specs, tuple):
        return select_all(specs)
    first = select(specs)
    return tuple(device for device in _candidates(specs) if device == first or device.info == first.info)


def problem(info: DeviceInfo) -> str | None:
    """Why a device that the drivers report cannot be used all the same; None where it can."""
    return trial.problem(info)


def _candidates(spec: str | None) -> tuple[Device, ...]:
    found = every()
    wish = (spec or "").strip().lower()
    if not wish:
        return tuple(device for device in found if device.info.kind in ("gpu", "cpu"))
    if wish in _KINDS:
        return tuple(device for device in found if device.info.kind == wish)
    platform, colon, name = (part.strip() for part in wish.partition(":"))
    if colon and platform in _KINDS and name.isdecimal():
        return tuple(device for device in found if device.info.kind == platform)[int(name) :][:1]
    if colon:
        there = (device for device in found if platform in _platform_text(device))
        return tuple(device for device in there if name == str(device.index) or name in device.info.name.lower())
    by_platform = tuple(device for device in found if wish in _platform_text(device))
    # PoCL names its device after the CPU: "intel" must not end there.
    return by_platform or tuple(d for d in found if wish in d.info.name.lower() and not d.info.is_pocl)


def _platform_text(device: Device) -> str:
    # The version as well: "pocl" stands only there.
    return f"{device.info.platform} {device.info.platform_version}".lower()


def _none_fits(spec: str | None, reasons: list[str]) -> str:
    asked = f"no usable OpenCL device fits {spec!r}" if spec else "no usable OpenCL device"
    lines = [asked]
    lines += [f"  found: {info}" for info in devices()] or ["  found: none"]
    lines += [f"  {reason}" for reason in (*reasons, *drivers.problems())]
    if not spec or spec == "cpu":
        lines.append("  help: pip install 'somd[opencl]' brings a CPU device")
    return "\n".join(lines)


@functools.cache
def every() -> tuple[Device, ...]:
    """All devices with their handles, the preferred ones first; of several PoCLs the newest. Raises NoDevice."""
    cl = drivers.pyopencl()
    fork.mark_used()
    seen: set[tuple[str, str]] = set()
    found = []
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # the loader knows no driver at all
        platforms = []
    for platform in platforms:
        try:
            # The loader lists a driver twice when two ICD files name it.
            if (platform.name, platform.version) in seen:
                continue
            seen.add((platform.name, platform.version))
            handles = enumerate(platform.get_devices())
            found += [Device(_describe(cl, platform, handle), index, handle) for index, handle in handles]
        except cl.Error:  # a driver without its hardware, or one that does not say what that is
            continue
    return tuple(sorted(found, key=_place))


def _place(device: Device) -> tuple[object, ...]:
    """The place of a device in the default order."""
    newest_first = [-number for number in pocl.version(device.info.platform_version)]
    return device.info.rank, device.info.platform, newest_first, device.index


def describe(cl: Any, handle: Any) -> DeviceInfo:
    """What pyopencl's Device `handle` says about itself."""
    return _describe(cl, handle.platform, handle)


#: bytes of the cache of most devices of NVIDIA since 2022, and of an A100, at least; and of those before
_LARGE, _SMALL = 32 << 20, 4 << 20


def _describe(cl: Any, platform: Any, handle: Any) -> DeviceInfo:
    kind = _kind(cl, platform, handle)
    return DeviceInfo(
        name=handle.name.strip(),
        platform=platform.name.strip(),
        platform_version=platform.version.strip(),
        vendor=platform.vendor.strip(),
        kind=kind,
        doubles=bool(handle.double_fp_config),
        rounds_singles=bool(handle.single_fp_config & _CORRECT_DIVIDE),
        compute_units=handle.max_compute_units,
        max_work_group_size=handle.max_work_group_size,
        max_work_item_sizes=tuple(handle.max_work_item_sizes),
        # a simulator has more, for all kernels of a program together
        local_memory=min(handle.local_mem_size, drivers.LEAST_LOCAL) if kind == "simulator" else handle.local_mem_size,
        global_memory=handle.global_mem_size,
        driver_version=handle.driver_version.strip(),
        cache=_cache(platform, handle),
    )


def _cache(platform: Any, handle: Any) -> int:
    """The bytes of the cache that all units share; NVIDIA's driver tells of those of each unit."""
    if not platform.name.startswith("NVIDIA"):
        return int(handle.global_mem_cache_size)
    capability = handle.compute_capability_major_nv, handle.compute_capability_minor_nv
    return _LARGE if capability == (8, 0) or capability >= (8, 9) else _SMALL


def _kind(cl: Any, platform: Any, handle: Any) -> str:
    if "oclgrind" in platform.name.lower():
        return "simulator"
    if handle.type & cl.device_type.GPU:
        return "gpu"
    return "cpu" if handle.type & cl.device_type.CPU else "accelerator"
