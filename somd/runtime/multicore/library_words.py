"""The words of 64 bits through which a native master gives a library call its arguments, and takes what it gives.

An array that is given is its address, lengths and strides; one that is taken, its lengths and the address of its
elements in C order. A number has two words, of which integers and floats take one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from somd.language.library import Kind, LibraryCall


def called_with(call: LibraryCall, words: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Make a call whose arguments are in `words`, and put there what it gives; arrays live as long as the result."""
    at, given = 0, []
    for kind in call.row[1]:
        given.append(_given(words, at, kind))
        at += 1 + 2 * kind[1] if kind[1] else 2
    found = call(*given)
    at = 0
    for value, (_, rank, _) in zip(found, call.row[2], strict=True):
        if rank:
            words[at : at + rank] = value.shape
            words[at + rank] = value.ctypes.data
            at += rank + 1
        else:
            _put(words, at, value)
            at += 2
    return found


def _given(words: np.ndarray[Any, Any], at: int, kind: Kind) -> Any:
    dtype, rank, weak = np.dtype(kind[0]), kind[1], kind[2]
    if rank:
        shape = tuple(words[at + 1 : at + 1 + rank].tolist())
        return np.asarray(_Memory(int(words[at]), dtype, shape, words[at + 1 + rank : at + 1 + 2 * rank].tolist()))
    floats = words.view(np.float64)
    if dtype.kind == "c":
        value: Any = complex(floats[at], floats[at + 1])
    else:
        value = float(floats[at]) if dtype.kind == "f" else int(words[at])
    if weak:
        return bool(value) if dtype.kind == "b" else value
    return dtype.type(value % 2**64 if dtype.kind == "u" else value)


class _Memory:
    """The memory of an array of a master, which is not written."""

    def __init__(self, address: int, dtype: np.dtype[Any], shape: tuple[int, ...], strides: list[int]) -> None:
        none = 0 in shape
        self.kept = np.empty(1, dtype) if none else None
        address = self.kept.ctypes.data if self.kept is not None else address
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtype.str,
            "shape": shape,
            "data": (address, True),
            "strides": None if none else tuple(strides),
        }


def _put(words: np.ndarray[Any, Any], at: int, value: Any) -> None:
    kind = np.dtype(type(value)).kind
    if kind in "fc":
        words.view(np.float64)[at : at + 2] = value.real, value.imag
    else:
        words[at] = np.asarray(value).astype(np.int64)
