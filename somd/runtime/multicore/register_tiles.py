"""Tiles of sums that stay in the registers of vectors while a loop runs.

LLVM makes no such tiles of loops over lanes: it loads and stores a sum in each trip of the loop. So the LLVM code is
written here, for a term that is given as text; its products and sums are rounded one by one, in the order of the text,
but for those that are written `fma(a, b, c)`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import partial
from typing import Any

from llvmlite import ir as _ir
from numba import types as _types
from numba.extending import intrinsic as _intrinsic

from somd.runtime.multicore.fused import fused
from somd.runtime.multicore.numba_internals.libraries import has_wide_vectors
from somd.runtime.multicore.numba_internals.lowering import cgutils, make_array
from somd.syntax import expression_of

ir: Any = _ir
types: Any = _types
intrinsic: Any = _intrinsic

#: bytes of vectors: the widest, those of AVX, others
WIDE, OF_AVX, NARROW = 64, 32, 16
#: vectors of a row in registers: with 6 rows they take 24 of 32, or 12 of 16
MANY, FEW = 4, 2
_WORD, _INDEX = ir.IntType(64), ir.IntType(32)
_OF_REALS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}
_OF_WORDS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator,unused-ignore]
def sum_in_registers(
    typing_context: Any,
    term: Any,
    places: Any,
    rows: Any,
    columns: Any,
    sums: Any,
    count: Any,
    first: Any,
    last: Any,
    starts: Any,
    stops: Any,
    packed: Any,
    panels: Any,
    names: Any,
    values: Any,
) -> Any:
    """For each trip of loops in each other, from `starts` to before `stops`, let each sum of a tile become what the
    text `term` says.

    `places` are the names in the text of the sum, of the row, and of the trips; `rows` and `columns`, constants, are
    the sizes of the tile, whose sums lie in `sums` row by row. Of the columns `count` are wanted. Its rows are those
    from `first` on, `last` in place of rows behind that one. `packed` are the names of `panels`, in each of which what
    all columns have for a trip lies side by side, trip by trip. `names` are those of `values`: scalars that are the
    same for all sums, and arrays.
    """
    literals = (term, places, rows, columns, packed, names)
    if not all(isinstance(each, types.Literal) for each in literals):
        return None
    word = types.intp
    limits = types.UniTuple(word, len(starts))
    given = (term, places, rows, columns, sums, word, word, word, limits, limits, packed, panels, names, values)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, found = signature.args, arguments
        tile = _Tile(context, builder, kinds[4], found[4], rows.literal_value, columns.literal_value)
        tile.places = places.literal_value.split()
        for text, at in ((packed, 11), (names, 13)):
            known = tile.panels if text is packed else tile.values
            each = cgutils.unpack_tuple(builder, found[at], len(kinds[at]))
            given_values = map(tile.opened, kinds[at], each)
            known.update(zip(text.literal_value.split(), given_values, strict=True))
        tile.write(
            expression_of(term.literal_value).body,
            *found[5:8],
            *(cgutils.unpack_tuple(builder, found[at], len(starts)) for at in (8, 9)),
        )
        return context.get_dummy_value()

    return types.void(*given), generate


def vector_bytes(features: str) -> int:
    """How wide vectors are on a processor with these features, in LLVM's words."""
    return WIDE if has_wide_vectors() else OF_AVX if "+avx" in features.split(",") else NARROW


@dataclass(frozen=True)
class _Array:
    """Where an array lies, the bytes between its elements, and where these may lie."""

    data: Any
    strides: tuple[Any, ...]
    alignment: int


