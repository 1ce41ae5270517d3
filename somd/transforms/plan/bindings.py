"""Statements that bind array names: an array under a second name would escape the dependence analysis.

Allowed are fresh arrays (`np.zeros(...)`, `a.copy()`) and permutations (`a, b = b, a`), after which names still stand
for different arrays. Anything else is refused.
"""

from __future__ import annotations

import libcst as cst

from somd.diagnostics.model import Diagnostic, Label
from somd.transforms.plan.context import Context
from somd.transforms.tree.walking import Reader


def check_array_binding(node: cst.CSTNode, context: Context) -> bool:
    """Whether `node`, or a statement in it, permutes array names, or may do so where it takes them out of a tuple that
    has a name; a second name for an array is reported."""
    finder = _Bindings(context)
    node.visit(finder)
    return finder.permutes


class _Bindings(Reader):
    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.permutes = False

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self.bound(target.target, node.value, node)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        if node.value is not None:
            self.bound(node.target, node.value, node)

    def bound(self, target: cst.BaseExpression, value: cst.BaseExpression, node: cst.CSTNode) -> None:
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            left = [self.array(e.value) for e in target.elements]
            right = [self.array(e.value) for e in value.elements]
            if any(left) or any(right):
                names = [n for n in right if n]
                if sorted(n for n in left if n) == sorted(names) and len(set(names)) == len(names):
                    self.permutes = True
                else:
                    self.report(node)
        elif isinstance(target, cst.Tuple):  # from a tuple with a name, or from a call
            self.permutes = self.permutes or any(self.array(e.value) for e in target.elements)
        elif self.array(value) or (isinstance(value, cst.IfExp) and self.array(target)):
            self.report(node)

    def array(self, node: cst.BaseExpression) -> str | None:
        if isinstance(node, cst.Name) and node.value in self.context.kinds.ranks:
            return node.value
        return None

    def report(self, node: cst.CSTNode) -> None:
        labels = (Label(self.context.method.position(node), "a second name for the same array", True),)
        helps = ("copy it (`b = a.copy()`), or exchange arrays with `a, b = b, a`",)
        message = "an array gets a second name: what is written through one is then read through the other"
        self.context.collector.add(Diagnostic("SOMD201", message, labels, helps))
