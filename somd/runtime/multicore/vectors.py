"""Vectors of floats: accumulators that lie side by side, of which each adds its own elements.

LLVM makes no vectors of them, for Numba has its vectoriser of straight code off; `emit/accumulators.py` writes them.
Each operation rounds each of the floats as the operation of one does, so the bits are those of one by one.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from numba import types as _types
from numba.extending import register_model

from somd.runtime.blocks import LANES
from somd.runtime.multicore.intrinsics import intrinsic
from somd.runtime.multicore.lanes import ALIGNMENT
from somd.runtime.multicore.numba_internals.lowering import cgutils, get_item_pointer, make_array, models

ir: Any = _ir
types: Any = _types


class Vector(types.Type):  # type: ignore[misc,unused-ignore]
    """The type of `count` floats of a dtype in one."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(name=f"Vector({dtype}, {count})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc,unused-ignore]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.VectorType(manager.lookup(kind.dtype).get_value_type(), kind.count))


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def vector_of(typing_context: Any, numbers: Any) -> Any:
    """A vector of floats, which are given as a tuple."""
    if not isinstance(numbers, types.UniTuple) or not isinstance(numbers.dtype, types.Float):
        return None
    made = Vector(numbers.dtype, numbers.count)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _packed(context, builder, made, cgutils.unpack_tuple(builder, arguments[0], made.count))

    return made(numbers), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator,unused-ignore]
def vector_at(typing_context: Any, count: Any, array: Any, *indexes: Any) -> Any:
    """`count` elements of an array, a constant number, of which the first is at `indexes`; the last of these counts up.
    Indexes below 0 count from the end."""
    is_known = isinstance(count, types.IntegerLiteral) and isinstance(array, types.Array)
    if not is_known or not isinstance(array.dtype, types.Float):
        return None
    made = Vector(array.dtype, count.literal_value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[1]
        held, vector = make_array(kind)(context, builder, arguments[1]), context.get_value_type(made)
        lengths = cgutils.unpack_tuple(builder, held.shape, kind.ndim)
        *others, last = cgutils.unpack_tuple(builder, arguments[2], kind.ndim)
        others = [_wrapped(builder, *pair) for pair in zip(others, lengths, strict=False)]

        def place(at: Any) -> Any:
            return get_item_pointer(context, builder, kind, held, [*others, at], wraparound=False)

        def one_by_one() -> Any:
            places = [builder.add(last, last.type(at)) for at in range(made.count)]
            numbers = [builder.load(place(_wrapped(builder, at, lengths[-1]))) for at in places]
            return _packed(context, builder, made, numbers)

        if kind.layout != "C":
            return one_by_one()
        with builder.if_else(_is_negative(builder, last)) as (negative, other):
            with negative:
                first, come_from = one_by_one(), builder.block
            with other:
                second = builder.load(builder.bitcast(place(last), vector.as_pointer()))
                second.align, then = context.get_abi_sizeof(vector.element), builder.block
        found = builder.phi(vector)
        found.add_incoming(first, come_from)
        found.add_incoming(second, then)
        return found

    return made(count, array, types.StarArgTuple([types.intp] * len(indexes))), generate


def _is_negative(builder: Any, index: Any) -> Any:
    return builder.icmp_signed("<", index, index.type(0))


def _wrapped(builder: Any, index: Any, length: Any) -> Any:
    """An index that may count from the end, from the start."""
    return builder.select(_is_negative(builder, index), builder.add(index, length), index)


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def elements_of(typing_context: Any, vector: Any) -> Any:
    """The floats of a vector, as a tuple."""
    made = types.UniTuple(vector.dtype, vector.count)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = [builder.extract_element(arguments[0], ir.IntType(32)(at)) for at in range(vector.count)]
        return context.make_tuple(builder, made, numbers)

    return made(vector), generate


def _of_lanes(name: str) -> Any:
    """A function of an array of lanes, a power of two in number: one float of them, by pairs of neighbours, level by
    level."""

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def combined(typing_context: Any, lanes: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vector = ir.VectorType(context.get_data_type(lanes.dtype), LANES)
            held = make_array(lanes)(context, builder, arguments[0])
            left = builder.load(builder.bitcast(held.data, vector.as_pointer()))
            left.align = ALIGNMENT
            while left.type.count > 1:
                sides = (_every_second(builder, left, first) for first in (0, 1))
                left = getattr(builder, name)(*sides)
            return builder.extract_element(left, ir.IntType(32)(0))

        return lanes.dtype(lanes), generate

    return combined


def _every_second(builder: Any, vector: Any, first: int) -> Any:
    places = [ir.IntType(32)(at) for at in range(first, vector.type.count, 2)]
    return builder.shuffle_vector(
        vector, vector.type(ir.Undefined), ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places)
    )


lanes_sum = _of_lanes("fadd")
lanes_product = _of_lanes("fmul")


def _packed(context: Any, builder: Any, kind: Vector, numbers: Any) -> Any:
    made = context.get_value_type(kind)(ir.Undefined)
    for at, number in enumerate(numbers):
        made = builder.insert_element(made, number, ir.IntType(32)(at))
    return made


def _computing(name: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def computed(typing_context: Any, left: Any, right: Any) -> Any:
        if not isinstance(left, Vector) or left != right:
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, name)(*arguments)

        return left(left, right), generate

    return computed


vector_sum = _computing("fadd")
vector_difference = _computing("fsub")
vector_product = _computing("fmul")
vector_quotient = _computing("fdiv")
