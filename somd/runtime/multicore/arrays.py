"""Arrays that generated code makes for itself (partial results, packed arrays, tables), and where vectors begin in one.

`np.empty` takes Numba four functions, each compiled by itself; this takes none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types as _types
from numba.extending import intrinsic
from numba.extending import lower_builtin as _lower_builtin

from somd.runtime.multicore.numba_internals.lowering import cgutils, make_array, parse_dtype, populate_array, templates

types: Any = _types
lower_builtin: Any = _lower_builtin

#: bytes to which the arrays are aligned: the widest vectors there are, and a cache line
ALIGNMENT = 64
#: bytes of the vectors that LLVM makes
VECTOR = 32
#: as many partial results lie on the stack: to ask for memory takes longer than a short reduction
FEW = 64


def room(shape: Any, dtype: Any) -> Any:
    """A new array without content; `shape` is an integer or a tuple of integers, none negative, and not so large that
    the number of bytes overflows.

    Raises:
        MemoryError: there is not so much memory.
    """
    return np.empty(shape, dtype)


class RoomTemplate(templates.AbstractTemplate):  # type: ignore[misc]
    """The types of a function that takes a shape and a dtype, and makes an array in C order."""

    @classmethod
    def of(cls, function: Any) -> type[RoomTemplate]:
        """Those of one such function."""
        return type(f"{function.__name__}_types", (cls,), {"key": function})

    def generic(self, args: Any, kws: Any) -> Any:
        shape, dtype = args
        element = parse_dtype(dtype)
        if element is None or kws:
            return None
        if isinstance(shape, types.Integer):
            return templates.signature(types.Array(element, 1, "C"), types.intp, dtype)
        if not isinstance(shape, types.BaseTuple):
            return None
        count = len(shape)
        return templates.signature(types.Array(element, count, "C"), types.UniTuple(types.intp, count), dtype)


def partials_room(blocks: int, dtype: Any) -> Any:
    """A new array without content for one partial result of each logical block. It is gone when the function ends.

    Raises:
        MemoryError: there is not so much memory.
    """
    return np.empty(blocks, dtype)


templates.infer_global(room, types.Function(RoomTemplate.of(room)))
templates.infer_global(partials_room, types.Function(RoomTemplate.of(partials_room)))


@lower_builtin(partials_room, types.Any, types.Any)  # type: ignore[untyped-decorator,unused-ignore]
def _generate_partials(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    made, [blocks, _] = signature.return_type, arguments
    word = context.get_value_type(types.intp)
    data_type = context.get_data_type(made.dtype)
    width = word(context.get_abi_sizeof(data_type))
    near = cgutils.alloca_once(builder, data_type, size=word(FEW))
    near.align = ALIGNMENT
    data = cgutils.alloca_once_value(builder, near)
    memory = cgutils.alloca_once_value(builder, cgutils.voidptr_t(None))
    with builder.if_then(builder.icmp_signed(">", blocks, word(FEW)), likely=False):
        found = _memory(context, builder, builder.mul(blocks, width))
        builder.store(found, memory)
        builder.store(builder.bitcast(context.nrt.meminfo_data(builder, found), data_type.as_pointer()), data)
    array = make_array(made)(context, builder)
    populate_array(
        array,
        data=builder.load(data),
        shape=cgutils.pack_array(builder, [blocks], ty=word),
        strides=cgutils.pack_array(builder, [width], ty=word),
        itemsize=width,
        meminfo=builder.load(memory),
    )
    return array._getvalue()


@lower_builtin(room, types.Any, types.Any)  # type: ignore[untyped-decorator,unused-ignore]
def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    made, word = signature.return_type, context.get_value_type(types.intp)
    shape = arguments[:1]
    if signature.args[0] != types.intp:
        shape = cgutils.unpack_tuple(builder, arguments[0])
    data_type = context.get_data_type(made.dtype)
    width = word(context.get_abi_sizeof(data_type))
    strides: list[Any] = []
    size = width
    for length in reversed(shape):
        strides.insert(0, size)
        size = builder.mul(size, length)
    memory = _memory(context, builder, size)
    data = builder.bitcast(context.nrt.meminfo_data(builder, memory), data_type.as_pointer())
    array = make_array(made)(context, builder)
    populate_array(
        array,
        data=data,
        shape=cgutils.pack_array(builder, shape, ty=word),
        strides=cgutils.pack_array(builder, strides, ty=word),
        itemsize=width,
        meminfo=memory,
    )
    return array._getvalue()


def _memory(context: Any, builder: Any, size: Any) -> Any:
    """So many bytes of Numba's memory, or MemoryError."""
    memory = context.nrt.meminfo_alloc_aligned(builder, size, ALIGNMENT)
    with builder.if_then(cgutils.is_null(builder, memory), likely=False):
        context.call_conv.return_user_exc(builder, MemoryError, ("Allocation failed (probably too large).",))
    return memory


@intrinsic
def aligned_from(typing_context: Any, row: Any, start: Any, stop: Any) -> Any:
    """The first index from `start` on, but not behind `stop`, at which an element of a row (1-D) begins a vector in
    memory; `start` where none does, or the row is not contiguous. Nothing is read."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, word = signature.args[0], context.get_value_type(types.intp)
        array = context.make_array(kind)(context, builder, arguments[0])
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        address = builder.add(
            builder.ptrtoint(array.data, word), builder.mul(arguments[1], context.get_constant(types.intp, size))
        )
        behind = builder.and_(builder.neg(address), word(VECTOR - 1))
        stride = cgutils.unpack_tuple(builder, array.strides)[0]
        possible = builder.and_(
            builder.icmp_unsigned("==", builder.urem(behind, word(size)), word(0)),
            builder.icmp_signed("==", stride, word(size)),
        )
        skipped = builder.select(possible, builder.udiv(behind, word(size)), word(0))
        middle = builder.add(arguments[1], skipped)
        return builder.select(builder.icmp_signed("<", middle, arguments[2]), middle, arguments[2])

    return types.intp(row, types.intp, types.intp), generate
