"""Whether statements are straight-line code that a kernel can run in the master's place, and that Python never refuses.

A division of two Python numbers may raise ZeroDivisionError, `math.sqrt` ValueError, `int` of a float either: such code
stays with the master. NumPy's scalars give inf or nan, as kernels do.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.tree.loops import else_statements, small_statements, statements_of
from somd.transforms.tree.walking import Reader
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types

#: functions that fail for no argument
SAFE = ("abs", "min", "max", "len", "bool", "float")
FAILING = (cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power, cst.LeftShift, cst.RightShift)
FAILING_UPDATES = (
    cst.DivideAssign,
    cst.FloorDivideAssign,
    cst.ModuloAssign,
    cst.PowerAssign,
    cst.LeftShiftAssign,
    cst.RightShiftAssign,
)


def is_straight_line(statements: Sequence[cst.CSTNode], types: Types) -> bool:
    """Whether `statements` hold assignments and branches only, and nothing that Python may refuse."""
    return all(_simple(node) and not _may_fail(node, types) for node in small_statements(statements))


def _simple(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.If):
        inner = (*statements_of(node.body), *else_statements(node))
        return all(_simple(each) for each in small_statements(inner))
    if isinstance(node, cst.Assign):
        return len(node.targets) == 1
    return isinstance(node, cst.AugAssign | cst.AnnAssign | cst.Pass)


def _may_fail(node: cst.CSTNode, types: Types) -> bool:
    found = _Failing(types)
    node.visit(found)
    return found.found


class _Failing(Reader):
    def __init__(self, types: Types) -> None:
        super().__init__()
        self.types = types
        self.found = False

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self.found |= isinstance(node.operator, FAILING) and self._python(node)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.found |= isinstance(node.operator, FAILING_UPDATES) and self._python(node)

    def visit_Call(self, node: cst.Call) -> None:
        callee = self.types.calls.get(node)
        if callee is None:
            self.found = True
        elif callee.kind == "builtin":
            self.found |= callee.name not in SAFE
        elif callee.kind == "numpy":
            self.found |= callee.name == "power"
        elif callee.kind != "method":
            self.found |= callee.kind != "cast" or not callee.name.startswith(("float", "complex"))

    def _python(self, node: cst.CSTNode) -> bool:
        """Whether the result is a Python number, or unknown."""
        found = self.types.nodes.get(node)
        return not isinstance(found, ScalarType) or found.weak
