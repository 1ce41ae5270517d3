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

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.transforms.frontend.loops import small_statements, statements_of
from somd.transforms.frontend.names import MISSING, assigned_names, evaluate, names_read
from somd.transforms.frontend.reached import Function, Reached, own_function
from somd.transforms.frontend.read import read_method
from somd.transforms.stages import Method

MAX_DEPTH = 8
COMBINES = "call it outside of methods and pass its result on, or reduce by an operator"


def inline_calls(method: Method, collector: Collector, depth: int = 0) -> Method:
    """`method` with the bodies of nested methods and array helpers in place of their calls."""
    arrays = _array_names(method)
    inliner = _Inliner(method, arrays, collector, depth)
    if not any(inliner.callee(node) for node in _calls(method.function.body)):
        return method
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


def _calls(node: cst.CSTNode) -> list[cst.Call]:
    found: list[cst.Call] = []

    class Calls(cst.CSTVisitor):
        def leave_Call(self, original_node: cst.Call) -> None:
            found.append(original_node)

    node.visit(Calls())
    return found


def _array_names(method: Method) -> frozenset[str]:
    """Names that are indexed or whose shape is asked; and those that stand beside them in a call of a helper."""
    found = {p.name for p in method.params if p.distributed}

    class Uses(cst.CSTVisitor):
        def visit_Subscript(self, node: cst.Subscript) -> None:
            if isinstance(node.value, cst.Name):
                found.add(node.value.value)

        def visit_Attribute(self, node: cst.Attribute) -> None:
            if isinstance(node.value, cst.Name) and node.attr.value in ("shape", "size", "ndim", "copy"):
                found.add(node.value.value)

        def visit_Call(self, node: cst.Call) -> None:
            if isinstance(node.func, cst.Name) and node.func.value == "len":
                found.update(names_read(node.args[0].value) if node.args else ())

    method.function.body.visit(Uses())
    return frozenset(found & method.local_names)


@lru_cache(maxsize=256)
def _reads_arrays(function: Reached) -> bool:
    """Whether a function, or one that it calls, takes arrays besides its arguments."""
    method = read_method(function)
    inner = [v for v in method.namespace.values() if isinstance(v, Reached) and v != function]
    return not _array_names(method).isdisjoint(function.taken) or any(_reads_arrays(v) for v in inner)


