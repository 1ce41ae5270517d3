"""Calls of libraries from native masters: what a call takes and gives goes through words of 64 bits.

The other side of them is `library_words`. The C function is that of `fences`: what Python raises is kept there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from somd.runtime.multicore.fences import DONE, RAISED, called
from somd.runtime.multicore.numba_internals.lowering import make_array, parse_dtype, populate_array
from somd.runtime.multicore.numba_internals.native import native


@native
def give_array(words: Any, at: int, array: Any) -> None:
    """Put an array's address, lengths and strides into words from a place on."""
    words[at] = array.ctypes.data
    for axis in range(array.ndim):
        words[at + 1 + axis] = array.shape[axis]
        words[at + 1 + array.ndim + axis] = array.strides[axis]


@intrinsic(prefer_literal=True)
def taken_array(typing_context: Any, words: Any, at: Any, rank: Any, dtype: Any) -> Any:
    """The array of `rank` axes, a constant, that words from a place on tell of: lengths, address and owner."""
    element = parse_dtype(dtype)
    if not isinstance(rank, types.IntegerLiteral) or element is None:
        return None
    made = types.Array(element, rank.literal_value, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = context.get_value_type(types.intp)
        held = make_array(signature.args[0])(context, builder, arguments[0])
        places = [builder.add(arguments[1], word(k)) for k in range(made.ndim + 2)]
        *shape, address, owner = [builder.load(builder.gep(held.data, [place])) for place in places]
        width = context.get_abi_sizeof(context.get_data_type(element))
        strides = [word(width)]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        array = make_array(made)(context, builder)
        populate_array(
            array,
            data=builder.inttoptr(address, array.data.type),
            shape=shape,
            strides=strides,
            itemsize=word(width),
            meminfo=builder.inttoptr(owner, array.meminfo.type),
        )
        return array._getvalue()

    return made(words, types.intp, rank, dtype), generate


@native
def call_library(functions: int, number: int, words: Any) -> None:
    """Have Python make call `number` with what is in `words`.

    Raises:
        IndexError: it has raised; the argument is RAISED.
    """
    if called(functions, number, np.int64(words.ctypes.data), np.int64(len(words))) != DONE:
        raise IndexError(RAISED)
