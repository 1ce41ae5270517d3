"""Whether a device gives the right answers: asked once, at its first use, by kernels whose answers are known.

In: a DeviceInfo. Out: None, or why the device cannot be used. Drivers have bugs: compilers that drop or misplace what
kernels write, and some that take the whole process with them. So the kernels run in a process of their own, and what
comes out is remembered in the cache by device, driver and CPU; that a driver could not build a kernel is not, since an
installation mends it. A simulator, and a device without double precision, are taken as they are.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from somd.runtime.opencl import pocl
from somd.runtime.opencl.folders import cache_folder, read_checked, write_checked

if TYPE_CHECKING:
    from somd.runtime.opencl.devices import DeviceInfo

_SECONDS = 120
_WORKS = "works"
_FORMS = ("known_answers.py", "known_answers_module.py", "programs.py")


@functools.cache
def problem(info: DeviceInfo) -> str | None:
    """Why a device cannot be used in this process; None where it can, or where that cannot be found out."""
    if info.kind == "simulator" or not info.doubles:
        return None
    linker = pocl.linker() if info.is_pocl else ()
    if linker is None:
        return pocl.NO_LINKER
    mark = cache_folder("trials", _key(info, linker))
    known = read_checked(mark)
    if known is None:
        verdict, reason = _tried(info)
        if verdict in (_WORKS, "wrong"):
            write_checked(mark, (reason or _WORKS).encode())
        return reason
    return None if known == _WORKS.encode() else known.decode(errors="replace")


def _key(info: DeviceInfo, linker: tuple[object, ...]) -> str:
    """A hash of all that the outcome depends on."""
    from somd.runtime.opencl.binaries import cpu

    forms = [Path(__file__).with_name(name).read_bytes() for name in _FORMS if Path(__file__).with_name(name).exists()]
    device = (info.platform, info.platform_version, info.name, info.driver_version, info.kind)
    key = (device, linker, cpu() if info.kind == "cpu" else "", sys.prefix, forms)
    return hashlib.sha256(repr(key).encode()).hexdigest()[:16]


def _tried(info: DeviceInfo) -> tuple[str, str | None]:
    """What the trial comes to: `works`, `wrong`, `fails`, or `unknown`; and the reason, in a line."""
    command = [sys.executable, "-P", "-m", "somd.runtime.opencl.trial_run"]
    command += [info.platform, info.platform_version, info.name]
    above = str(Path(__file__).parents[3])
    path = os.pathsep.join([above, *(entry for entry in sys.path if entry and os.path.isabs(entry))])
    environment = {**os.environ, "PYTHONPATH": path, "POCL_KERNEL_CACHE": "0"}
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_SECONDS, text=True, errors="replace", env=environment
        )
    except (OSError, ValueError):  # no interpreter to start (an embedded Python): nothing is known, so it is taken
        return "unknown", None
    except subprocess.TimeoutExpired:
        return "fails", f"it did not finish kernels with known answers within {_SECONDS} seconds"
    return judged(info, done.returncode, done.stdout, done.stderr)


def judged(info: DeviceInfo, status: int, out: str, err: str) -> tuple[str, str | None]:
    """The verdict on a trial that ended with `status` and wrote `out` and `err`."""
    lines = out.strip().splitlines()
    try:
        verdict, said = json.loads(lines[-1]) if lines else ("", "")
    except ValueError:
        verdict, said = "", ""
    if verdict == _WORKS and status == 0:
        return _WORKS, None
    if verdict == "wrong":
        return "wrong", f"its compiler is not to be trusted: kernels with known answers give other ones ({said})"
    said = said or err
    if info.is_pocl:
        return "fails", pocl.reason(said, info.name, info.platform_version)
    if status < 0:
        ended = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
        return "fails", f"kernels with known answers end the process ({ended}): {pocl.telling(said)}"
    return "fails", f"kernels with known answers cannot be run: {pocl.telling(said)}"
