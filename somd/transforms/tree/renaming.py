"""Copies of a callee's statements with the caller's names in place of its own."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.stages import Method
from somd.transforms.tree.walking import Transformer


class _Copies(Transformer):
    """A transformer whose new nodes stand where the old ones stood."""

    def __init__(self, old: Mapping[cst.CSTNode, Position], new: dict[cst.CSTNode, Position]) -> None:
        super().__init__()
        self.old = old
        self.new = new

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        made = super().on_leave(original_node, updated_node)
        if isinstance(made, cst.CSTNode) and original_node in self.old:
            self.new[made] = self.old[original_node]
        return made  # type: ignore[return-value]


class Renamed(_Copies):
    """Puts names in place of names; every use gets a node of its own, since side tables are keyed by node."""

    def __init__(
        self, callee: Method, names: Mapping[str, cst.BaseExpression], positions: dict[cst.CSTNode, Position]
    ) -> None:
        super().__init__(callee.positions, positions)
        self.names = names

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        if (
            isinstance(updated_node, cst.Subscript | cst.Call | cst.For | cst.BinaryOperation)
            and updated_node is original_node
        ):
            updated_node = updated_node.deep_clone()
        return super().on_leave(original_node, updated_node)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        given = self.names.get(original_node.value)
        return updated_node if given is None else given.deep_clone()

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


class Replaced(_Copies):
    """Puts expressions in place of calls, subscripts, operations, choices, names and attributes."""

    def __init__(
        self, replaced: Mapping[cst.CSTNode, cst.BaseExpression], positions: dict[cst.CSTNode, Position]
    ) -> None:
        super().__init__(positions, positions)
        self.replaced = replaced

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)

    def leave_UnaryOperation(
        self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation
    ) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)

    def leave_BooleanOperation(
        self, original_node: cst.BooleanOperation, updated_node: cst.BooleanOperation
    ) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)

    def leave_Comparison(self, original_node: cst.Comparison, updated_node: cst.Comparison) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)
