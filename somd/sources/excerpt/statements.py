"""Statements, one after the other, as long as they have no effect outside of the module.

In: statements and their scope. Out: bound names. Loops, `with` and `match` are never run, at the top of a module or in
functions. At the top of a module, and in the body of a class, a statement that is not run leaves a `NotRun` in each
name that it binds, and the next one is looked at; in a function it ends the evaluation.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any

from somd.capture.attributes import MISSING, NotRun
from somd.sources.excerpt.allowed import is_class_to_ask, is_known, is_own
from somd.sources.excerpt.calls import Calls
from somd.sources.excerpt.changes import Touched, note_changes
from somd.sources.excerpt.definitions import class_of, function_of_definition, function_of_lambda
from somd.sources.excerpt.expressions import Expressions
from somd.sources.excerpt.scope import Refused, Scope
from somd.sources.scan import Definition

_NEVER: dict[type[ast.stmt], str] = {
    ast.For: "a loop",
    ast.AsyncFor: "a loop",
    ast.While: "a loop",
    ast.With: "a `with` statement",
    ast.AsyncWith: "a `with` statement",
    ast.Match: "a `match` statement",
    ast.Nonlocal: "a function that assigns names of another one",
}


class _Return(Exception):
    """The value of a `return`."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Statements(Calls):
    """Runs statements, and those of the functions that they call."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0
        self.touched: Touched = {}
        self.made: list[tuple[FunctionType, Scope]] = []
        #: the exception that a statement has raised, and the line of it in each file
        self.failed: tuple[BaseException, dict[str, int]] | None = None

    def imports(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        """Run an import."""
        raise NotImplementedError

    def lambda_function(self, node: ast.Lambda, scope: Scope) -> FunctionType:
        """The function that a lambda makes."""
        return function_of_lambda(self, node, scope)

    def read(self, node: Definition | ast.Lambda, scope: Scope) -> Any:
        """What a function of the user's returns."""
        if isinstance(node, ast.Lambda):
            return Expressions(self, scope).value(node.body)
        try:
            for statement in node.body:
                self.run(statement, scope)
        except _Return as done:
            return done.value
        return None

    def body(self, statements: Iterable[ast.stmt], scope: Scope, strict: bool = False) -> None:
        """Run statements; those that are refused are left out, unless `strict`, or in a function."""
        for statement in statements:
            if strict or scope.kind == "function":
                self.run(statement, scope, strict)
                continue
            try:
                self.run(statement, scope)
            except Refused as why:
                self.leave_out(statement, scope, why)

    def leave_out(self, statement: ast.stmt, scope: Scope, why: Refused) -> None:
        """Say of the names that a statement would have bound why they are not known."""
        note_changes(statement, scope.unit, self.units, self.touched)
        place = scope.unit.place(statement.lineno)
        for name in scope.unit.source.bound_by(statement):
            if name != "*":
                sentence = f"`{name}` is made by {why.what}, which is not run ({place})"
                scope.bind(name, why.cause if why.cause is not None else NotRun(sentence))

    def run(self, statement: ast.stmt, scope: Scope, strict: bool = False) -> None:
        """Run one statement.

        Raises:
            Refused: it may have effects.
            BaseException: what Python raises.
        """
        method = getattr(self, f"_{type(statement).__name__.lower()}", None)
        if method is None:
            raise Refused(_NEVER.get(type(statement), f"`{ast.unparse(statement)[:40]}`"))
        try:
            method(statement, scope, strict)
        except (Refused, _Return):
            raise
        except RecursionError:
            raise Refused("a deeply nested expression") from None
        except BaseException as error:
            if self.failed is None or self.failed[0] is not error:
                self.failed = error, {}
            self.failed[1].setdefault(scope.unit.source.file, statement.lineno)
            raise

    # --- one kind of statement each -------------------------------------------------------------------------------

    def _global(self, node: ast.Global, scope: Scope, strict: bool) -> None:
        if scope.kind != "module":
            raise Refused("a function that assigns global names")

    def _pass(self, node: ast.Pass, scope: Scope, strict: bool) -> None:
        pass

    def _expr(self, node: ast.Expr, scope: Scope, strict: bool) -> None:
        Expressions(self, scope).value(node.value)

    def _assign(self, node: ast.Assign, scope: Scope, strict: bool) -> None:
        value = Expressions(self, scope).value(node.value)
        for target in node.targets:
            self.assign(target, value, scope)

    def _augassign(self, node: ast.AugAssign, scope: Scope, strict: bool) -> None:
        inner = Expressions(self, scope)
        before = inner.value(_loaded(node.target))
        self.assign(node.target, inner.binary(type(node.op), before, inner.value(node.value), in_place=True), scope)

    def _annassign(self, node: ast.AnnAssign, scope: Scope, strict: bool) -> None:
        if node.value is not None:
            self.assign(node.target, Expressions(self, scope).value(node.value), scope)
        if isinstance(node.target, ast.Name) and scope.kind in ("module", "class"):
            names = scope.globals if scope.locals is None else scope.locals
            names.setdefault("__annotations__", {})[node.target.id] = self.annotation(node.annotation, scope)

    def annotation(self, node: ast.expr, scope: Scope) -> Any:
        """An annotation as Python keeps it; `NotRun` where it is not evaluated."""
        if scope.unit.quoted:
            return ast.unparse(node)
        try:
            return Expressions(self, scope).value(node)
        except Refused as why:
            sentence = f"an annotation is made by {why.what}, which is not run ({scope.unit.place(node.lineno)})"
            return why.cause or NotRun(sentence)

    def _if(self, node: ast.If, scope: Scope, strict: bool) -> None:
        self.body(node.body if Expressions(self, scope).truth(node.test) else node.orelse, scope, strict)

    def _try(self, node: ast.Try, scope: Scope, strict: bool) -> None:
        try:
            try:
                self.body(node.body, scope, strict=True)
            except (Refused, _Return):
                raise
            except BaseException as error:
                for handler in node.handlers:
                    kinds = BaseException if handler.type is None else Expressions(self, scope).value(handler.type)
                    if not is_class_to_ask(kinds):
                        raise Refused("an exception with a metaclass") from None
                    if isinstance(error, kinds):
                        self.failed = None
                        return self._handle(handler, error, scope)
                raise
            self.body(node.orelse, scope, strict=True)
        finally:
            self.body(node.finalbody, scope, strict=True)

    def _handle(self, handler: ast.ExceptHandler, error: BaseException, scope: Scope) -> None:
        if handler.name is not None:
            scope.bind(handler.name, error)
        self.body(handler.body, scope, strict=True)
        if handler.name is not None:
            scope.unbind(handler.name)

    def _raise(self, node: ast.Raise, scope: Scope, strict: bool) -> None:
        if node.exc is None:
            raise Refused("`raise` alone")
        error = Expressions(self, scope).value(node.exc)
        raise self.call(error, [], {}) if isinstance(error, type) else error

    def _assert(self, node: ast.Assert, scope: Scope, strict: bool) -> None:
        inner = Expressions(self, scope)
        if not inner.truth(node.test):
            raise AssertionError(*(() if node.msg is None else (inner.value(node.msg),)))

    def _return(self, node: ast.Return, scope: Scope, strict: bool) -> None:
        raise _Return(None if node.value is None else Expressions(self, scope).value(node.value))

    def _delete(self, node: ast.Delete, scope: Scope, strict: bool) -> None:
        inner = Expressions(self, scope)
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope.unbind(target.id)
            elif isinstance(target, ast.Subscript):
                del inner.known(inner.value(target.value), "an element")[inner.value(target.slice)]
            else:
                raise Refused(f"`del {ast.unparse(target)[:40]}`")

    def _import(self, node: ast.Import, scope: Scope, strict: bool) -> None:
        self.imports(node, scope)

    def _importfrom(self, node: ast.ImportFrom, scope: Scope, strict: bool) -> None:
        self.imports(node, scope)

    def _functiondef(self, node: Definition, scope: Scope, strict: bool) -> None:
        scope.bind(node.name, self._decorated(node, function_of_definition, scope))

    _asyncfunctiondef = _functiondef

    def _classdef(self, node: ast.ClassDef, scope: Scope, strict: bool) -> None:
        scope.bind(node.name, self._decorated(node, class_of, scope))

    def _decorated(self, node: Any, make: Any, scope: Scope) -> Any:
        """A definition under its decorators. A method is known under those that are refused, too."""
        inner = Expressions(self, scope)
        decorators = [(each, self._value_or_refusal(each, inner)) for each in node.decorator_list]
        made = make(self, node, scope)
        for each, decorator in reversed(decorators):
            if isinstance(decorator, Refused):
                raise decorator
            made = inner.called(decorator, [made], {}, each)
        return made

    def _value_or_refusal(self, node: ast.expr, inner: Expressions) -> Any:
        try:
            return inner.value(node)
        except Refused as why:
            return why

    # --- targets --------------------------------------------------------------------------------------------------

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Bind a value to what stands on the left of `=`, attributes too."""
        inner = Expressions(self, scope)
        if not isinstance(target, ast.Attribute):
            inner.assign(target, value)
            return
        owner, name = inner.value(target.value), target.attr
        if not self._may_set(owner, name):
            raise Refused(f"an assignment to `{ast.unparse(target)[:40]}`")
        setattr(owner, name, value)

    def _may_set(self, owner: Any, name: str) -> bool:
        """Whether an attribute can be set without effect on what is not the user's."""
        if name.startswith("__"):
            return False
        if isinstance(owner, type):
            return is_own(owner) and is_known(owner)
        if isinstance(owner, FunctionType):
            return owner.__code__ in self.functions
        found = next((vars(kind)[name] for kind in type(owner).__mro__ if name in vars(kind)), MISSING)
        free = isinstance(found, MemberDescriptorType) or not (hasattr(found, "__set__") or isinstance(found, NotRun))
        if isinstance(owner, ModuleType):
            return owner in self.units
        return is_own(type(owner)) and free


def _loaded(target: ast.expr) -> Any:
    """The target of `x += 1` as what is read."""
    made = ast.copy_location(type(target)(**{name: getattr(target, name) for name in target._fields}), target)
    made.ctx = ast.Load()  # type: ignore[attr-defined]
    return made
