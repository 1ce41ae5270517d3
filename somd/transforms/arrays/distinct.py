"""Names of arrays of indexes that are all different, and none of them negative.

    at = np.arange(n)          where `at` is nothing else, and nothing is stored in it, `a[at] += e` is a sum for each
    at = at[a > 0.0]           index, as it looks

In: the body of a method and its types. Out: such names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import libcst as cst

from somd.transforms.types.scalars import TupleType
from somd.transforms.types.typing_table import Types

#: functions that give such indexes, whatever they are given
GIVING = ("argsort", "flatnonzero")
#: functions that give places, all of which are different, as an array of indexes for each axis
OF_PLACES = ("nonzero", "where")

Pairs = Sequence[tuple[str, cst.BaseExpression]]


def distinct_names(
    bindings: Pairs, others: Collection[str], types: Types, is_mask: Callable[[cst.CSTNode], bool]
) -> frozenset[str]:
    """The names of different indexes, of names and the values that they are given; `others` are bound otherwise, or
    stored into."""
    found = {name for name, _ in bindings} - set(others)
    while True:
        gone = {name for name, value in bindings if name in found and not is_distinct(value, found, types, is_mask)}
        if not gone:
            return frozenset(found)
        found -= gone


def is_distinct(
    node: cst.BaseExpression, known: Collection[str], types: Types, is_mask: Callable[[cst.CSTNode], bool]
) -> bool:
    """Whether an expression is an array of different indexes, or a mask; `known` are names of such arrays."""
    if is_mask(node):
        return True
    if isinstance(node, cst.Name):
        return node.value in known
    if isinstance(node, cst.Subscript) and len(node.slice) == 1:
        index = node.slice[0].slice
        part = isinstance(index, cst.Slice) or (isinstance(index, cst.Index) and is_mask(index.value))
        return part and is_distinct(node.value, known, types, is_mask)
    callee = types.calls.get(node) if isinstance(node, cst.Call) else None
    if callee is None or not isinstance(node, cst.Call):
        return False
    name = callee.given.function.name if callee.given is not None else callee.name
    listed = node.args[0].value if name.rpartition(".")[2] == "array" and len(node.args) == 1 else None
    if isinstance(listed, cst.List):
        numbers = [each.value.evaluated_value for each in listed.elements if isinstance(each.value, cst.Integer)]
        return len(numbers) == len(listed.elements) == len(set(numbers))
    if name == "copy" and isinstance(node.func, cst.Attribute):
        return is_distinct(node.func.value, known, types, is_mask)
    if name.rpartition(".")[2] in OF_PLACES and isinstance(types.nodes.get(node), TupleType):
        return True
    alone = len(node.args) == 1 and node.args[0].keyword is None
    return name.rpartition(".")[2] in GIVING or (name == "arange" and alone)
