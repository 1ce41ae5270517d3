"""Conditions over scalars and shapes that the analysis derived, as the master asks them.

    a.shape[0] >= b.shape[0] + 1      stays: no length is near the end of 64 bits
    a.shape[0] <= 4 * m               ->  outside_1(m, a.shape[0])

The analysis reckons with integers of any size, the master with those of 64 bits. Where a scalar may be anything, the
condition becomes a function of its own, in which nothing wraps.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from somd.syntax import expression_of
from somd.transforms.multicore.names import NEAR, Fresh
from somd.transforms.tree.rewriting import parsed

#: constants in a condition over lengths alone that cannot make it wrap
SMALL = 1 << 16


class ExactTests:
    """Gives the texts of conditions; `functions` are those that they call."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh
        self.functions: list[cst.FunctionDef] = []
        self.known: dict[str, str] = {}

    def text(self, condition: str) -> str:
        """The expression that the master evaluates for a condition."""
        if condition not in self.known:
            self.known[condition] = condition if _cannot_wrap(condition) else self._called(condition)
        return self.known[condition]

    def _called(self, condition: str) -> str:
        values = _Values()
        test = ast.unparse(values.visit(expression_of(condition)))
        name = self.fresh.name(f"outside_{len(self.functions) + 1}")
        (function,) = parsed(f"@exactly\ndef {name}({', '.join(values.names)}):\n    return {test}\n")
        made = cst.ensure_type(function, cst.FunctionDef)
        self.functions.append(made.with_changes(leading_lines=[cst.EmptyLine(), cst.EmptyLine()]))
        return f"{name}({', '.join(values.names.values())})"


def far_text(scalars: Sequence[str]) -> str:
    """The condition that some scalar is too far from 0 for what the analysis takes for granted of it."""
    return f"not ({' and '.join(f'-{NEAR} <= {name} <= {NEAR}' for name in scalars)})"


def _cannot_wrap(condition: str) -> bool:
    nodes = list(ast.walk(expression_of(condition)))
    shapes = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    scalars = [n for n in nodes if isinstance(n, ast.Name) and id(n) not in shapes | called]
    if not any(isinstance(n, ast.BinOp | ast.UnaryOp) for n in nodes):
        return True
    constants = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, int)]
    return not scalars and all(value < SMALL for value in constants)


class _Values(ast.NodeTransformer):
    """Puts a parameter in place of each scalar and each length; `names` gives what is passed for it."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        assert isinstance(node.value, ast.Attribute) and isinstance(node.value.value, ast.Name)
        return self._parameter(f"{node.value.value.id}_{ast.unparse(node.slice)}", ast.unparse(node))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._parameter(node.id, node.id)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def _parameter(self, wanted: str, value: str) -> ast.expr:
        name = wanted
        while self.names.get(name, value) != value or name in ("min", "max"):
            name += "_"
        self.names[name] = value
        return ast.Name(name)
