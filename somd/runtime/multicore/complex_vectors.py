"""Vectors of complex numbers, real and imaginary parts by turns as they lie in memory.

LLVM takes loops over complex numbers apart into vectors of real and of imaginary parts, at each load and store. Here a
product has the real parts of one side twice in one vector, the imaginary ones in another, and the parts of the other
side exchanged. Each element of a result is computed by the operations that the product of two numbers has, and rounded
as there. Where two operands are taken, one of them may be a number, which is the same for all.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from numba import types as _types
from numba.extending import register_model

from somd.runtime.multicore.intrinsics import intrinsic
from somd.runtime.multicore.numba_internals.lowering import cgutils, get_item_pointer, make_array, models
from somd.runtime.multicore.vectors import shuffled

ir: Any = _ir
types: Any = _types

_INDEX = ir.IntType(32)


class ComplexVector(types.Type):  # type: ignore[misc,unused-ignore]
    """The type of `count` complex numbers of a dtype in one."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(name=f"ComplexVector({dtype}, {count})")


@register_model(ComplexVector)
class _ComplexVectorModel(models.PrimitiveModel):  # type: ignore[misc,unused-ignore]
    def __init__(self, manager: Any, kind: Any) -> None:
        part = manager.lookup(kind.dtype.underlying_float).get_value_type()
        super().__init__(manager, kind, ir.VectorType(part, 2 * kind.count))


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator,unused-ignore]
def complex_vector_at(typing_context: Any, count: Any, array: Any, *indexes: Any) -> Any:
    """`count` elements of an array, a constant number, of which the first is at `indexes`; the last of these counts up.
    None of the indexes is below 0."""
    is_known = isinstance(count, types.IntegerLiteral) and isinstance(array, types.Array)
    if not is_known or not isinstance(array.dtype, types.Complex):
        return None
    made = ComplexVector(array.dtype, count.literal_value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = context.get_value_type(made)
        place = _place_of(context, builder, signature.args[1], arguments[1], arguments[2])
        if signature.args[1].layout == "C":
            found = builder.load(builder.bitcast(place(0), vector.as_pointer()))
            found.align = context.get_abi_sizeof(vector.element)
            return found
        found = vector(ir.Undefined)
        for at in range(made.count):
            for part in range(2):
                number = builder.load(cgutils.gep_inbounds(builder, place(at), 0, part))
                found = builder.insert_element(found, number, _INDEX(2 * at + part))
        return found

    return made(count, array, types.StarArgTuple([types.intp] * len(indexes))), generate


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def put_complex_vector(typing_context: Any, vector: Any, array: Any, *indexes: Any) -> Any:
    """Store a vector as elements of an array, of which the first is at `indexes`; the last of these counts up. None of
    the indexes is below 0."""
    is_known = isinstance(vector, ComplexVector) and isinstance(array, types.Array)
    if not is_known or array.dtype != vector.dtype:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        stored = arguments[0]
        place = _place_of(context, builder, signature.args[1], arguments[1], arguments[2])
        if signature.args[1].layout == "C":
            node = builder.store(stored, builder.bitcast(place(0), stored.type.as_pointer()))
            node.align = context.get_abi_sizeof(stored.type.element)
            return context.get_dummy_value()
        for at in range(vector.count):
            for part in range(2):
                number = builder.extract_element(stored, _INDEX(2 * at + part))
                builder.store(number, cgutils.gep_inbounds(builder, place(at), 0, part))
        return context.get_dummy_value()

    return types.void(vector, array, types.StarArgTuple([types.intp] * len(indexes))), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator,unused-ignore]
