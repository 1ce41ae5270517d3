"""What a call of a function of whole arrays is given, as values, numbers and constants."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import libcst as cst
import numpy as np

from somd.transforms.arrays.emitting import Emitting
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import Value
from somd.transforms.types.scalars import ArrayType, ScalarType

if TYPE_CHECKING:
    from somd.transforms.arrays.expressions import Expressions, NotTaken


class Arguments(Emitting):
    """The arguments of `node`, by NumPy's names of the parameters, and what is emitted for it; the values of those that
    are `changed` may lie in what the call writes."""

    def __init__(self, expressions: Expressions, node: cst.Call, changed: Collection[str] = ()) -> None:
        super().__init__(expressions, node)
        self.call, self.changed = node, changed
        given = expressions.types.calls[node].given
        assert given is not None
        self.function, self.nodes, self.constants = given.function, given.nodes, given.constants

    @property
    def dtype(self) -> str:
        """The dtype of the result."""
        found = self.expressions.type_of(self.call)
        assert isinstance(found, ArrayType | ScalarType)
        return found.dtype

    def has(self, name: str) -> bool:
        """Whether an argument is given that is not None."""
        return name in self.nodes

    def value(self, name: str) -> Value:
        """An argument that is an array, or a number, as it is before the call."""
        value = self.expressions.value(self.nodes[name][0])
        if name in self.changed and value.shape:
            return self.expressions.computed_before(value, self.nodes[name][0])
        return value

    def kind(self, name: str) -> ArrayType | ScalarType:
        """The type of an argument."""
        found = self.expressions.type_of(self.nodes[name][0])
        assert isinstance(found, ArrayType | ScalarType)
        return found

    def integer(self, name: str) -> Linear:
        """An integer, whose default is a constant."""
        if name in self.nodes:
            return self.expressions.linear(self.nodes[name][0])
        return Linear(int(self.constants[name]))

    def length(self, name: str) -> Linear:
        """An integer that is a length: negative ones raise NumPy's exception."""
        return self.not_negative(self.integer(name))

    def clamped(self, name: str) -> Linear:
        """An integer that is a length, of which negative ones count as 0."""
        return self.expressions.clamped(self.integer(name))

    def lengths(self, name: str) -> tuple[Linear, ...]:
        """The integers of a shape."""
        return tuple(self.not_negative(self.expressions.linear(node)) for node in self.nodes[name])

    def not_negative(self, length: Linear) -> Linear:
        if self.expressions.natural(length):
            return length
        made = self.expressions.named(length.text, True) if not length.is_constant else length
        self.raising(f"{made.text} < 0", "ValueError('negative dimensions are not allowed')")
        return made

    def number(self, name: str, dtype: str) -> str:
        """The text of a number of a dtype, computed before the statement."""
        if name not in self.nodes:
            return self.once(f"{self.names.dtype(dtype)}({self.constants[name]!r})")
        text, kind = self.code(self.value(name).element(())), self.kind(name)
        if isinstance(kind, ScalarType) and kind.weak and np.dtype(dtype).kind in "iu":  # which Python would not cast
            text = f"{self.names.dtype(kind.dtype)}({text})"
        return self.once(f"{self.names.dtype(dtype)}({text})")

    def number_of(self, node: cst.BaseExpression) -> str:
        """The text of an argument that is a number, in the dtype of the result."""
        return f"{self.names.dtype(self.dtype)}({self.code(self.expressions.value(node).element(()))})"

    def once(self, text: str) -> str:
        """The name of a number that is computed before the statement."""
        name = self.fresh("value__once")
        self.emit(f"{name} = {text}")
        return name

    def constant(self, name: str) -> Any:
        """The value of a parameter that the text tells."""
        return self.constants[name]

    def chosen(self, condition: str, yes: str, no: str) -> cst.BaseExpression:
        """One of two texts by a condition."""
        return self.text(f"({yes} if {condition} else {no})")

    def refuse(self, message: str, help_text: str) -> NotTaken:
        """What to raise for arguments that are not taken."""
        return self.expressions.refuse("SOMD202", message, self.node, help_text)
