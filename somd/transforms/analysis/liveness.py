"""Which scalars are read later: backward liveness over structured code.

In: statements and what is live behind them. Out: what is live before them, and, for each loop, what is live behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.tree.loops import else_statements, small_statements, statements_of
from somd.transforms.tree.names import names_read

Names = frozenset[str]


class Liveness:
    """Live names; `after` loops and `behind` what assigns or calls, filled while `before` walks over the code."""

    def __init__(self) -> None:
        self.after: dict[cst.CSTNode, Names] = {}
        self.behind: dict[cst.CSTNode, Names] = {}

    def before(self, statements: Sequence[cst.CSTNode], live: Names, leave: Names = frozenset()) -> Names:
        """Names live before `statements`; `leave` is live where a `break` or `continue` goes to."""
        for statement in reversed(list(small_statements(statements))):
            live = self._statement(statement, live, leave)
        return live

    def _statement(self, node: cst.CSTNode, live: Names, leave: Names) -> Names:
        if isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign | cst.Expr):
            self.behind[node] = self.behind.get(node, frozenset()) | live
        if isinstance(node, cst.Assign | cst.AnnAssign):
            if node.value is None:
                return live
            targets = [t.target for t in node.targets] if isinstance(node, cst.Assign) else [node.target]
            for target in targets:
                live = _assigned(target, live)
            return live | names_read(node.value)
        if isinstance(node, cst.AugAssign):
            return live | names_read(node.target) | names_read(node.value)
        if isinstance(node, cst.For | cst.While):
            return self._loop(node, live)
        if isinstance(node, cst.If):
            taken = self.before(statements_of(node.body), live, leave)
            other = self.before(else_statements(node), live, leave)
            return taken | other | names_read(node.test)
        if isinstance(node, cst.With):
            read = frozenset(names_read(node.items[0].item))
            return self.before(statements_of(node.body), live | read, leave)
        if isinstance(node, cst.Return):
            return frozenset(names_read(node.value)) if node.value is not None else frozenset()
        if isinstance(node, cst.Raise):
            return frozenset(names_read(node))
        if isinstance(node, cst.Break | cst.Continue):
            return live | leave
        return live | names_read(node)

    def _loop(self, node: cst.For | cst.While, live: Names) -> Names:
        self.after[node] = self.after.get(node, frozenset()) | live
        header = names_read(node.iter) if isinstance(node, cst.For) else names_read(node.test)
        return self.around(node, live) | header

    def around(self, node: cst.For | cst.While, live: Names) -> Names:
        """Names live where a turn of a loop ends; `live` is live behind the loop."""
        variables = names_read(node.target) if isinstance(node, cst.For) else set()
        body = statements_of(node.body)
        around = live | (names_read(node.test) if isinstance(node, cst.While) else frozenset())
        while True:
            wider = around | (self.before(body, around, around) - variables)
            if wider == around:
                return around
            around = wider


def _assigned(target: cst.BaseExpression, live: Names) -> Names:
    if isinstance(target, cst.Name):
        return live - {target.value}
    if isinstance(target, cst.Tuple):
        for element in target.elements:
            live = _assigned(element.value, live)
        return live
    return live | names_read(target)
