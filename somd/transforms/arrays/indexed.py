"""Elements at places that arrays tell: `a[index]`, and `a[mask] = e` with `b[mask]` in `e`.

A gather reads `a[index[k]]` for each k; what an index is like is tested where it happens. Under a mask all elements are
gone through, and those are written whose mask is true; values under the same mask are those of the same element.
Elsewhere `b[mask]` is a new array, which a loop with a counter fills.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from somd.transforms.analysis.parts import ELLIPSIS, Item, items_of
from somd.transforms.arrays.broadcasting import MASK
from somd.transforms.arrays.emitting import Emitting
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import At, Axis, Value, View
from somd.transforms.types.scalars import ArrayType

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions


def gathered(expressions: Expressions, node: cst.Subscript, base: Value, items: list[Item]) -> Value:
    """`base[index]`, or with slices beside the array of indexes.

    Raises:
        NotTaken: `base` is no whole array.
    """
    names = expressions.names
    if not isinstance(base, View) or any(axis != Axis(Linear(), 1, number) for number, axis in enumerate(base.axes)):
        message = "an array of indexes into a part of an array is not supported"
        raise expressions.refuse("SOMD202", message, node, "index the array itself, or copy the part before")
    [place] = [k for k, item in enumerate(items) if isinstance(item, cst.BaseExpression)]
    index_node = items[place]
    assert isinstance(index_node, cst.BaseExpression)
    index = expressions.value(index_node)
    behind = len(items) - place - 1
    axis = place if ELLIPSIS not in items[:place] else len(base.shape) - 1 - behind
    slices = [cst.Slice(None, None) if k == place else item for k, item in enumerate(items)]
    rest = expressions.part(node, base, slices)  # the axis of the index as it is
    assert isinstance(rest, View)
    count = len(index.shape)
    shape = (*rest.shape[:axis], *index.shape, *rest.shape[axis + 1 :])

    def element(at: At) -> cst.BaseExpression:
        own = (*at[:axis], Linear(), *at[axis + count :])
        elements = []
        for number, each in enumerate(rest.axes):
            inner = at[axis : axis + count]
            known = index.linear(inner) if index.linear is not None and number == axis else None
            found = index.element(inner) if number == axis and known is None else None
            text = (known or each.index(own)).text
            value = names.expression(text, node) if found is None else found
            elements.append(cst.SubscriptElement(cst.Index(value)))
        made = cst.Subscript(cst.Name(base.array), elements)
        names.place(made, node)
        return made

    return Value(shape, element)


def mask_of(expressions: Expressions, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The mask in `a[mask]`."""
    if not isinstance(node, cst.Subscript):
        return None
    items = items_of(node, expressions.names.method)
    only = items[0] if len(items) == 1 else None
    kind = expressions.type_of(only) if isinstance(only, cst.BaseExpression) else None
    masks = isinstance(kind, ArrayType) and kind.dtype == "bool"
    return only if masks and isinstance(only, cst.BaseExpression) else None


def masked(expressions: Expressions, node: cst.Subscript, mask: cst.BaseExpression) -> Value:
    """What is under the mask, for all elements: `a` of `a[mask]`."""
    before, expressions.mask = expressions.mask, None
    base, test = expressions.value(node.value), expressions.value(mask)
    expressions.mask = before
    expressions.shapes.test(MASK, base.shape, test.shape, node)
    return base


def filtered(expressions: Expressions, node: cst.Subscript, mask: cst.BaseExpression) -> Value:
    """The elements under a mask, as a new array."""
    base, test = expressions.value(node.value), expressions.value(mask)
    expressions.shapes.test(MASK, base.shape, test.shape, node)
    kind = expressions.type_of(node)
    assert isinstance(kind, ArrayType)
    made = Emitting(expressions, node)
    lengths = [expressions.clamped(length) for length in base.shape]
    array = made.array([" * ".join(f"({length.text})" for length in lengths)], kind.dtype)
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
