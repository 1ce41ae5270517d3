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
from somd.runtime.multicore.fused import fused
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
    Indexes below 0 count from the end; the last one is tested for that unless it is unsigned."""
    is_known = isinstance(count, types.IntegerLiteral) and isinstance(array, types.Array)
    if not is_known or not isinstance(array.dtype, types.Float):
        return None
    made = Vector(array.dtype, count.literal_value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, vector = signature.args[1], context.get_value_type(made)
        place, place_of, last = _row_of(context, builder, kind, arguments[1], arguments[2])

        def one_by_one() -> Any:
            places = [builder.add(last, last.type(at)) for at in range(made.count)]
            return _packed(context, builder, made, [builder.load(place_of(at)) for at in places])

        def loaded() -> Any:
            for first, part in _lines(context, vector):
                found = builder.load(builder.bitcast(place(builder.add(last, last.type(first))), part.as_pointer()))
                found.align = context.get_abi_sizeof(vector.element)
                _in_order(builder)
                yield found

        if kind.layout != "C":
            return one_by_one()
        if not indexes[-1].signed:
            return _joined(builder, list(loaded()))
        with builder.if_else(_is_negative(builder, last)) as (negative, other):
            with negative:
                first, come_from = one_by_one(), builder.block
            with other:
                second, then = _joined(builder, list(loaded())), builder.block
        found = builder.phi(vector)
        found.add_incoming(first, come_from)
        found.add_incoming(second, then)
        return found

    return made(count, array, types.StarArgTuple([types.intp] * len(indexes))), generate


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def put_vector(typing_context: Any, vector: Any, array: Any, *indexes: Any) -> Any:
    """Store a vector as elements of an array, of which the first is at `indexes`; the last of these counts up. None of
    the indexes is below 0."""
    if not isinstance(vector, Vector) or not isinstance(array, types.Array) or array.dtype != vector.dtype:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, stored = signature.args[1], arguments[0]
        place, _, last = _row_of(context, builder, kind, arguments[1], arguments[2])
        if kind.layout == "C":
            for first, part in _lines(context, stored.type):
                given = shuffled(builder, stored, stored, range(first, first + part.count))
                node = builder.store(
                    given, builder.bitcast(place(builder.add(last, last.type(first))), part.as_pointer())
                )
                node.align = context.get_abi_sizeof(part.element)
                _in_order(builder)
            return context.get_dummy_value()
        for at in range(vector.count):
            number = builder.extract_element(stored, ir.IntType(32)(at))
            builder.store(number, place(builder.add(last, last.type(at))))
        return context.get_dummy_value()

    return types.void(vector, array, types.StarArgTuple([types.intp] * len(indexes))), generate


def _counted(context: Any, builder: Any, array: Any, axes: int, given: Any, arguments: Any) -> Any:
    """Where elements of the last axes of an array are, which are counted in rows of other lengths; and whether they
    follow each other in memory from the first that is asked for on.

    `arguments` are the array's, and a tuple: indexes along the other axes, the first place, the lengths of rows.
    """
    held, word = make_array(array)(context, builder, given), context.get_value_type(types.intp)
    own = cgutils.unpack_tuple(builder, held.shape, array.ndim)
    leading, first, lengths = array.ndim - axes, arguments[array.ndim - axes], arguments[array.ndim - axes + 1 :]
    others = [_wrapped(builder, *pair) for pair in zip(arguments[:leading], own, strict=False)]
    in_order = builder.icmp_signed(">=", first, word(0))
    for length, wanted in zip(own[leading + 1 :], lengths, strict=True):
        in_order = builder.and_(in_order, builder.icmp_signed("==", length, wanted))

    def place(at: Any) -> Any:
        indexes: list[Any] = []
        rest = builder.add(first, at)
        for wanted in reversed(lengths):
            none = builder.icmp_signed("==", wanted, word(0))
            divisor = builder.select(none, word(1), wanted)
            quotient, left = builder.sdiv(rest, divisor), builder.srem(rest, divisor)
            below = _is_negative(builder, left)  # of a place below 0: as Python divides
            quotient = builder.sub(quotient, builder.zext(below, word))
            left = builder.add(left, builder.select(below, divisor, word(0)))
            rest, left = (builder.select(none, word(0), each) for each in (quotient, left))
            indexes.insert(0, left)
        indexes = [_wrapped(builder, *pair) for pair in zip([rest, *indexes], own[leading:], strict=True)]
        return get_item_pointer(context, builder, array, held, [*others, *indexes], wraparound=False)

    def start() -> Any:
        row = get_item_pointer(context, builder, array, held, [*others, *[word(0)] * axes], wraparound=False)
        return builder.gep(row, [first])

    return place, start, in_order


def _either(builder: Any, condition: Any, likely: Any, other: Any) -> Any:
    """The value of what `likely` generates where a condition holds, else of `other`."""
    found = []
    with builder.if_else(condition, likely=True) as sides:
        for side, made in zip(sides, (likely, other), strict=True):
            with side:
                value = made()
                found.append((value, builder.block))
    joined = builder.phi(found[0][0].type)
    for value, block in found:
        joined.add_incoming(value, block)
    return joined


def _is_counted(array: Any, *numbers: Any) -> bool:
    return isinstance(array, types.Array) and all(isinstance(each, types.IntegerLiteral) for each in numbers)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator,unused-ignore]
def counted_at(typing_context: Any, axes: Any, array: Any, *indexes: Any) -> Any:
    """The element of an array that is counted along the last `axes`, a constant: its indexes along the others, its
    number, and the lengths that it is counted with, of all these axes but the first."""
    if not _is_counted(array, axes):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = context.get_value_type(types.intp)
        given = cgutils.unpack_tuple(builder, arguments[2], array.ndim)
        place, start, in_order = _counted(context, builder, array, axes.literal_value, arguments[1], given)

        def loaded(where: Any) -> Any:
            return context.unpack_value(builder, array.dtype, where, align=None if array.aligned else 1)

        if array.layout != "C":
            return loaded(place(word(0)))
        return _either(builder, in_order, lambda: loaded(start()), lambda: loaded(place(word(0))))

    return array.dtype(axes, array, types.StarArgTuple([types.intp] * len(indexes))), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator,unused-ignore]
def counted_vector(typing_context: Any, count: Any, axes: Any, array: Any, *indexes: Any) -> Any:
    """`count` elements of an array, a constant number, that are counted as `counted_at` does, from one on."""
    if not _is_counted(array, count, axes) or not isinstance(array.dtype, types.Float):
        return None
    made = Vector(array.dtype, count.literal_value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector, word = context.get_value_type(made), context.get_value_type(types.intp)
        given = cgutils.unpack_tuple(builder, arguments[3], array.ndim)
        place, start, in_order = _counted(context, builder, array, axes.literal_value, arguments[2], given)

        def one_by_one() -> Any:
            return _packed(context, builder, made, [builder.load(place(word(at))) for at in range(made.count)])

        def loaded() -> Any:
            parts, first = [], start()
            for at, part in _lines(context, vector):
                found = builder.load(builder.bitcast(builder.gep(first, [word(at)]), part.as_pointer()))
                found.align = context.get_abi_sizeof(vector.element)
                _in_order(builder)
                parts.append(found)
            return _joined(builder, parts)

        return one_by_one() if array.layout != "C" else _either(builder, in_order, loaded, one_by_one)

    return made(count, axes, array, types.StarArgTuple([types.intp] * len(indexes))), generate


def _row_of(context: Any, builder: Any, kind: Any, array: Any, indexes: Any) -> Any:
    """Where an element of a row of an array is, by its index, which is not below 0; the same for one that may count
    from the end; and the last of `indexes`."""
    held = make_array(kind)(context, builder, array)
    lengths = cgutils.unpack_tuple(builder, held.shape, kind.ndim)
    *others, last = cgutils.unpack_tuple(builder, indexes, kind.ndim)
    others = [_wrapped(builder, *pair) for pair in zip(others, lengths, strict=False)]

    def place(at: Any) -> Any:
        return get_item_pointer(context, builder, kind, held, [*others, at], wraparound=False)

    return place, lambda at: place(_wrapped(builder, at, lengths[-1])), last


def _lines(context: Any, vector: Any) -> Any:
    """The parts of a vector that are as long as the widest ones of processors, with the place of the first float of
    each."""
    count = min(vector.count, ALIGNMENT // context.get_abi_sizeof(vector.element))
    return [(first, ir.VectorType(vector.element, count)) for first in range(0, vector.count, count)]


def _in_order(builder: Any) -> None:
    """Let LLVM not exchange what is loaded or stored before and behind: of elements that come in order the processor
    fetches the next ones by itself."""
    builder.call(ir.InlineAsm(ir.FunctionType(ir.VoidType(), []), "", "~{memory}", side_effect=True), [])


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


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def last_of(typing_context: Any, vector: Any) -> Any:
    """The last float of a vector."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_element(arguments[0], ir.IntType(32)(vector.count - 1))

    return vector.dtype(vector), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator,unused-ignore]
