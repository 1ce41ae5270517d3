"""Names that the passes take for Python's own wherever they stand: they must mean that.

range = my_range                     the loop below does not run over numbers that the compiler knows
@somd
def f(a: dist[np.ndarray]): ...
    for i in range(len(a)):
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping

import libcst as cst

from somd.attributes import MISSING
from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.transforms.reserved import MARK

NAMES = ("range", "len", "enumerate", "zip", "reversed", "min", "max")


def check_own_names(
    tree: cst.FunctionDef,
    namespace: Mapping[str, object],
    local_names: frozenset[str],
    positions: Mapping[cst.CSTNode, Position],
    collector: Collector,
) -> None:
    """Report calls by one of `NAMES` that would not reach Python's own function (SOMD203), and variables that are named
    like what generated code brings along (SOMD201)."""
    for name in sorted(name for name in local_names if name.startswith(MARK)):
        label = Label(positions[tree.name], "in this function", True)
        message = f"`{name}` begins with `{MARK}`, as names that the compiler writes do"
        collector.add(Diagnostic("SOMD201", message, (label,), ("give the variable another name",)))

    class Calls(cst.CSTVisitor):
        def visit_Call(self, node: cst.Call) -> None:
            name = node.func.value if isinstance(node.func, cst.Name) else ""
            if name not in NAMES:
                return
            known = namespace.get(name, MISSING) is vars(builtins)[name] and name not in local_names
            if not known:
                label = Label(positions[node.func], "called here", True)
                message = f"`{name}` is not Python's own function here, but a name of the program's"
                helps = (f"give the other one another name; a method means Python's own by `{name}`",)
                collector.add(Diagnostic("SOMD203", message, (label,), helps))

    tree.body.visit(Calls())
