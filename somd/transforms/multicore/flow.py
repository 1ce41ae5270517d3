"""What statements of a slave read and assign, and which names differ from iteration to iteration.

In: statements as the slave has them, after casts were inserted. Out: sets of names. Only the forms that `straight`
accepts are understood: assignments, `if`, `for` over a range, and calls without a result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import libcst as cst

from somd.transforms.tree.loops import else_statements, range_of, statements_of
from somd.transforms.tree.walking import Reader

Statements = Sequence[cst.CSTNode]


def small_of(statement: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """The small statements of a line; nothing of a compound statement."""
    return statement.body if isinstance(statement, cst.SimpleStatementLine) else ()


def straight(statements: Statements) -> bool:
    """Whether every statement is run as often as its loops and conditions say: no way out of a loop, no `while`."""
    return all(_straight(s) for s in statements)


def _straight(statement: cst.CSTNode) -> bool:
    if isinstance(statement, cst.If):
        return straight(statements_of(statement.body)) and straight(else_statements(statement))
    if isinstance(statement, cst.For):
        simple = statement.orelse is None and range_of(statement) is not None
        return simple and straight(statements_of(statement.body))
    kinds = (cst.Assign, cst.AugAssign, cst.Expr, cst.Pass)
    return isinstance(statement, cst.SimpleStatementLine) and all(isinstance(s, kinds) for s in statement.body)


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


def pairs_of(node: cst.Assign) -> list[tuple[cst.BaseExpression, cst.BaseExpression | None]]:
    """What an assignment assigns to, each with its value, or None where a tuple's parts are not written out."""
    target, value = node.targets[0].target, node.value
    if not isinstance(target, cst.Tuple):
        return [(target, value)]
    places = [e.value for e in target.elements]
    parts = [e.value for e in value.elements] if isinstance(value, cst.Tuple) else []
    return list(zip(places, parts if len(parts) == len(places) else [None] * len(places), strict=True))


def values(small: cst.CSTNode) -> list[cst.BaseExpression]:
    """The expressions that a small statement evaluates: its value, the indexes of its targets, a target added to."""
    found: list[cst.BaseExpression] = [t for t in targets(small) if not isinstance(t, cst.Name)]
    if isinstance(small, cst.AugAssign):
        found.append(small.target)
    if isinstance(small, cst.Assign | cst.AugAssign | cst.Expr):
        found.append(small.value)
    return found


def read(node: cst.CSTNode) -> set[str]:
    """The names whose values an expression needs; not those of arrays of which only the shape is asked."""
    names: set[str] = set()

    class Names(Reader):
        def visit_Attribute(self, node: cst.Attribute) -> bool:
            if node.attr.value not in ("shape", "size", "ndim"):
                node.value.visit(self)
            return False

        def visit_Call(self, node: cst.Call) -> bool:
            return not (isinstance(node.func, cst.Name) and node.func.value == "len")

        def visit_Name(self, node: cst.Name) -> None:
            names.add(node.value)

    node.visit(Names())
    return names


def reads(small: cst.CSTNode) -> set[str]:
    """The names whose values a small statement needs."""
    return {name for value in values(small) for name in read(value)}


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


class Varying:
    """The names of a loop's body that may differ between two iterations at the same place; the rest is uniform there.

    `seeds` differ in any case: the loop's variable, what is accumulated. Elements of the arrays `written` do, too.
    A name is uniform if all its assignments are, none of them under a condition or in a loop that is not.
    """

    def __init__(self, body: Statements, seeds: Collection[str], written: Collection[str]) -> None:
        self.written = frozenset(written)
        self.names = set(seeds)
        known = -1
        while known < len(self.names):
            known = len(self.names)
            self._block(body, False)

    def __call__(self, node: cst.CSTNode) -> bool:
        """Whether the value of an expression may differ."""
        found = read(node)
        return not found.isdisjoint(self.names) or not found.isdisjoint(self.written)

    def indexes(self, body: Statements, array: str) -> bool:
        """Whether an index of `array` varies somewhere in `body`."""
        found: list[cst.Subscript] = []

        class Elements(Reader):
            def visit_Subscript(self, node: cst.Subscript) -> None:
                if isinstance(node.value, cst.Name) and node.value.value == array:
                    found.append(node)

        for statement in body:
            statement.visit(Elements())
        return any(self(element) for node in found for element in node.slice)

    def _block(self, statements: Statements, controlled: bool) -> None:
        for statement in statements:
            for small in small_of(statement):
                if controlled or any(self(value) for value in values(small)):
                    self.names.update(target_names(small))
            if isinstance(statement, cst.If):
                inner = controlled or self(statement.test)
                self._block(statements_of(statement.body), inner)
                self._block(else_statements(statement), inner)
            elif isinstance(statement, cst.For):
                inner = controlled or self(statement.iter)
                if inner:
                    self.names.add(statement.target.value)  # type: ignore[attr-defined]
                self._block(statements_of(statement.body), inner)


def constant_types(constants: Mapping[str, object]) -> dict[str, str]:
    """The types of captured Python numbers."""
    kinds = {int: "int64", float: "float64"}
    return {name: kinds[type(value)] for name, value in constants.items() if type(value) in kinds}
