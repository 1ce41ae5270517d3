"""Built programs on disk. In: what a binary depends on. Out: the binary, or None: a damaged or foreign entry is a miss.

An entry is the SHA-256 of the binary followed by the binary; drivers do not survive a damaged one.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from somd.runtime.opencl.devices import DeviceInfo
from somd.runtime.opencl.folders import cache_folder, read_checked, read_whole, write_checked

_FORMAT = "2"


def entry(source: str, options: tuple[str, ...], info: DeviceInfo) -> Path:
    """The file for a program: source, options, device, driver, and for a CPU what this machine's CPU can do."""
    processor = cpu() if info.kind == "cpu" else ""
    device = (info.platform, info.platform_version, info.name, info.driver_version, str(info.global_memory >> 30))
    key = "\0".join((_FORMAT, source, *options, *device, processor))
    return cache_folder("programs", hashlib.sha256(key.encode()).hexdigest()[:32] + ".bin")


def kept(info: DeviceInfo) -> bool:
    """Whether binaries of the device are worth keeping: a simulator's would lose the lines of the source."""
    return info.kind != "simulator"


def load(path: Path) -> bytes | None:
    """The binary in `path`, whole, or None."""
    return read_checked(path)


def store(path: Path, binary: bytes) -> None:
    """Keeps `binary`; does nothing where the folder cannot be written."""
    write_checked(path, binary)


@functools.cache
def cpu() -> str:
    """Model and abilities of this machine's CPU: homes are shared between machines, and names of CPUs say little."""
    text = (read_whole(Path("/proc/cpuinfo")) or b"").decode(errors="replace")
    lines = [line for line in text.splitlines() if line.startswith(("model", "flags", "Features"))]
    return "\n".join(sorted(set(lines)))
