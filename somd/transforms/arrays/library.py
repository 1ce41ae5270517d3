"""Calls of NumPy's functions as they are -> statements of their own, which the master runs between loops.

    m = np.median(a[1:] - a[:-1])   ->   value__whole = np.empty(...); for at in ...: value__whole[at] = ...
                                         m = library_1(value__whole)

In: a call, the text of which has a name for each array and number in it. Out: its value; a call is a statement of its
own, with whole arrays and names as arguments and targets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from somd.language.library import Kind
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.reshaping import rows_of_vector, told_lengths
from somd.transforms.arrays.values import Axis, Value, View
from somd.transforms.tree.loops import integer_constant
from somd.transforms.tree.rewriting import code_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions


def library_value(expressions: Expressions, call_node: cst.Call, node: cst.Call | cst.Subscript) -> Value:
    """The value of a call that gives one, or of one of those that it gives: `np.nonzero(a)[0]`."""
    rows = rows_of_vector(expressions, call_node)
    if rows is not None:
        return rows
    kind = _kind(expressions.type_of(node))
    call = library_call(expressions, call_node, (expressions.type_of(node),), node)
    spelled = code_of(node)
    name = expressions.names.new("value__whole" if kind[1] else "value__once", spelled)
    expressions.before.append(expressions.names.line(f"{name} = {call}", node))
    expressions.called[name] = call
    made = _named(expressions, name, kind, node)
    if not isinstance(made, View):
        return made
    return replace(made, shape=_told(expressions, call_node, made.shape), written=False)


def check_written(expressions: Expressions, nodes: Iterable[cst.BaseExpression]) -> None:
    """Refuse to write into what a call gives, or a part of it: in NumPy it may be memory of another array.

    Raises:
        NotTaken: so it is; reported.
    """
    for node in nodes:
        if expressions.is_called(node):
            message = "what a function of NumPy gives is written here, which may be memory of another array"
            helps = "write into the array itself, or into a copy with a name"
            raise expressions.refuse("SOMD202", message, node, helps)
        if isinstance(node, cst.Subscript | cst.Attribute):
            check_written(expressions, [node.value])
        elif isinstance(node, cst.Tuple | cst.List):
            check_written(expressions, [each.value for each in node.elements])
        elif isinstance(node, cst.Call):
            check_written(expressions, [node.func, *(each.value for each in node.args)])


def _told(expressions: Expressions, node: cst.Call, shape: tuple[Linear, ...]) -> tuple[Linear, ...]:
    """The shape of what a call gives, with the lengths that the text of a `reshape` tells: `a.reshape(-1, 1)`."""
    lengths = told_lengths(expressions, node)
    if lengths is None or len(lengths) != len(shape):
        return shape
    return tuple(
        length if told is None or told < 0 else Linear(told) for length, told in zip(shape, lengths, strict=True)
    )


def library_call(
    expressions: Expressions, node: cst.Call, kinds: Sequence[object], whole: cst.BaseExpression | None = None
) -> str:
    """The text of a call that gives values of these types, behind what is computed for its arguments; `whole` is the
    call, or an index into the tuple that it gives.

    Raises:
        NotTaken: an argument is not taken; reported.
    """
    callee = expressions.types.calls[node]
    assert callee.given is not None
    values = [value for (value,) in callee.given.nodes.values()]
    arguments = [_argument(expressions, value) for value in values]
    given = tuple(_kind(expressions.type_of(value)) for value in values)
    text, several = callee.name, whole is None or isinstance(expressions.type_of(whole), TupleType)
    if isinstance(whole, cst.Subscript):
        text += f"[{integer_constant(index_expressions(whole)[0], expressions.names.method)}]"
    function = expressions.names.library(text, given, tuple(map(_kind, kinds)), several, node)
    return f"{function}({', '.join(arguments)})"


def _named(expressions: Expressions, name: str, kind: Kind, node: cst.BaseExpression) -> Value:
    rank = kind[1]
    if not rank:
        return Value((), lambda at: expressions.names.expression(name, node))
    axes = tuple(Axis(Linear(), 1, axis) for axis in range(rank))
    shape = tuple(Linear.of(f"{name}.shape[{axis}]") for axis in range(rank))
    whole = cst.Name(name)
    expressions.names.place(whole, node)
    return expressions.view(name, axes, shape, whole, whole=True)


def _argument(expressions: Expressions, node: cst.BaseExpression) -> str:
    """The name of an argument; an array that has none is computed before."""
    value = expressions.value(node)
    if not value.shape:
        return cst.Module([]).code_for_node(value.element(()))
    if not (isinstance(value, View) and value.whole):
        value = expressions.computed_before(value, node)
    return value.array


def _kind(kind: object) -> Kind:
    assert isinstance(kind, ArrayType | ScalarType)
    return (kind.dtype, kind.ndim, False) if isinstance(kind, ArrayType) else (kind.dtype, 0, kind.weak)
