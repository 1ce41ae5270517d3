"""Elements of a row copied to another one, as a piece of memory where both lie one behind the other.

LLVM makes no call of the C library of a loop that copies, since it cannot tell that two arrays share no memory, and
the library's own is twice as fast where neither of them is in the nearest cache.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from numba import types as _types

from somd.runtime.multicore.intrinsics import intrinsic
from somd.runtime.multicore.numba_internals.lowering import cgutils, get_item_pointer, make_array

ir: Any = _ir
types: Any = _types

#: fewer elements are copied one by one
FEWEST = 16


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def copy_row(typing_context: Any, count: Any, target: Any, source: Any, *indexes: Any) -> Any:
    """Copy `count` elements of an array to another one of its dtype: `indexes` are those of the first one that is
    written, and then of the first one that is read; the last of each counts up. Those below 0 count from the end."""
    arrays = isinstance(target, types.Array) and isinstance(source, types.Array)
    if not arrays or target.dtype != source.dtype or len(indexes) != target.ndim + source.ndim:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, given = arguments[0], cgutils.unpack_tuple(builder, arguments[3], len(indexes))
        into = _Row(context, builder, target, arguments[1], given[: target.ndim])
        out_of = _Row(context, builder, source, arguments[2], given[target.ndim :])
        long = builder.icmp_signed(">=", number, number.type(FEWEST))
        whole = builder.and_(long, builder.and_(into.is_straight(), out_of.is_straight()))
        with builder.if_else(whole) as (at_once, one_by_one):
            with at_once:
                size = context.get_abi_sizeof(into.first().type.pointee)
                cgutils.raw_memmove(builder, into.first(), out_of.first(), number, size)
            with one_by_one, cgutils.for_range(builder, number) as loop:
                builder.store(builder.load(out_of.place(loop.index)), into.place(loop.index))
        return context.get_dummy_value()

    return types.void(types.intp, target, source, types.StarArgTuple([types.intp] * len(indexes))), generate


class _Row:
    """A row of an array, from the element at `indexes` on."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any, indexes: Any) -> None:
        self.context, self.builder, self.kind = context, builder, kind
        self.held = make_array(kind)(context, builder, array)
        self.lengths = cgutils.unpack_tuple(builder, self.held.shape, kind.ndim)
        self.last = indexes[-1]
        self.others = [self.wrapped(*pair) for pair in zip(indexes[:-1], self.lengths, strict=False)]

    def wrapped(self, index: Any, length: Any) -> Any:
        """An index that may count from the end, from the start."""
        builder = self.builder
        negative = builder.icmp_signed("<", index, index.type(0))
        return builder.select(negative, builder.add(index, length), index)

    def is_straight(self) -> Any:
        """Whether elements with the next indexes follow each other in memory."""
        builder = self.builder
        forward = builder.icmp_signed(">=", self.last, self.last.type(0))
        if self.kind.layout == "C":
            return forward
        stride = cgutils.unpack_tuple(builder, self.held.strides, self.kind.ndim)[-1]
        return builder.and_(forward, builder.icmp_signed("==", stride, self.held.itemsize))

    def first(self) -> Any:
        """Where the first element is, whose index is not below 0."""
        return self.at(self.last)

    def place(self, number: Any) -> Any:
        """Where the element with this number is."""
        return self.at(self.wrapped(self.builder.add(self.last, number), self.lengths[-1]))

    def at(self, last: Any) -> Any:
        return get_item_pointer(
            self.context, self.builder, self.kind, self.held, [*self.others, last], wraparound=False
        )
