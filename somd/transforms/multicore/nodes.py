"""libcst's nodes that rewrites of slaves put together."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.emit.python_text import numpy_name


def parenthesised(node: cst.BaseExpression) -> cst.BaseExpression:
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def call(function: str, *arguments: cst.BaseExpression) -> cst.Call:
    return cst.Call(cst.parse_expression(function), [cst.Arg(a) for a in arguments])


def converted(node: cst.BaseExpression, dtype: str) -> cst.Call:
    """`np.dtype(node)`"""
    return call(f"np.{numpy_name(dtype)}", node)


def code(node: cst.CSTNode) -> str:
    """The text of a node."""
    return cst.Module([]).code_for_node(node)


def suite(old: cst.BaseSuite, statements: Sequence[cst.BaseStatement]) -> cst.BaseSuite:
    """A suite with other statements."""
    return old.with_changes(body=statements) if isinstance(old, cst.IndentedBlock) else cst.IndentedBlock(statements)
