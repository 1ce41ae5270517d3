"""Comparisons of tuples with numbers, entry by entry.

    (i, j) == (0, 1)    ->   (i == 0 and j == 1)
    (i, j) != (0, 1)    ->   (i != 0 or j != 1)

Each pair of entries must have an integer in it, the other being a name or an integer: then nothing that could fail is
left out, and that tuples take one and the same nan for equal to itself plays no part.
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.rewriting import MethodRewriter


def plain_comparisons(method: Method) -> Method:
    """`method` with comparisons of tuples written as comparisons of their entries; others stay as they are."""
    return _Comparisons(method).rewritten()


class _Comparisons(MethodRewriter):
    def leave_Comparison(self, original_node: cst.Comparison, updated_node: cst.Comparison) -> cst.BaseExpression:
        text = _by_entries(updated_node)
        if text is None:
            return updated_node
        made = cst.parse_expression(text)
        self.place(made, self.positions[original_node])
        return made


def _by_entries(node: cst.Comparison) -> str | None:
    if len(node.comparisons) != 1:
        return None
    operator, right = node.comparisons[0].operator, node.comparisons[0].comparator
    if not isinstance(operator, cst.Equal | cst.NotEqual):
        return None
    sides = [side for side in (node.left, right) if isinstance(side, cst.Tuple)]
    if len(sides) < 2 or len(sides[0].elements) != len(sides[1].elements) or not sides[0].elements:
        return None
    code = cst.Module([]).code_for_node
    sign, word = ("==", " and ") if isinstance(operator, cst.Equal) else ("!=", " or ")
    pairs = []
    for mine, theirs in zip(*(side.elements for side in sides), strict=True):
        kinds = {_kind(mine), _kind(theirs)}
        if not ("number" in kinds and kinds <= {"number", "name"}):
            return None
        pairs.append(f"{code(mine.value)} {sign} {code(theirs.value)}")
    return f"({word.join(pairs)})"


def _kind(element: cst.BaseElement) -> str:
    value = element.value
    if isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus):
        value = value.expression
        return "number" if isinstance(value, cst.Integer) else "other"
    if isinstance(element, cst.StarredElement):
        return "other"
    return "number" if isinstance(value, cst.Integer) else "name" if isinstance(value, cst.Name) else "other"
