"""Scalars accumulated over the iterations of a nest, recognised by the form of their updates.

`s += e`, `s = s + e`, `s = max(s, e)`, `if e > s: s = e` and their like, where `e` does not mention `s` and nothing
else in the nest reads or writes it. The operators are associative, and commutative where iterations may be reordered.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.frontend.loops import else_statements, small_statements, statements_of
from somd.transforms.frontend.names import assigned_names, evaluate
from somd.transforms.stages import Method, Reduction

AUGMENTED: Mapping[type[cst.BaseAugOp], str] = {
    cst.AddAssign: "+",
    cst.SubtractAssign: "+",
    cst.MultiplyAssign: "*",
    cst.BitAndAssign: "&",
    cst.BitOrAssign: "|",
    cst.BitXorAssign: "^",
}
BINARY: Mapping[type[cst.BaseBinaryOp], str] = {
    cst.Add: "+",
    cst.Multiply: "*",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
}


@dataclass(frozen=True)
class Accumulator:
    """What is accumulated into: the scalar `name`, or, with `element` (its text, normalised), that element of it."""

    name: str
    element: str | None = None

    def is_(self, node: cst.BaseExpression) -> bool:
        """Whether `node` is the accumulator itself."""
        if self.element is None:
            return isinstance(node, cst.Name) and node.value == self.name
        return isinstance(node, cst.Subscript) and normalised(node) == self.element

    def in_(self, node: cst.BaseExpression) -> bool:
        """Whether `node` mentions it; other elements of an array are not looked at here."""
        if self.element is None:
            return mentions(self.name, node) > 0
        return any(self.is_(each) for each in _subscripts(node))


def normalised(node: cst.BaseExpression) -> str:
    """A text that two expressions share when they differ in spaces and parentheses only."""
    return ast.dump(ast.parse(f"({cst.Module([]).code_for_node(node)})", mode="eval"))


def _subscripts(node: cst.CSTNode) -> list[cst.Subscript]:
    found: list[cst.Subscript] = []

    class Subscripts(cst.CSTVisitor):
        def visit_Subscript(self, node: cst.Subscript) -> None:
            found.append(node)

    node.visit(Subscripts())
    return found


def reduction_of(name: str, statements: Sequence[cst.CSTNode], method: Method) -> Reduction | None:
    """The reduction that `statements` make of `name`, or None if its uses have another form."""
    updates: list[tuple[cst.CSTNode, str, int]] = []
    _collect(name, statements, method, updates)
    operators = {operator for _, operator, _ in updates}
    accounted = sum(count for _, _, count in updates)
    if len(operators) != 1 or accounted != sum(mentions(name, s) for s in statements):
        return None
    return Reduction(name, operators.pop(), tuple(node for node, _, _ in updates))


def extremum_of(name: str, statements: Sequence[cst.CSTNode], method: Method) -> Reduction | None:
    """The argmin or argmax that `statements` make: one `if e > s: s = e; at = i`, the only place that uses `s` or
    writes its companions, which nothing in the nest reads."""
    conditionals = [node for node in _conditionals(statements) if name in assigned_names(node)]
    if len(conditionals) != 1:
        return None
    node = conditionals[0]
    operator = _extremum(name, node)
    if operator is None or mentions(name, node) != sum(mentions(name, s) for s in statements):
        return None
    companions = tuple(sorted(assigned_names(node) - {name}))
    for companion in companions:
        inside = sum(mentions(companion, s) for s in statements)
        if inside != 1 or companion not in method.local_names:
            return None
    return Reduction(name, operator, (node,), companions)


def _conditionals(statements: Sequence[cst.CSTNode]) -> list[cst.If]:
    found: list[cst.If] = []
    for node in small_statements(statements):
        if isinstance(node, cst.If):
            found.append(node)
            found += _conditionals(statements_of(node.body))
            found += _conditionals(else_statements(node))
        elif isinstance(node, cst.For | cst.While | cst.With):
            found += _conditionals(statements_of(node.body))
    return found


def _extremum(name: str, node: cst.If) -> str | None:
    """The operator if `node` sets `name` to a larger (smaller) value and assigns plain names besides."""
    body = list(small_statements(statements_of(node.body)))
    assigns = [s for s in body if isinstance(s, cst.Assign) and len(s.targets) == 1]
    if len(assigns) != len(body) or not all(isinstance(s.targets[0].target, cst.Name) for s in assigns):
        return None
    own = [s for s in assigns if Accumulator(name).is_(s.targets[0].target)]
    if len(own) != 1 or len(assigned_names(node)) != len(body):
        return None
    alone = node.with_changes(body=cst.IndentedBlock([cst.SimpleStatementLine([own[0]])]))
    return _conditional(Accumulator(name), alone)


def _collect(
    name: str, statements: Sequence[cst.CSTNode], method: Method, found: list[tuple[cst.CSTNode, str, int]]
) -> None:
    for node in small_statements(statements):
        if name not in assigned_names(node):
            continue
        operator = update_of(Accumulator(name), node, method)
        if operator is not None:
            found.append((node, operator, mentions(name, node)))
        elif isinstance(node, cst.If):
            _collect(name, statements_of(node.body), method, found)
            _collect(name, else_statements(node), method, found)
        elif isinstance(node, cst.For | cst.While | cst.With):
            _collect(name, statements_of(node.body), method, found)


def update_of(accumulator: Accumulator, node: cst.CSTNode, method: Method) -> str | None:
    """The operator if `node` is one update of the accumulator."""
    if isinstance(node, cst.AugAssign) and accumulator.is_(node.target) and not accumulator.in_(node.value):
        return AUGMENTED.get(type(node.operator))
    if isinstance(node, cst.Assign) and len(node.targets) == 1 and accumulator.is_(node.targets[0].target):
        return _assigned(accumulator, node.value, method)
    if isinstance(node, cst.If):
        return _conditional(accumulator, node)
    return None


def _assigned(accumulator: Accumulator, value: cst.BaseExpression, method: Method) -> str | None:
    if isinstance(value, cst.BinaryOperation):
        if isinstance(value.operator, cst.Subtract):
            return "+" if accumulator.is_(value.left) and not accumulator.in_(value.right) else None
        operator = BINARY.get(type(value.operator))
        for side, other in ((value.left, value.right), (value.right, value.left)):
            if accumulator.is_(side) and not accumulator.in_(other):
                return operator
    if isinstance(value, cst.BooleanOperation) and accumulator.is_(value.left) and not accumulator.in_(value.right):
        return "and" if isinstance(value.operator, cst.And) else "or"
    if isinstance(value, cst.Call) and len(value.args) == 2:
        function = evaluate(value.func, method.namespace, method.local_names)
        first, second = value.args[0].value, value.args[1].value
        if function in (min, max) and accumulator.is_(first) and not accumulator.in_(second):
            return "min" if function is min else "max"
    return None


def _conditional(accumulator: Accumulator, node: cst.If) -> str | None:
    """`if e < s: s = e` and the three like it."""
    body = list(small_statements(statements_of(node.body)))
    if node.orelse is not None or len(body) != 1 or not isinstance(node.test, cst.Comparison):
        return None
    assign, comparisons = body[0], node.test.comparisons
    if not (isinstance(assign, cst.Assign) and len(assign.targets) == 1 and accumulator.is_(assign.targets[0].target)):
        return None
    if len(comparisons) != 1 or accumulator.in_(assign.value):
        return None
    operator = comparisons[0].operator
    left, right = node.test.left, comparisons[0].comparator
    if accumulator.is_(right) and left.deep_equals(assign.value):
        return _strict(operator, cst.LessThan, cst.GreaterThan)
    if accumulator.is_(left) and right.deep_equals(assign.value):
        return _strict(operator, cst.GreaterThan, cst.LessThan)
    return None


def _strict(operator: cst.BaseCompOp, smaller: type[cst.BaseCompOp], larger: type[cst.BaseCompOp]) -> str | None:
    """Only the strict forms: `<=` keeps the last of equal values, which a reordering would not."""
    if isinstance(operator, smaller):
        return "min"
    return "max" if isinstance(operator, larger) else None


def mentions(name: str, node: cst.CSTNode) -> int:
    """How often `name` stands in `node`; the shape of an array counts too."""
    count = 0

    class Mentions(cst.CSTVisitor):
        def visit_Name(self, node: cst.Name) -> None:
            nonlocal count
            count += node.value == name

    node.visit(Mentions())
    return count
