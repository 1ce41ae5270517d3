"""Loops whose trips compute complex numbers alike, some trips at once: what such a loop may do.

In: a loop. Out: the type of its numbers, and which expressions differ from trip to trip. Whether trips may go side by
side is asked elsewhere (`passes/vectorization`).
"""

from __future__ import annotations

from somd.transforms.loops.apart import stored_in
from somd.transforms.loops.program import (
    Assign,
    Element,
    Expression,
    If,
    Loop,
    Operation,
    Proved,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.scopes import assigned, read
from somd.transforms.loops.varying import limits
from somd.transforms.loops.walking import expressions_in, inside, statements_in

TYPES = ("complex64", "complex128")
#: NumPy's, of two numbers
OPERATORS = ("+", "-", "*", "/")


def made_of_complex(loop: Loop) -> str | None:
    """The type of what a loop computes: complex numbers alone, of one type, from such and from what is the same for all
    its trips, for elements that lie side by side; None where it does anything else."""
    stores = [node for node in statements_in(loop.body) if isinstance(node, Store)]
    if not stores or stores[0].element.type.dtype not in TYPES or loop.by != 1:
        return None
    known = Numbers(loop, stores[0].element.type.dtype)
    return known.dtype if known.are_all(loop.body) else None


class Numbers:
    """The values of a loop's body, by whether they differ from trip to trip."""

    def __init__(self, loop: Loop, dtype: str) -> None:
        self.variable = loop.variable.name
        self.dtype = dtype
        self.stored = stored_in(loop.body)
        inner = {node.variable.name for node in statements_in(loop.body) if isinstance(node, Loop)}
        #: the scalars that each trip sets
        self.own = assigned(loop.body) - inner

    def differ(self, *nodes: Expression) -> bool:
        """Whether values may differ from trip to trip."""
        return self.variable in read(*nodes) or self.changes(*nodes)

    def changes(self, *nodes: Expression) -> bool:
        """Whether values change with what trips set and store."""
        elements = (each for node in nodes for each in inside(node) if isinstance(each, Element))
        return not read(*nodes).isdisjoint(self.own) or any(each.array in self.stored for each in elements)

    def are_all(self, body: tuple[Statement, ...]) -> bool:
        return all(map(self.statement, body))

    def statement(self, node: Statement) -> bool:
        if isinstance(node, Assign):
            return node.target.type.dtype == self.dtype and self.is_number(node.value)
        if isinstance(node, Store):
            return self.is_place(node.element) and self.is_number(node.value)
        if isinstance(node, If):
            return not self.differ(node.test) and self.are_all((*node.body, *node.orelse))
        if not isinstance(node, Loop) or node.aligned or node.in_vectors:
            return False
        return not self.differ(*limits(node)) and node.variable.name != self.variable and self.are_all(node.body)

    def is_number(self, node: Expression) -> bool:
        """Whether a value may be one of a vector, or is the same for all trips."""
        if node.type.dtype != self.dtype:
            return False
        if not self.differ(node):
            return True
        if isinstance(node, Variable):
            return node.name in self.own
        if isinstance(node, Element):
            return self.is_place(node)
        if not isinstance(node, Operation):
            return False
        left, right = node.operands[0], node.operands[-1]
        if node.operator == "/" and self.differ(right):
            return False
        return node.operator in OPERATORS and self.is_number(left) and self.is_number(right)

    def is_place(self, node: Element) -> bool:
        """Whether an element is the next one in its row at the next trip."""
        *others, last = node.indices
        known = isinstance(node.access, Proved) and node.relaxed is None and node.type.dtype == self.dtype
        return known and moves_with(last, self.variable) and not self.differ(*others) and not self.changes(last)


def computes(loop: Loop) -> bool:
    """Whether a loop does arithmetic: what only copies LLVM does well."""
    return any(
        isinstance(each, Operation) and each.type.dtype in TYPES and len(each.operands) == 2
        for each in expressions_in(loop.body)
    )
