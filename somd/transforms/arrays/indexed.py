"""Elements at places that arrays tell: `a[index]`, and `a[mask] = e` with `b[mask]` in `e`.

A gather reads `a[index[k]]` for each k; what an index is like is tested where it happens. Under a mask all elements are
gone through, and those are written whose mask is true; values under the same mask are those of the same element.
Elsewhere `b[mask]` is a new array, which a loop with a counter fills.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from somd.language.array_functions import TRIANGLES
from somd.language.shapes import INDEX, INDEXES
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.parts import ELLIPSIS, Item, items_of
from somd.transforms.arrays.broadcasting import MASK
from somd.transforms.arrays.emitting import Emitting
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import At, Value, View
from somd.transforms.tree.loops import integer_constant
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import children_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType

if TYPE_CHECKING:
    from somd.transforms.arrays.arguments import Arguments
    from somd.transforms.arrays.expressions import Expressions


def gathered(expressions: Expressions, node: cst.Subscript, base: Value, items: list[Item]) -> Value:
    """`base[index]`, `base[i, j]`, or with slices around the arrays of indexes, which stand side by side."""
    chosen = [k for k, item in enumerate(items) if isinstance(item, cst.BaseExpression)]
    indexes = [item for item in items if isinstance(item, cst.BaseExpression)]
    count = sum(axes_of(expressions, item) for item in indexes)
    behind = len(items) - 1 - chosen[-1]
    first = chosen[0] if ELLIPSIS not in items[: chosen[0]] else len(base.shape) - count - behind
    if not all(expressions.goes_along(base, first + k) is not None for k in range(count)):
        base = expressions.computed_before(base, node.value)
    values: list[Value] = []
    for item in indexes:
        axis = first + len(values)
        if isinstance(expressions.type_of(item), ArrayType | TupleType):
            values += indexes_at(expressions, item, base.shape[axis:], node)
        else:
            values.append(tested_index(expressions, item, base, axis, node))
    shape = expressions.shapes.together([value.shape for value in values], node, INDEXES)
    slices = [*items[: chosen[0]], *[cst.Slice(None, None)] * count, *items[chosen[-1] + 1 :]]
    rest = expressions.part(node, base, slices)  # the axes of the indexes as they are
    assert isinstance(rest, View) and isinstance(base, View)
    last = first + count
    index_of = {expressions.goes_along(base, first + k): value for k, value in enumerate(values)}
    whole = (*rest.shape[:first], *shape, *rest.shape[last:])

    def element(at: At) -> cst.BaseExpression:
        inner = at[first : first + len(shape)]
        own = (*at[:first], *[Linear()] * count, *at[first + len(shape) :])
        elements = []
        for number, axis in enumerate(rest.axes):
            index = index_of.get(number)
            found = index.at(inner, shape) if index is not None and index.linear is None else None
            if index is None or index.linear is None:
                text = axis.index(own).text
            else:
                text = index.linear(index.within(inner, shape)).text
            elements.append(
                cst.SubscriptElement(cst.Index(expressions.names.expression(text, node) if found is None else found))
            )
        made = cst.Subscript(cst.Name(base.array), elements)
        expressions.names.place(made, node)
        return made

    return Value(whole, element)


def axes_of(expressions: Expressions, item: cst.BaseExpression) -> int:
    """Of how many axes an index chooses, a mask, or the places of one, `np.nonzero(mask)`."""
    kind = expressions.type_of(item)
    if isinstance(kind, TupleType):
        return len(kind.elements)
    return kind.ndim if isinstance(kind, ArrayType) and kind.dtype == "bool" else 1


def indexes_at(
    expressions: Expressions, item: cst.BaseExpression, lengths: Sequence[Linear], node: cst.Subscript
) -> list[Value]:
    """What stands for the next axes, which have these lengths: a number, an array of indexes, or where a mask is true,
    for each of its axes."""
    value, kind, count = expressions.value(item), expressions.type_of(item), axes_of(expressions, item)
    places = isinstance(kind, TupleType)
    if not places and not (isinstance(kind, ArrayType) and kind.dtype == "bool"):
        return [value]
    if not places:
        expressions.shapes.test(MASK, tuple(lengths[:count]), value.shape, node)
    if count > 1 and not isinstance(value, View):  # it is asked for each axis
        value = expressions.materialised(value, "bool", item)
    own = expressions.names.dtype("int64")

    def place(axis: int) -> Value:
        return Value(value.shape, lambda at: expressions.names.expression(f"{own}({at[axis].text})", node))

    return [_kept(expressions, node, place(axis), value, "int64") for axis in range(count)]


def tested_index(
    expressions: Expressions, item: cst.BaseExpression, base: Value, axis: int, node: cst.Subscript
) -> Value:
    """An integer beside arrays of indexes, which is tested before the statement: they may choose nothing."""
    index = expressions.inside(expressions.linear(item), expressions.clamped(base.shape[axis]), axis, node)
    return Value((), lambda at: expressions.names.expression(index.text, node), lambda at: index)


def test_indexes(expressions: Expressions, node: cst.Subscript, items: list[Item], base: Value) -> None:
    """Test the integers beside a mask, and slices."""
    counts = [axes_of(expressions, item) if isinstance(item, cst.BaseExpression) else 1 for item in items]
    for number, item in enumerate(items):
        if isinstance(item, cst.BaseExpression) and not isinstance(expressions.type_of(item), ArrayType | TupleType):
            axis = sum(counts[:number])
            if ELLIPSIS in items[:number]:
                axis = len(base.shape) - sum(counts[number:])
            tested_index(expressions, item, base, axis, node)


def mask_of(expressions: Expressions, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The mask in `a[mask]`."""
    if not isinstance(node, cst.Subscript):
        return None
    items = items_of(node, expressions.names.method)
    only = items[0] if len(items) == 1 else None
    kind = expressions.type_of(only) if isinstance(only, cst.BaseExpression) else None
    base = expressions.type_of(node.value)
    whole = isinstance(kind, ArrayType) and isinstance(base, ArrayType) and kind.ndim == base.ndim
    triangle = isinstance(kind, TupleType) and isinstance(only, cst.BaseExpression) and is_triangle(expressions, only)
    masks = (whole and isinstance(kind, ArrayType) and kind.dtype == "bool") or triangle
    return only if masks and isinstance(only, cst.BaseExpression) else None


