"""Integer expressions and conditions that the plan has as texts, or that no type was inferred for, as typed ones.

They are of scalars, lengths and numbers, and reckon with integers that do not wrap: what they are made of is tested not
to be far from 0 before they are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from somd.settings.targets import TargetLacks
from somd.syntax import expression_of
from somd.transforms.loops.making import (
    INT64,
    cast,
    choice,
    length,
    negated,
    operation,
    truth,
    whole_number,
)
from somd.transforms.loops.program import Expression

_INFIX: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.And: "and",
    ast.Or: "or",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def of_text(text: str, scalar: Callable[[str], Expression]) -> Expression:
    """The expression of a text of the plan; `scalar` gives what a name stands for."""
    return _expression(expression_of(text).body, scalar)


def _expression(node: ast.expr, scalar: Callable[[str], Expression]) -> Expression:
    def inner(each: ast.expr) -> Expression:
        return _expression(each, scalar)

    if isinstance(node, ast.Constant) and type(node.value) is int:
        return whole_number(node.value)
    if isinstance(node, ast.Name):
        return cast(scalar(node.id), INT64)
    if isinstance(node, ast.BinOp) and type(node.op) in _INFIX:
        return operation(_INFIX[type(node.op)], inner(node.left), inner(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return negated(inner(node.operand))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return operation("not", truth(inner(node.operand)))
    if isinstance(node, ast.BoolOp):
        return _folded(_INFIX[type(node.op)], [truth(inner(each)) for each in node.values])
    if isinstance(node, ast.Compare):
        sides = [inner(each) for each in (node.left, *node.comparators)]
        pairs = zip(node.ops, sides, sides[1:], strict=False)
        return _folded("and", [operation(_INFIX[type(op)], left, right) for op, left, right in pairs])
    if isinstance(node, ast.IfExp):
        return choice(inner(node.test), inner(node.body), inner(node.orelse))
    found = _length(node)
    if found is not None:
        return found
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        return _folded(node.func.id, [inner(each) for each in node.args])
    raise TargetLacks(f"`{ast.unparse(node)}` in a condition cannot be expressed yet")


def _length(node: ast.expr) -> Expression | None:
    """`a.shape[0]` and `len(a)`"""
    match node:
        case ast.Subscript(ast.Attribute(ast.Name(array), "shape"), ast.Constant(axis)):
            return length(array, int(str(axis)))
        case ast.Call(ast.Name("len"), [ast.Name(array)]):
            return length(array, 0)
    return None


def _folded(name: str, operands: list[Expression]) -> Expression:
    made = operands[0]
    for each in operands[1:]:
        made = operation(name, made, each)
    return made
