"""Expressions in inner loops that no distributed iteration changes, and that are worth being looked up.

In: the body of a distributed loop as the slave has it. Out: the largest float64 expressions with an expensive function
that are the same for all iterations and differ from trip to trip of the loops around them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from somd.elementary.functions import OF_MATH, OF_NUMPY
from somd.transforms.multicore.flow import Statements, Varying, assigned, read, small_of, values
from somd.transforms.multicore.names import MODULES
from somd.transforms.tree.loops import else_statements, statements_of
from somd.transforms.tree.walking import Reader

#: functions of floats that cost more than a look-up, and all that give floats
EXPENSIVE = frozenset((*OF_MATH, *OF_NUMPY)) - {"power"}
FLOATS = EXPENSIVE | {"sqrt", "fabs", "float64"}


@dataclass(frozen=True)
class Facts:
    """What is known around a body: dtypes of scalars, names that differ in any case, arrays written, the slave's
    arguments, whether arrays may be read before the loop, and Python text for the iterations of an MI."""

    scalars: Mapping[str, str]
    seeds: frozenset[str]
    written: frozenset[str]
    arguments: tuple[str, ...]
    arrays: frozenset[str]
    reading: bool
    iterations: str


Loops = tuple[cst.For, ...]


@dataclass(frozen=True)
class Place:
    """An expression to be looked up, and the loops around it."""

    node: cst.BaseExpression
    loops: Loops


class Finder:
    """Finds the largest expressions that are worth a table."""

    def __init__(self, varying: Varying, facts: Facts) -> None:
        self.varying = varying
        self.facts = facts
        self.found: list[Place] = []

    def block(self, statements: Statements, loops: Loops) -> None:
        for statement in statements:
            for small in small_of(statement):
                for value in values(small):
                    self.expression(value, loops)
            if isinstance(statement, cst.If):
                self.expression(statement.test, loops)
                self.block(statements_of(statement.body), loops)
                self.block(else_statements(statement), loops)
            elif isinstance(statement, cst.For) and not self.varying(statement.iter):
                self.block(statements_of(statement.body), (*loops, statement))

    def expression(self, node: cst.BaseExpression, loops: Loops) -> None:
        if not loops:
            return
        evolving = assigned([loops[0]])
        finder = self

        class Expressions(cst.CSTVisitor):
            def on_visit(self, node: cst.CSTNode) -> bool:
                kinds = cst.BinaryOperation | cst.Call | cst.UnaryOperation
                if not isinstance(node, kinds) or not finder.worth(node, evolving):
                    return True
                finder.found.append(Place(node, loops))
                return False

        node.visit(Expressions())

    def worth(self, node: cst.BaseExpression, evolving: set[str]) -> bool:
        """Whether an expression is a float, the same for all iterations, expensive, and other in another trip."""
        if self.varying(node) or not self.is_float(node) or evolving.isdisjoint(read(node)):
            return False
        found: list[cst.CSTNode] = []

        class Calls(Reader):
            def visit_Call(self, node: cst.Call) -> None:
                if isinstance(node.func, cst.Attribute) and node.func.attr.value in EXPENSIVE:
                    found.append(node)

            def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
                if isinstance(node.operator, cst.Power) and not isinstance(node.right, cst.Integer):
                    found.append(node)

        node.visit(Calls())
        return bool(found)

    def is_float(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is known to be a float64, computed from float64 and int64 values without elements."""
        if isinstance(node, cst.BinaryOperation):
            sides = (node.left, node.right)
            exact = isinstance(node.operator, cst.Add | cst.Subtract | cst.Multiply | cst.Divide | cst.Power)
            some = isinstance(node.operator, cst.Divide) or any(map(self.is_float, sides))
            return exact and some and all(map(self.is_number, sides))
        if isinstance(node, cst.UnaryOperation):
            return isinstance(node.operator, cst.Minus | cst.Plus) and self.is_float(node.expression)
        if isinstance(node, cst.Call):
            function = node.func
            module = function.value if isinstance(function, cst.Attribute) else None
            known = isinstance(module, cst.Name) and module.value in MODULES
            named = isinstance(function, cst.Attribute) and function.attr.value in (
                *EXPENSIVE,
                "sqrt",
                "fabs",
                "float64",
            )
            return known and named and all(self.is_number(a.value) for a in node.args)
        return isinstance(node, cst.Float) or (isinstance(node, cst.Name) and self._kind(node) == "float64")

    def is_number(self, node: cst.BaseExpression) -> bool:
        """Whether it is a float64, or an int64 that stands by itself."""
        if isinstance(node, cst.Name):
            return self._kind(node) in ("float64", "int64")
        return isinstance(node, cst.Integer) or self.is_float(node)

    def _kind(self, node: cst.Name) -> str:
        return self.facts.scalars.get(node.value, "")
