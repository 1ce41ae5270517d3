"""`a @ b` and `np.dot(a, b)` of vectors and matrices: each element is a sum in order of k, as the triple loop gives.

The product of two vectors is what the written loop is: a reduction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from somd.language.shapes import DOT, MATMUL
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import Axis, Value, View
from somd.transforms.types.scalars import ArrayType, ScalarType

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions


def product(
    expressions: Expressions, node: cst.BaseExpression, left_node: cst.BaseExpression, right_node: cst.BaseExpression
) -> Value:
    """The value of a product, whose loops come before the statement."""
    names = expressions.names
    kind = expressions.type_of(node)
    assert isinstance(kind, ArrayType | ScalarType)
    sides: list[Value] = []
    for side in (left_node, right_node):
        value, found = expressions.value(side), expressions.type_of(side)
        assert isinstance(found, ArrayType)
        sides.append(value if isinstance(value, View) else expressions.materialised(value, found.dtype, side))
    left, right = sides
    inner = left.shape[-1]
    what = DOT if isinstance(node, cst.Call) and expressions.types.calls[node].name == "dot" else MATMUL
    expressions.shapes.demand(what, inner, right.shape[0], (left.shape, right.shape), node)
    rows, columns = left.shape[:-1], right.shape[1:]
    i, j, k = (names.new(f"at__{name}") for name in "ijk")

    def at(side: Value, *index: str) -> str:
        return " ".join(cst.Module([]).code_for_node(side.element(tuple(map(Linear.of, index)))).split())

    a, b = at(left, *([i] if rows else []), k), at(right, k, *([j] if columns else []))
    own = names.dtype(kind.dtype)
    term = f"{own}({a}) * {own}({b})"
    written = " ".join(cst.Module([]).code_for_node(node).split())
    if not rows and not columns:
        name = names.new("value__once", written)
        lines = [f"{name} = {own}(0)", f"for {k} in range({inner.text}):", f"    {name} += {term}"]
    else:
        name = names.new("value__whole", written)
        shape = [expressions.clamped(length).text for length in (*rows, *columns)]
        given = shape[0] if len(shape) == 1 else f"({', '.join(shape)})"
        lines = [f"{name} = {names.numpy('empty')}({given}, dtype={own})"]
        indexes = ", ".join([*([i] if rows else []), *([j] if columns else [])])
        over_k = f"for {k} in range({inner.text}):"
        if rows and columns:
            over_j = f"for {j} in range({columns[0].text}):"
            lines += [f"for {i} in range({rows[0].text}):", f"    {over_j}", f"        {name}[{indexes}] = {own}(0)"]
            lines += [f"    {over_k}", f"        {over_j}", f"            {name}[{indexes}] += {term}"]
        else:
            one, length = (i, rows[0]) if rows else (j, columns[0])
            total = names.new("value__total", written)
            lines += [f"for {one} in range({length.text}):", f"    {total} = {own}(0)", f"    {over_k}"]
            lines += [f"        {total} += {term}", f"    {name}[{indexes}] = {total}"]
    for statement in cst.parse_module("\n".join(lines) + "\n").body:
        names.place(statement, node)
        expressions.before.append(statement)
    if not rows and not columns:
        return Value((), lambda at: names.expression(name, node))
    whole = (*rows, *columns)
    axes = tuple(Axis(Linear(), 1, axis) for axis in range(len(whole)))
    return expressions.view(name, axes, whole, node)
