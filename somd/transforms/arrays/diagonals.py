"""Diagonals of matrices and what lies below or above them: `diagonal trace tril triu fill_diagonal`."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from somd.transforms.arrays.arguments import Arguments
from somd.transforms.arrays.creation import below
from somd.transforms.arrays.fitting import test_stored
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.reductions import along
from somd.transforms.arrays.values import Axis, Value, View


def diagonal(given: Arguments) -> Value:
    """The elements `a[k, k + offset]`, behind the other axes: a view that is not written."""
    made = _diagonal(given, given.integer("offset"))
    return replace(made, written=False) if isinstance(made, View) else made


def _diagonal(given: Arguments, offset: Linear) -> Value:
    base = given.value("a")
    if not offset.is_constant:
        raise given.refuse("the offset of a diagonal is a constant here", "write the loop over `a[k, k + offset]` out")
    row, column = max(-offset.constant, 0), max(offset.constant, 0)
    rows, columns = base.shape[0] - row, base.shape[1] - column
    length = rows
    if rows != columns:
        least = f"{given.names.function('min')}({rows.text}, {columns.text})"
        length = given.expressions.named(f"{given.names.function('max')}({least}, 0)", True)
    shape, last = (*base.shape[2:], length), len(base.shape) - 2
    gone = (Axis(Linear(row), 1, last), Axis(Linear(column), 1, last), *(Axis(Linear(), 1, k) for k in range(last)))
    return given.expressions.composed(base, gone, shape, given.call)


def trace(given: Arguments) -> Value:
    """The sum of a diagonal, in NumPy's order."""
    inner = _diagonal(given, given.integer("offset"))
    return along(given.expressions, given.node, "sum", inner, (len(inner.shape) - 1,), given.dtype)


def tril(given: Arguments) -> Value:
    """What lies on and below a diagonal, 0 elsewhere."""
    return _triangle(given, lower=True)


def triu(given: Arguments) -> Value:
    """What lies on and above a diagonal, 0 elsewhere."""
    return _triangle(given, lower=False)


def _triangle(given: Arguments, *, lower: bool) -> Value:
    base, k = given.value("m"), given.integer("k")
    if len(base.shape) < 2:
        raise given.refuse("a triangle of a vector", "make the matrix first: `np.broadcast_to(a, (len(a), len(a)))`")
    zero, edge = f"{given.names.dtype(given.dtype)}(0)", k if lower else k - 1

    def element(at: tuple[Linear, ...]) -> cst.BaseExpression:
        kept = given.code(base.element(at))
        return given.chosen(below(at, edge), *((kept, zero) if lower else (zero, kept)))

    return Value(base.shape, element)


def where(given: Arguments) -> Value:
    """Whether an element lies in the triangle of `tril_indices` or `triu_indices`."""
    rows = given.expressions.frozen(given.clamped("n"))
    columns = given.expressions.frozen(given.clamped("m")) if given.has("m") else rows
    k = given.expressions.frozen(given.integer("k"))
    if given.function.name == "tril_indices":
        return Value((rows, columns), lambda at: given.text(f"({below(at, k)})"))
    return Value((rows, columns), lambda at: given.text(f"(not {below(at, k - 1)})"))


def fill_diagonal(given: Arguments) -> tuple[View, Value]:
    """The diagonal, and the number that it takes."""
    view, value = _diagonal(given, Linear()), given.value("val")
    assert isinstance(view, View)
    if len(given.value("a").shape) > 2 or value.shape:
        raise given.refuse("the diagonal of a matrix is filled with a number here", "write the loop over it out")
    test_stored(given.expressions, given.nodes["val"][0], given.kind("a").dtype, False)
    return view, value
