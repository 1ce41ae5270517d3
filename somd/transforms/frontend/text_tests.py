"""What is known of texts before a method runs: comparisons of literals, and what their methods give.

    "linear" == "cubic"             ->   False
    "edge" in ("edge", "wrap")      ->   True
    "Same".lower()                  ->   "same"

In: nodes. Out: their values, or None where these are not known.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from somd.syntax import module_of

#: methods of texts that are computed here
_METHODS = ("lower", "upper", "casefold", "strip", "title", "startswith", "endswith")


@dataclass(frozen=True)
class Text:
    """The text that a name stands for; `value` is None where that is one of several."""

    value: str | None


def text(node: cst.CSTNode | None) -> str | None:
    """The value of a literal."""
    if not isinstance(node, cst.SimpleString):
        return None
    value = node.evaluated_value
    return value if isinstance(value, str) else None


def literal(value: str | bool) -> cst.BaseExpression:
    """The node of a text or a truth value."""
    return cst.SimpleString(repr(value)) if isinstance(value, str) else cst.Name(str(value))


def compared(node: cst.Comparison, number: bool) -> bool | None:
    """The value of a comparison of texts; `number` says that the left side is a number."""
    if len(node.comparisons) != 1:
        return None
    left, operator, right = text(node.left), node.comparisons[0].operator, node.comparisons[0].comparator
    other = text(right)
    if isinstance(operator, cst.Equal | cst.NotEqual):
        numbers = number or any(isinstance(each, cst.BaseNumber) for each in (node.left, right))
        if (left is None or other is None) and not (numbers and (left is not None or other is not None)):
            return None
        return (left == other) == isinstance(operator, cst.Equal)
    if (left is None and not number) or not isinstance(operator, cst.In | cst.NotIn):
        return None
    if other is not None and left is not None:
        return (left in other) == isinstance(operator, cst.In)
    if not isinstance(right, cst.Tuple | cst.List | cst.Set):
        return None
    entries = [None if isinstance(each, cst.StarredElement) else text(each.value) for each in right.elements]
    return None if None in entries else (left in entries) == isinstance(operator, cst.In)


def called(node: cst.Call) -> str | bool | None:
    """What a method of a text gives."""
    owner = text(node.func.value) if isinstance(node.func, cst.Attribute) else None
    if owner is None or not isinstance(node.func, cst.Attribute) or node.func.attr.value not in _METHODS:
        return None
    given = [None if each.star or each.keyword is not None else text(each.value) for each in node.args]
    if None in given or len(given) != (1 if node.func.attr.value in ("startswith", "endswith") else 0):
        return None
    made: str | bool = getattr(owner, node.func.attr.value)(*given)
    return made


def with_texts(statement: str, texts: Mapping[str, str]) -> str:
    """A statement that raises, with texts in place of the expressions that stand for them.

    >>> with_texts("raise ValueError(mode)", {"mode": "edge"})
    "raise ValueError('edge')"
    """

    class Texts(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            known = texts.get(ast.unparse(node)) if isinstance(node, ast.Name | ast.Attribute) else None
            made: ast.AST = self.generic_visit(node) if known is None else ast.Constant(known)
            return made

    return ast.unparse(Texts().visit(module_of(statement)))
