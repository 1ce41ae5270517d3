"""What statements of a slave assign: assignments, `if`, `for` over a range, and calls without a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from somd.transforms.tree.loops import else_statements, statements_of

Statements = Sequence[cst.CSTNode]


def small_of(statement: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """The small statements of a line; nothing of a compound statement."""
    return statement.body if isinstance(statement, cst.SimpleStatementLine) else ()


def targets(small: cst.CSTNode) -> list[cst.BaseExpression]:
    """What a small statement assigns to, tuples taken apart."""
    if isinstance(small, cst.AugAssign):
        return [small.target]
    if not isinstance(small, cst.Assign):
        return []
    found: list[cst.BaseExpression] = []
    for target in small.targets:
        inner = target.target
        found += [e.value for e in inner.elements] if isinstance(inner, cst.Tuple) else [inner]
    return found


def target_names(small: cst.CSTNode) -> list[str]:
    """The names that a small statement assigns."""
    return [t.value for t in targets(small) if isinstance(t, cst.Name)]


def all_small(statements: Statements) -> Iterator[cst.CSTNode]:
    """The small statements in `statements`, those inside compound ones too."""
    for statement in statements:
        yield from small_of(statement)
        if isinstance(statement, cst.If | cst.For):
            yield from all_small(statements_of(statement.body))
        if isinstance(statement, cst.If):
            yield from all_small(else_statements(statement))


def assigned(statements: Statements) -> set[str]:
    """The names that are assigned somewhere in `statements`, loop variables too."""
    names = {name for small in all_small(statements) for name in target_names(small)}
    return names | {loop.target.value for loop in loops_in(statements) if isinstance(loop.target, cst.Name)}


def loops_in(statements: Statements) -> Iterator[cst.For]:
    """The loops in `statements`, inner ones too."""
    for statement in statements:
        if isinstance(statement, cst.For):
            yield statement
        if isinstance(statement, cst.If | cst.For):
            yield from loops_in(statements_of(statement.body))
        if isinstance(statement, cst.If):
            yield from loops_in(else_statements(statement))
