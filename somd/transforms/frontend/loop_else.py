"""`else` on loops as plain statements.

for i in range(n): A                 ->   for i in range(n): A
else: B                                   B

for i in range(n):                   ->   i__left = False
    if t: break                           for i in range(n):
else: B                                       if t: i__left = True; break
                                          if not i__left: B
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.stages import Method
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.names import new_name
from somd.transforms.tree.rewriting import MethodRewriter, Tracked, parsed


def loops_without_else(method: Method) -> Method:
    """`method` with the `else` of each `for` and `while` written as statements behind the loop."""
    return _Loops(method).rewritten()


Loop = cst.For | cst.While
Made = cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]


class _Loops(MethodRewriter):
    def __init__(self, method: Method) -> None:
        super().__init__(method)

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> Made:
        stem = updated_node.target.value if isinstance(updated_node.target, cst.Name) else "loop"
        return self._loop(original_node, updated_node, stem)

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> Made:
        return self._loop(original_node, updated_node, "loop")

    def _loop(self, original: Loop, node: Loop, stem: str) -> Made:
        if node.orelse is None:
            return node
        otherwise = cast(Sequence[cst.BaseStatement], statements_of(node.orelse.body))
        left = new_name(f"{stem}__left", self.taken)
        noting = _Noting(left, self.positions)
        body = cast(cst.BaseSuite, node.body.visit(noting))
        loop = node.with_changes(body=body, orelse=None)
        self.positions[loop] = self.positions[original]
        if not noting.found:
            return cst.FlattenSentinel([loop, *otherwise])
        [start] = parsed(f"{left} = False")
        [test] = parsed(f"if not {left}:\n    pass")
        behind = cst.ensure_type(test, cst.If).with_changes(body=cst.IndentedBlock(otherwise))
        assert original.orelse is not None
        self.place(behind, self.positions[original.orelse])
        self.place(start, self.positions[original])
        self.place(loop, self.positions[original])
        return cst.FlattenSentinel([start, loop, behind])


class _Noting(Tracked):
    """Sets `flag` before each `break` of the loop whose body it is given."""

    def __init__(self, flag: str, positions: dict[cst.CSTNode, Position]) -> None:
        super().__init__(positions)
        self.flag = flag
        self.found = False

    def visit_For(self, node: cst.For) -> bool:
        return False

    def visit_While(self, node: cst.While) -> bool:
        return False

    def leave_Break(
        self, original_node: cst.Break, updated_node: cst.Break
    ) -> cst.FlattenSentinel[cst.BaseSmallStatement]:
        self.found = True
        assign = cst.Assign([cst.AssignTarget(cst.Name(self.flag))], cst.Name("True"))
        return cst.FlattenSentinel([assign, updated_node])
