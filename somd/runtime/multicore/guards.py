"""Accesses that are tested where they happen.

In a master a bad index raises at once. An MI cannot raise from native code running in parallel: it notes its first
fault in its row of the fault table and ends; the master raises after the phase, for the lowest failing iteration.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from somd.runtime.multicore.numba_internals.lowering import tuple_setitem
from somd.runtime.multicore.numba_internals.native import native

#: columns of the fault table: site, index, three for the place of the iteration, the values of a `raise`; the rest
#: fills a cache line of so many columns
SITE, INDEX, PLACE, VALUES, LINE = 0, 1, 2, 5, 8


def fault_table(parts: int, values: int = 0) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A fault table for so many MIs: int64, a row for each, with room for `values`; site 0 means no fault."""
    columns = -(-(VALUES + values) // LINE) * LINE
    return np.zeros((parts, columns), np.int64)


@native
def failed(faults: Any) -> bool:
    """Whether some MI noted a fault."""
    for rank in range(len(faults)):  # noqa: SIM110 - Numba has no any()
        if faults[rank, SITE] != 0:
            return True
    return False


@native
def index_of(index: int, length: int, site: int) -> Any:
    """`index` as Python counts it, at least 0.

    Raises:
        IndexError: it is outside; the arguments are the site and the index.
    """
    place = np.int64(index)
    if place < -length or place >= length:
        raise IndexError(site, place)
    return place + length if place < 0 else place


@native
def wrapped(index: int, length: int) -> Any:
    """`index` as Python counts it, at least 0; -1 if it is outside."""
    place = np.int64(index)
    if place < 0:
        return max(place + length, -1)
    return place if place < length else -1


@native
def note(faults: Any, rank: int, site: int, index: int, place: Any) -> None:
    """Enter a fault of MI `rank`, unless it has one; `place` are three integers that order iterations."""
    if faults[rank, SITE] == 0:
        faults[rank, SITE] = site
        faults[rank, INDEX] = index
        faults[rank, PLACE] = place[0]
        faults[rank, PLACE + 1] = place[1]
        faults[rank, PLACE + 2] = place[2]


def _keep(faults: Any, rank: Any, at: Any, values: Any) -> None:
    """Enter `values`, a tuple, from column `at` on: integers as they are, floats by their bits."""
    raise NotImplementedError("only compiled code calls this")


@overload(_keep)
def _keep_values(faults: Any, rank: Any, at: Any, values: Any) -> Any:
    kind = values.types[0] if len(values) else None
    if kind is None:

        def keep_nothing(faults: Any, rank: Any, at: Any, values: Any) -> None:
            pass

        return keep_nothing
    if isinstance(kind, types.Complex):

        def keep_complex(faults: Any, rank: Any, at: Any, values: Any) -> None:
            words = faults.view(np.float64)
            words[rank, at] = values[0].real
            words[rank, at + 1] = values[0].imag
            _keep(faults, rank, at + 2, values[1:])

        return keep_complex
    if isinstance(kind, types.Float):

        def keep_float(faults: Any, rank: Any, at: Any, values: Any) -> None:
            faults.view(np.float64)[rank, at] = values[0]
            _keep(faults, rank, at + 1, values[1:])

        return keep_float

    def keep_integer(faults: Any, rank: Any, at: Any, values: Any) -> None:
        faults[rank, at] = np.int64(values[0])
        _keep(faults, rank, at + 1, values[1:])

    return keep_integer


@native
def note_raise(faults: Any, rank: int, site: int, place: Any, values: Any) -> None:
    """Enter that MI `rank` raises at `site`, unless it has a fault, with the values that the exception needs."""
    if faults[rank, SITE] == 0:
        note(faults, rank, site, 0, place)
        _keep(faults, rank, VALUES, values)


def first_fault(faults: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The row of the lowest failing iteration; there is one."""
    rows = faults[faults[:, SITE] != 0]
    return min(rows, key=lambda row: tuple(row[PLACE : PLACE + 3]))


def load(array: Any, index: Any, site: int, faults: Any, rank: int, place: Any) -> Any:
    """`array[index]` for a tuple of int64; 0 and a noted fault if one is outside. Site + k is that of axis k."""
    raise NotImplementedError("only compiled code calls this")


@native
def _places(array: Any, index: Any, site: int, faults: Any, rank: int, place: Any) -> Any:
    """Whether all indexes lie inside, and the tuple of them, none negative."""
    found = array.shape
    for axis in range(array.ndim):
        at = wrapped(index[axis], array.shape[axis])
        if at < 0:
            note(faults, rank, site + axis, index[axis], place)
            return False, found
        found = tuple_setitem(found, axis, at)
    return True, found


@overload(load)
def _load(array: Any, index: Any, site: Any, faults: Any, rank: Any, place: Any) -> Any:
    zero: Any = array.dtype

    def load_element(array: Any, index: Any, site: Any, faults: Any, rank: Any, place: Any) -> Any:
        inside, where = _places(array, index, site, faults, rank, place)
        return array[where] if inside else zero(0)

    return load_element
