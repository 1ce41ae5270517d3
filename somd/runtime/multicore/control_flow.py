"""Blocks, branches and loops of functions that are written to LLVM from their text.

In: Python's statements. Out: basic blocks at the builder. What a statement and a test stand for, each writer says.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import Any

from llvmlite import ir as _ir

ir: Any = _ir


class ControlFlow(ABC):
    """The control flow of one function."""

    def __init__(self, function: Any) -> None:
        self.llvm = function
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))

    @abstractmethod
    def statement(self, node: ast.stmt) -> None:
        """Write one statement."""

    @abstractmethod
    def test(self, node: ast.expr) -> Any:
        """The truth of an expression, one bit."""

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if not self.builder.block.is_terminated:
                self.statement(statement)

    def branch(self, node: ast.If) -> None:
        then, otherwise, behind = (self.llvm.append_basic_block(name) for name in ("then", "otherwise", "behind"))
        self.builder.cbranch(self.test(node.test), then, otherwise)
        for block, statements in ((then, node.body), (otherwise, node.orelse)):
            self.builder.position_at_end(block)
            self.block(statements)
            if not self.builder.block.is_terminated:
                self.builder.branch(behind)
        self.builder.position_at_end(behind)

    def loop(self, node: ast.While) -> None:
        again, body, behind = (self.llvm.append_basic_block(name) for name in ("again", "body", "behind"))
        self.builder.branch(again)
        self.builder.position_at_end(again)
        self.builder.cbranch(self.test(node.test), body, behind)
        self.builder.position_at_end(body)
        self.block(node.body)
        if not self.builder.block.is_terminated:
            self.builder.branch(again)
        self.builder.position_at_end(behind)