class _Tile:
    """Writes the code of one tile."""

    def __init__(self, context: Any, builder: Any, kind: Any, sums: Any, rows: int, columns: int) -> None:
        self.context, self.builder = context, builder
        self.rows, self.columns = rows, columns
        self.real = context.get_value_type(kind.dtype)
        self.size = context.get_abi_sizeof(self.real)
        self.sums = make_array(kind)(context, builder, sums).data
        width = vector_bytes(context.codegen()._tm_features)
        self.lanes = width // self.size
        self.vector = ir.VectorType(self.real, self.lanes)
        self.many = MANY if width == WIDE else FEW
        #: whether the processor's products read one number and spread it
        self.spreads = has_wide_vectors()
        self.places: list[str] = []
        #: arrays by their names, and arrays and scalars
        self.panels: dict[str, _Array] = {}
        self.values: dict[str, Any] = {}

    def opened(self, kind: Any, value: Any) -> Any:
        """An array's parts, which LLVM would not take out of the loops by itself; a scalar as it is.

        Where elements lie side by side their distance is a constant: one register moves through all rows then.
        """
        if not isinstance(kind, types.Array):
            return value
        found = make_array(kind)(self.context, self.builder, value)
        strides = cgutils.unpack_tuple(self.builder, found.strides, kind.ndim)
        if kind.ndim > 0 and kind.layout in "CF":
            element = self.context.get_abi_sizeof(self.context.get_data_type(kind.dtype))
            strides[-1 if kind.layout == "C" else 0] = _WORD(element)
        return _Array(found.data, tuple(strides), self.size if kind.aligned else 1)

    def write(self, term: ast.expr, count: Any, first: Any, last: Any, starts: Any, stops: Any) -> None:
        """The columns that are wanted: so many vectors at a time, and one by one where that is less work."""
        builder = self.builder
        rows = [builder.add(first, _WORD(row)) for row in range(self.rows)]
        self.at_rows = [builder.select(builder.icmp_signed("<", row, last), row, last) for row in rows]
        self.known: dict[str, Any] = {}
        self.begin(term)
        whole, most = self.many * self.lanes, self.many
        # as many columns as are whole, or more than half of it
        upto = builder.add(count, _WORD(whole // 2 - 1))
        upto = builder.and_(upto, _WORD(-whole))
        for self.many, begin, end in ((most, _WORD(0), upto), (1, upto, count)):
            step = _WORD(self.many * self.lanes)
            with cgutils.for_range_slice(builder, begin, end, step, _WORD) as (column, _):
                self.column = column
                self.through(term, list(zip(starts, stops, strict=True)))

    def through(self, term: ast.expr, limits: list[tuple[Any, Any]]) -> None:
        """The loops, for some columns of all rows."""
        parts = [(row, part) for row in range(self.rows) for part in range(self.many)]
        held = [self.builder.load(self.at_sum(*each), align=self.size) for each in parts]
        _, *sums = self.loop(term, limits, [], [_WORD(0), *held])
        for each, value in zip(parts, sums, strict=True):
            self.builder.store(value, self.at_sum(*each), align=self.size)

    def loop(self, term: ast.expr, limits: list[tuple[Any, Any]], trips: list[Any], given: list[Any]) -> list[Any]:
        """One of the loops with those inside: the number of the next trip and the sums, as they are behind it."""
        builder, before = self.builder, self.builder.block
        (start, stop), *inner = limits
        head, body, end = (builder.append_basic_block(name) for name in ("sum.head", "sum.trip", "sum.end"))
        builder.branch(head)
        builder.position_at_end(head)
        trip, *held = phis = [builder.phi(each.type) for each in (start, *given)]
        builder.cbranch(builder.icmp_signed("<", trip, stop), body, end)
        builder.position_at_end(body)
        made = self.loop(term, inner, [*trips, trip], held) if inner else self.added(term, [*trips, trip], held)
        changed = (builder.add(trip, _WORD(1)), *made)
        for phi, first, following in zip(phis, (start, *given), changed, strict=True):
            phi.add_incoming(first, before)
            phi.add_incoming(following, builder.block)
        builder.branch(head)
        builder.position_at_end(end)
        return held

    def added(self, term: ast.expr, trips: list[Any], held: list[Any]) -> list[Any]:
        """One trip of the innermost loop."""
        self.number, *sums = held
        self.known = dict(zip(self.places[2:], trips, strict=True))
        self.shared: dict[str, Any] = {}
        self.moved: dict[tuple[str, int], Any] = {}
        made: list[Any] = []
        for row in range(self.rows):
            self.row, self.sum = row, sums[row * self.many : (row + 1) * self.many]
            made += self.ordered(self.value(term))
        return [self.builder.add(self.number, _WORD(1)), *made]

    def ordered(self, sums: list[Any]) -> list[Any]:
        """The sums of a row, behind which alone LLVM may read what the next row reads.

        To it an offset and a sum come out of one instruction, of which there is nothing left in the machine code. So no
        product waits in a register for its sum while those of other rows are computed.
        """
        made, kind = list(sums), ir.LiteralStructType([_WORD, self.vector])
        tie = ir.InlineAsm(ir.FunctionType(kind, [_WORD, self.vector]), "", "=r,=v,0,1")
        for (text, part), moved in self.moved.items():
            both = self.builder.call(tie, [moved, made[part]], attrs=("readnone", "nounwind"))
            self.moved[text, part], made[part] = (self.builder.extract_value(both, each) for each in range(2))
        return made

    def hidden(self, number: Any, part: int) -> Any:
        """A number, of which LLVM does not know that those of the other vectors are the same."""
        nothing = ir.InlineAsm(ir.FunctionType(_WORD, [_WORD, _WORD]), "", "=r,0,i")
        return self.builder.call(nothing, [number, _WORD(part)], attrs=("readnone", "nounwind"))

    def at_sum(self, row: int, part: int) -> Any:
        offset = self.builder.add(self.column, _WORD(row * self.columns + part * self.lanes))
        return self.builder.bitcast(self.builder.gep(self.sums, [offset]), self.vector.as_pointer())

    # --- the term ------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Any:
        """The value of a part of the term: a number, or a list of vectors for some columns. What is the same for all
        rows is computed once."""
        if _names(node) & set(self.places[:2]):
            return self.made(node)
        text = ast.unparse(node)
        if text not in self.shared:
            self.shared[text] = self.made(node)
        return self.shared[text]

    def made(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            return self.sum if node.id == self.places[0] else self.values[node.id]
        if isinstance(node, ast.Subscript):
            name = _name(node)
            return self.column_of(self.panels[name]) if name in self.panels else self.element(node)
        if isinstance(node, ast.UnaryOp):
            value = self.value(node.operand)
            return [self.builder.fneg(each) for each in value] if isinstance(value, list) else self.builder.fneg(value)
        if isinstance(node, ast.Call):  # of `fma`
            operands, make = node.args, partial(fused, self.builder)
        else:
            assert isinstance(node, ast.BinOp), ast.dump(node)
            operands, make = [node.left, node.right], getattr(self.builder, _OF_REALS[type(node.op)])
        values = [self.value(each) for each in operands]
        if not any(isinstance(each, list) for each in values):
            return make(*values)
        vectors = [self.spread(each, value) for each, value in zip(operands, values, strict=True)]
        return [make(*each) for each in zip(*vectors, strict=True)]

    def spread(self, node: ast.expr, value: Any) -> list[Any]:
        """A part of the term and its value -> its vectors."""
        if isinstance(value, list):
            return value
        if self.spreads and self.many > 1 and isinstance(node, ast.Subscript) and self.is_apart(node):
            return [self.in_all_lanes(self.element(node, part)) for part in range(self.many)]
        return [self.in_all_lanes(value)] * self.many

    def in_all_lanes(self, value: Any) -> Any:
        none = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(none, value, _INDEX(0))
        zeros = ir.Constant(ir.VectorType(_INDEX, self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(first, none, zeros)

    def column_of(self, panel: _Array) -> list[Any]:
        """What a panel has for the trip."""
        builder, data = self.builder, panel.data
        offset = builder.add(builder.mul(self.number, _WORD(self.columns)), self.column)
        places = [builder.gep(data, [builder.add(offset, _WORD(part * self.lanes))]) for part in range(self.many)]
        pointer = self.vector.as_pointer()
        return [builder.load(builder.bitcast(each, pointer), align=self.size) for each in places]

    def element(self, node: ast.Subscript, part: int | None = None) -> Any:
        """An element of an array; read anew for one of the vectors.

        A product of vectors with such an element reads and spreads it in one instruction. LLVM would read it once for
        all vectors of a row, and spend an instruction for vectors on spreading it.
        """
        builder, text = self.builder, ast.unparse(node)
        if part is None:
            moved = self.offset(node, moves=True)
        else:
            if (text, part) not in self.moved:
                self.moved[text, part] = self.hidden(self.offset(node, moves=True), part)
            moved = self.moved[text, part]
        place = builder.bitcast(builder.gep(self.begun[self.row, text], [moved]), self.real.as_pointer())
        return builder.load(place, align=self.values[_name(node)].alignment)

    def begin(self, term: ast.expr) -> None:
        """Find before the loops where the rows of the arrays begin."""
        self.begun: dict[tuple[int, str], Any] = {}
        bytes_of = ir.IntType(8).as_pointer()
        for node in ast.walk(term):
            if isinstance(node, ast.Subscript) and _name(node) in self.values:
                data = self.builder.bitcast(self.values[_name(node)].data, bytes_of)
                for row in range(self.rows):
                    self.row = row
                    self.begun[row, ast.unparse(node)] = self.builder.gep(data, [self.offset(node, moves=False)])

    def offset(self, node: ast.Subscript, *, moves: bool) -> Any:
        """How many bytes an element is from the first: what changes with the trip of that, or the rest."""
        place = _WORD(0)
        for index, stride in zip(_indexes(node), self.values[_name(node)].strides, strict=True):
            for part, sign in _parts(index):
                if moves is not _names(part).isdisjoint(self.places[2:]):
                    own = self.builder.mul(self.whole(part), stride)
                    place = self.builder.add(place, own) if sign > 0 else self.builder.sub(place, own)
        return place

    def is_apart(self, node: ast.Subscript) -> bool:
        """Whether what changes with the trip is the same for all rows."""
        parts = [_names(part) for index in _indexes(node) for part, _ in _parts(index)]
        return not any(self.places[1] in names and not names.isdisjoint(self.places[2:]) for names in parts)

    def whole(self, node: ast.expr) -> Any:
        """An index."""
        if isinstance(node, ast.Constant):
            return _WORD(node.value)
        if isinstance(node, ast.Name):
            known = {self.places[1]: self.at_rows[self.row], **self.known}
            return known[node.id] if node.id in known else self.values[node.id]
        if isinstance(node, ast.UnaryOp):
            return self.builder.neg(self.whole(node.operand))
        assert isinstance(node, ast.BinOp), ast.dump(node)
        left, right = self.whole(node.left), self.whole(node.right)
        return getattr(self.builder, _OF_WORDS[type(node.op)])(left, right)


def _name(node: ast.Subscript) -> str:
    """The name of an array."""
    assert isinstance(node.value, ast.Name), ast.dump(node)
    return node.value.id


def _indexes(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _parts(index: ast.expr, sign: int = 1) -> list[tuple[ast.expr, int]]:
    """What an index is the sum of, with the sign of each."""
    if isinstance(index, ast.UnaryOp):
        return _parts(index.operand, -sign)
    if isinstance(index, ast.BinOp) and isinstance(index.op, (ast.Add, ast.Sub)):
        other = sign if isinstance(index.op, ast.Add) else -sign
        return [*_parts(index.left, sign), *_parts(index.right, other)]
    return [(index, sign)]
