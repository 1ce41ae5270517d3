"""Names that the passes take for Python's own wherever they stand: they must mean that.

    range = my_range                     the loop below does not run over numbers that the compiler knows
    @somd
    def f(a: dist[np.ndarray]): ...
        for i in range(len(a)):

Other names of the same functions are replaced: after `rg = range`, `rg(len(a))` is `range(len(a))`.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import cast

import libcst as cst

from somd.capture.attributes import MISSING
from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.transforms.reserved import MARK
from somd.transforms.tree.names import evaluate
from somd.transforms.tree.rewriting import Tracked, with_own_label
from somd.transforms.tree.walking import nodes_of

NAMES = ("range", "len", "enumerate", "zip", "reversed", "min", "max")


#: what may go by another name
_KNOWN = (range, len, enumerate, zip, reversed, min, max, abs, round, pow, divmod, sum, int, float, complex, bool)


def with_own_names(
    tree: cst.FunctionDef,
    namespace: Mapping[str, object],
    local_names: frozenset[str],
    positions: Mapping[cst.CSTNode, Position],
) -> tuple[cst.FunctionDef, Mapping[cst.CSTNode, Position]]:
    """The function with Python's own functions by Python's names, and where its nodes stand."""
    rewriter = _Aliases(namespace, local_names, dict(positions))
    body = cast(cst.BaseSuite, tree.body.visit(rewriter))
    if not rewriter.changed:
        return tree, positions
    made = tree.with_changes(body=body)
    rewriter.positions[made] = positions[tree]
    return made, rewriter.positions


class _Aliases(Tracked):
    def __init__(
        self, namespace: Mapping[str, object], local_names: frozenset[str], positions: dict[cst.CSTNode, Position]
    ) -> None:
        super().__init__(positions)
        self.namespace = namespace
        self.local_names = local_names
        self.changed = False

    def own(self, node: cst.BaseExpression) -> cst.Name | None:
        """Python's name of the function that a name, or a dotted one, stands for; None where it is called so."""
        value = evaluate(node, self.namespace, self.local_names)
        known = next((each for each in _KNOWN if each is value), None)
        if known is None or (isinstance(node, cst.Name) and node.value == known.__name__):
            return None
        if known.__name__ in self.local_names or self.namespace.get(known.__name__) is not known:
            return None
        self.changed = True
        made = cst.Name(known.__name__)
        self.positions[made] = self.positions[node]
        return made

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self.own(original_node) or updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return self.own(original_node) or with_own_label(original_node, updated_node)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return with_own_label(original_node, updated_node)


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
    for node in nodes_of(tree.body, cst.Call):
        name = node.func.value if isinstance(node.func, cst.Name) else ""
        if name not in NAMES or (namespace.get(name, MISSING) is vars(builtins)[name] and name not in local_names):
            continue
        label = Label(positions[node.func], "called here", True)
        message = f"`{name}` is not Python's own function here, but a name of the program's"
        helps = (f"give the other one another name; a method means Python's own by `{name}`",)
        collector.add(Diagnostic("SOMD203", message, (label,), helps))
