"""Arrays that masters for ranks make: all rows of them have addresses, those that this rank touches have memory.

In: what NumPy's functions take, and `ranks`, by which the session is told (0 where this process is alone). Out: arrays
of which each rank has filled, or copied, the rows that it will compute with. Those in Fortran order are NumPy's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload as _overload

from somd.runtime.mpi.addresses import SMALL
from somd.runtime.multicore.arrays import room
from somd.runtime.multicore.copies import copy_elements
from somd.runtime.multicore.far_arrays import far_zeros
from somd.runtime.multicore.numba_internals.native import native
from somd.runtime.multicore.ranks import COPIED, FILLED, describe_in, tell, tell_made

overload: Any = _overload


def zeros_like(array: Any, dtype: Any) -> Any:
    """Zeros, in the order that NumPy's function chooses."""
    raise NotImplementedError


@overload(zeros_like)  # type: ignore[untyped-decorator,unused-ignore]
def _zeros_like(array: Any, dtype: Any) -> Any:
    in_fortran_order = array.layout == "F"

    def made(array: Any, dtype: Any) -> Any:
        if in_fortran_order:
            return np.zeros_like(array, dtype)
        return far_zeros(array.shape, dtype)

    return made


@native
def new_zeros(ranks: int, shape: Any, dtype: Any) -> Any:
    """As `numpy.zeros`; for `numpy.empty`, too."""
    array = far_zeros(shape, dtype)
    tell_made(ranks, array)
    return array


@native
def new_zeros_like(ranks: int, like: Any, dtype: Any) -> Any:
    """As `numpy.zeros_like`; for `numpy.empty_like`, too."""
    array = zeros_like(like, dtype)
    tell_made(ranks, array)
    return array


@native
def new_full(ranks: int, shape: Any, value: Any, dtype: Any) -> Any:
    """As `numpy.full`."""
    array = far_zeros(shape, dtype)
    _fill(ranks, array, value)
    return array


@native
def new_full_like(ranks: int, like: Any, value: Any, dtype: Any) -> Any:
    """As `numpy.full_like`."""
    array = zeros_like(like, dtype)
    _fill(ranks, array, value)
    return array


@native
def _fill(ranks: int, array: Any, value: Any) -> None:
    if ranks == 0 or array.nbytes <= SMALL:
        array[...] = value
        tell_made(ranks, array)
    else:
        number = room(1, array.dtype)
        number[0] = value
        words = room(4 + 2 * array.ndim, np.int64)
        words[0] = number.ctypes.data
        describe_in(words, 1, array)
        tell(ranks, FILLED, words)


@native
def new_copy(ranks: int, source: Any) -> Any:
    """As `numpy.copy`."""
    array = zeros_like(source, source.dtype)
    _copy(ranks, array, source)
    return array


@native
def new_ordered_copy(ranks: int, source: Any) -> Any:
    """As the `copy` of an array, which is in C order."""
    array = far_zeros(source.shape, source.dtype)
    _copy(ranks, array, source)
    return array


@native
def _copy(ranks: int, array: Any, source: Any) -> None:
    """Who holds rows of the source holds them of the copy."""
    if ranks == 0:
        copy_elements(array, source)
    else:
        length = 3 + 2 * array.ndim
        words = room(2 * length, np.int64)
        describe_in(words, 0, source)
        describe_in(words, length, array)
        tell(ranks, COPIED, words)
