"""Comparisons of tuples with numbers, entry by entry.

    (i, j) == (0, 1)    ->   (i == 0 and j == 1)
    (i, j) != (0, 1)    ->   (i != 0 or j != 1)
    if k in (1, 3):     ->   if (k == 1 or k == 3):
    p = k not in (1, n - 1)   ->   p = bool((k != 1 and k != n - 1))

Each pair of entries must have an integer in it, the other being a name or an integer: then nothing that could fail is
left out, and that tuples take one and the same nan for equal to itself plays no part.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.names import evaluate, name_for
from somd.transforms.tree.rewriting import MethodRewriter, code_of
from somd.transforms.tree.walking import nodes_of


def plain_comparisons(method: Method) -> Method:
    """`method` with comparisons of tuples written as comparisons of their entries; others stay as they are."""
    rewriter = _Comparisons(method)
    made = rewriter.rewritten()
    return made if made is method else replace(made, namespace=rewriter.namespace)


class _Comparisons(MethodRewriter):
    def __init__(self, method: Method) -> None:
        super().__init__(method)
        self.namespace: dict[str, object] = dict(method.namespace)
        #: expressions of which only the truth counts
        self.truths: set[cst.CSTNode] = set()

    def visit_If(self, node: cst.If) -> None:
        self.truth(node.test)

    def visit_While(self, node: cst.While) -> None:
        self.truth(node.test)

    def visit_IfExp(self, node: cst.IfExp) -> None:
        self.truth(node.test)

    def truth(self, node: cst.BaseExpression) -> None:
        if isinstance(node, cst.BooleanOperation):
            self.truth(node.left)
            self.truth(node.right)
        elif isinstance(node, cst.UnaryOperation):
            self.truth(node.expression)
        else:
            self.truths.add(node)

    def leave_Comparison(self, original_node: cst.Comparison, updated_node: cst.Comparison) -> cst.BaseExpression:
        text = _by_entries(updated_node)
        if text is None:
            text = _as_member(updated_node, self.method.namespace, self.method.local_names)
            if text is not None and original_node not in self.truths:
                text = f"{name_for(bool, 'bool', self.namespace, self.method.local_names)}({text})"
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


def _as_member(node: cst.Comparison, namespace: Mapping[str, object], local_names: Collection[str]) -> str | None:
    """Whether a value is one of several numbers: these are literals, or computed here, so that no nan among them is the
    very one that is asked for."""
    operator, right = node.comparisons[0].operator, node.comparisons[0].comparator
    if len(node.comparisons) != 1 or not isinstance(operator, cst.In | cst.NotIn):
        return None
    if not isinstance(right, cst.Tuple | cst.List | cst.Set) or not right.elements:
        return None
    entries = [each.value for each in right.elements]
    numbers = all(_is_new(each) or type(evaluate(each, namespace, local_names)) in (bool, int) for each in entries)
    starred = any(isinstance(each, cst.StarredElement) for each in right.elements)
    calls = [call for each in (node.left, *entries) for call in nodes_of(each, cst.Call)]
    if not numbers or starred or any(code_of(each.func) != "len" for each in calls):
        return None
    sign, word = ("==", " or ") if isinstance(operator, cst.In) else ("!=", " and ")
    left = code_of(node.left) if isinstance(node.left, cst.Name | cst.Subscript) else f"({code_of(node.left)})"
    return f"({word.join(f'{left} {sign} {code_of(each)}' for each in entries)})"


def _is_new(node: cst.BaseExpression) -> bool:
    """Whether an expression is a literal, or gives a number that nothing else is."""
    minus = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)
    return minus or isinstance(node, cst.BaseNumber | cst.BinaryOperation)


def _kind(element: cst.BaseElement) -> str:
    value = element.value
    if isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus):
        value = value.expression
        return "number" if isinstance(value, cst.Integer) else "other"
    if isinstance(element, cst.StarredElement):
        return "other"
    return "number" if isinstance(value, cst.Integer) else "name" if isinstance(value, cst.Name) else "other"
