"""The largest or smallest element of a row, by itself or with its first place, in one pass.

Each lane of a vector keeps the best of its elements and where it was; strictly better ones alone take its place, so it
is the first of equals. At the end the best of the lanes is taken, of equal ones that with the least place. What is left
of a row behind whole vectors is taken with elements before it, which changes nothing. Rows of a few elements, those
that do not lie straight in memory and those with a nan that counts are gone through one by one.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir as _ir
from numba import types as _types

from somd.runtime.multicore.intrinsics import intrinsic
from somd.runtime.multicore.numba_internals.lowering import cgutils, get_item_pointer, make_array
from somd.runtime.multicore.vectors import shuffled

ir: Any = _ir
types: Any = _types
WORD, BIT = _ir.IntType(64), _ir.IntType(1)
#: the bytes of a vector: truth values of wider ones are packed and unpacked by most processors
WIDTH = 32


class _Row:
    """A row of an array from an element on, `symbol` says which of its elements are better, in slots what is kept: the
    `best`, and its place or whether there is some nan."""

    def __init__(self, context: Any, builder: Any, kind: Any, given: Any, others: Any, first: Any, symbol: str) -> None:
        self.builder, self.kind, self.symbol, self.first = builder, kind, symbol, first
        held = make_array(kind)(context, builder, given)
        others = cgutils.unpack_tuple(builder, others, kind.ndim - 1)
        self.pointer = get_item_pointer(context, builder, kind, held, [*others, first], wraparound=False)
        self.element = self.pointer.type.pointee
        self.size = context.get_abi_sizeof(self.element)
        self.stride = cgutils.unpack_tuple(builder, held.strides, kind.ndim)[-1]
        self.straight = builder.icmp_signed("==", self.stride, WORD(self.size))
        self.bytes = builder.bitcast(self.pointer, ir.IntType(8).as_pointer())
        self.floats = isinstance(kind.dtype, types.Float)

    def better(self, left: Any, right: Any, symbol: str = "") -> Any:
        """Whether `left` is better than `right`, where there is no nan."""
        if self.floats:
            return self.builder.fcmp_ordered(symbol or self.symbol, left, right)
        compared = self.builder.icmp_signed if self.kind.dtype.signed else self.builder.icmp_unsigned
        return compared(symbol or self.symbol, left, right)

    def load(self, offset: Any, kind: Any) -> Any:
        found = self.builder.load(self.builder.bitcast(self.builder.gep(self.bytes, [offset]), kind.as_pointer()))
        found.align = self.size if self.kind.aligned else 1
        return found

    def vector(self, kind: Any, number: Any) -> Any:
        """A number in all lanes."""
        empty = kind(ir.Undefined)
        return shuffled(
            self.builder, self.builder.insert_element(empty, number, ir.IntType(32)(0)), empty, [0] * kind.count
        )

    # --- places --------------------------------------------------------------------------------------------------

    def places_one_by_one(self, best: Any, place: Any, count: Any, odd: bool) -> None:
        builder = self.builder
        with cgutils.for_range(builder, count) as loop:
            new, old = self.load(builder.mul(loop.index, self.stride), self.element), builder.load(best)
            test = self.better(new, old)
            if odd and self.floats:
                nan = builder.and_(builder.fcmp_unordered("uno", new, new), builder.fcmp_ordered("ord", old, old))
                test = builder.or_(test, nan)
            with builder.if_then(test, likely=False):
                builder.store(new, best)
                builder.store(builder.add(self.first, loop.index), place)

    def places_in_vectors(self, best: Any, place: Any, count: Any, odd: bool, lines: int) -> Any:
        """The same in vectors, of which so many at least are in the row; whether a nan was met that counts."""
        builder, width = self.builder, WIDTH // self.size
        mark, lanes = ir.IntType(8 * self.size), lines * width
        line, marks = ir.VectorType(self.element, width), ir.VectorType(mark, width)
        none = (1 << (8 * self.size - 1)) - 1 - lanes
        start = self.vector(line, builder.load(best))
        bests = [cgutils.alloca_once_value(builder, start) for _ in range(lines)]
        where = [cgutils.alloca_once_value(builder, ir.Constant(marks, [none] * width)) for _ in range(lines)]
        met = cgutils.alloca_once_value(builder, ir.Constant(marks, [0] * width))
        for base, new in self.steps(count, lines, line):
            at = self.vector(marks, base if mark == WORD else builder.trunc(base, mark))
            for each, kept, kept_at in zip(new, bests, where, strict=True):
                old = builder.load(kept)
                test = self.better(each, old)
                builder.store(builder.select(test, each, old), kept)
                builder.store(builder.select(test, at, builder.load(kept_at)), kept_at)
            if odd and self.floats:
                self.note_nan(met, new)
        found = []
        for line_at, (kept, kept_at) in enumerate(zip(bests, where, strict=True)):
            own = ir.Constant(marks, list(range(line_at * width, (line_at + 1) * width)))
            found.append((builder.load(kept), builder.add(builder.load(kept_at), own)))
        while len(found) > 1 or found[0][0].type.count > 1:
            pairs = list(zip(found[::2], found[1::2], strict=False)) or [self.halves(*found[0])]
            found = [self.first_of(*pair) for pair in pairs]
        value, at = map(self.only, found[0])
        with builder.if_then(builder.icmp_signed("<", at, mark(none))):
            builder.store(value, best)
            builder.store(builder.add(self.first, at if mark == WORD else builder.sext(at, WORD)), place)
        return self.any(met)

    # --- extremes ------------------------------------------------------------------------------------------------

    def extreme_one_by_one(self, best: Any, odd: Any, count: Any) -> None:
        builder = self.builder
        with cgutils.for_range(builder, count) as loop:
            new, old = self.load(builder.mul(loop.index, self.stride), self.element), builder.load(best)
            builder.store(builder.select(self.better(new, old), new, old), best)
            builder.store(builder.or_(builder.load(odd), builder.fcmp_unordered("uno", new, new)), odd)

    def extreme_in_vectors(self, best: Any, odd: Any, count: Any, lines: int) -> None:
        builder, width = self.builder, WIDTH // self.size
        line, bits = ir.VectorType(self.element, width), ir.VectorType(ir.IntType(8 * self.size), width)
        start = self.vector(line, builder.load(best))
        bests = [cgutils.alloca_once_value(builder, start) for _ in range(lines)]
        met = cgutils.alloca_once_value(builder, ir.Constant(bits, [0] * width))
        for _, new in self.steps(count, lines, line):
            for each, kept in zip(new, bests, strict=True):
                old = builder.load(kept)
                builder.store(builder.select(self.better(each, old), each, old), kept)
            self.note_nan(met, new)
        found = [builder.load(each) for each in bests]
        while len(found) > 1 or found[0].type.count > 1:
            if len(found) == 1:
                found = [half for (half,) in self.halves(found[0])]
            pairs = zip(found[::2], found[1::2], strict=True)
            found = [builder.select(self.better(right, left), right, left) for left, right in pairs]
        builder.store(self.only(found[0]), best)
        builder.store(builder.or_(builder.load(odd), self.any(met)), odd)

    # --- vectors -------------------------------------------------------------------------------------------------

    def steps(self, count: Any, lines: int, line: Any) -> Any:
        """What each step has: where it begins, and its vectors."""
        builder, lanes = self.builder, lines * line.count
        last = builder.sub(count, WORD(lanes))
        with cgutils.for_range_slice(builder, WORD(0), count, WORD(lanes), WORD) as (base, _):
            base = builder.select(builder.icmp_signed("<", base, last), base, last)
            offset = builder.mul(base, WORD(self.size))
            yield base, [self.load(builder.add(offset, WORD(WIDTH * at)), line) for at in range(lines)]

    def note_nan(self, met: Any, vectors: Any) -> None:
        """Note in `met` where one of some vectors has a nan."""
        builder = self.builder
        for left, right in zip(vectors[::2], vectors[1::2], strict=True):
            found = builder.sext(builder.fcmp_unordered("uno", left, right), met.type.pointee)
            builder.store(builder.or_(builder.load(met), found), met)

    def any(self, met: Any) -> Any:
        """Whether some lane is not 0."""
        builder, kind = self.builder, met.type.pointee
        bits = builder.icmp_signed("!=", builder.load(met), ir.Constant(kind, [0] * kind.count))
        word = ir.IntType(kind.count)
        return builder.icmp_signed("!=", builder.bitcast(bits, word), word(0))

    def first_of(self, left: Any, right: Any) -> Any:
        """Of two vectors with places the better elements, of equal ones those with the lesser place."""
        builder, (one, near), (other, far) = self.builder, left, right
        same = builder.and_(self.better(other, one, "=="), builder.icmp_signed("<", far, near))
        test = builder.or_(self.better(other, one), same)
        return builder.select(test, other, one), builder.select(test, far, near)

    def halves(self, *vectors: Any) -> Any:
        """The first halves of some vectors, and the second ones."""
        count = vectors[0].type.count // 2
        parts = (range(count), range(count, 2 * count))
        return [tuple(shuffled(self.builder, each, each, part) for each in vectors) for part in parts]

    def only(self, vector: Any) -> Any:
        return self.builder.extract_element(vector, ir.IntType(32)(0))


def _whole(row: _Row, count: Any, lines: int, most: int = 1 << 62) -> Any:
    """Whether a row has so many vectors in memory, and no more elements than `most`."""
    builder, least = row.builder, WORD(WIDTH // row.size * lines)
    near = builder.icmp_signed("<", count, WORD(most))
    return builder.and_(row.straight, builder.and_(builder.icmp_signed(">=", count, least), near))


def _indexes(array: Any, others: Any) -> Any:
    return types.int64, types.int64, array, types.StarArgTuple([types.intp] * len(others))


def _place(symbol: str) -> Any:
    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator,unused-ignore]
    def place(
        typing_context: Any, odd: Any, best: Any, at: Any, first: Any, last: Any, array: Any, *indexes: Any
    ) -> Any:
        """The best element and its place, of what is given and the elements from `first` to before `last` of the row
        at `indexes`; with `odd`, a literal, nan is better than any number. Indexes do not count from the end."""
        if not isinstance(array, types.Array) or not isinstance(odd, types.Literal):
            return None
        made = types.Tuple((array.dtype, types.int64))
        counts = odd.literal_value

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            _, best_given, place_given, low, high, given, others = arguments
            row = _Row(context, builder, array, given, others, low, symbol)
            best, where = (cgutils.alloca_once_value(builder, each) for each in (best_given, place_given))
            count, left = builder.sub(high, low), cgutils.alloca_once_value(builder, BIT(1))
            most = 1 << 30 if row.size == 4 else 1 << 62
            for lines in (4, 2):
                with builder.if_then(builder.and_(builder.load(left), _whole(row, count, lines, most))):
                    nan = row.places_in_vectors(best, where, count, counts, lines)
                    builder.store(nan, left)
                    with builder.if_then(nan, likely=False):
                        builder.store(best_given, best)
                        builder.store(place_given, where)
            with builder.if_then(builder.load(left)):
                row.places_one_by_one(best, where, count, counts)
            return context.make_tuple(builder, made, [builder.load(best), builder.load(where)])

        return made(odd, array.dtype, types.int64, *_indexes(array, indexes)), generate

    return place


def _extreme(symbol: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def extreme(typing_context: Any, best: Any, odd: Any, first: Any, last: Any, array: Any, *indexes: Any) -> Any:
        """The best float, whatever the sign of a zero, of what is given and of such elements of a row, and whether
        `odd` was true or one of them is nan; then the best one may be any."""
        if not isinstance(array, types.Array) or not isinstance(array.dtype, types.Float):
            return None
        made = types.Tuple((array.dtype, types.boolean))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            best_given, odd_given, low, high, given, others = arguments
            row = _Row(context, builder, array, given, others, low, symbol)
            best, nan = (cgutils.alloca_once_value(builder, each) for each in (best_given, odd_given))
            count = builder.sub(high, low)
            with builder.if_else(_whole(row, count, 8)) as (long, other):
                with long:
                    row.extreme_in_vectors(best, nan, count, 8)
                with other, builder.if_else(_whole(row, count, 2)) as (short, rest):
                    with short:
                        row.extreme_in_vectors(best, nan, count, 2)
                    with rest:
                        row.extreme_one_by_one(best, nan, count)
            return context.make_tuple(builder, made, [builder.load(best), builder.load(nan)])

        return made(array.dtype, types.boolean, *_indexes(array, indexes)), generate

    return extreme


place_of_largest, place_of_smallest = _place(">"), _place("<")
quick_largest, quick_smallest = _extreme(">"), _extreme("<")
