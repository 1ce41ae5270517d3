"""Copies of the iterations of a scan that is claimed, or of their slice: updates with some names, all else with others.

    s += a[i]          s__own += a[i]
    out[i] = s   ->    out[i] = s__by + (s__all + s__own)

By "affine" a copy of the slice has beside each update that of its slope.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import libcst as cst

from somd.diagnostics.model import Position
from somd.transforms.frontend.held_elements import tests_inside
from somd.transforms.stages import Method
from somd.transforms.tree.loops import small_statements, statements_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.renaming import Renamed
from somd.transforms.tree.rewriting import code_of, parsed

if TYPE_CHECKING:
    from somd.transforms.frontend.claimed_scans import Written


class Iteration:
    """Copies of statements: updates with some names, all else with others."""

    def __init__(
        self,
        written: Written,
        names: Mapping[str, cst.BaseExpression],
        updated: Mapping[str, cst.BaseExpression],
        sliced: bool,
    ) -> None:
        self.written, self.names, self.updated, self.sliced = written, names, {**names, **updated}, sliced
        self.updates, self.resets = written.claim.updates, written.claim.resets

    def block(self, statements: Sequence[cst.CSTNode]) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for node in small_statements(statements):
            if node in self.resets:
                made.append(cst.SimpleStatementLine([cast(cst.BaseSmallStatement, self.copied(node, self.updated))]))
                made += parsed(f"{self.written.flag_of(self.resets[node])} = True")
            elif node in self.updates:
                made.append(cst.SimpleStatementLine([cast(cst.BaseSmallStatement, self.copied(node, self.updated))]))
                made += self.slope(node)
            elif isinstance(node, cst.BaseSmallStatement):
                made.append(cst.SimpleStatementLine([cast(cst.BaseSmallStatement, self.copied(node, self.names))]))
            else:
                made.append(cast(cst.BaseStatement, self.opened(node)))
        return made

    def opened(self, node: cst.CSTNode) -> cst.CSTNode:
        """A statement with blocks."""
        if isinstance(node, cst.Else):
            return node.with_changes(body=cst.IndentedBlock(self.block(statements_of(node.body))))
        assert isinstance(node, cst.If | cst.For | cst.While)
        bare = node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]), orelse=None)
        made = cast(cst.If | cst.For | cst.While, self.copied(bare, self.names))
        body = cst.IndentedBlock(self.block(statements_of(node.body)))
        made = made.with_changes(body=body, orelse=None if node.orelse is None else self.opened(node.orelse))
        self.written.rewriter.positions[made] = self.written.rewriter.positions[self.written.claim.loop]
        return made

    def slope(self, node: cst.CSTNode) -> list[cst.BaseStatement]:
        factor = self.updates[node]
        if not (self.sliced and self.written.affine) or factor is None:
            return []
        [name] = assigned_names(node)
        slope = next(each.slope for each in self.written.carried if each.name == name)
        [made] = parsed(f"{slope} = 0 * {slope}")
        assign = cst.ensure_type(cst.ensure_type(made, cst.SimpleStatementLine).body[0], cst.Assign)
        product = cst.ensure_type(assign.value, cst.BinaryOperation)
        left = cast(cst.BaseExpression, self.copied(factor, self.names))
        value = product.with_changes(left=left.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))
        return [cst.SimpleStatementLine([assign.with_changes(value=value)])]

    def copied(self, node: cst.CSTNode, names: Mapping[str, cst.BaseExpression]) -> cst.CSTNode:
        rewriter = self.written.rewriter
        failing = {each: self.written.zero_of(each) for each in self.written.claim.failing} if self.sliced else {}
        made = node.visit(_Inside(rewriter.method, names, rewriter.positions, failing))
        assert isinstance(made, cst.CSTNode)
        return made


class _Inside(Renamed):
    """Puts a number in place of elements that lie outside of their arrays."""

    def __init__(
        self,
        method: Method,
        names: Mapping[str, cst.BaseExpression],
        positions: dict[cst.CSTNode, Position],
        failing: Mapping[cst.Subscript, str],
    ) -> None:
        super().__init__(method, names, positions)
        self.failing = failing

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        number = self.failing.get(original_node)
        if number is None:
            return updated_node
        tests = " and ".join(tests_inside(updated_node))
        return cst.parse_expression(f"({code_of(updated_node)} if {tests} else {number})")
