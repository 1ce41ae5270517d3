"""Calls of libraries from native masters: what a call takes and gives goes through words of 64 bits.

The other side of them is `library_words`. The C function is that of `fences`: what Python raises is kept there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir as _ir
from numba import types
from numba.extending import intrinsic

from somd.runtime.multicore.fences import DONE, RAISED, called
from somd.runtime.multicore.numba_internals.native import native

ir: Any = _ir


@intrinsic
def _copy(typing_context: Any, address: Any, target: Any, count: Any) -> Any:
    """Copy so many bytes from one address to another."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(64)
        source, there = (builder.inttoptr(each, byte) for each in arguments[:2])
        function = builder.module.declare_intrinsic("llvm.memcpy", [byte, byte, word])
        builder.call(function, [there, source, arguments[2], ir.Constant(ir.IntType(1), 0)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


_copied: Any = _copy


@native
def give_array(words: Any, at: int, array: Any) -> None:
    """Put an array's address, lengths and strides into words from a place on."""
    words[at] = array.ctypes.data
    for axis in range(array.ndim):
        words[at + 1 + axis] = array.shape[axis]
        words[at + 1 + array.ndim + axis] = array.strides[axis]


@native
def take_array(words: Any, at: int, array: Any) -> None:
    """Fill an array, in C order, with the elements at the address in a word."""
    _copied(words[at], np.int64(array.ctypes.data), np.int64(array.nbytes))


@native
def call_library(functions: int, number: int, words: Any) -> None:
    """Have Python make call `number` with what is in `words`.

    Raises:
        IndexError: it has raised; the argument is RAISED.
    """
    if called(functions, number, np.int64(words.ctypes.data), np.int64(len(words))) != DONE:
        raise IndexError(RAISED)