def vector_filled(typing_context: Any, count: Any, number: Any) -> Any:
    """A vector of `count` times a float."""
    if not isinstance(count, types.IntegerLiteral) or not isinstance(number, types.Float):
        return None
    made = Vector(number, count.literal_value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        empty = context.get_value_type(made)(ir.Undefined)
        first = builder.insert_element(empty, arguments[1], ir.IntType(32)(0))
        return shuffled(builder, first, empty, [0] * made.count)

    return made(count, number), generate


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def running_sums(typing_context: Any, rows: Any) -> Any:
    """The sums along each of some vectors, from left to right: a tuple as `rows`, which are powers of two in number and
    length, no more than each has floats.

    The rows are turned into columns, and each column is added to the one before it.
    """
    if not isinstance(rows, types.UniTuple) or not isinstance(rows.dtype, Vector):
        return None
    count = rows.count

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = cgutils.unpack_tuple(builder, arguments[0], count)
        found: list[list[Any]] = [[] for _ in given]
        total = None
        for first in range(0, rows.dtype.count, count):
            columns = _turned(builder, [shuffled(builder, row, row, range(first, first + count)) for row in given])
            for at, column in enumerate(columns):
                total = columns[at] = column if total is None else builder.fadd(total, column)
            for row, part in zip(found, _turned(builder, columns), strict=True):
                row.append(part)
        return context.make_tuple(builder, rows, [_joined(builder, row) for row in found])

    return rows(rows), generate


def _turned(builder: Any, rows: Any) -> Any:
    """The columns of some vectors, as many as each has floats: blocks of them are exchanged, ever larger ones."""
    size, count = 1, len(rows)
    while size < count:
        made = list(rows)
        for row in (each for each in range(count) if not each & size):
            left, right = rows[row], rows[row | size]
            places = [[at if not at & size else at - size + count for at in range(count)]]
            places += [[at + size if not at & size else at + count for at in range(count)]]
            made[row], made[row | size] = (shuffled(builder, left, right, each) for each in places)
        rows, size = made, 2 * size
    return rows


def _joined(builder: Any, parts: Any) -> Any:
    """Vectors of one length, one behind the other."""
    while len(parts) > 1:
        places = list(range(2 * parts[0].type.count))
        parts = [shuffled(builder, *pair, places) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def shuffled(builder: Any, left: Any, right: Any, places: Any) -> Any:
    """Floats of two vectors by their places in both, one behind the other."""
    return builder.shuffle_vector(left, right, ir.Constant(ir.VectorType(ir.IntType(32), len(places)), list(places)))


def _of_lanes(name: str) -> Any:
    """A function of an array of lanes, or of a vector: one float of them, by pairs of neighbours, level by level."""

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def combined(typing_context: Any, lanes: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            [left] = arguments
            if not isinstance(lanes, Vector):
                vector = ir.VectorType(context.get_data_type(lanes.dtype), LANES)
                held = make_array(lanes)(context, builder, left)
                left = builder.load(builder.bitcast(held.data, vector.as_pointer()))
                left.align = ALIGNMENT
            join = getattr(builder, name)
            left = _by_registers(builder, join, left, context.get_abi_sizeof(left.type.element))
            while left.type.count > 1:
                left = join(*(_every_second(builder, left, first) for first in (0, 1)))
            return builder.extract_element(left, ir.IntType(32)(0))

        return lanes.dtype(lanes), generate

    return combined


def _by_registers(builder: Any, join: Any, lanes: Any, size: int) -> Any:
    """The first levels of a tree of lanes, between neighbours within 32 bytes: processors add neighbours of two vectors
    within 16 bytes at once."""
    count, near = 32 // size, 16 // size
    if lanes.type.count < near * count:
        return lanes
    rows = [shuffled(builder, lanes, lanes, range(at, at + count)) for at in range(0, lanes.type.count, count)]
    for _ in range(near.bit_length() - 1):
        pairs = zip(rows[::2], rows[1::2], strict=True)
        rows = [join(*(shuffled(builder, *pair, _near(count, near, odd)) for odd in (0, 1))) for pair in pairs]
    sides: list[Any] = [_joined(builder, [shuffled(builder, row, row, range(near)) for row in rows])]
    sides += [_joined(builder, [shuffled(builder, row, row, range(near, count)) for row in rows])]
    return join(*sides)


def _near(count: int, near: int, odd: int) -> list[int]:
    """The places of every second float of two vectors of `count`: those of the first `near` of both come first."""
    return [
        start + at for side in range(0, count, near) for start in (side, side + count) for at in range(odd, near, 2)
    ]


def _every_second(builder: Any, vector: Any, first: int) -> Any:
    places = [ir.IntType(32)(at) for at in range(first, vector.type.count, 2)]
    return shuffled(builder, vector, vector.type(ir.Undefined), places)


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


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def vector_fma(typing_context: Any, left: Any, right: Any, added: Any) -> Any:
    """Products of the floats of two vectors and those of a third, rounded once."""
    if not isinstance(left, Vector) or not left == right == added:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return fused(builder, *arguments)

    return left(left, right, added), generate


vector_sum = _computing("fadd")
vector_difference = _computing("fsub")
vector_product = _computing("fmul")
vector_quotient = _computing("fdiv")
