"""Accesses that are tested where they happen.

In a master a bad index raises at once. An MI cannot raise from native code running in parallel: it notes its first
fault in its row of the fault table and ends; the master raises after the phase. MIs hold consecutive iterations, so the
first row with a fault has the lowest failing iteration.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

#: columns of the fault table: site, index (the rest keeps rows on their own cache lines)
SITE, INDEX, COLUMNS = 0, 1, 8


def fault_table(parts: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A fault table for so many MIs: int64, shape (parts, COLUMNS), site 0 meaning no fault."""
    return np.zeros((parts, COLUMNS), np.int64)


@njit(error_model="numpy")
def failed(faults: Any) -> bool:
    """Whether some MI noted a fault."""
    for rank in range(len(faults)):  # noqa: SIM110 - Numba has no any()
        if faults[rank, SITE] != 0:
            return True
    return False


@njit(error_model="numpy")
def index_of(index: int, length: int, site: int) -> Any:
    """`index` as Python counts it, at least 0.

    Raises:
        IndexError: it is outside; the arguments are the site and the index.
    """
    place = np.int64(index)
    if place < -length or place >= length:
        raise IndexError(site, place)
    return place + length if place < 0 else place


@njit(error_model="numpy")
def wrapped(index: int, length: int) -> Any:
    """`index` as Python counts it, at least 0; -1 if it is outside."""
    place = np.int64(index)
    if place < 0:
        return max(place + length, -1)
    return place if place < length else -1


@njit(error_model="numpy")
def note(faults: Any, rank: int, site: int, index: int) -> None:
    """Enter a fault of MI `rank`, unless it has one."""
    if faults[rank, SITE] == 0:
        faults[rank, SITE] = site
        faults[rank, INDEX] = index


@njit(error_model="numpy")
def _place(index: int, length: int, site: int, faults: Any, rank: int) -> Any:
    place = wrapped(index, length)
    if place < 0:
        note(faults, rank, site, index)
    return place


def load(array: Any, index: Any, site: int, faults: Any, rank: int) -> Any:
    """`array[index]` for a tuple of indexes; 0 and a noted fault if one is outside. Site + k is that of axis k."""
    raise NotImplementedError("only compiled code calls this")


def store(array: Any, index: Any, value: Any, site: int, faults: Any, rank: int) -> None:
    """`array[index] = value` for a tuple of indexes; nothing but a noted fault if one is outside."""
    raise NotImplementedError("only compiled code calls this")


@overload(load)
def _load(array: Any, index: Any, site: Any, faults: Any, rank: Any) -> Any:
    zero: Any = array.dtype
    if array.ndim == 1:

        def load_1(array: Any, index: Any, site: Any, faults: Any, rank: Any) -> Any:
            i = _place(index[0], array.shape[0], site, faults, rank)
            return array[i] if i >= 0 else zero(0)

        return load_1
    if array.ndim == 2:

        def load_2(array: Any, index: Any, site: Any, faults: Any, rank: Any) -> Any:
            i = _place(index[0], array.shape[0], site, faults, rank)
            j = _place(index[1], array.shape[1], site + 1, faults, rank)
            return array[i, j] if i >= 0 and j >= 0 else zero(0)

        return load_2

    def load_3(array: Any, index: Any, site: Any, faults: Any, rank: Any) -> Any:
        i = _place(index[0], array.shape[0], site, faults, rank)
        j = _place(index[1], array.shape[1], site + 1, faults, rank)
        k = _place(index[2], array.shape[2], site + 2, faults, rank)
        return array[i, j, k] if i >= 0 and j >= 0 and k >= 0 else zero(0)

    return load_3 if array.ndim == 3 else None


@overload(store)
def _store(array: Any, index: Any, value: Any, site: Any, faults: Any, rank: Any) -> Any:
    if array.ndim == 1:

        def store_1(array: Any, index: Any, value: Any, site: Any, faults: Any, rank: Any) -> None:
            i = _place(index[0], array.shape[0], site, faults, rank)
            if i >= 0:
                array[i] = value

        return store_1
    if array.ndim == 2:

        def store_2(array: Any, index: Any, value: Any, site: Any, faults: Any, rank: Any) -> None:
            i = _place(index[0], array.shape[0], site, faults, rank)
            j = _place(index[1], array.shape[1], site + 1, faults, rank)
            if i >= 0 and j >= 0:
                array[i, j] = value

        return store_2

    def store_3(array: Any, index: Any, value: Any, site: Any, faults: Any, rank: Any) -> None:
        i = _place(index[0], array.shape[0], site, faults, rank)
        j = _place(index[1], array.shape[1], site + 1, faults, rank)
        k = _place(index[2], array.shape[2], site + 2, faults, rank)
        if i >= 0 and j >= 0 and k >= 0:
            array[i, j, k] = value

    return store_3 if array.ndim == 3 else None
