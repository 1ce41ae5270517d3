"""Arrays that have addresses for all of their elements, and memory for those pages that are touched.

The system promises memory for what programs ask for, and refuses more than it has. A rank touches some rows of an array
whose other rows are on other machines, so it asks for no promise.
"""

from __future__ import annotations

import mmap
import platform
from typing import Any

import numpy as np

Shape = int | tuple[int, ...]
#: arrays of at most so many bytes are whole on all ranks: to gather them costs no more than a message
SMALL = 1 << 16
#: that no promise is asked for, as Linux takes it; Python has no name for it before 3.13
_NO_PROMISE = 0x4000 if platform.system() == "Linux" and platform.machine() in ("x86_64", "aarch64", "riscv64") else 0
#: how pages are asked for; 0 where that cannot be done, and arrays are allocated as ever
FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_PROMISE if hasattr(mmap, "MAP_ANONYMOUS") else 0
#: what lies between two arrays at least, and between two that are at least so large as that
PAGE, LARGE = 1 << 12, 1 << 21


def span(size: int) -> int:
    """How many addresses an array of so many bytes has: some more than that.

    Systems put one mapping right below the other, and elements of arrays that lie a power of two apart meet in caches,
    or in what predicts where these have them: on EPYC that cost a stencil of two arrays of 32 MiB a third of its speed.
    What lies between takes no memory.
    """
    return size + (LARGE if size >= LARGE else PAGE)


def reserved(shape: Shape, dtype: Any) -> np.ndarray[Any, Any]:
    """An array of zeros that takes no memory, and no promise of any, for what nobody touches."""
    kind = np.dtype(dtype)
    lengths = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    size = kind.itemsize
    for length in lengths:
        size *= max(0, int(length))
    if size <= SMALL or not FLAGS:
        return np.zeros(lengths, kind)
    try:
        return np.frombuffer(mmap.mmap(-1, span(size), FLAGS), kind, size // kind.itemsize).reshape(lengths)
    except OSError as error:
        raise MemoryError(f"no addresses for an array {kind}{list(lengths)}") from error
