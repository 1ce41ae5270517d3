"""What native masters tell the session of a call that is shared among ranks (`runtime.mpi.session`).

A master has the address of a C function that ctypes makes for the call, as for functions at fences; 0 where there is
one rank only, and nothing to tell. What it tells are vectors of words:

    MADE      address, size of an element, dimensions, then shape and strides
    COPIED    what MADE has, of the original and then of the copy, into which rows are copied
    FILLED    address of a number, then what MADE has: of each rank's share of the rows all elements become that number
    PHASE     number, arrays, parts, then address, rows and axis of each array (one row along axis -1: all of it), then
              for each array and part four row numbers
    ROWS      address, first row, row behind the last
    GATHER    number, address of the first of some rows, bytes of all of them, rows
    FAULTS    number, address of the fault table, its rows and columns
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from somd.runtime.mpi.session import Session
from somd.runtime.multicore.arrays import room
from somd.runtime.multicore.fences import call_address
from somd.runtime.multicore.guards import SITE, first_fault
from somd.runtime.multicore.integers import of_integers
from somd.runtime.multicore.numba_internals.native import native
from somd.runtime.multicore.partition import slave_range

MADE, COPIED, PHASE, ROWS, GATHER, FAULTS, FILLED = range(7)
#: words of a PHASE: before the arrays, for each of them, and for each part of one
HEAD, ARRAY, PART = 3, 3, 4
#: the argument of the IndexError with which a master ends when the session has failed
LOST = -4
_DONE = 0x50D
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class Told:
    """Passes on to a session what a master tells; `error` is what the session raised."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.error: BaseException | None = None
        self._called = _SIGNATURE(self._call)
        self.address = ctypes.cast(self._called, ctypes.c_void_p).value or 0

    def _call(self, what: int, address: int, count: int) -> int:
        try:
            _ANSWERS[what](self.session, memory(address, 8 * count).view(np.int64))
        except BaseException as error:  # it must not cross native code; the caller gets it
            self.error = error
            return 0
        return _DONE


