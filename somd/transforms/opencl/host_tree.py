"""Builders for the Python of a master: short names for the libcst nodes that it is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import libcst as cst

from somd.transforms.reserved import MARK
from somd.transforms.stages import Site


def brought(text: str) -> cst.Name:
    """A name of the runtime's, Python's or the module's own: `trips`, `int`, `np`, `SITES`."""
    return cst.Name(MARK + text)


def python_type(kind: str) -> cst.Name:
    """Python's own type of numbers, by NumPy's letter."""
    return brought({"b": "bool", "i": "int", "f": "float", "c": "complex"}[kind])


def name(text: str) -> cst.Name:
    return cst.Name(text)


def attribute(base: str | cst.BaseExpression, attr: str) -> cst.Attribute:
    return cst.Attribute(cst.Name(base) if isinstance(base, str) else base, cst.Name(attr))


def number(value: complex) -> cst.BaseExpression:
    """A number of Python's."""
    if isinstance(value, complex):
        return call(brought("complex"), number(value.real), number(value.imag))
    if isinstance(value, float) and not math.isfinite(value):
        return call(brought("float"), cst.SimpleString(f'"{value}"'))
    return cst.parse_expression(repr(value))


def integer(value: int) -> cst.BaseExpression:
    return cst.parse_expression(str(value))


def negated(test: cst.BaseExpression) -> cst.UnaryOperation:
    """`not (test)`"""
    return cst.UnaryOperation(cst.Not(), test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))


def call(
    function: str | cst.BaseExpression, *arguments: cst.BaseExpression, **keywords: cst.BaseExpression
) -> cst.Call:
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    args = [cst.Arg(a) for a in arguments]
    args += [cst.Arg(value, keyword=cst.Name(key), equal=tight) for key, value in keywords.items()]
    return cst.Call(cst.Name(function) if isinstance(function, str) else function, args)


def subscript(base: cst.BaseExpression, *indexes: cst.BaseExpression) -> cst.Subscript:
    return cst.Subscript(base, [cst.SubscriptElement(cst.Index(i)) for i in indexes])


def shape(array: str, axis: int) -> cst.Subscript:
    """`array.shape[axis]`"""
    return subscript(attribute(array, "shape"), integer(axis))


def tuple_of(parts: Sequence[cst.BaseExpression]) -> cst.Tuple:
    if len(parts) != 1:
        return cst.Tuple([cst.Element(part) for part in parts])
    return cst.Tuple([cst.Element(parts[0], comma=cst.Comma())])


def assign(target: cst.BaseAssignTargetExpression, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return line(cst.Assign([cst.AssignTarget(target)], value))


def line(statement: cst.BaseSmallStatement | cst.BaseExpression) -> cst.SimpleStatementLine:
    small = cst.Expr(statement) if isinstance(statement, cst.BaseExpression) else statement
    return cst.SimpleStatementLine([small])


def block(statements: Sequence[cst.BaseStatement]) -> cst.IndentedBlock:
    return cst.IndentedBlock(list(statements) or [line(cst.Pass())])


def module(statements: Sequence[cst.BaseStatement]) -> cst.Module:
    return cst.Module(cast(list[cst.SimpleStatementLine | cst.BaseCompoundStatement], list(statements)))


def dtype(of: str) -> cst.Attribute:
    """`np.float64` and its like."""
    return attribute(brought("np"), "bool_" if of == "bool" else of)


def site_row(site: Site) -> cst.DictElement:
    """An entry of the table of sites."""
    return cst.DictElement(integer(site.number), cst.parse_expression(repr(site.row)))
