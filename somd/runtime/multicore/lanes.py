"""Arrays of lanes: what a strip of iterations keeps of a scalar while each statement runs for all of them.

They lie on the stack of the MI, so LLVM knows that no other array shares their memory, and the loops over lanes need no
tests for that before they are vectorised.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from somd.runtime.multicore.numba_internals.lowering import cgutils, parse_dtype, populate_array
from somd.runtime.multicore.numba_internals.native import native

#: bytes to which the arrays are aligned: the widest vectors there are
ALIGNMENT = 64


@intrinsic(prefer_literal=True)
def lane_array(typing_context: Any, count: Any, dtype: Any) -> Any:
    """An array of `count` elements of `dtype` without content, gone when the function ends; `count` is a constant."""
    element = parse_dtype(dtype)
    if not isinstance(count, types.IntegerLiteral) or element is None:
        return None
    array_type = types.Array(element, 1, "C")
    length = count.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_data_type(element)
        size = context.get_constant(types.intp, length)
        data = cgutils.alloca_once(builder, kind, size=size)
        data.align = ALIGNMENT
        width = context.get_constant(types.intp, context.get_abi_sizeof(kind))
        array = context.make_array(array_type)(context, builder)
        populate_array(array, data=data, shape=(size,), strides=(width,), itemsize=width, meminfo=None)
        return array._getvalue()

    return array_type(count, dtype), generate


@native
def elements_within(array: Any, low: int, high: int) -> bool:
    """Whether all elements of an array of integers are from `low` to `high`."""
    outside = False
    for element in array.flat:
        outside |= element < low or element > high
    return not outside


@native
def repeat_last(lanes: Any, count: int, whole: int) -> None:
    """Copy the last of `count` lanes to those beyond it, as many as make `whole` in all."""
    for lane in range(count, whole):
        lanes[lane] = lanes[count - 1]