def memory(address: int, count: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Bytes of this process."""
    found: Any = (ctypes.c_char * count).from_address(address)
    return np.frombuffer(found, np.uint8)


def _array(words: Any) -> np.ndarray[Any, Any]:
    """The array that a master has made; of its elements only the size is told, which is all that copying needs."""
    address, size, ndim = (int(word) for word in words[:3])
    shape, strides = words[3 : 3 + ndim].tolist(), words[3 + ndim : 3 + 2 * ndim].tolist()
    span = size + sum((length - 1) * stride for length, stride in zip(shape, strides, strict=True))
    if 0 in shape:
        return np.empty(shape, f"V{size}")
    return np.ndarray(tuple(shape), f"V{size}", memory(address, span).data, 0, tuple(strides))


def _made(session: Session, words: Any) -> None:
    session.made(_array(words), True)


def _copied(session: Session, words: Any) -> None:
    half = len(words) // 2
    session.copied(_array(words[half:]), _array(words[:half]))


def _filled(session: Session, words: Any) -> None:
    array = _array(words[1:])
    session.filled(array, memory(int(words[0]), array.itemsize).view(array.dtype)[0])


def _phase(session: Session, words: Any) -> None:
    number, arrays, parts = words[:HEAD].tolist()
    heads = words[HEAD : HEAD + ARRAY * arrays].reshape(arrays, ARRAY).tolist()
    rows = words[HEAD + ARRAY * arrays :].reshape(arrays, parts, PART).tolist()
    size = session.world.size
    told = []
    for (address, length, axis), of_parts in zip(heads, rows, strict=True):
        if length:
            limits = of_parts if parts == size else of_parts * size
            touched = tuple((low, high) for low, high, _, _ in limits)
            written = tuple((low, high) for _, _, low, high in limits) if parts == size else ((0, 0),) * size
            told.append((session.arrays[address], axis, touched, written))
    session.phase(number, told)


def _rows(session: Session, words: Any) -> None:
    session.rows(*words.tolist())


def _gather(session: Session, words: Any) -> None:
    number, address, size, count = words.tolist()
    session.gather(number, memory(address, size), count)


def _faults(session: Session, words: Any) -> None:
    """All ranks get the fault of the lowest iteration, as the only one in their tables."""
    number, address, rows, columns = words.tolist()
    faults = memory(address, rows * columns * 8).view(np.int64).reshape(rows, columns)
    mine = first_fault(faults) if faults[:, SITE].any() else np.zeros(columns, np.int64)
    all_of_them = session.alike(number, mine.copy().view(np.uint8)).view(np.int64)
    if all_of_them[:, SITE].any():
        lowest = first_fault(all_of_them)
        faults[...] = 0
        faults[0] = lowest


_ANSWERS = (_made, _copied, _phase, _rows, _gather, _faults, _filled)
_called: Any = call_address


@native
def tell(ranks: int, what: int, words: Any) -> None:
    """Tell the session something, and wait until it has done what follows from it; nothing where there is none.

    Raises:
        IndexError: the session has failed; the argument is LOST.
    """
    if ranks != 0 and _called(ranks, what, np.int64(words.ctypes.data), np.int64(len(words))) != _DONE:
        raise IndexError(LOST)


@native
def describe_in(words: Any, at: int, array: Any) -> None:
    words[at] = array.ctypes.data
    words[at + 1] = array.itemsize
    words[at + 2] = array.ndim
    for axis in range(array.ndim):
        words[at + 3 + axis] = array.shape[axis]
        words[at + 3 + array.ndim + axis] = array.strides[axis]


@native
def tell_made(ranks: int, array: Any) -> None:
    """The master has made an array, alike on all ranks."""
    if ranks != 0:
        words = room(3 + 2 * array.ndim, np.int64)
        describe_in(words, 0, array)
        tell(ranks, MADE, words)


@native
def fetch(ranks: int, array: Any) -> None:
    """All rows of an array are to be current on all ranks."""
    fetch_rows(ranks, array, 0, len(array))


@native
def fetch_row(ranks: int, array: Any, row: int) -> None:
    """A row, which Python may count from the end, is to be current on all ranks; none that is not there."""
    place = row + len(array) if row < 0 else row
    if 0 <= place < len(array):
        fetch_rows(ranks, array, place, place + 1)


@native
def fetch_rows(ranks: int, array: Any, low: int, high: int) -> None:
    """Rows [low, high) are to be current on all ranks."""
    if ranks != 0 and array.size > 0:
        words = room(3, np.int64)
        words[0] = array.ctypes.data
        words[1] = low
        words[2] = high
        tell(ranks, ROWS, words)


@of_integers
def part_trips(count: int, length: int, part: int, parts: int) -> tuple[int, int]:
    """The trips of part `part`, of `count` that are cut into blocks of `length`: from one up to another."""
    blocks = (count + length - 1) // length
    first, last = slave_range(0, blocks, 1, part, parts)
    low, high = first * length, last * length
    return (low if low < count else count), (high if high < count else count)


@of_integers
def tile_trips(count: int, shares: int, reach: int, part: int, parts: int) -> tuple[int, int]:
    """The trips of the `shares` parts that a rank has of `count`, `reach` further down where others are beside it."""
    low, _ = slave_range(0, count, 1, part * shares, parts * shares)
    _, high = slave_range(0, count, 1, (part + 1) * shares - 1, parts * shares)
    return low - (reach if part > 0 else 0), high - (reach if part < parts - 1 else 0)


@native
def phase_words(number: int, arrays: int, parts: int) -> Any:
    """Room for what is told before a phase: no rows of no array yet."""
    words = room(HEAD + arrays * (ARRAY + PART * parts), np.int64)
    for k in range(len(words)):
        words[k] = 0
    words[0] = number
    words[1] = arrays
    words[2] = parts
    return words


@native
def note_array(words: Any, k: int, array: Any, axis: int) -> None:
    """Enter an array, as number k, of which rows along an axis will be entered; for -1, all or nothing."""
    at = HEAD + ARRAY * k
    words[at] = array.ctypes.data
    words[at + 1] = 0 if array.size == 0 else 1 if axis < 0 else array.shape[axis]
    words[at + 2] = axis


@native
def note_rows(words: Any, k: int, part: int, first: int, last: int, column: int) -> None:
    """Enter the rows from `first` to `last` of array k that a part touches (column 0) or writes (column 2)."""
    length = words[HEAD + ARRAY * k + 1]
    low, high = max(first, 0), min(last + 1, length)
    at = HEAD + ARRAY * words[1] + (k * words[2] + part) * PART + column
    if low < high:
        words[at] = low
        words[at + 1] = high


@native
def tell_repacked(ranks: int, number: int, array: Any, packed: Any, shares: int, n_ranks: int, back: bool) -> None:
    """Each rank takes the rows of its `shares` parts apart, or puts them together again (`sweeps.repack`)."""
    words = phase_words(number, 2, n_ranks)
    note_array(words, 0, array, 0)
    note_array(words, 1, packed, 1)
    source, made = (1, 0) if back else (0, 1)
    for part in range(n_ranks):
        first, last = tile_trips(array.shape[0], shares, 0, part, n_ranks)
        note_rows(words, source, part, first, last - 1, 0)
        note_rows(words, made, part, first, last - 1, 0)
        note_rows(words, made, part, first, last - 1, 2)
    tell(ranks, PHASE, words)


@native
def gather_rows(ranks: int, number: int, rows: Any, count: int) -> None:
    """All ranks get the first `count` elements, or rows, of an array in C order, of which each has made its share."""
    if ranks != 0 and count > 0:
        words = room(4, np.int64)
        words[0] = number
        words[1] = rows.ctypes.data
        words[2] = rows.nbytes // len(rows) * count
        words[3] = count
        tell(ranks, GATHER, words)


@native
def agree(ranks: int, number: int, faults: Any) -> None:
    """All ranks get the fault of the lowest iteration."""
    if ranks != 0:
        words = room(4, np.int64)
        words[0] = number
        words[1] = faults.ctypes.data
        words[2] = faults.shape[0]
        words[3] = faults.shape[1]
        tell(ranks, FAULTS, words)
