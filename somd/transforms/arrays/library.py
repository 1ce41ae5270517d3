"""Calls of NumPy's functions as they are -> statements of their own, which the master runs between loops.

    m = np.median(a[1:] - a[:-1])   ->   value__whole = np.empty(...); for at in ...: value__whole[at] = ...
                                         m = library_1(value__whole)

In: a call, the text of which has a name for each array and number in it. Out: its value; a call is a statement of its
own, with whole arrays and names as arguments and targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from somd.language.library import Kind
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import Axis, Value, View
from somd.transforms.tree.loops import integer_constant
from somd.transforms.tree.rewriting import code_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions


def library_value(expressions: Expressions, call_node: cst.Call, node: cst.Call | cst.Subscript) -> Value:
    """The value of a call that gives one, or of one of those that it gives: `np.nonzero(a)[0]`."""
    kind = _kind(expressions.type_of(node))
    call = library_call(expressions, call_node, (expressions.type_of(node),), node)
    spelled = code_of(node)
    name = expressions.names.new("value__whole" if kind[1] else "value__once", spelled)
    expressions.before.append(expressions.names.line(f"{name} = {call}", node))
    expressions.called[name] = call
    made = _named(expressions, name, kind, node)
    return replace(made, shape=_told(expressions, call_node, made.shape)) if isinstance(made, View) else made


def _told(expressions: Expressions, node: cst.Call, shape: tuple[Linear, ...]) -> tuple[Linear, ...]:
    """The shape of what a call gives, with the lengths that the text of a `reshape` tells: `a.reshape(-1, 1)`."""
    if not expressions.types.calls[node].name.partition("(")[0].endswith("reshape"):
        return shape
    given = [each.value for each in node.args if each.keyword is None][-len(shape) :]
    if len(given) == 1 and isinstance(given[0], cst.Tuple | cst.List):
        given = [each.value for each in given[0].elements]
    lengths = [integer_constant(each, expressions.names.method) for each in given]
    if len(lengths) != len(shape):
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