class _Inliner:
    def __init__(self, method: Method, arrays: frozenset[str], collector: Collector, depth: int) -> None:
        self.method = method
        self.arrays = arrays
        self.collector = collector
        self.depth = depth
        self.positions: dict[cst.CSTNode, Position] = dict(method.positions)
        self.namespace: dict[str, object] = dict(method.namespace)
        self.taken = set(method.local_names)
        self.shared: frozenset[str] = frozenset()
        self.spelled: dict[str, str] = {}

    def callee(self, node: cst.Call) -> Function | None:
        """The function of a call that is to be written out: a SOMD method, or a plain function given an array."""
        value = evaluate(node.func, self.method.namespace, self.method.local_names)
        function = own_function(value)
        if function is None or function is not value or (isinstance(function, Reached) and function.frame.somd):
            return function
        given = {a.value.value for a in node.args if isinstance(a.value, cst.Name)}
        return function if given & self.arrays or self._takes_arrays(function, given) else None

    def _takes_arrays(self, function: Function, given: set[str]) -> bool:
        if isinstance(function, Reached) and _reads_arrays(function):
            return True
        return bool(given & {p.name for p in self.method.params if p.distributed})

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
            if len(node.body) != 1:
                self._refuse(node.body[0], "a call of another method stands on a line of its own")
                return [node]
            return self._line(node)
        if isinstance(node, cst.If):
            return self._branches(node)
        if isinstance(node, cst.While):
            if self._inside(node.test):
                self._refuse(node.test, "a call of another method in the test of a `while` is not supported")
            return [self._with_body(node)]
        if isinstance(node, cst.For):
            before, header = self._expression(node.iter)
            return [*before, self._with_body(self._changed(node, iter=header))]
        if isinstance(node, cst.With):
            return [self._with_body(node)]
        return [node]

    def _branches(self, node: cst.If) -> list[cst.BaseStatement]:
        before, test = self._expression(node.test)
        changed = cast(cst.If, self._with_body(self._changed(node, test=test)))
        if isinstance(node.orelse, cst.If):
            if self._inside(node.orelse.test):
                self._refuse(node.orelse.test, "a call of another method in the test of an `elif` is not supported")
            changed = cast(cst.If, self._changed(changed, orelse=self._branches(node.orelse)[-1]))
        elif node.orelse is not None:
            changed = cast(cst.If, self._changed(changed, orelse=self._with_body(node.orelse)))
        return [*before, changed]

    def _with_body(self, node: cst.CSTNode) -> cst.BaseStatement:
        body = cast(cst.For, node).body
        if not self._inside(body):
            return cast(cst.BaseStatement, node)
        return cast(cst.BaseStatement, self._changed(node, body=cst.IndentedBlock(self.block(statements_of(body)))))

    def _line(self, node: cst.SimpleStatementLine) -> list[cst.BaseStatement]:
        small = node.body[0]
        if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) and self.callee(small.value):
            before, _ = self._written_out(small.value, None, True)
            return before
        value = getattr(small, "value", None)
        if isinstance(small, cst.Assign) and len(small.targets) == 1 and isinstance(value, cst.Call):
            target = small.targets[0].target
            if isinstance(target, cst.Name) and self.callee(value) is not None:
                before, result = self._written_out(value, target.value, True)
                if isinstance(result, cst.Name) and result.value == target.value:
                    return before
                changed = self._changed(small, value=result)
                return [*before, cast(cst.BaseStatement, self._changed(node, body=[changed]))]
        if not isinstance(value, cst.BaseExpression):
            self._refuse(small, "a call of another method is not supported here")
            return [node]
        before, expression = self._expression(value)
        changed = self._changed(small, value=expression)
        return [*before, cast(cst.BaseStatement, self._changed(node, body=[changed]))]

    def _expression(self, node: cst.BaseExpression) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
        """The statements before, and the expression with results in place of calls."""
        replaced: dict[cst.CSTNode, cst.BaseExpression] = {}
        before: list[cst.BaseStatement] = []
        for call in _calls(node):
            if self.callee(call) is None:
                continue
            if _conditional(node, call):
                self._refuse(call, "a call of another method that may not happen is not supported")
                continue
            made, result = self._written_out(call, None, call is node)
            replaced[call] = result if call is node else self._enclosed(result)
            before += made
        if not replaced:
            return [], node
        return before, cast(cst.BaseExpression, node.visit(_Replace(replaced, self.positions)))

    def _enclosed(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """An expression as an operand of another one."""
        if node.lpar or isinstance(node, cst.Name | cst.BaseNumber | cst.Subscript | cst.Call | cst.Attribute):
            return node
        return cast(cst.BaseExpression, self._changed(node, lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))

    def _inside(self, node: cst.CSTNode) -> bool:
        return any(self.callee(call) is not None for call in _calls(node))

    def _changed(self, node: cst.CSTNode, **changes: object) -> cst.CSTNode:
        if all(getattr(node, name) is value for name, value in changes.items()):
            return node
        changed = node.with_changes(**changes)
        if node in self.positions:
            self.positions[changed] = self.positions[node]
        return changed

    # --- a call --------------------------------------------------------------------------------------------------

    def _written_out(
        self, call: cst.Call, target: str | None, whole: bool
    ) -> tuple[list[cst.BaseStatement], cst.BaseExpression]:
        function = self.callee(call)
        assert function is not None
        nothing: cst.BaseExpression = cst.Integer("0")
        self.positions[nothing] = self.method.position(call)
        if self.depth >= MAX_DEPTH:
            self._refuse(call, f"`{function.__name__}` calls itself, or calls are nested too deeply")
            return [], nothing
        callee = read_method(function)
        if callee.combine is not None:
            self._refuse(call, f"`{function.__name__}` reduces its partial results by a function", COMBINES)
            return [], nothing
        callee = inline_calls(callee, self.collector, self.depth + 1)
        body = [s for s in statements_of(callee.function.body) if isinstance(s, cst.BaseStatement)]
        result = _final_return(body)
        if result is None and _returns(body):
            self._refuse(
                call, f"`{function.__name__}` returns before its end; called from a method it may only return last"
            )
            return [], nothing
        if not whole and _stores(body):
            self._refuse(call, f"`{function.__name__}` changes arrays: call it in a statement of its own")
            return [], nothing
        before, names = self._bound(call, callee, target, result)
        for old, new in names.items():
            if old in callee.spelled and isinstance(new, cst.Name):
                self.spelled[new.value] = callee.spelled[old]
        rename = _Rename(callee, names, self.positions)
        self._take_globals(callee, names)
        self.shared |= frozenset(names[n].value for n in callee.shared if isinstance(names.get(n), cst.Name))  # type: ignore[attr-defined]
        statements = body[:-1] if result is not None else body
        before += [cast(cst.BaseStatement, s.visit(rename)) for s in statements if not _docstring(s)]
        if result is None or result.value is None:
            return before, nothing
        return before, cast(cst.BaseExpression, result.value.visit(rename))

    def _bound(
        self, call: cst.Call, callee: Method, target: str | None, result: cst.Return | None
    ) -> tuple[list[cst.BaseStatement], dict[str, cst.BaseExpression]]:
        """Assignments of arguments to parameters, and what each local name of the callee becomes."""
        before: list[cst.BaseStatement] = []
        names: dict[str, cst.BaseExpression] = {}
        rebound = assigned_names(callee.function.body)
        given = self._arguments(call, callee)
        for name in callee.param_names:
            argument = given.get(name)
            if argument is None:
                self._refuse(call, f"`{callee.name}` is called without `{name}`")
                continue
            if isinstance(argument, cst.Name) and name not in rebound:
                names[name] = argument
                continue
            own = self._own(callee.name, name)
            assign = cst.Assign([cst.AssignTarget(own)], argument)
            line = cst.SimpleStatementLine([assign])
            for node in (assign, line, own):
                self.positions[node] = self.method.position(call)
            before.append(line)
            names[name] = cst.Name(own.value)
        returned = result.value.value if result is not None and isinstance(result.value, cst.Name) else None
        for name in callee.local_names - set(names):
            if name == returned and target is not None and target not in names_read(call):
                names[name] = cst.Name(target)
            else:
                names[name] = self._own(callee.name, name)
        return before, names

    def _arguments(self, call: cst.Call, callee: Method) -> dict[str, cst.BaseExpression]:
        given: dict[str, cst.BaseExpression] = {}
        for position, arg in enumerate(call.args):
            if arg.keyword is not None:
                given[arg.keyword.value] = arg.value
            elif position < len(callee.param_names):
                given[callee.param_names[position]] = arg.value
        params = callee.function.params
        for param in (*params.posonly_params, *params.params, *params.kwonly_params):
            literal = isinstance(param.default, cst.Integer | cst.Float | cst.UnaryOperation)
            if param.name.value not in given and literal and param.default is not None:
                given[param.name.value] = param.default
                self.positions.update({n: callee.positions[n] for n in (param.default,) if n in callee.positions})
        return given

    def _own(self, callee: str, name: str) -> cst.Name:
        own = f"{callee}__{name}"
        while own in self.taken and own not in self.method.local_names:
            own += "_"
        self.taken.add(own)
        self.spelled[own] = name
        return cst.Name(own)

    def _take_globals(self, callee: Method, names: dict[str, cst.BaseExpression]) -> None:
        """Global names of the callee that mean something else in the caller get a name of their own."""
        for name in names_read(callee.function.body) - callee.local_names:
            value = callee.namespace.get(name, MISSING)
            if value is MISSING or (name not in self.taken and self.namespace.get(name, MISSING) is value):
                continue
            own = self._own(callee.name, name)
            self.namespace[own.value] = value
            names[name] = own

    def _refuse(
        self, node: cst.CSTNode, message: str, help_text: str = "call it in an assignment of its own, unconditionally"
    ) -> None:
        label = Label(self.method.position(node), "here", True)
        self.collector.add(Diagnostic("SOMD203", message, (label,), (help_text,)))


class _Copies(cst.CSTTransformer):
    """A transformer whose new nodes stand where the old ones stood."""

    def __init__(self, old: Mapping[cst.CSTNode, Position], new: dict[cst.CSTNode, Position]) -> None:
        super().__init__()
        self.old = old
        self.new = new

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        made = super().on_leave(original_node, updated_node)
        if isinstance(made, cst.CSTNode) and original_node in self.old:
            self.new[made] = self.old[original_node]
        return made  # type: ignore[return-value]


class _Rename(_Copies):
    """Puts names in place of names; every use gets a node of its own, since side tables are keyed by node."""

    def __init__(
        self, callee: Method, names: Mapping[str, cst.BaseExpression], positions: dict[cst.CSTNode, Position]
    ) -> None:
        super().__init__(callee.positions, positions)
        self.names = names

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        if (
            isinstance(updated_node, cst.Subscript | cst.Call | cst.For | cst.BinaryOperation)
            and updated_node is original_node
        ):
            updated_node = updated_node.deep_clone()
        return super().on_leave(original_node, updated_node)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self.names.get(original_node.value, updated_node).deep_clone()

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


class _Replace(_Copies):
    def __init__(
        self, replaced: Mapping[cst.CSTNode, cst.BaseExpression], positions: dict[cst.CSTNode, Position]
    ) -> None:
        super().__init__(positions, positions)
        self.replaced = replaced

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        return self.replaced.get(original_node, updated_node)


def _final_return(body: Sequence[cst.BaseStatement]) -> cst.Return | None:
    """The `return` at the end, if it is the only one."""
    last = body[-1] if body else None
    if isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1 and isinstance(last.body[0], cst.Return):
        return last.body[0] if _returns(body) == 1 else None
    return None


def _returns(body: Sequence[cst.CSTNode]) -> int:
    count = 0

    class Returns(cst.CSTVisitor):
        def visit_Return(self, node: cst.Return) -> None:
            nonlocal count
            count += 1

    for statement in body:
        statement.visit(Returns())
    return count


def _stores(body: Sequence[cst.CSTNode]) -> bool:
    """Whether array elements are assigned."""
    found = False

    class Stores(cst.CSTVisitor):
        def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
            nonlocal found
            found = found or isinstance(node.target, cst.Subscript)

        def visit_AugAssign(self, node: cst.AugAssign) -> None:
            nonlocal found
            found = found or isinstance(node.target, cst.Subscript)

    for statement in body:
        statement.visit(Stores())
    return found


def _docstring(node: cst.CSTNode) -> bool:
    small = list(small_statements([node]))
    return len(small) == 1 and isinstance(small[0], cst.Expr) and isinstance(small[0].value, cst.BaseString)


def _conditional(whole: cst.BaseExpression, call: cst.Call) -> bool:
    """Whether `call` stands where evaluating `whole` may not reach it."""
    found = False

    class Arms(cst.CSTVisitor):
        def visit_BooleanOperation(self, node: cst.BooleanOperation) -> None:
            nonlocal found
            found = found or call in _calls(node.right)

        def visit_IfExp(self, node: cst.IfExp) -> None:
            nonlocal found
            found = found or call in _calls(node.body) or call in _calls(node.orelse)

    whole.visit(Arms())
    return found
