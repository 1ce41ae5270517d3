"""Loops over complex numbers that are `in_vectors` -> loops over vectors of them, in Python for Numba.

    for j in range(n):              j_by_4 = max(n, 0) // 4 * 4
        c[j] += x * b[j]     ->     for j in range(0, j_by_4, 4):
                                        put_complex_vector(complex_vector_sum(complex_vector_at(4, c, j), ...), c, j)

and the same for those that are left, by two and one by one. A vector is as long as the widest ones of processors; LLVM
cuts it for others. What is the same for all trips stays a number, and inner loops and conditions, which are the same
for all trips, stand around vectors as they stood around numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from somd.transforms.emit.python_expressions import Expressions, Scope
from somd.transforms.emit.python_text import indented
from somd.transforms.loops.complex_vectors import Numbers, made_of_complex
from somd.transforms.loops.program import Assign, Element, Expression, If, Loop, Operation, Statement, Store, Variable

#: bytes of the longest vector
WIDE = 64
FUNCTIONS = {"+": "sum", "-": "difference", "*": "product", "/": "quotient"}


def vector_loops(node: Loop, limits: tuple[str, str], scope: Scope, assumed: Callable[[Loop], list[str]]) -> list[str]:
    """The loops over vectors between limits, ever shorter ones; `assumed` gives what is proved of a loop's variable."""
    dtype = made_of_complex(node)
    assert dtype is not None, "`takes_vectors` says so"
    variable, start, made = scope.name(node.variable.name), limits[0], list(node.origin.comments)
    stop = limits[1] if _is_plain(limits[1]) else scope.fresh(f"{variable}_stop")
    made += [] if stop == limits[1] else [f"{stop} = {limits[1]}"]
    most = WIDE // np.dtype(dtype).itemsize
    for count in (most, most // 2, 1):
        upto, step = stop, ""
        if count > 1:
            upto, step = scope.fresh(f"{variable}_by_{count}"), f", {count}"
            first = start if _is_plain(start) else f"({start})"
            whole = f"max({stop} - {first}, 0) // {count} * {count}"
            made += [f"{upto} = {f'max({stop}, 0) // {count} * {count}' if start == '0' else f'{first} + {whole}'}"]
        body = _Writer(node, dtype, count, scope, assumed).block(node.body)
        header = f"for {variable} in range({start}, {upto}{step}):"
        made += [header, *indented([*assumed(node), *body])]
        start = upto
    return made


def takes_vectors(node: Loop, scope: Scope) -> bool:
    """Whether a loop is written with vectors: it is marked, no later pass put other things into it, and its accesses
    have no other places."""
    return node.in_vectors and scope.strip is None and scope.placed is None and made_of_complex(node) is not None


class _Writer:
    """Writes what so many trips of a loop do at once."""

    def __init__(self, loop: Loop, dtype: str, count: int, scope: Scope, assumed: Callable[[Loop], list[str]]) -> None:
        self.numbers = Numbers(loop, dtype)
        self.count = count
        self.scope = scope
        self.expressions = Expressions(scope)
        self.assumed = assumed

    def block(self, body: Sequence[Statement]) -> list[str]:
        return [line for node in body for line in self.statement(node)] or ["pass"]

    def statement(self, node: Statement) -> list[str]:
        if isinstance(node, Assign):
            return [*node.origin.comments, f"{self.name(node.target)} = {self.vector(node.value)}"]
        if isinstance(node, Store):
            place = self.place(node.element)
            return [*node.origin.comments, f"put_complex_vector({self.vector(node.value)}, {place})"]
        if isinstance(node, If):
            made = [f"if {self.expressions.test(node.test).text}:", *indented(self.block(node.body))]
            return [*made, "else:", *indented(self.block(node.orelse))] if node.orelse else made
        assert isinstance(node, Loop), node
        start, stop, step = (self.expressions.value(each).text for each in (node.start, node.stop, node.step))
        header = f"for {self.scope.name(node.variable.name)} in range({start}, {stop}, {step}):"
        return [*node.origin.comments, header, *indented([*self.assumed(node), *self.block(node.body)])]

    def name(self, variable: Variable) -> str:
        return self.scope.fresh(f"{self.scope.name(variable.name)}_by_{self.count}")

    def place(self, node: Element) -> str:
        return ", ".join((self.scope.name(node.array), *self.expressions.indexes(node)))

    def vector(self, node: Expression) -> str:
        """The text of a value as a vector."""
        text = self.operand(node)
        return text if self.numbers.differ(node) else f"complex_vector_filled({self.count}, {text})"

    def operand(self, node: Expression) -> str:
        """The text of a value: of a number where it is the same for all trips."""
        if not self.numbers.differ(node):
            return self.expressions.value(node).text
        if isinstance(node, Variable):
            return self.name(node)
        if isinstance(node, Element):
            return f"complex_vector_at({self.count}, {self.place(node)})"
        assert isinstance(node, Operation), node
        return f"complex_vector_{FUNCTIONS[node.operator]}({', '.join(map(self.operand, node.operands))})"


def _is_plain(text: str) -> bool:
    return text.isidentifier() or text.isdecimal()
