"""Calls of other SOMD methods, and of helpers that take arrays, written out in the caller.

In: a `Method`. Out: a `Method` without such calls: the callee's statements stand before the statement that called it,
its parameters replaced by the arguments, its other names made its own (`total` of `norm` becomes `norm__total`). Its
phases are then phases of the caller: no second distribution, and on a device no copy back in between.

    s = math.sqrt(sum_prod(a))   ->   sum_prod__s = 0.0
                                      for sum_prod__i in range(len(a)):
                                          sum_prod__s += a[sum_prod__i] * a[sum_prod__i]
                                      s = math.sqrt(sum_prod__s)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.transforms.analysis.assignment import unset_reads
from somd.transforms.frontend.array_helpers import (
    Seen,
    array_names,
    calls_in,
    changes_arrays,
    may_raise,
    stores,
    written_out,
)
from somd.transforms.frontend.lifted_calls import with_lifted_calls
from somd.transforms.frontend.reached import Function
from somd.transforms.frontend.read import read_method
from somd.transforms.frontend.single_exit import Body, single_exit
from somd.transforms.stages import Method, Raising
from somd.transforms.tree.loops import small_statements, statements_of
from somd.transforms.tree.names import MISSING, assigned_names, names_read, new_name
from somd.transforms.tree.renaming import Renamed, Replaced
from somd.transforms.tree.rewriting import Tracked, parsed

MAX_DEPTH = 8
ENDS = "let every path end with a `return` of a value, outside of a `with`"
RECURSION = "write it as a loop"
COMBINES = "call it outside of methods and pass its result on, or reduce by an operator"


def inline_calls(
    method: Method, collector: Collector, depth: int = 0, also: Collection[Function] = frozenset()
) -> Method:
    """`method` with the bodies of nested methods and array helpers, `also` of these, in place of their calls."""
    inliner = _Inliner(method, collector, depth, also)
    if not any(inliner.callee(node) for node in calls_in(method.function.body)):
        return method
    changing: Seen = {}
    raising: Seen = {}

    def changes(node: cst.Call) -> bool:
        function = inliner.callee(node)
        return function is not None and changes_arrays(function, changing)

    def ordered(node: cst.Call) -> bool:
        function = inliner.callee(node)
        return changes(node) or (function is not None and may_raise(function, raising))

    method = with_lifted_calls(method, lambda node: inliner.callee(node) is not None, changes, ordered)
    inliner = _Inliner(method, collector, depth, also)
    body = inliner.block(statements_of(method.function.body))
    function = method.function.with_changes(body=cst.IndentedBlock(body))
    inliner.positions[function] = method.position(method.function)
    return replace(
        method,
        function=function,
        positions=inliner.positions,
        namespace=inliner.namespace,
        local_names=frozenset(assigned_names(function.body) | set(method.param_names)),
        shared=method.shared | inliner.shared,
        spelled={**method.spelled, **inliner.spelled},
    )


class _Inliner:
    def __init__(self, method: Method, collector: Collector, depth: int, also: Collection[Function]) -> None:
        self.method = method
        self.also = also
        self.arrays = array_names(method)
        self.seen: Seen = {}
        self.collector = collector
        self.depth = depth
        self.positions: dict[cst.CSTNode, Position] = dict(method.positions)
        self.tracked = Tracked(self.positions)
        self.namespace: dict[str, object] = dict(method.namespace)
        self.taken = set(method.local_names)
        self.shared: frozenset[str] = frozenset()
        self.spelled: dict[str, str] = {}
        #: results that may have no value
        self.unset: set[cst.BaseExpression] = set()

    def callee(self, node: cst.Call) -> Function | None:
        """The function of a call that is to be written out."""
        return written_out(node, self.method, self.arrays, self.seen, self.also)

    # --- statements ----------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[cst.CSTNode]) -> list[cst.BaseStatement]:
        made: list[cst.BaseStatement] = []
        for statement in statements:
            made += self.statement(cast(cst.BaseStatement, statement))
        return made

    def statement(self, node: cst.BaseStatement) -> list[cst.BaseStatement]:
        if isinstance(node, cst.SimpleStatementLine):
            if not self._inside(node):
                return [node]
            assert len(node.body) == 1, "a call stands beside another statement"
            return self._line(node)
        if isinstance(node, cst.If):
            return self._branches(node)
        if isinstance(node, cst.While):
            return [self._while(node)]
        if isinstance(node, cst.For):
            before, header = self._expression(node.iter)
            return [*before, self._with_body(self.tracked.remade(node, iter=header))]
        if isinstance(node, cst.With):
            return [self._with_body(node)]
        return [node]

    def _branches(self, node: cst.If) -> list[cst.BaseStatement]:
        before, test = self._expression(node.test)
        changed = cast(cst.If, self._with_body(self.tracked.remade(node, test=test)))
        if isinstance(node.orelse, cst.If):
            other = self._branches(node.orelse)
            nested = other[-1] if len(other) == 1 else cst.Else(cst.IndentedBlock(other))
            changed = self.tracked.remade(changed, orelse=nested)
        elif node.orelse is not None:
            changed = self.tracked.remade(changed, orelse=self._with_body(node.orelse))
        return [*before, changed]

    def _while(self, node: cst.While) -> cst.BaseStatement:
        """A test that calls is taken in the loop: `while True: ...; if not test: break; ...`."""
        looped = cast(cst.While, self._with_body(node))
        before, test = self._expression(node.test)
        if test is node.test:
            return looped
        [leave] = parsed("if not (0):\n    break\n")
        leave = leave.with_deep_changes(cst.ensure_type(leave, cst.If).test, expression=_in_parentheses(test))
        body = [*before, leave, *statements_of(looped.body)]
        made = looped.with_changes(test=cst.Name("True"), body=cst.IndentedBlock(cast(list[cst.BaseStatement], body)))
        self.tracked.place(made, self.method.position(node))
        return made

    def _with_body(self, node: cst.CSTNode) -> cst.BaseStatement:
        body = cast(cst.For, node).body
        if not self._inside(body):
            return cast(cst.BaseStatement, node)
        return cast(
            cst.BaseStatement, self.tracked.remade(node, body=cst.IndentedBlock(self.block(statements_of(body))))
        )

    def _line(self, node: cst.SimpleStatementLine) -> list[cst.BaseStatement]:
        small = node.body[0]
        if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) and self.callee(small.value):
            before, result = self._written_out(small.value, None, True)
            if result in self.unset:  # nobody wants it, but Python reads it
                line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(self._own("value", "unused"))], result)])
                self.tracked.place(line, self.method.position(small))
                before.append(line)
            return before
        value = getattr(small, "value", None)
        if isinstance(small, cst.Assign) and len(small.targets) == 1 and isinstance(value, cst.Call):
            target = small.targets[0].target
            if isinstance(target, cst.Name) and self.callee(value) is not None:
                before, result = self._written_out(value, target.value, True)
                if isinstance(result, cst.Name) and result.value == target.value:
                    return before
                return [*before, self.tracked.remade(node, body=[self.tracked.remade(small, value=result)])]
        if not isinstance(value, cst.BaseExpression):
            self._refuse(small, "a call of another method is not supported here")
            return [node]
        before, expression = self._expression(value)
        return [*before, self.tracked.remade(node, body=[self.tracked.remade(small, value=expression)])]

    def _expression(self, node: cst.BaseExpression) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
        """The statements before, and the expression with results in place of calls."""
        replaced: dict[cst.CSTNode, cst.BaseExpression] = {}
        before: list[cst.BaseStatement] = []
        for call in calls_in(node):
            if self.callee(call) is None:
                continue
            made, result = self._written_out(call, None, call is node)
            replaced[call] = result if call is node else self.tracked.enclosed(result)
            before += made
        if not replaced:
            return [], node
        return before, cast(cst.BaseExpression, node.visit(Replaced(replaced, self.positions)))

    def _inside(self, node: cst.CSTNode) -> bool:
        return any(self.callee(call) is not None for call in calls_in(node))

    # --- a call --------------------------------------------------------------------------------------------------

    def _written_out(
        self, call: cst.Call, target: str | None, whole: bool
    ) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
        function = self.callee(call)
        assert function is not None
        nothing: cst.BaseExpression = cst.Integer("0")
        self.positions[nothing] = self.method.position(call)
        if self.depth >= MAX_DEPTH:
            self._refuse(call, f"`{function.__name__}` calls itself, or calls are nested too deeply", RECURSION)
            return [], nothing
        callee = read_method(function)
        if callee.combine is not None:
            self._refuse(call, f"`{function.__name__}` reduces its partial results by a function", COMBINES)
            return [], nothing
        body = single_exit(inline_calls(callee, self.collector, self.depth + 1, self.also))
        if body is None:
            self._refuse(call, f"`{function.__name__}` returns a value on some paths only, or inside a `with`", ENDS)
            return [], nothing
        callee = body.method
        assert whole or not stores(body.statements, callee.param_names), "a call that changes arrays is not lifted"
        before, names = self._bound(call, body, target)
        for old, new in names.items():
            if old in callee.spelled and isinstance(new, cst.Name):
                self.spelled[new.value] = callee.spelled[old]
        rename = Renamed(callee, names, self.positions)
        self._take_globals(callee, names)
        self.shared |= frozenset(names[n].value for n in callee.shared if isinstance(names.get(n), cst.Name))  # type: ignore[attr-defined]
        before += [cast(cst.BaseStatement, s.visit(rename)) for s in body.statements if not _docstring(s)]
        if body.value is None:
            return before, nothing
        value = cast(cst.BaseExpression, body.value.visit(rename))
        if _may_have_none(body):
            self.unset.add(value)
        return before, value

    def _bound(
        self, call: cst.Call, body: Body, target: str | None
    ) -> tuple[list[cst.BaseStatement], dict[str, cst.BaseExpression]]:
        """Assignments of arguments to parameters, and what each local name of the callee becomes."""
        before: list[cst.BaseStatement] = []
        names: dict[str, cst.BaseExpression] = {}
        callee = body.method
        rebound = assigned_names(callee.function.body)
        for name, argument in zip(callee.param_names, (arg.value for arg in call.args), strict=True):
            if isinstance(argument, cst.Name | cst.Integer | cst.Float) and name not in rebound:
                names[name] = argument
                continue
            own = self._own(callee.name, name)
            assign = cst.Assign([cst.AssignTarget(own)], argument)
            line = cst.SimpleStatementLine([assign])
            for node in (assign, line, own):
                self.positions[node] = self.method.position(call)
            before.append(line)
            names[name] = cst.Name(own.value)
        returned = body.value.value if body.own_value and isinstance(body.value, cst.Name) else None
        if _may_have_none(body):  # the caller's name must not have it either
            returned = None
        for name in callee.local_names - set(names):
            if name == returned and target is not None and target not in names_read(call):
                names[name] = cst.Name(target)
            else:
                names[name] = self._own(callee.name, name)
        return before, names

    def _own(self, callee: str, name: str) -> cst.Name:
        own = new_name(f"{callee}__{name}", self.taken)
        self.spelled[own] = name
        return cst.Name(own)

    def _take_globals(self, callee: Method, names: dict[str, cst.BaseExpression]) -> None:
        """Global names of the callee that mean something else in the caller get a name of their own."""
        for name in names_read(callee.function.body) - callee.local_names:
            value = callee.namespace.get(name, MISSING)
            shared = name not in self.taken and self.namespace.get(name, MISSING) is value
            if value is MISSING or (shared and not isinstance(value, Raising)):  # each `raise` has types of its own
                continue
            own = self._own(callee.name, name)
            self.namespace[own.value] = value
            names[name] = own

    def _refuse(
        self, node: cst.CSTNode, message: str, help_text: str = "call it in an assignment of its own, unconditionally"
    ) -> None:
        label = Label(self.method.position(node), "here", True)
        self.collector.add(Diagnostic("SOMD203", message, (label,), (help_text,)))


def _may_have_none(body: Body) -> bool:
    """Whether a name that the callee returns may have no value then."""
    if body.value is None:
        return False
    names = names_read(body.value) & body.method.local_names
    whole = (*body.statements, cst.Return(body.value))
    found = unset_reads(whole, body.method, body.method.param_names, names)
    return any(read.statement is whole[-1] for read in found)


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _docstring(node: cst.CSTNode) -> bool:
    small = list(small_statements([node]))
    return len(small) == 1 and isinstance(small[0], cst.Expr) and isinstance(small[0].value, cst.BaseString)
