"""What is particular about PoCL: it needs a linker, and says in many lines what is in one of them.

PoCL links each kernel with `ld` and the C library's development files, and where they are missing it aborts the whole
process. It compiles for the CPU that its LLVM takes this machine's for. An LLVM older than the CPU may know none, and
there is no way to name another: neither options of a build nor variables of the environment reach it.
"""

from __future__ import annotations

import os
import re
import shutil

#: lines that tell nothing of what went wrong: hwloc's box of stars, and where in Python it was seen
_CHATTER = re.compile(r"^\*|^hwloc\b|^Traceback|^File |^\(options:|^\(source saved|Build on <|warnings? generated")
_TELLING = re.compile(r"\berror\b|\bfail|cannot|undefined|not found|unknown", re.IGNORECASE)


def is_pocl(platform: str) -> bool:
    """Whether an OpenCL platform of that name is PoCL."""
    return platform.startswith("Portable Computing Language")


def version(platform_version: str) -> tuple[int, ...]:
    """The version of PoCL in what its platform says; () where there is none.

    >>> version("OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6")
    (3, 0)
    """
    found = re.search(r"PoCL (\d+)\.(\d+)", platform_version)
    return (int(found[1]), int(found[2])) if found else ()


def linker() -> tuple[object, ...] | None:
    """What tells the linker in use from another one; None where there is none."""
    path = shutil.which("ld")
    return None if path is None else (os.path.realpath(path), os.stat(path).st_mtime_ns)


NO_LINKER = "PoCL needs the linker `ld` (binutils) and the C library's development files"


def reason(said: str, device: str, platform_version: str) -> str:
    """Why PoCL cannot build a kernel, in a line: from what it said.

    >>> reason("error: unknown target CPU 'generic'", "pthread-EPYC 9755", "OpenCL 3.0 PoCL 3.0  LLVM 14.0.6")
    'PoCL 3.0 cannot build kernels here: its LLVM 14.0.6 does not know this CPU (EPYC 9755); a newer PoCL may'
    """
    number = ".".join(map(str, version(platform_version)))
    name = f"PoCL {number}" if number else "PoCL"
    if "unknown target CPU" in said:
        llvm = re.search(r"LLVM [\d.]*\d", platform_version)
        compiler = llvm[0] if llvm else "LLVM"
        cpu = re.sub(r"^\w+-", "", device)
        return f"{name} cannot build kernels here: its {compiler} does not know this CPU ({cpu}); a newer PoCL may"
    return f"{name} cannot build kernels here: {telling(said)}"


def telling(said: str) -> str:
    """The line of a log that tells most: the first that speaks of an error, else the last that is no chatter.

    >>> telling("* hwloc 2.0 received invalid information\\nTraceback (most recent call last):\\nld: cannot find -lc")
    'ld: cannot find -lc'
    """
    lines = [" ".join(line.split()) for line in said.splitlines()]
    lines = [line for line in lines if line and not _CHATTER.search(line)]
    return next((line for line in lines if _TELLING.search(line)), lines[-1] if lines else "it says nothing")
