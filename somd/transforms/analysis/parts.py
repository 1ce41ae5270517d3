"""The indexes of a subscript that may make an array of an array: slices, `...`, new axes, missing axes.

    u[1:-1, None, k, ...]   ->   Slice(1, -1), NEW_AXIS, k, ELLIPSIS

In: a subscript. Out: its items in order. What they mean for lengths and elements is the matter of
`arrays`.
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.names import evaluate


class Mark:
    """An item that is no expression."""


ELLIPSIS = Mark()
NEW_AXIS = Mark()
Item = cst.BaseExpression | cst.Slice | Mark


def items_of(node: cst.Subscript, method: Method) -> list[Item]:
    """The items between the brackets; a tuple in parentheses counts as its elements."""
    found: list[Item] = []
    for element in node.slice:
        if isinstance(element.slice, cst.Slice):
            found.append(element.slice)
            continue
        value = element.slice.value if isinstance(element.slice, cst.Index) else cst.Name("None")
        several = isinstance(value, cst.Tuple) and len(node.slice) == 1
        for each in [e.value for e in value.elements] if several and isinstance(value, cst.Tuple) else [value]:
            found.append(_item(each, method))
    return found


def _item(node: cst.BaseExpression, method: Method) -> Item:
    if isinstance(node, cst.Ellipsis):
        return ELLIPSIS
    return NEW_AXIS if is_none(node, method) else node


def is_none(node: cst.BaseExpression, method: Method) -> bool:
    """Whether an expression is None, as `np.newaxis` is."""
    if isinstance(node, cst.Name) and node.value == "None":
        return True
    return isinstance(node, cst.Name | cst.Attribute) and evaluate(node, method.namespace, method.local_names) is None
