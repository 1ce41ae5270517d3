"""Loops of which one iteration touches what all others do, in three pieces: index-set splitting.

    for i in range(n):                        for i in range(0, min(k, n)):
        a[i] = a[i] + a[k]        ->              a[i] = a[i] + a[k]
                                              if 0 <= k < n:
                                                  i = k
                                                  a[k] = a[k] + a[k]
                                              for i in range(max(0, k + 1), n):
                                                  a[i] = a[i] + a[k]

The iterations are the same ones in the same order. Only the planner knows where this lets loops be distributed: it
names the loops, whose step is 1, and the iteration of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.stages import Method
from somd.transforms.tree.loops import exits_of, range_of, statements_of
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import MethodRewriter, code_of, parsed

#: by loop: the iteration that touches what others do, an expression that the loop leaves alone
Points = Mapping[cst.For, cst.BaseExpression]


def with_split_loops(method: Method, points: Points) -> Method:
    """`method` with the loops in three pieces each: before the iteration, the iteration, behind it.

    Of loops in each other the outermost one is split: then others may be found for those inside.
    """
    rewriter = _Rewriter(method, points)
    return replace(rewriter.rewritten(), split_at=method.split_at | frozenset(rewriter.split))


class _Rewriter(MethodRewriter):
    def __init__(self, method: Method, points: Points) -> None:
        super().__init__(method)
        self.points = points
        self.split: list[Position] = []

    def visit_For(self, node: cst.For) -> bool:
        return node not in self.points

    def leave_For(
        self, original_node: cst.For, updated_node: cst.For
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        point, header = self.points.get(original_node), range_of(original_node)
        if point is None or header is None:
            return updated_node
        self.split.append(self.method.position(original_node))
        start, stop, at, behind = (*map(_operand, (header.start, header.stop, point)), _one_more(point))
        first = self._piece(original_node, f"range({start}, min({at}, {stop}))")
        last = self._piece(original_node, f"range(max({start}, {behind}), {stop})")
        [test] = parsed(f"if {start} <= {at} and {at} < {stop}:\n    {header.variable} = {at}\n")
        middle = cst.ensure_type(test, cst.If)
        self.place(middle, self.positions[original_node])
        if exits_of(original_node):  # `continue` goes to the next iteration of a loop
            body: list[cst.BaseStatement] = [self._piece(original_node, f"range({at}, {behind})")]
        else:
            assert isinstance(middle.body, cst.IndentedBlock)
            copy = self._copy(original_node, {header.variable: point})
            body = [*middle.body.body, *cast(list[cst.BaseStatement], statements_of(copy.body))]
        middle = middle.with_changes(body=cst.IndentedBlock(body))
        self.positions[middle] = self.positions[original_node]
        pieces = [middle, last] if at == start else [first, middle, last]
        pieces[0] = pieces[0].with_changes(leading_lines=updated_node.leading_lines)
        self.positions[pieces[0]] = self.positions[original_node]
        return cst.FlattenSentinel(pieces)

    def _piece(self, loop: cst.For, iterated: str) -> cst.For:
        """A copy of the loop over a part of its range."""
        piece = self._copy(loop, {}).with_changes(iter=cst.parse_expression(iterated), leading_lines=())
        self.place(piece.iter, self.positions[loop.iter])
        self.positions[piece] = self.positions[loop]
        return piece

    def _copy(self, loop: cst.For, names: Mapping[str, cst.BaseExpression]) -> cst.For:
        body = loop.body.visit(Renamed(self.method, names, self.positions))
        target = loop.target.deep_clone()
        self.positions[target] = self.positions[loop.target]
        return loop.with_changes(body=body, target=target)


def _operand(node: cst.BaseExpression) -> str:
    """The text of an expression, in parentheses where an operator beside it could take it apart."""
    text = code_of(node)
    return text if isinstance(node, cst.Name | cst.Integer | cst.Call | cst.Subscript) else f"({text})"


def _one_more(node: cst.BaseExpression) -> str:
    return str(node.evaluated_value + 1) if isinstance(node, cst.Integer) else f"{_operand(node)} + 1"
