"""`raise` and `assert` in the form in which the passes know them: which statement, and the values that it needs.

    if n < 0:                                  ->   if n < 0:
        raise ValueError(f"{n} of {len(a)}")            raise raised_1(n, len(a))
    assert a[i] > 0, i                         ->   if not (a[i] > 0):
                                                        raise raised_2(i)

`raised_1` names a `Raising` in the method's namespace: the statement as it was written. Behind such an `if` the `else`
branch stands on its own, so that what follows is known to run only where the test is false.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType
from typing import cast

import libcst as cst

from somd.capture.paths import class_name_of, parameters_of
from somd.diagnostics.model import Collector, Diagnostic, Label, Position
from somd.language.raising import statement_of
from somd.transforms.frontend.raised_values import Choice, NotTaken, Statement, values_of, with_arm
from somd.transforms.stages import Method, Raising
from somd.transforms.tree.loops import always_raises, else_statements, statements_of
from somd.transforms.tree.names import unused
from somd.transforms.tree.rewriting import Tracked
from somd.transforms.tree.walking import nodes_of


def plain_raises(method: Method, function: FunctionType, collector: Collector) -> Method:
    """`method`, that of `function`, with its `raise` and `assert` statements in their plain form."""
    rewriter = _Raises(method, function, collector)
    body = cast(cst.BaseSuite, method.function.body.visit(rewriter))
    if not rewriter.found:
        return method
    made = method.function.with_changes(body=body)
    rewriter.positions[made] = method.position(method.function)
    return replace(method, function=made, positions=rewriter.positions, namespace=rewriter.namespace)


class _Raises(Tracked):
    def __init__(self, method: Method, function: FunctionType, collector: Collector) -> None:
        super().__init__(dict(method.positions))
        self.method = method
        self.function = function
        self.collector = collector
        self.namespace: dict[str, object] = dict(method.namespace)
        self.found = 0
        self.owner = next(iter(parameters_of(function)), None) if class_name_of(function) else None

    # --- statements ----------------------------------------------------------------------------------------------

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if not any(map(_raises, original_node.body)):
            return updated_node
        return cst.FlattenSentinel(self.lines(original_node, updated_node))

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.BaseSuite:
        if not any(map(_raises, original_node.body)):
            return updated_node
        line = cst.SimpleStatementLine(updated_node.body)
        return cst.IndentedBlock(self.lines(original_node, line))

    def lines(
        self, original: cst.SimpleStatementLine | cst.SimpleStatementSuite, line: cst.SimpleStatementLine
    ) -> list[cst.BaseStatement]:
        """A line of small statements, one a line, those that raise in their plain form."""
        made: list[cst.BaseStatement] = []
        for old, new in zip(original.body, line.body, strict=True):
            small = new.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
            self.place(small, self.method.position(old))
            if isinstance(old, cst.Assert):
                made.append(self.asserted(old, cast(cst.Assert, new)))
            elif isinstance(old, cst.Raise) and old.exc is not None:
                made.append(self.raising(old))
            else:
                made.append(cst.SimpleStatementLine([small]))
            self.place(made[-1], self.method.position(old))
        made[0] = made[0].with_changes(leading_lines=line.leading_lines)
        if isinstance(made[-1], cst.SimpleStatementLine):
            made[-1] = made[-1].with_changes(trailing_whitespace=line.trailing_whitespace)
        for node, old in zip(made, original.body, strict=True):
            self.place(node, self.method.position(old))
        return made

    def asserted(self, node: cst.Assert, updated: cst.Assert) -> cst.BaseStatement:
        if not __debug__:  # plain Python, too, leaves them out
            self.found += 1
            return cst.SimpleStatementLine([cst.Pass()])
        return cst.If(_negated(updated.test), cst.IndentedBlock([self.raising(node)]))

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.BaseSuite:
        made: list[cst.BaseStatement] = []
        for statement in updated_node.body:
            made += self.apart(statement)
        for k, statement in enumerate(made):
            if always_raises([statement]):
                made = made[: k + 1]  # nothing comes to the rest
                break
        same = len(made) == len(updated_node.body) and all(a is b for a, b in zip(made, updated_node.body, strict=True))
        return updated_node if same else updated_node.with_changes(body=made)

    def apart(self, node: cst.BaseStatement) -> list[cst.BaseStatement]:
        """An `if` one branch of which raises, and the other one behind it."""
        if not isinstance(node, cst.If) or node.orelse is None:
            return [node]
        taken, other = statements_of(node.body), else_statements(node)
        if always_raises(taken):
            alone = node.with_changes(orelse=None)
            rest = [cast(cst.BaseStatement, s) for s in other]
        elif always_raises(other) and not isinstance(node.orelse, cst.If):
            alone = node.with_changes(test=_negated(node.test), body=node.orelse.body, orelse=None)
            rest = [cast(cst.BaseStatement, s) for s in taken]
        else:
            return [node]
        self.place(alone, self.positions.get(node) or self.method.position(self.method.function.name))
        return [alone, *(made for statement in rest for made in self.apart(statement))]

    # --- what is raised ------------------------------------------------------------------------------------------

    def raising(self, node: cst.Raise | cst.Assert) -> cst.BaseStatement:
        """The statement that raises, with its values."""
        text = cst.Module([]).code_for_node(node.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)).strip()
        place = self.method.position(node)
        try:
            made = self.raised(text, statement_of(text), place)
        except NotTaken as part:
            message = f"not supported in a SOMD method: {part.why}"
            self.collector.add(Diagnostic("SOMD202", message, (Label(place, "here", True),), (part.instead,)))
            made = cst.SimpleStatementLine([cst.Pass()])
        self.place(made, place)
        return made

    def raised(self, text: str, statement: Statement, place: Position) -> cst.BaseStatement:
        """A statement of this text; `if` and `else` where it has a choice of elements.

        Raises:
            NotTaken: it has no plain form.
        """
        try:
            values = values_of(statement, self.method.local_names, self.method.namespace, self.owner)
        except Choice as choice:
            node = choice.node
            arms = [with_arm(statement, node, arm) for arm in (node.body, node.orelse)]
            taken, other = (cst.IndentedBlock([self.raised(ast.unparse(arm), arm, place)]) for arm in arms)
            return cst.If(cst.parse_expression(ast.unparse(node.test)), taken, cst.Else(other))
        self.found += 1
        name = unused(f"raised_{self.found}", self.namespace, self.method.local_names)
        self.namespace[name] = Raising(text, place, tuple(values), self.function)
        arguments = [cst.Arg(cst.parse_expression(ast.unparse(value))) for value in values.values()]
        return cst.SimpleStatementLine([cst.Raise(cst.Call(cst.Name(name), arguments))])


def _raises(node: cst.BaseSmallStatement) -> bool:
    return isinstance(node, cst.Raise | cst.Assert)


def _negated(test: cst.BaseExpression) -> cst.BaseExpression:
    inner = test if test.lpar else test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), inner)


def raises_in(statements: Sequence[cst.CSTNode]) -> list[cst.Raise]:
    """The `raise` statements among and inside `statements`, in their order."""
    return [node for statement in statements for node in nodes_of(statement, cst.Raise)]


def raising_of(node: cst.Raise, method: Method) -> tuple[str, Raising]:
    """The name and the statement that `raise` of the plain form stands for."""
    assert isinstance(node.exc, cst.Call)
    name = cst.ensure_type(node.exc.func, cst.Name).value
    found = method.namespace[name]
    assert isinstance(found, Raising)
    return name, found