def complex_vector_filled(typing_context: Any, count: Any, number: Any) -> Any:
    """A vector of `count` times a number."""
    if not isinstance(count, types.IntegerLiteral) or not isinstance(number, types.Complex):
        return None
    made = ComplexVector(number, count.literal_value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _filled(context, builder, made, number, arguments[1])

    return made(count, number), generate


def _place_of(context: Any, builder: Any, kind: Any, array: Any, indexes: Any) -> Any:
    """Where an element of a row of an array is, by how far it is behind the one at `indexes`."""
    held = make_array(kind)(context, builder, array)
    *others, last = cgutils.unpack_tuple(builder, indexes, kind.ndim)

    def place(steps: int) -> Any:
        at = builder.add(last, last.type(steps)) if steps else last
        return get_item_pointer(context, builder, kind, held, [*others, at], wraparound=False)

    return place


# --- arithmetic ----------------------------------------------------------------------------------------------------


def _computing(compute: Any, *, by_numbers: bool = False) -> Any:
    """A function of two operands, one of them a vector; with `by_numbers` the other one is none."""

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def computed(typing_context: Any, left: Any, right: Any) -> Any:
        vectors = [each for each in (left, right) if isinstance(each, ComplexVector)]
        if not vectors or (by_numbers and (left not in vectors or right in vectors)):
            return None
        [made] = set(vectors) if len(set(vectors)) == 1 else [None]
        if made is None or any(each not in (made, made.dtype) for each in (left, right)):
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return compute(_Sides(context, builder, made, signature.args, arguments))

        return made(left, right), generate

    return computed


class _Sides:
    """Two operands, and what is made of their parts."""

    def __init__(self, context: Any, builder: Any, made: Any, kinds: Any, given: Any) -> None:
        self.context, self.builder, self.made, self.kinds, self.given = context, builder, made, kinds, given
        self.type = context.get_value_type(made)

    @property
    def vectors(self) -> tuple[Any, ...]:
        """Both, as vectors."""
        pairs = zip(self.kinds, self.given, strict=True)
        return tuple(each if kind == self.made else self.filled(kind, each) for kind, each in pairs)

    def filled(self, kind: Any, number: Any) -> Any:
        return _filled(self.context, self.builder, self.made, kind, number)

    def number(self, side: int) -> Any:
        """The parts of an operand that is no vector."""
        made = self.context.make_complex(self.builder, self.kinds[side], self.given[side])
        return made.real, made.imag

    def parts(self, side: int) -> tuple[Any, Any]:
        """The real parts of an operand, and the imaginary ones, each twice."""
        if self.kinds[side] == self.made:
            vector = self.given[side]
            real = self.shuffled(vector, vector, [at & ~1 for at in range(self.type.count)])
            return real, self.shuffled(vector, vector, [at | 1 for at in range(self.type.count)])
        real, imag = self.number(side)
        return self.spread(real), self.spread(imag)

    def spread(self, part: Any) -> Any:
        return _spread(self.builder, self.type, part)

    def exchanged(self, vector: Any) -> Any:
        """The parts of each number in the other order."""
        return self.shuffled(vector, vector, [at ^ 1 for at in range(self.type.count)])

    def by_turns(self, real: Any, imag: Any) -> Any:
        """The real parts of one vector, and the imaginary ones of another."""
        count = self.type.count
        return self.shuffled(real, imag, [at if at % 2 == 0 else count + at for at in range(count)])

    def shuffled(self, left: Any, right: Any, places: list[int]) -> Any:
        return shuffled(self.builder, left, right, places)


def _sum(sides: _Sides) -> Any:
    return sides.builder.fadd(*sides.vectors)


def _difference(sides: _Sides) -> Any:
    return sides.builder.fsub(*sides.vectors)


def _product(sides: _Sides) -> Any:
    """a b - c d and a d + c b, of (a, c) and (b, d)."""
    builder, side = sides.builder, 1 if sides.kinds[0] == sides.made else 0
    (real, imag), other = sides.parts(side), sides.given[1 - side]
    first, second = builder.fmul(real, other), builder.fmul(imag, sides.exchanged(other))
    return sides.by_turns(builder.fsub(first, second), builder.fadd(first, second))


def _quotient(sides: _Sides) -> Any:
    """By a number, as `complex_divide` has it: factors of 1 change nothing."""
    builder, vector, part = sides.builder, sides.given[0], sides.type.element
    real, imag = sides.number(1)
    size = builder.module.declare_intrinsic("llvm.fabs", [part])
    sizes = [builder.call(size, [each]) for each in (real, imag)]
    first = builder.fcmp_ordered(">=", *sizes)
    zeros = [builder.fcmp_ordered("==", each, part(0.0)) for each in (real, imag)]
    with builder.if_else(builder.and_(first, builder.and_(*zeros)), likely=False) as (none, some):
        with none:
            infinite, come_from = builder.fdiv(vector, sides.spread(sizes[0])), builder.block
        with some:
            large, small = builder.select(first, real, imag), builder.select(first, imag, real)
            ratio = builder.fdiv(small, large)
            scale = builder.fdiv(part(1.0), builder.fadd(large, builder.fmul(small, ratio)))
            factors = builder.select(first, part(1.0), ratio), builder.select(first, ratio, part(1.0))
            one = builder.fmul(vector, sides.spread(factors[0]))
            other = builder.fmul(sides.exchanged(vector), sides.spread(factors[1]))
            made = sides.by_turns(builder.fadd(one, other), builder.fsub(one, other))
            divided, then = builder.fmul(made, sides.spread(scale)), builder.block
    found = builder.phi(sides.type)
    found.add_incoming(infinite, come_from)
    found.add_incoming(divided, then)
    return found


def _filled(context: Any, builder: Any, made: Any, kind: Any, number: Any) -> Any:
    held, vector = context.make_complex(builder, kind, number), context.get_value_type(made)
    found = vector(ir.Undefined)
    for at, part in enumerate((held.real, held.imag)):
        found = builder.insert_element(found, part, _INDEX(at))
    return shuffled(builder, found, found, [at % 2 for at in range(vector.count)])


def _spread(builder: Any, vector: Any, part: Any) -> Any:
    first = builder.insert_element(vector(ir.Undefined), part, _INDEX(0))
    return shuffled(builder, first, first, [0] * vector.count)


complex_vector_sum = _computing(_sum)
complex_vector_difference = _computing(_difference)
complex_vector_product = _computing(_product)
complex_vector_quotient = _computing(_quotient, by_numbers=True)
