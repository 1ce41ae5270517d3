"""Scalars accumulated over the iterations of a nest, recognised by the form of their updates.

`s += e`, `s = s + e`, `s = max(s, e)`, `if e > s: s = e` and their like, where `e` does not mention `s` and nothing
else in the nest reads or writes it. The operators are associative, and commutative where iterations may be reordered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


def reduction_of(name: str, statements: Sequence[cst.CSTNode], method: Method) -> Reduction | None:
    """The reduction that `statements` make of `name`, or None if its uses have another form."""
    updates: list[tuple[cst.CSTNode, str, int]] = []
    _collect(name, statements, method, updates)
    operators = {operator for _, operator, _ in updates}
    accounted = sum(count for _, _, count in updates)
    if len(operators) != 1 or accounted != sum(_mentions(name, s) for s in statements):
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
    if operator is None or _mentions(name, node) != sum(_mentions(name, s) for s in statements):
        return None
    companions = tuple(sorted(assigned_names(node) - {name}))
    for companion in companions:
        inside = sum(_mentions(companion, s) for s in statements)
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
    own = [s for s in assigns if _is(s.targets[0].target, name)]
    if len(own) != 1 or len(assigned_names(node)) != len(body):
        return None
    alone = node.with_changes(body=cst.IndentedBlock([cst.SimpleStatementLine([own[0]])]))
    return _conditional(name, alone)


def _collect(
    name: str, statements: Sequence[cst.CSTNode], method: Method, found: list[tuple[cst.CSTNode, str, int]]
) -> None:
    for node in small_statements(statements):
        if name not in assigned_names(node):
            continue
        operator = _update(name, node, method)
        if operator is not None:
            found.append((node, operator, _mentions(name, node)))
        elif isinstance(node, cst.If):
            _collect(name, statements_of(node.body), method, found)
            _collect(name, else_statements(node), method, found)
        elif isinstance(node, cst.For | cst.While | cst.With):
            _collect(name, statements_of(node.body), method, found)


def _update(name: str, node: cst.CSTNode, method: Method) -> str | None:
    """The operator if `node` is one update of `name`."""
    if isinstance(node, cst.AugAssign) and _is(node.target, name) and not _mentions(name, node.value):
        return AUGMENTED.get(type(node.operator))
    if isinstance(node, cst.Assign) and len(node.targets) == 1 and _is(node.targets[0].target, name):
        return _assigned(name, node.value, method)
    if isinstance(node, cst.If):
        return _conditional(name, node)
    return None


def _assigned(name: str, value: cst.BaseExpression, method: Method) -> str | None:
    if isinstance(value, cst.BinaryOperation):
        if isinstance(value.operator, cst.Subtract):
            return "+" if _is(value.left, name) and not _mentions(name, value.right) else None
        operator = BINARY.get(type(value.operator))
        for accumulator, other in ((value.left, value.right), (value.right, value.left)):
            if _is(accumulator, name) and not _mentions(name, other):
                return operator
    if isinstance(value, cst.BooleanOperation) and _is(value.left, name) and not _mentions(name, value.right):
        return "and" if isinstance(value.operator, cst.And) else "or"
    if isinstance(value, cst.Call) and len(value.args) == 2:
        function = evaluate(value.func, method.namespace, method.local_names)
        first, second = value.args[0].value, value.args[1].value
        if function in (min, max) and _is(first, name) and not _mentions(name, second):
            return "min" if function is min else "max"
    return None


def _conditional(name: str, node: cst.If) -> str | None:
    """`if e < s: s = e` and the three like it."""
    body = list(small_statements(statements_of(node.body)))
    if node.orelse is not None or len(body) != 1 or not isinstance(node.test, cst.Comparison):
        return None
    assign, comparisons = body[0], node.test.comparisons
    if not (isinstance(assign, cst.Assign) and len(assign.targets) == 1 and _is(assign.targets[0].target, name)):
        return None
    if len(comparisons) != 1 or _mentions(name, assign.value):
        return None
    operator = comparisons[0].operator
    left, right = node.test.left, comparisons[0].comparator
    if _is(right, name) and left.deep_equals(assign.value):
        return _strict(operator, cst.LessThan, cst.GreaterThan)
    if _is(left, name) and right.deep_equals(assign.value):
        return _strict(operator, cst.GreaterThan, cst.LessThan)
    return None


def _strict(operator: cst.BaseCompOp, smaller: type[cst.BaseCompOp], larger: type[cst.BaseCompOp]) -> str | None:
    """Only the strict forms: `<=` keeps the last of equal values, which a reordering would not."""
    if isinstance(operator, smaller):
        return "min"
    return "max" if isinstance(operator, larger) else None


def _is(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _mentions(name: str, node: cst.CSTNode) -> int:
    count = 0

    class Mentions(cst.CSTVisitor):
        def visit_Name(self, node: cst.Name) -> None:
            nonlocal count
            count += node.value == name

    node.visit(Mentions())
    return count