def is_triangle(expressions: Expressions, node: cst.BaseExpression) -> bool:
    """Whether a tuple of arrays of indexes is that of a triangle, which a name may stand for."""
    callee = expressions.types.calls.get(node) if isinstance(node, cst.Call) else None
    return not isinstance(node, cst.Call) or (
        callee is not None and callee.given is not None and callee.given.function.name in TRIANGLES
    )


def brings_its_own(expressions: Expressions, mask: cst.BaseExpression, node: cst.CSTNode) -> bool:
    """Whether a value for what is under a mask of one axis has arrays of other elements than those under the mask."""
    kind = expressions.type_of(mask)
    if not isinstance(kind, ArrayType) or kind.ndim != 1:
        return False
    found = expressions.type_of(node) if isinstance(node, cst.BaseExpression) else None
    if isinstance(found, ScalarType):
        return False
    if isinstance(node, cst.Name | cst.Subscript) and isinstance(found, ArrayType):
        under = mask_of(expressions, node)
        return under is None or code_of(under) != code_of(mask)
    callee = expressions.types.calls.get(node) if isinstance(node, cst.Call) else None
    whole = callee is not None and (callee.given is not None or callee.kind == "library")
    return whole or any(brings_its_own(expressions, mask, each) for each in children_of(node))


def masked(expressions: Expressions, node: cst.Subscript, mask: cst.BaseExpression) -> Value:
    """What is under the mask, for all elements: `a` of `a[mask]`."""
    before, expressions.mask = expressions.mask, None
    base, test = expressions.value(node.value), expressions.value(mask)
    expressions.mask = before
    return fitted(expressions, node, base, test, mask)


def filtered(expressions: Expressions, node: cst.Subscript, mask: cst.BaseExpression) -> Value:
    """The elements under a mask, as a new array."""
    base, test = expressions.value(node.value), expressions.value(mask)
    base = fitted(expressions, node, base, test, mask)
    kind = expressions.type_of(node)
    assert isinstance(kind, ArrayType)
    return _kept(expressions, node, base, test, kind.dtype)


