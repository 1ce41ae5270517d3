"""Loops and names that come before an array statement, made from Python text.

In: the expression that they are made for. Out: statements in `Expressions.before`, and values that read what they make.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import ONE, Axis, Value
from somd.transforms.tree.rewriting import code_of

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions


#: expressions that need parentheses where they are parts of others
COMPOUND = (cst.BinaryOperation, cst.UnaryOperation, cst.BooleanOperation, cst.Comparison, cst.IfExp)


class Emitting:
    """Makes text into statements and values that stand at `node`."""

    def __init__(self, expressions: Expressions, node: cst.CSTNode) -> None:
        self.expressions, self.names, self.node = expressions, expressions.names, node

    def code(self, node: cst.BaseExpression) -> str:
        """The text of an expression, in one line, which may stand in any other."""
        text = code_of(node)
        return text if node.lpar or not isinstance(node, COMPOUND) else f"({text})"

    def text(self, text: str) -> cst.BaseExpression:
        """The expression of a text."""
        return self.names.expression(text, self.node)

    def emit(self, *lines: str) -> None:
        """Put statements before the one that is made."""
        for statement in cst.parse_module("\n".join(lines) + "\n").body:
            self.names.place(statement, self.node)
            self.expressions.before.append(statement)

    def fresh(self, stem: str) -> str:
        """A name that the method does not have, which stands for `node` in messages."""
        return self.names.new(stem, code_of(self.node))

    def array(self, lengths: Sequence[str], dtype: str) -> str:
        """The name of a new array."""
        name = self.fresh("value__whole")
        inner = lengths[0] if len(lengths) == 1 else f"({', '.join(lengths)})"
        self.emit(f"{name} = {self.names.numpy('empty')}({inner}, dtype={self.names.dtype(dtype)})")
        return name

    def loops(self, names: Sequence[str], lengths: Sequence[str], body: list[str]) -> list[str]:
        """Lines of loops around lines."""
        made = body
        for name, length in reversed(list(zip(names, lengths, strict=True))):
            made = [f"for {name} in range({length}):", *(f"    {line}" for line in made)]
        return made

    def by_one_thread(self, lines: list[str]) -> None:
        """Put lines before the statement that one thread runs."""
        self.emit(f"with {self.names.single()}:", *(f"    {line}" for line in lines))

    def raising(self, condition: str, exception: str, *values: str) -> None:
        """Raise the exception of a text, which may hold names of these values, where a condition holds."""
        self.emit(f"if {condition}:", f"    {self.names.raised(f'raise {exception}', values, self.node)}")

    def made(self, name: str, shape: Sequence[Linear], whole: bool = True) -> Value:
        """The value of a scalar or an array that has been computed, or of the beginning of one."""
        if not shape:
            return Value((), lambda at: self.text(name))
        axes = tuple(Axis(Linear(), 1, axis) for axis in range(len(shape)))
        node = cst.Name(name)
        self.names.place(node, self.node)
        return self.expressions.view(name, axes, tuple(shape), node, whole)

    def element(self, value: Value, at: Sequence[Linear]) -> str:
        """The text of an element; an axis whose length is known to be 1 has one index."""
        own = (Linear() if length == ONE else index for index, length in zip(at, value.shape, strict=True))
        return self.code(value.element(tuple(own)))
