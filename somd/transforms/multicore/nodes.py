"""libcst's expressions that passes over slaves put together."""

from __future__ import annotations

import libcst as cst

from somd.transforms.emit.python_text import numpy_name


def parenthesised(node: cst.BaseExpression) -> cst.BaseExpression:
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def call(function: str, *arguments: cst.BaseExpression) -> cst.Call:
    return cst.Call(cst.parse_expression(function), [cst.Arg(a) for a in arguments])


def converted(node: cst.BaseExpression, dtype: str) -> cst.Call:
    """`np.dtype(node)`"""
    return call(f"np.{numpy_name(dtype)}", node)
