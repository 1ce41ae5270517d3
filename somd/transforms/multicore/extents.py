"""Shapes in masters that exchange arrays.

Numba's array analysis takes the shape of `a` for settled although `a, b = b, a` changes it, and replaces `len(a)` by a
stale value. A call that it cannot look into, `extent(a, 0)`, always asks the array.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import libcst as cst

from somd.transforms.analysis.affine import shape_reference
from somd.transforms.multicore.casts import call, integer


def with_extents(function: cst.FunctionDef, ranks: Mapping[str, int]) -> cst.FunctionDef:
    """`function` with every shape of an array asked by `extent`."""
    return cast(cst.FunctionDef, function.visit(_Extents(ranks)))


class _Extents(cst.CSTTransformer):
    def __init__(self, ranks: Mapping[str, int]) -> None:
        super().__init__()
        self.ranks = ranks

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        return self._asked(original_node) or updated_node

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        return self._asked(original_node) or updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        name = original_node.value
        if not isinstance(name, cst.Name) or name.value not in self.ranks:
            return updated_node
        lengths = [call("extent", name, integer(axis)) for axis in range(self.ranks[name.value])]
        if original_node.attr.value == "shape":
            return cst.Tuple([cst.Element(length) for length in lengths])
        if original_node.attr.value == "size":
            product: cst.BaseExpression = lengths[0]
            for length in lengths[1:]:
                product = cst.BinaryOperation(product, cst.Multiply(), length)
            return product.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return updated_node

    def _asked(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        found = shape_reference(node)
        if found is None or found[0] not in self.ranks:
            return None
        return call("extent", cst.Name(found[0]), integer(found[1]))
