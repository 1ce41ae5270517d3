"""Private copies of an array that a fence combines: how many, where they lie, and how they become one.

`rows` holds one copy a row, in C order. A row is longer than the array by at least a cache line, so that no two MIs
write to one line; a row of just the array's length is the array itself, which then is updated in place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba.extending import overload

from somd.language.operators import named
from somd.runtime import blocks
from somd.runtime.blocks import COPY_ELEMENTS, COST
from somd.runtime.multicore.arrays import room as new_room
from somd.runtime.multicore.integers import of_integers
from somd.runtime.multicore.numba_internals.native import native

#: elements that are combined at a time, so that they stay in the first cache
CHUNK = 512
LINE = 64
copy_blocks = of_integers(blocks.copy_blocks)


@of_integers
def copy_shares(parts: int, updates: int, elements: int) -> int:
    """How many of `parts` MIs are worth a copy of so many elements each."""
    elements = max(elements, 1)
    return max(1, min(parts, updates // (COST * elements), COPY_ELEMENTS // elements))


def rows_of(array: Any, count: int) -> Any:
    """Room for `count` copies of `array`; for one, the array itself where it lies in C order."""
    raise NotImplementedError("only compiled code calls this")


@overload(rows_of)
def _rows_of(array: Any, count: Any) -> Any:
    line = LINE // np.dtype(str(array.dtype)).itemsize
    dtype: Any = array.dtype
    in_order = array.layout == "C"

    def room(array: Any, count: Any) -> Any:
        if count != 1:
            return new_room((count, (array.size + line - 1) // line * line + line), dtype)
        if in_order:
            return array.reshape((1, array.size))
        rows = new_room((1, array.size), dtype)
        for place, element in enumerate(array.flat):
            rows[0, place] = element
        return rows

    return room


@native
def own_copy(array: Any, rows: Any, row: int, identity: Any) -> Any:
    """The copy in `row`, with the shape of `array`; every element `identity`, unless it is the array itself."""
    own = rows[row, : array.size]
    if rows.shape[1] > array.size:
        for place in range(len(own)):
            own[place] = identity
    return own.reshape(array.shape)


@native
def in_place(array: Any, rows: Any) -> bool:
    """Whether the only copy is the array itself."""
    same: bool = rows.shape[1] == array.size and rows.ctypes.data == array.ctypes.data
    return same


@native
def combining_work(array: Any, rows: Any) -> int:
    """The steps that combining takes: none where the array was updated in place."""
    return 0 if in_place(array, rows) else len(rows) * array.size


Join = Callable[[Any, Any], Any]


def _flat_combiner(join: Join, tree: bool) -> Any:
    """A function that combines elements `first` to `last` of all copies, and the array with them."""

    @native
    def by_pairs(rows: Any, first: int, last: int) -> int:
        width = 1
        while width < len(rows):
            for row in range(0, len(rows) - width, 2 * width):
                for place in range(first, last):
                    rows[row, place] = join(rows[row, place], rows[row + width, place])
            width *= 2
        return min(len(rows), 1)

    @native
    def combine(array: Any, rows: Any, first: int, last: int) -> None:
        if in_place(array, rows):
            return
        flat = array.flat
        if rows.shape[1] == array.size:
            for place in range(first, last):
                flat[place] = rows[0, place]
            return
        for begin in range(first, last, CHUNK):
            end = min(begin + CHUNK, last)
            count = by_pairs(rows, begin, end) if tree else len(rows)
            for row in range(count):
                for place in range(begin, end):
                    flat[place] = join(flat[place], rows[row, place])

    return combine


def __getattr__(name: str) -> Any:
    return _made(name)


@cache
def _made(name: str) -> Any:
    """`combine_...` of an operator: in a tree by pairs of neighbours where the association counts."""
    operator = named(name, "combine_")
    return _flat_combiner(native(operator.combine), operator.ordered)
