"""Products of arrays: `a @ b`, `np.dot`, `inner`, `tensordot`, `einsum`, `outer`, norms; each element is a sum in order
of its summed indexes, as written loops give it.

    ik, kj -> ij        for i: for j: c[i, j] = 0
                               for k: for j: c[i, j] += a[i, k] * b[k, j]

A product names the axes of its operands by letters; axes of one name have one length. A product that is one number is
what the written loop is: a reduction.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import TYPE_CHECKING

import libcst as cst
import numpy as np

from somd.language.shapes import PRODUCT
from somd.transforms.arrays.arguments import Arguments
from somd.transforms.arrays.emitting import Emitting
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.reductions import along
from somd.transforms.arrays.values import ONE, Value, View
from somd.transforms.types.scalars import ArrayType, ScalarType

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions

#: letters of axes, but for the one that is summed over
_OTHERS = ascii_letters.replace("k", "")


class Product(Emitting):
    """A product of operands, which `named` names in the exceptions of shapes; `stretched` letters may stand for axes of
    length 1 and longer ones."""

    def __init__(
        self, expressions: Expressions, node: cst.BaseExpression, named: str, dtype: str, stretched: str = ""
    ) -> None:
        super().__init__(expressions, node)
        self.named, self.dtype, self.stretched = named, dtype, stretched
        self.operands: list[tuple[Value, str]] = []
        self.dtypes: list[str] = []
        self.lengths: dict[str, Linear] = {}

    def add(self, value: Value, letters: str, dtype: str) -> None:
        """Add an operand with a letter for each axis; one that is no part of an array is computed before."""
        if value.shape and not isinstance(value, View):
            value = self.expressions.materialised(value, dtype, self.node)
        self.operands.append((value, letters))
        self.dtypes.append(dtype)

    def in_registers(self, kept: str) -> bool:
        """Whether tiles of the sums stay in registers (`passes/packing.py`): products of two floats of one type, one
        chosen by the row and not by the column, the other by the column and not by the row."""
        row, column = kept[-2], kept[-1]
        chosen = sorted((row in letters, column in letters) for _, letters in self.operands)
        floats = self.dtype in ("float32", "float64") and {*self.dtypes} == {self.dtype}
        return floats and chosen == [(False, True), (True, False)]

    def measure(self) -> None:
        """Find the length of each axis; those that need not be equal are compared before."""
        shapes = [value.shape for value, _ in self.operands]
        for value, letters in self.operands:
            for letter, length in zip(letters, value.shape, strict=True):
                known = self.lengths.setdefault(letter, length)
                if letter in self.stretched and ONE in (known, length):
                    self.lengths[letter] = length if known == ONE else known
                elif known != length:
                    self.expressions.shapes.demand(f"{PRODUCT}{self.named}", known, length, shapes, self.node)

    def over(self, kept: str) -> Value:
        """The value with these axes; over the others is summed, the first one outermost."""
        self.measure()
        index = {letter: self.fresh(f"at__{letter.lower()}") for letter in self.lengths}
        summed = [letter for letter in self.lengths if letter not in kept]
        own = self.names.dtype(self.dtype)
        elements = (self.element(value, [Linear.of(index[c]) for c in letters]) for value, letters in self.operands)
        term = " * ".join(f"{own}({element})" for element in elements)
        shape = tuple(self.expressions.clamped(self.lengths[letter]) for letter in kept)

        def loops(letters: Sequence[str], body: list[str]) -> list[str]:
            return self.loops([index[c] for c in letters], [self.lengths[c].text for c in letters], body)

        if not kept:
            name = self.fresh("value__once")
            self.emit(f"{name} = {own}(0)", *loops(summed, [f"{name} += {term}"]))
            return self.made(name, ())
        name = self.array([length.text for length in shape], self.dtype)
        element = f"{name}[{', '.join(index[letter] for letter in kept)}]"
        last = kept[-1]
        rows = summed and len(kept) > 1 and any(letters.endswith(last) for _, letters in self.operands)
        if rows and not self.in_registers(kept):
            inner = [*loops([last], [f"{element} = {own}(0)"]), *loops([*summed, last], [f"{element} += {term}"])]
            self.emit(*loops(kept[:-1], inner))
        elif summed:
            total = self.fresh("value__total")
            inner = [f"{total} = {own}(0)", *loops(summed, [f"{total} += {term}"]), f"{element} = {total}"]
            self.emit(*loops(kept, inner))
        else:
            self.emit(*loops(kept, [f"{element} = {term}"]))
        return self.made(name, shape)


def product(
    expressions: Expressions, node: cst.BaseExpression, left: cst.BaseExpression, right: cst.BaseExpression
) -> Value:
    """The value of `left @ right` or `np.dot(left, right)`, whose loops come before the statement."""
    dot = isinstance(node, cst.Call) and expressions.types.calls[node].name == "dot"
    sides = [expressions.value(side) for side in (left, right)]
    ranks = [len(side.shape) for side in sides]
    rows = "i" if ranks[0] > 1 else ""
    columns = "j" if ranks[1] > 1 else ""
    batches = ["", ""]
    if dot:
        batches = [_OTHERS[: max(ranks[0] - 2, 0)], _OTHERS[26 : 26 + max(ranks[1] - 2, 0)]]
    else:
        most = "abcdefgh"[: max(*ranks, 2) - 2]
        batches = [most[len(most) - max(rank - 2, 0) :] for rank in ranks]
    kind = expressions.type_of(node)
    assert isinstance(kind, ArrayType | ScalarType)
    made = Product(expressions, node, "dot" if dot else "matmul", kind.dtype, "" if dot else "abcdefgh")
    for side, value, letters in (
        (left, sides[0], f"{batches[0]}{rows}k"),
        (right, sides[1], f"{batches[1]}k{columns}"),
    ):
        found = expressions.type_of(side)
        assert isinstance(found, ArrayType)
        made.add(value, letters, found.dtype)
    batch = f"{batches[0]}{rows}{batches[1]}" if dot else f"{max(batches, key=len)}{rows}"
    return made.over(f"{batch}{columns}")


def outer(given: Arguments) -> Value:
    """Each element of one vector times each of another one."""
    left, right = given.value("a"), given.value("b")
    if len(left.shape) > 1 or len(right.shape) > 1:
        raise given.refuse("`np.outer` is taken of vectors", "write `a[:, :, None] * b` with the axes that are meant")
    own = given.names.dtype(given.dtype)
    shape = (*(left.shape or (ONE,)), *(right.shape or (ONE,)))
    sign = "&" if given.dtype == "bool" else "*"

    def element(at: Sequence[Linear]) -> cst.BaseExpression:
        sides = given.element(left, at[: len(left.shape)]), given.element(right, at[2 - len(right.shape) :])
        return given.text(f"({own}({sides[0]}) {sign} {own}({sides[1]}))")

    return Value(shape, element)


def inner(given: Arguments) -> Value:
    """Sums over the last axes of two arrays."""
    left, right = given.value("a"), given.value("b")
    letters = _OTHERS[: len(left.shape) - 1], _OTHERS[26 : 25 + len(right.shape)]
    made = Product(given.expressions, given.call, "inner", given.dtype)
    made.add(left, f"{letters[0]}k", given.kind("a").dtype)
    made.add(right, f"{letters[1]}k", given.kind("b").dtype)
    return made.over("".join(letters))


def tensordot(given: Arguments) -> Value:
    """Sums over pairs of axes of two arrays, told as numbers of axes or as their number."""
    left, right, axes = given.value("a"), given.value("b"), given.constant("axes")
    if type(axes) is int:
        axes = tuple(range(len(left.shape) - axes, len(left.shape))), tuple(range(axes))
    first, second = ((each,) if type(each) is int else tuple(each) for each in axes)
    letters = list(ascii_letters[: len(left.shape)]), list(ascii_letters[26 : 26 + len(right.shape)])
    for one, two in zip(first, second, strict=True):
        letters[1][two] = letters[0][one]
    made = Product(given.expressions, given.call, f"tensordot {axes!r}", given.dtype)
    made.add(left, "".join(letters[0]), given.kind("a").dtype)
    made.add(right, "".join(letters[1]), given.kind("b").dtype)
    kept = [c for c in letters[0] if c not in letters[1]] + [c for c in letters[1] if c not in letters[0]]
    return made.over("".join(kept))


def cross(given: Arguments) -> Value:
    """Vectors at right angles to pairs of others, of three elements each along the last axis."""
    values = [given.value("a"), given.value("b")]
    if not all(value.shape for value in values):
        raise given.refuse("vectors of three are taken here", "make vectors of the numbers: `np.array([x, y, z])`")
    for value in values:
        length = value.shape[-1]
        if length != Linear(3):
            given.raising(f"{length.text} != 3", "ValueError('np.cross takes vectors of three here')")
    whole = given.expressions.shapes.together([value.shape[:-1] for value in values], given.call)
    bases = [
        value if isinstance(value, View) else given.expressions.materialised(value, kind.dtype, given.call)
        for value, kind in zip(values, (given.kind("a"), given.kind("b")), strict=True)
    ]
    shape = (*whole, Linear(3))
    lengths = [given.expressions.clamped(length).text for length in whole]
    names = [given.fresh(f"at__{k}") for k in range(len(whole))]
    given.names.within.update(names)

    def element(base: View, k: int) -> str:
        at = (*map(Linear.of, names[len(names) + 1 - len(base.shape) :]), Linear(k))
        return given.element(base, at)

    made = given.array([*lengths, "3"], given.dtype)
    left, right = bases
    lines = [
        f"{made}[{', '.join([*names, str(k)])}] = "
        f"{element(left, m)} * {element(right, n)} - {element(left, n)} * {element(right, m)}"
        for k, (m, n) in enumerate(((1, 2), (2, 0), (0, 1)))
    ]
    given.emit(*given.loops(names, lengths, lines))
    return given.made(made, shape)


def einsum(given: Arguments) -> Value:
    """Sums of products by the letters of the axes."""
    text = str(given.constant("subscripts")).replace(" ", "")
    if "." in text:
        raise given.refuse("`...` in the letters of `einsum`", "give each axis a letter")
    letters, arrow, kept = text.partition("->")
    if not arrow:
        kept = "".join(sorted(c for c in set(letters) - {","} if letters.count(c) == 1))
    made = Product(given.expressions, given.call, f"einsum {text}", given.dtype, ascii_letters)
    for node, each in zip(given.nodes["operands"], letters.split(","), strict=True):
        found = given.expressions.type_of(node)
        assert isinstance(found, ArrayType | ScalarType)
        made.add(given.expressions.value(node), each, found.dtype)
    return made.over(kept)


def norm(given: Arguments) -> Value:
    """The root of the sum of squares; along an axis also the sum, maximum and minimum of what is without its sign."""
    value, kind, order, axis = given.value("x"), given.kind("x"), given.constant("ord"), given.constant("axis")
    if np.dtype(kind.dtype).kind == "c" or not value.shape:
        raise given.refuse("the norm of complex numbers is not taken", "write `np.sqrt((abs(x) ** 2).sum())`")
    root, own, rank = given.names.numpy("sqrt"), given.names.dtype(given.dtype), len(value.shape)
    if axis is None and given.constant("keepdims"):
        raise given.refuse("the norm of a whole array is a number here", "leave `keepdims` out")
    if axis is None and (order is None or (order, rank) in (("fro", 2), (2, 1))):
        made = Product(given.expressions, given.call, "norm", given.dtype)
        made.add(value, _OTHERS[:rank], kind.dtype)
        made.add(value, _OTHERS[:rank], kind.dtype)
        total = made.over("")
        return Value((), lambda at: given.text(f"{root}({given.code(total.element(at))})"))
    ways = {None: "sum", 2: "sum", 1: "sum", np.inf: "max", -np.inf: "min"}
    if (axis is None and rank > 1) or not isinstance(axis, int | None) or order not in ways:
        helps = "write it with `np.sqrt`, `abs`, `sum` and `max`"
        raise given.refuse("norms of vectors by the orders 1, 2 and infinity are taken, and `fro`", helps)

    def element(at: tuple[Linear, ...]) -> cst.BaseExpression:
        one = f"{own}({given.code(value.element(at))})"
        return given.text(f"{one} * {one}" if order in (None, 2) else f"{given.names.function('abs')}({one})")

    along_axis, kept = (axis or 0) % rank, bool(given.constant("keepdims"))
    found = along(given.expressions, given.call, ways[order], Value(value.shape, element), (along_axis,), given.dtype)

    def norm_at(at: tuple[Linear, ...]) -> cst.BaseExpression:
        one = found.element(at[:along_axis] + at[along_axis + 1 :] if kept else at)
        return one if order not in (None, 2) else given.text(f"{root}({given.code(one)})")

    if not kept:
        return found if order not in (None, 2) else Value(found.shape, norm_at)
    return Value((*found.shape[:along_axis], ONE, *found.shape[along_axis:]), norm_at)
