"""Calls of helpers written out, so that what they compute can be told apart.

    total += weight(x, 2 * f)    ->    value_1 = x * x
                                       if 2 * f > 1: ...
                                       total += value_1

In: statements of a slave, and the helpers as generated functions. Out: the statements with the calls of helpers that
have one way out, at their end, written out where a statement evaluates them in any case. The helpers' names are new
ones. Conditions that are constant for the given arguments are decided.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import cast

import libcst as cst

from somd.transforms.multicore.flow import Statements, assigned, straight
from somd.transforms.multicore.names import Fresh
from somd.transforms.multicore.nodes import parenthesised
from somd.transforms.tree.loops import else_statements, statements_of
from somd.transforms.tree.rewriting import transformed_block, transformed_expression
from somd.transforms.tree.walking import Reader, Transformer
from somd.transforms.types.scalars import ScalarType, Type
from somd.transforms.types.typing_table import HelperInstance

#: statements that a body may grow by
ROOM = 60
COMPARISONS = {
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
    cst.LessThan: operator.lt,
    cst.GreaterThan: operator.gt,
}


class Inliner:
    """Writes out calls; `types` has the new names afterwards."""

    def __init__(
        self,
        helpers: Mapping[str, tuple[HelperInstance, cst.FunctionDef]],
        constants: Mapping[str, object],
        fresh: Fresh,
    ) -> None:
        self.helpers = helpers
        self.constants = constants
        self.fresh = fresh
        self.count = 0
        self.grown = 0
        self.types: dict[str, ScalarType] = {}

    def block(self, statements: Statements) -> list[cst.BaseStatement]:
        """The statements with calls written out."""
        made: list[cst.BaseStatement] = []
        for statement in statements:
            if isinstance(statement, cst.If):
                made += self._condition(statement)
            elif isinstance(statement, cst.For):
                made.append(
                    statement.with_changes(body=_suite(statement.body, self.block(statements_of(statement.body))))
                )
            else:
                assert isinstance(statement, cst.BaseStatement)
                made += self._line(statement)
        return made

    def _condition(self, node: cst.If) -> list[cst.BaseStatement]:
        decided = self._decided(node.test)
        body = self.block(statements_of(node.body)) if decided is not False else []
        orelse = self.block(else_statements(node)) if decided is not True else []
        if decided is not None:
            return body or orelse
        rest = cst.Else(cst.IndentedBlock(orelse)) if orelse else None
        return [node.with_changes(body=_suite(node.body, body), orelse=rest)]

    def _decided(self, test: cst.BaseExpression) -> bool | None:
        """What a comparison of two constants gives."""
        if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
            return None
        only = test.comparisons[0]
        left, right = self._constant(test.left), self._constant(only.comparator)
        compare = COMPARISONS.get(type(only.operator))
        return None if compare is None or left is None or right is None else compare(left, right)

    def _constant(self, node: cst.BaseExpression) -> int | None:
        value = self.constants.get(node.value) if isinstance(node, cst.Name) else None
        found = node.evaluated_value if isinstance(node, cst.Integer) else value
        return found if type(found) is int else None

    def _line(self, statement: cst.BaseStatement) -> list[cst.BaseStatement]:
        if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
            return [statement]
        calls = _Calls({name for name in self.helpers if self._fits(name)})
        statement.visit(calls)
        before: list[cst.BaseStatement] = []
        values: dict[cst.CSTNode, cst.BaseExpression] = {}
        for call in calls.found:
            made, value = self._written_out(call)
            before += made
            values[call] = value
        if not values:
            return [statement]
        changed = cast(cst.SimpleStatementLine, statement.visit(_Replaced(values)))
        only = statement.body[0]
        if isinstance(only, cst.Assign) and only.value in values:
            bare = values[only.value].with_changes(lpar=[], rpar=[])
            changed = changed.with_changes(body=[cast(cst.Assign, changed.body[0]).with_changes(value=bare)])
        if before:
            first = cast(cst.SimpleStatementLine, before[0])
            before[0] = first.with_changes(leading_lines=[*statement.leading_lines, *first.leading_lines])
            changed = changed.with_changes(leading_lines=[])
        return [*before, changed]

    def _fits(self, name: str) -> bool:
        """Whether a helper is of a form that can be written out, and there is room."""
        instance, function = self.helpers[name]
        body = _without_docstring(function)
        last = body[-1] if body else None
        ends = isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Return)
        fits = ends and straight(body[:-1]) and cast(cst.Return, last.body[-1]).value is not None  # type: ignore[union-attr]
        scalars = all(isinstance(t, ScalarType) for t in instance.types.names.values())
        return fits and scalars and self.grown + len(body) <= ROOM

    def _written_out(self, call: cst.Call) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
        instance, function = self.helpers[cast(cst.Name, call.func).value]
        body = _without_docstring(function)
        self.count += 1
        self.grown += len(body)
        local = assigned(body)
        renames: dict[str, cst.BaseExpression] = {name: self._new(name, instance) for name in local}
        head: list[cst.BaseStatement] = []
        for name, argument in zip(instance.method.param_names, call.args, strict=True):
            if name not in local and isinstance(argument.value, cst.Name | cst.Integer | cst.Float):
                renames[name] = argument.value
                continue
            renames.setdefault(name, self._new(name, instance))
            target = cast(cst.Name, renames[name])
            head.append(cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(target)], argument.value)]))
        last = cast(cst.Return, cast(cst.SimpleStatementLine, body[-1]).body[-1])
        renamed = transformed_block(cast(Sequence[cst.BaseStatement], body[:-1]), _Renamed(renames))
        value = transformed_expression(cast(cst.BaseExpression, last.value), _Renamed(renames))
        inner = _Calls({name for name in self.helpers if self._fits(name)})
        value.visit(inner)
        made = [*head, *self.block(renamed)]
        values: dict[cst.CSTNode, cst.BaseExpression] = {}
        for nested in inner.found:
            more, found = self._written_out(nested)
            made += more
            values[nested] = found
        value = transformed_expression(value, _Replaced(values)) if values else value
        return made, value if isinstance(value, cst.Name | cst.Call | cst.Subscript) else parenthesised(value)

    def _new(self, name: str, instance: HelperInstance) -> cst.Name:
        made = self.fresh.name(f"{name.strip('_') or 'trip'}_{self.count}")
        kind: Type | None = instance.types.names.get(name)
        if isinstance(kind, ScalarType):
            self.types[made] = kind
        return cst.Name(made)


class _Calls(Reader):
    """The calls of given functions that an expression evaluates in any case, inner ones first."""

    def __init__(self, names: set[str]) -> None:
        super().__init__()
        self.names = names
        self.found: list[cst.Call] = []

    def visit_IfExp(self, node: cst.IfExp) -> bool:
        return False

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> bool:
        return False

    def visit_Call(self, node: cst.Call) -> bool:
        if isinstance(node.func, cst.Name) and node.func.value in self.names:
            self.found.append(node)
            return False
        return True


class _Replaced(Transformer):
    """Puts expressions in place of others."""

    def __init__(self, values: Mapping[cst.CSTNode, cst.BaseExpression]) -> None:
        super().__init__()
        self.values = values

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        return self.values.get(original_node) or cast(cst.CSTNode, super().on_leave(original_node, updated_node))


class _Renamed(Transformer):
    """Puts expressions in place of names, but not of functions that are called or attributes."""

    def __init__(self, renames: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self.renames = renames

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self.renames.get(original_node.value, updated_node)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        return updated_node.with_changes(func=original_node.func)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)


def _without_docstring(function: cst.FunctionDef) -> list[cst.CSTNode]:
    body = list(statements_of(function.body))
    first = body[0] if body else None
    if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
        text = isinstance(first.body[0].value, cst.SimpleString | cst.ConcatenatedString)
        return list(body[1:]) if text else list(body)
    return list(body)


def _suite(old: cst.BaseSuite, statements: Sequence[cst.BaseStatement]) -> cst.BaseSuite:
    body = list(statements) or [cst.SimpleStatementLine([cst.Pass()])]
    return old.with_changes(body=body) if isinstance(old, cst.IndentedBlock) else cst.IndentedBlock(body)
