"""Functions of the user's that native masters call at fences: `with sync(x, reduce=merge):`.

A master gets the address of a C function that ctypes makes for the call, since an address, unlike a Python object, may
go into code that Numba keeps on disk. The function reads the partials in place and writes the result to the first of
them; what it raises is kept for the caller. A call costs some microseconds.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from somd.language.combining import Join
from somd.runtime.multicore.guards import SITE
from somd.runtime.multicore.library_words import WordedCall
from somd.runtime.multicore.numba_internals.native import native

#: the argument of the IndexError with which a master ends when a function has raised
RAISED = -2
#: what the C function returns for success: not what it returns where Python was interrupted before our code in it ran
DONE = 0x50D
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class Functions:
    """The functions of one call, by number; `error` is what one of them raised, which is noted in `row`, too."""

    def __init__(self, joins: Sequence[Join | WordedCall], row: np.ndarray[Any, Any] | None = None) -> None:
        self.joins = joins
        self.error: BaseException | None = None
        self.row = row
        self._called = _SIGNATURE(self._call)
        self.address = ctypes.cast(self._called, ctypes.c_void_p).value or 0

    def _call(self, number: int, address: int, count: int) -> int:
        try:
            join = self.joins[number]
            if isinstance(join, WordedCall):
                join(address, count)
                return DONE
            memory: Any = (ctypes.c_char * (count * join.dtype.itemsize)).from_address(address)
            partials = np.frombuffer(memory, join.dtype)
            partials[0] = join(partials)
        except BaseException as error:  # it must not cross native code; the caller gets it
            self.error = error
            if self.row is not None:
                self.row[SITE] = RAISED
            return 0
        return DONE


@intrinsic
def call_address(typing_context: Any, address: Any, number: Any, data: Any, count: Any) -> Any:
    """Call the C function at `address` with three integers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word, word])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(function, list(arguments[1:]))

    return types.int64(types.int64, types.int64, types.int64, types.int64), generate


called: Any = call_address


@native
def join(functions: int, number: int, partials: Any) -> None:
    """Write what function `number` makes of `partials` (1-D, contiguous, not empty) to the first of them.

    Raises:
        IndexError: the function has raised; the argument is RAISED.
    """
    if called(functions, number, np.int64(partials.ctypes.data), np.int64(len(partials))) != DONE:
        raise IndexError(RAISED)
