"""Shapes of calls of `reshape`, and the elements of a vector in rows of a length that the text tells.

    a.reshape(-1, 4)   ->   element (i, j) is a[4 * i + j]

In: a call. Out: its value, if it is such a one; the rest of the compiler takes others as calls of NumPy. A name that is
given such a value is a new array.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import libcst as cst

from somd.transforms.arrays.emitting import Emitting
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import At, Value
from somd.transforms.tree.loops import integer_constant
from somd.transforms.types.scalars import ArrayType

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions


def told_lengths(expressions: Expressions, node: cst.Call) -> list[int | None] | None:
    """The lengths that a call of `reshape` asks for, those that are constants; None for other calls."""
    if not expressions.types.calls[node].name.partition("(")[0].endswith("reshape"):
        return None
    of_array = isinstance(node.func, cst.Attribute) and isinstance(expressions.type_of(node.func.value), ArrayType)
    given = [each.value for each in node.args if each.keyword is None][0 if of_array else 1 :]
    if len(given) == 1 and isinstance(given[0], cst.Tuple | cst.List):
        given = [each.value for each in given[0].elements]
    return [integer_constant(each, expressions.names.method) for each in given]


def rows_of_vector(expressions: Expressions, node: cst.Call) -> Value | None:
    """The value of `a.reshape(-1, 4)` for a vector `a`: rows in C order, as many as there are."""
    lengths, callee = told_lengths(expressions, node), expressions.types.calls[node]
    if not lengths or lengths[0] != -1 or any(each.keyword is not None for each in node.args):
        return None
    inner = [length for length in lengths[1:] if length is not None and length > 0]
    operands = [] if callee.given is None else [each for nodes in callee.given.nodes.values() for each in nodes]
    kind = expressions.type_of(operands[0]) if len(operands) == 1 else None
    if len(inner) != len(lengths) - 1 or not isinstance(kind, ArrayType) or kind.ndim != 1:
        return None
    base, size = expressions.value(operands[0]), prod(inner)
    emitting, length = Emitting(expressions, node), expressions.clamped(base.shape[0])
    if size > 1:
        number = length if length.is_constant else expressions.named(length.text, True)
        asked = ",".join(map(str, inner))
        message = f"f'cannot reshape array of size {{{number.text}}} into shape ({asked})'"
        emitting.raising(
            f"{number.text} % {size} != 0",
            f"ValueError({message})",
            *([] if number.is_constant else [number.text]),
        )
    rows = length if size == 1 else Linear.of(f"(({length.text}) // {size})")

    def element(at: At) -> cst.BaseExpression:
        index = Linear()
        for place, count in zip(at, (1, *inner), strict=True):
            index = index * count + place
        return base.element((index,))

    return Value((rows, *map(Linear, inner)), element)
