"""Enqueues a kernel without asking for an event, which costs a driver about a microsecond a launch.

In: a kernel object, its queue, index space and work-group. Out: a callable that takes nothing and gives OpenCL's error
code, with everything that a launch passes prepared; None where OpenCL's own function cannot be reached from here.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

Prepared = Callable[[], int]


def prepared(cl: Any, queue: Any, kernel: Any, space: tuple[int, ...], group: tuple[int, ...]) -> Prepared | None:
    """The launch of `kernel` over `space` in groups of `group`, ready to be repeated; `cl` is the module pyopencl.

    It keeps neither queue nor kernel alive: the caller does.
    """
    function = _function(cl)
    if function is None:
        return None
    sizes = ctypes.c_size_t * len(space)
    return functools.partial(
        function,
        ctypes.c_void_p(queue.int_ptr),
        ctypes.c_void_p(kernel.int_ptr),
        ctypes.c_uint(len(space)),
        None,
        sizes(*space),
        sizes(*group),
        ctypes.c_uint(0),
        None,
        None,
    )


@functools.cache
def _function(cl: Any) -> Any:
    """`clEnqueueNDRangeKernel` of the loader that pyopencl is linked with, found through its own library."""
    try:
        function = ctypes.CDLL(cl._cl.__file__).clEnqueueNDRangeKernel
    except (AttributeError, OSError):
        return None
    function.restype = ctypes.c_int
    return function
