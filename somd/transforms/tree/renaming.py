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
    """Puts expressions in place of others."""

    def __init__(
        self, replaced: Mapping[cst.CSTNode, cst.BaseExpression], positions: dict[cst.CSTNode, Position]
    ) -> None:
        super().__init__(positions, positions)
        self.replaced = replaced

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        made = super().on_leave(original_node, updated_node)
        given = self.replaced.get(original_node, made)
        if given is not made and original_node in self.old:
            self.new[given] = self.old[original_node]
        return given
