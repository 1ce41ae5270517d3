"""By what a statement multiplies the old value of a scalar as it makes a new one: 1 - c in `s = s + c * (x - s)`.

Factors are expressions of the statement's own nodes, for elements in them may be such that fail.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from somd.transforms.tree.names import names_read


def linear_factor(node: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    """What a statement multiplies the old value of `name` by, if the new one is made of that by sums, differences,
    products and quotients, such that it is a multiple of it and a term without it."""
    if isinstance(node, cst.AugAssign):
        if isinstance(node.operator, cst.MultiplyAssign) and name not in names_read(node.value):
            return node.value
        operator = _BINARY.get(type(node.operator))
        whole = None if operator is None else cst.BinaryOperation(cst.Name(name), operator(), node.value)
        return None if whole is None else factor_of(whole, name)
    if not isinstance(node, cst.Assign) or len(node.targets) != 1:
        return None
    return factor_of(node.value, name)


_BINARY: Mapping[type[cst.BaseAugOp], type[cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.DivideAssign: cst.Divide,
}


def factor_of(node: cst.BaseExpression, name: str) -> cst.BaseExpression | None:
    """What a value multiplies that of `name` by, in the same way; None where it is made of it otherwise."""
    if isinstance(node, cst.Name):
        return cst.Float("1.0") if node.value == name else None
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = factor_of(node.expression, name)
        return None if inner is None else _negated(inner)
    if not isinstance(node, cst.BinaryOperation):
        return None
    in_left, in_right = (name in names_read(side) for side in (node.left, node.right))
    left, right = (factor_of(node.left, name) if in_left else None, factor_of(node.right, name) if in_right else None)
    if (in_left and left is None) or (in_right and right is None):
        return None
    match node.operator:
        case cst.Add() | cst.Subtract():
            if right is not None and isinstance(node.operator, cst.Subtract):
                right = _negated(right)
            return cst.BinaryOperation(_grouped(left), cst.Add(), _grouped(right)) if left and right else left or right
        case cst.Multiply() if not (in_left and in_right):
            inner, other = (left, node.right) if left else (right, node.left)
            return inner and cst.BinaryOperation(_grouped(inner), cst.Multiply(), _grouped(other))
        case cst.Divide() if not in_right:
            return left and cst.BinaryOperation(_grouped(left), cst.Divide(), _grouped(node.right))
    return None


def _negated(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.UnaryOperation(cst.Minus(), _grouped(node))


def _grouped(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, cst.Name | cst.Subscript | cst.Call | cst.BaseNumber):
        return node  # an element stays the node that it is, for it may be one that fails
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
