"""Loops that are written as something else than loops over elements: vectors of complex numbers, copies of rows, and
the best element of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from somd.transforms.emit.complex_vectors import takes_vectors, vector_loops
from somd.transforms.emit.extreme_rows import extreme_line, extreme_row
from somd.transforms.emit.row_copies import copied_row, row_copies
from somd.transforms.loops.program import Loop

if TYPE_CHECKING:
    from somd.transforms.emit.python import Statements


def at_once(node: Loop, statements: Statements, free: bool, limits: tuple[str, str] | None = None) -> list[str] | None:
    """The lines of such a loop, between its own limits or others; None for those that are written as they are. One that
    is not `free` has an order."""
    scope = statements.scope
    vectors = takes_vectors(node, scope)
    store = copied_row(node, scope) if free and not vectors else None
    extreme = extreme_row(node, scope)
    if not vectors and store is None and extreme is None:
        return None
    start, stop = limits or tuple(statements.expressions.value(each).text for each in (node.start, node.stop))
    if extreme is not None:
        return [*node.origin.comments, extreme_line(*extreme, (start, stop), scope)]
    if store is None:
        return vector_loops(node, (start, stop), scope, statements.assumed)
    return row_copies(
        node, store, (start, stop), scope, lambda body: [*statements.assumed(node), *statements.block(body)]
    )
