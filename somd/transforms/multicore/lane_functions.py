"""Sines and cosines taken for all lanes at once: out of the statements that need them, into statements of their own.

    s += w * elementary.cos(f * x)     ->     cos_1 = f * x
                                              lane_cos(cos_1)
                                              s += w * cos_1

In: the body of a distributed loop as the slave has it. Out: the body with such statements, in which `lane_cos` stands
for a function of the strip (a piece of its own), and the names that are new in it. Calls outside inner
loops, under conditions that vary, or of anything but a float64 stay where they are.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from somd.transforms.multicore.flow import Statements, Varying, all_small
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.nodes import code, suite
from somd.transforms.tree.loops import else_statements, statements_of
from somd.transforms.tree.rewriting import parsed, transformed_statement
from somd.transforms.tree.walking import Transformer

#: by the function: the one for lanes
LANE_FUNCTIONS = {"sin": "lane_sin", "cos": "lane_cos"}


class LaneFunctions:
    """Takes calls out; `new` has the names made for them."""

    def __init__(self, varying: Varying, scalars: Mapping[str, str], arrays: Mapping[str, str], fresh: Fresh) -> None:
        self.varying = varying
        self.scalars = scalars
        self.arrays = arrays
        self.fresh = fresh
        self.new: list[str] = []

    def block(self, statements: Statements, often: bool = False) -> list[cst.BaseStatement]:
        """The statements with calls in statements of their own, those in loops; `often` if all of them are in one."""
        made: list[cst.BaseStatement] = []
        for statement in statements:
            assert isinstance(statement, cst.BaseStatement)
            if isinstance(statement, cst.For):
                inner = self.block(statements_of(statement.body), True)
                made.append(statement.with_changes(body=suite(statement.body, inner)))
            elif isinstance(statement, cst.If) and not self.varying(statement.test):
                orelse = self.block(else_statements(statement), often)
                rest = cst.Else(cst.IndentedBlock(orelse)) if orelse else None
                inner = self.block(statements_of(statement.body), often)
                made.append(statement.with_changes(body=suite(statement.body, inner), orelse=rest))
            elif often and isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
                made += self._line(statement)
            else:
                made.append(statement)
        return made

    def _line(self, statement: cst.SimpleStatementLine) -> list[cst.BaseStatement]:
        taker = _Taker(self)
        changed = transformed_statement(statement, taker)
        if not taker.before:
            return [statement]
        leading = parsed(*taker.before)
        first = cst.ensure_type(leading[0], cst.SimpleStatementLine)
        leading[0] = first.with_changes(leading_lines=statement.leading_lines)
        return [*leading, cst.ensure_type(changed, cst.SimpleStatementLine).with_changes(leading_lines=[])]

    def wanted(self, node: cst.Call) -> bool:
        """Whether it is a sine or cosine of a float64 that varies."""
        function = node.func
        if not isinstance(function, cst.Attribute) or not isinstance(function.value, cst.Name) or len(node.args) != 1:
            return False
        named = function.value.value == "elementary" and function.attr.value in LANE_FUNCTIONS
        return named and self.varying(node) and self.is_double(node.args[0].value)

    def is_double(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a float64 for Numba."""
        if isinstance(node, cst.BinaryOperation):
            plain = isinstance(node.operator, cst.Add | cst.Subtract | cst.Multiply | cst.Divide)
            sides = (node.left, node.right)
            return plain and any(map(self.is_double, sides)) and all(map(self._is_number, sides))
        if isinstance(node, cst.UnaryOperation):
            return isinstance(node.operator, cst.Minus) and self.is_double(node.expression)
        return isinstance(node, cst.Float) or self._dtype(node) == "float64"

    def _is_number(self, node: cst.BaseExpression) -> bool:
        return isinstance(node, cst.Integer) or self._dtype(node) == "int64" or self.is_double(node)

    def _dtype(self, node: cst.BaseExpression) -> str:
        if isinstance(node, cst.Name):
            return self.scalars.get(node.value, "")
        element = isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name)
        return self.arrays.get(node.value.value, "") if element else ""  # type: ignore[attr-defined]


class _Taker(Transformer):
    """Puts names in place of calls that a statement evaluates in any case."""

    def __init__(self, functions: LaneFunctions) -> None:
        super().__init__()
        self.functions = functions
        self.before: list[str] = []

    def visit_IfExp(self, node: cst.IfExp) -> bool:
        return False

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> bool:
        return False

    def visit_Call(self, node: cst.Call) -> bool:
        return not self.functions.wanted(node)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        if not self.functions.wanted(original_node):
            return updated_node
        function = cst.ensure_type(original_node.func, cst.Attribute).attr.value
        name = self.functions.fresh.name(f"{function}_{len(self.functions.new) + 1}")
        self.functions.new.append(name)
        self.before += [f"{name} = {code(original_node.args[0].value)}", f"{LANE_FUNCTIONS[function]}({name})"]
        return cst.Name(name)


def lane_call(statement: cst.CSTNode) -> tuple[str, str] | None:
    """The function and the name of a statement that takes a function of all lanes."""
    return _of_lanes(statement.body[0]) if isinstance(statement, cst.SimpleStatementLine) else None


def has_lane_calls(statement: cst.CSTNode) -> bool:
    """Whether such a statement stands in another."""
    return any(_of_lanes(small) is not None for small in all_small([statement]))


def _of_lanes(small: cst.CSTNode) -> tuple[str, str] | None:
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Name):
        return None
    if call.func.value not in LANE_FUNCTIONS.values():
        return None
    return call.func.value, cst.ensure_type(call.args[0].value, cst.Name).value
