"""Typed access to what libcst's transformations give back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import libcst as cst


def transformed_statement(node: cst.BaseStatement, transformer: cst.CSTTransformer) -> cst.BaseStatement:
    """`node` after `transformer`, which must keep it a statement."""
    return cast(cst.BaseStatement, node.visit(transformer))


def transformed_expression(node: cst.BaseExpression, transformer: cst.CSTTransformer) -> cst.BaseExpression:
    """`node` after `transformer`, which must keep it an expression."""
    return cast(cst.BaseExpression, node.visit(transformer))


def parsed(*texts: str) -> list[cst.BaseStatement]:
    """One statement from each text."""
    return [cast(cst.BaseStatement, cst.parse_statement(text)) for text in texts]


def transformed_block(
    statements: Sequence[cst.BaseStatement], transformer: cst.CSTTransformer
) -> list[cst.BaseStatement]:
    """The statements after `transformer`, which may make several of one."""
    module = cst.Module(cast(list[cst.SimpleStatementLine | cst.BaseCompoundStatement], list(statements)))
    return list(module.visit(transformer).body)
