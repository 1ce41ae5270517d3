"""Whether PoCL can build a kernel here. PyPI's PoCL links each kernel with `ld` and the C library's development files,
and where they are missing it aborts the whole process; so the first use on a machine is tried in a process of its own.

Out: a reason, or None. A success is remembered in the cache; a failure is not, since it is mended by an installation.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys

from somd.runtime.opencl.folders import cache_folder, read_whole, write_whole

_TRIAL = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy, pyopencl
platform = next(p for p in pyopencl.get_platforms() if p.name == sys.argv[1])
context = pyopencl.Context(platform.get_devices()[:1])
queue = pyopencl.CommandQueue(context)
source = "__kernel void trial(__global double *a) { a[get_global_id(0)] = 1.0; }"
kernel = pyopencl.Program(context, source).build(cache_dir=False).trial
data = numpy.zeros(8)
buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, data.nbytes)
kernel.set_arg(0, buffer)
pyopencl.enqueue_nd_range_kernel(queue, kernel, (8,), (8,))
pyopencl.enqueue_copy(queue, data, buffer)
sys.exit(0 if data.sum() == 8.0 else 1)
"""


@functools.cache
def problem(platform_name: str, platform_version: str) -> str | None:
    """Why PoCL cannot be used in this process; None where it can.

    `platform_name` and `platform_version` are those that the OpenCL platform gives.
    """
    linker = shutil.which("ld")
    if linker is None:
        return "PoCL needs the linker `ld` (binutils) and the C library's development files"
    key = (platform_version, os.path.realpath(linker), os.stat(linker).st_mtime_ns, sys.prefix)
    mark = cache_folder("pocl-works", hashlib.sha256(repr(key).encode()).hexdigest()[:16])
    if read_whole(mark) is not None:
        return None
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRIAL, platform_name],
            capture_output=True,
            timeout=60,
            text=True,
            errors="replace",
            env={**os.environ, "POCL_KERNEL_CACHE": "0"},
        )
    except (OSError, ValueError):  # no interpreter to start (an embedded Python): nothing is known, so try
        return None
    except subprocess.TimeoutExpired:
        return "PoCL did not finish a trial kernel within a minute"
    if done.returncode != 0:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        return "PoCL cannot build a kernel here: " + (said[0] if said else f"exit status {done.returncode}")
    write_whole(mark, b"")
    return None