def places(expressions: Expressions, node: cst.Subscript) -> Value:
    """The rows, or the columns, of a triangle, `lower[0]` and `lower[1]`, or where elements are not zero."""
    test, axis = expressions.value(node.value), integer_constant(index_expressions(node)[0], expressions.names.method)
    assert axis is not None
    own = expressions.names.dtype("int64")
    index = Value(test.shape, lambda at: expressions.names.expression(f"{own}({at[axis].text})", node))
    return _kept(expressions, node, index, test, "int64")


def entries_of(expressions: Expressions, node: cst.BaseExpression) -> cst.Tuple:
    """A tuple of arrays, written out: `np.nonzero(a)` is `(np.nonzero(a)[0], np.nonzero(a)[1])`."""
    kind = expressions.type_of(node)
    assert isinstance(kind, TupleType)
    made = [
        cst.Subscript(node, [cst.SubscriptElement(cst.Index(cst.Integer(str(k))))]) for k in range(len(kind.elements))
    ]
    for each, part in zip(made, kind.elements, strict=True):
        expressions.names.place(each, node)
        expressions.types.nodes[each] = part
    return cst.Tuple([cst.Element(each) for each in made])


def not_zero(given: Arguments) -> Value:
    """Where `np.nonzero(a)` finds something: a test of each element."""
    base = given.value("a")
    if not base.shape:
        raise given.refuse("a number has no places", "ask `x != 0`")
    if len(base.shape) > 1 and not isinstance(base, View):  # it is asked for each axis
        base = given.expressions.computed_before(base, given.nodes["a"][0])
    return Value(base.shape, lambda at: given.text(f"({given.element(base, at)} != 0)"))


def flat_places(given: Arguments) -> Value:
    """`np.flatnonzero(a)`: the numbers of the elements that are not zero, in C order."""
    test, own = not_zero(given), given.names.dtype("int64")
    shape = [given.expressions.clamped(length).text for length in test.shape]

    def number(at: At) -> cst.BaseExpression:
        text = at[0].text
        for index, length in zip(at[1:], shape[1:], strict=True):
            text = f"({text}) * ({length}) + {index.text}"
        return given.text(f"{own}({text})")

    return _kept(given.expressions, given.call, Value(test.shape, number), test, "int64")


def fitted(expressions: Expressions, node: cst.Subscript, base: Value, test: Value, mask: cst.BaseExpression) -> Value:
    """What lies under a mask, which has its shape, or under a triangle, which may be smaller."""
    if not isinstance(expressions.type_of(mask), TupleType):
        expressions.shapes.test(MASK, base.shape, test.shape, node)
        return base
    for axis, (length, inner) in enumerate(zip(base.shape, test.shape, strict=True)):
        if length != inner:
            raising = expressions.names.raising(INDEX, [(inner - 1, Linear(axis)), (length,)], node)
            line = f"if {inner.text} > {length.text}:\n    {raising}"
            expressions.before.append(expressions.names.line(line, node))
    if isinstance(base, View):
        return expressions.like(base, base.axes, test.shape, node)
    return Value(test.shape, base.element)


def _kept(expressions: Expressions, node: cst.BaseExpression, base: Value, test: Value, dtype: str) -> Value:
    """The elements of `base` where a test is true, in C order."""
    made = Emitting(expressions, node)
    lengths = [expressions.clamped(length) for length in base.shape]
    array = made.array([" * ".join(f"({length.text})" for length in lengths)], dtype)
    count, indexes = made.fresh("value__once"), [made.fresh("at__mask") for _ in lengths]
    at = tuple(map(Linear.of, indexes))
    kept = [
        f"if {made.element(test, at)}:",
        f"    {array}[{count}] = {made.element(base, at)}",
        f"    {count} = {count} + 1",
    ]
    made.emit(f"{count} = 0", *made.loops(indexes, [length.text for length in lengths], kept))
    expressions.naturals.add(count)
    return made.made(array, (Linear.of(count),), whole=False)
