"""The words of 64 bits through which a native master gives a library call its arguments, and takes what it gives.

An array that is given is its address, lengths and strides; one that is taken, its lengths, the address of its elements
in C order, and Numba's record of who owns them. A number has two words, of which integers and floats take one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from somd.language.library import Kind, LibraryCall, only_reads
from somd.runtime.multicore.numba_internals.owned_memory import address_of, owned_by

#: what a value is made of: the words, where they are, and a place in them
_Words = Any
_Taker = Callable[[_Words, int, int], Any]


class WordedCall:
    """A library call that takes its arguments from words, and puts there what it gives."""

    def __init__(self, call: LibraryCall) -> None:
        self._call = call
        self._given: list[tuple[_Taker, int]] = []
        at, kept = 0, not only_reads(call.row[0])
        for kind in call.row[1]:
            self._given.append((_array_of(kind, kept) if kind[1] else _number_of(kind), at))
            at += 1 + 2 * kind[1] if kind[1] else 2
        self._ranks = [rank for _, rank, _ in call.row[2]]

    def __call__(self, address: int, count: int) -> None:
        """Make the call with `count` words at an address."""
        words = (ctypes.c_int64 * count).from_address(address)
        found = self._call(*[given(words, address, at) for given, at in self._given])
        at = 0
        for value, rank in zip(found, self._ranks, strict=True):
            if rank:
                elements = address_of(value)
                words[at : at + rank + 2] = [*value.shape, elements, owned_by(value, elements)]
                at += rank + 2
            else:
                _put(words, address, at, value)
                at += 2


def _array_of(kind: Kind, kept: bool) -> _Taker:
    """What takes an array, which is for reading alone if it is `kept` from being written. NumPy copies such arrays
    in some functions. Where an array of the last call lies in the same place, it is that one again."""
    dtype, rank, _ = kind
    text = np.dtype(dtype).str
    last: tuple[list[int], Any] = [], None

    def given(words: _Words, address: int, at: int) -> Any:
        nonlocal last
        known, array = last
        place = words[at : at + 1 + 2 * rank]
        if place == known:
            return array
        shape, strides = tuple(place[1 : 1 + rank]), tuple(place[1 + rank :])
        if 0 in shape:
            return np.zeros(shape, dtype)
        told = {"version": 3, "typestr": text, "shape": shape, "data": (place[0], kept), "strides": strides}
        array = np.asarray(_Memory(told))
        last = place, array
        return array

    return given


def _number_of(kind: Kind) -> _Taker:
    dtype, _, weak = np.dtype(kind[0]), kind[1], kind[2]
    floats = {"f": 1, "c": 2}.get(dtype.kind, 0)

    def given(words: _Words, address: int, at: int) -> Any:
        if floats:
            parts = (ctypes.c_double * floats).from_address(address + 8 * at)[:]
            value: Any = complex(*parts) if floats == 2 else parts[0]
        else:
            value = words[at]
        if weak:
            return bool(value) if dtype.kind == "b" else value
        return dtype.type(value % 2**64 if dtype.kind == "u" else value)

    return given


class _Memory:
    """The memory of an array of a master, which is not written."""

    __slots__ = ("__array_interface__",)

    def __init__(self, told: dict[str, Any]) -> None:
        self.__array_interface__ = told


def _put(words: _Words, address: int, at: int, value: Any) -> None:
    kind = np.dtype(type(value)).kind
    if kind in "fc":
        parts = (ctypes.c_double * 2).from_address(address + 8 * at)
        parts[0], parts[1] = float(value.real), float(value.imag)
    else:
        words[at] = int(value)  # of the largest unsigned integers, the bits
