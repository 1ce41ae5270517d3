"""Arrays that have addresses for all of their elements, and memory for those pages that are touched.

The system promises memory for what programs ask for, and refuses more than it has. A rank touches some rows of an array
whose other rows are on other machines, so it asks for no promise. Rows that it is about to write it asks to lie in huge
pages, as those of one process do: of these rows alone, so that no memory lies behind others.
"""

from __future__ import annotations

import ctypes
import math
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
#: a huge page; `madvise`'s word for it; NumPy's least size for which it asks; and into how many pieces rows may fall
HUGE, _ADVICE, _LEAST, _MANY = 1 << 21, 14, 1 << 22, 16
_advise = ctypes.CDLL(None).madvise if _NO_PROMISE else None


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


def in_huge_pages(array: np.ndarray[Any, Any], axis: int, low: int, high: int) -> None:
    """Ask for huge pages for rows [low, high) along an axis of an array that nobody has touched there.

    Pages that lie in these rows alone, and only where pieces are as large as those for which NumPy asks.
    """
    if _advise is None or not array.flags.c_contiguous:
        return
    row, pieces = array.strides[axis], math.prod(array.shape[:axis])
    if (high - low) * row < _LEAST or pieces > _MANY:
        return
    first = array.__array_interface__["data"][0] + low * row
    for start in range(first, first + pieces * row * array.shape[axis], row * array.shape[axis]):
        begin, end = -(-start // HUGE) * HUGE, (start + (high - low) * row) // HUGE * HUGE
        _advise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _ADVICE)  # a wish: nobody minds if it fails
