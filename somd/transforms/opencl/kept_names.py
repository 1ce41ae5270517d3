"""Scalars that stay on the device, as the master names them.

if largest != 0.0: ...   ->   if kept["largest"] != 0.0: ...
"""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from somd.transforms.opencl import host_tree as tree
from somd.transforms.tree.rewriting import transformed_expression
from somd.transforms.tree.walking import Transformer


class KeptNames(Transformer):
    """Makes every use of `names` one of an item of `kept`; attributes and keywords of that name are left alone."""

    def __init__(self, kept: str, names: Collection[str]) -> None:
        super().__init__()
        self.kept = kept
        self.names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if updated_node.value not in self.names:
            return updated_node
        return tree.subscript(tree.name(self.kept), cst.SimpleString(f'"{updated_node.value}"'))

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return False

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return updated_node.with_changes(value=transformed_expression(original_node.value, self))

    def visit_Arg(self, node: cst.Arg) -> bool:
        return False

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(value=transformed_expression(original_node.value, self))
