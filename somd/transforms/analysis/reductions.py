"""Scalars accumulated over the iterations of a nest, recognised by the form of their updates.

`s += e`, `s = s + e`, `s = max(s, e)`, `if e > s: s = e`, `s = e if e > s else s` and their like, where `e` does not
mention `s` and nothing else in the nest reads or writes it. The operators are associative, and commutative where
iterations may be reordered. Minima and maxima of floats are so only up to nan and equal values: see `Taking`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.language.operators import OPERATORS, SAME, symbol_of
from somd.syntax import expression_of
from somd.transforms.stages import FIRST, Method, Reduction, Taking
from somd.transforms.tree.loops import else_statements, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, evaluate
from somd.transforms.tree.walking import nodes_of


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
    return ast.dump(expression_of(f"({cst.Module([]).code_for_node(node)})"))


def _subscripts(node: cst.CSTNode) -> list[cst.Subscript]:
    return [*nodes_of(node, cst.Subscript)]


@dataclass(frozen=True)
class Form:
    """What an update does: its operator, and how a minimum or maximum takes values."""

    op: str
    takings: tuple[Taking, ...] = (FIRST,)


def reduction_of(name: str, statements: Sequence[cst.CSTNode], method: Method) -> Reduction | None:
    """The reduction that `statements` make of `name`, or None if its uses have another form."""
    updates: list[tuple[cst.CSTNode, Form, int]] = []
    _collect(name, statements, method, updates)
    operators = {form.op for _, form, _ in updates}
    accounted = sum(count for _, _, count in updates)
    if len(operators) != 1 or accounted != sum(mentions(name, s) for s in statements):
        return None
    takings = tuple(sorted({taking for _, form, _ in updates for taking in form.takings}))
    return Reduction(name, operators.pop(), tuple(node for node, _, _ in updates), takings=takings)


def extremum_of(name: str, statements: Sequence[cst.CSTNode], method: Method) -> Reduction | None:
    """The argmin or argmax that `statements` make: one `if e > s: s = e; at = i`, the only place that uses `s` or
    writes its companions, which nothing in the nest reads."""
    conditionals = [node for node in _conditionals(statements) if name in assigned_names(node)]
    if len(conditionals) != 1:
        return None
    node = conditionals[0]
    form = _extremum(name, node)
    if form is None or mentions(name, node) != sum(mentions(name, s) for s in statements):
        return None
    companions = tuple(sorted(assigned_names(node) - {name}))
    for companion in companions:
        inside = sum(mentions(companion, s) for s in statements)
        if inside != 1 or companion not in method.local_names:
            return None
    return Reduction(name, form.op, (node,), companions, form.takings)


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


def _extremum(name: str, node: cst.If) -> Form | None:
    """The form if `node` sets `name` to a larger (smaller) value and assigns plain names besides, none of them to what
    `name` was before: an MI knows no more than its own part."""
    set_to: dict[str, cst.BaseExpression] = {}
    for statement in small_statements(statements_of(node.body)):
        pairs = _assigned_pairs(statement)
        before = name not in set_to
        for target, value in pairs:
            if target in set_to or (before and target != name and mentions(name, value)):
                return None
            set_to[target] = value
        if not pairs:
            return None
    if name not in set_to or node.orelse is not None:
        return None
    return _conditional(Accumulator(name), node.test, set_to[name])


def _assigned_pairs(node: cst.CSTNode) -> list[tuple[str, cst.BaseExpression]]:
    """The names that a statement sets, with their values; empty if it does anything else."""
    if not isinstance(node, cst.Assign) or len(node.targets) != 1:
        return []
    target, value = node.targets[0].target, node.value
    if isinstance(target, cst.Name):
        return [(target.value, value)]
    if not (isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple)):
        return []
    names = [each.value.value for each in target.elements if isinstance(each.value, cst.Name)]
    if len(names) != len(value.elements) or len(names) != len(target.elements):
        return []
    return [(name, each.value) for name, each in zip(names, value.elements, strict=True)]


def _collect(
    name: str, statements: Sequence[cst.CSTNode], method: Method, found: list[tuple[cst.CSTNode, Form, int]]
) -> None:
    for node in small_statements(statements):
        if name not in assigned_names(node):
            continue
        form = update_of(Accumulator(name), node, method)
        if form is not None:
            found.append((node, form, mentions(name, node)))
        elif isinstance(node, cst.If):
            _collect(name, statements_of(node.body), method, found)
            _collect(name, else_statements(node), method, found)
        elif isinstance(node, cst.For | cst.While | cst.With):
            _collect(name, statements_of(node.body), method, found)


def update_of(accumulator: Accumulator, node: cst.CSTNode, method: Method) -> Form | None:
    """What `node` does if it is one update of the accumulator."""
    if isinstance(node, cst.AugAssign) and accumulator.is_(node.target) and not accumulator.in_(node.value):
        operator = _symbol(node.operator)
        return None if operator is None else Form(operator)
    if isinstance(node, cst.Assign) and len(node.targets) == 1 and accumulator.is_(node.targets[0].target):
        if isinstance(node.value, cst.Call):
            return _called(accumulator, node.value, method)
        if isinstance(node.value, cst.IfExp):
            return _chosen(accumulator, node.value)
        operator = _assigned(accumulator, node.value)
        return None if operator is None else Form(operator)
    if isinstance(node, cst.If) and node.orelse is None:
        body = list(small_statements(statements_of(node.body)))
        assign = body[0] if len(body) == 1 else None
        if isinstance(assign, cst.Assign) and len(assign.targets) == 1 and accumulator.is_(assign.targets[0].target):
            return _conditional(accumulator, node.test, assign.value)
    return None


def candidates_of(accumulator: Accumulator, node: cst.CSTNode) -> list[cst.BaseExpression]:
    """The values that an update by `min`, `max` or comparison offers to the accumulator."""
    if isinstance(node, cst.If):
        assigns = [each for each in small_statements(statements_of(node.body)) if isinstance(each, cst.Assign)]
        return [each.value for each in assigns if accumulator.is_(each.targets[0].target)]
    value = node.value if isinstance(node, cst.Assign) else None
    given: list[cst.BaseExpression] = []
    if isinstance(value, cst.Call):
        given = [argument.value for argument in value.args]
    elif isinstance(value, cst.IfExp):
        given = [value.body, value.orelse]
    return [each for each in given if not accumulator.is_(each)]


def _assigned(accumulator: Accumulator, value: cst.BaseExpression) -> str | None:
    if isinstance(value, cst.BinaryOperation):
        if isinstance(value.operator, cst.Subtract) and not accumulator.is_(value.left):
            return None
        operator = _symbol(value.operator)
        for side, other in ((value.left, value.right), (value.right, value.left)):
            if accumulator.is_(side) and not accumulator.in_(other):
                return operator
    if isinstance(value, cst.BooleanOperation) and accumulator.is_(value.left) and not accumulator.in_(value.right):
        return _symbol(value.operator)
    return None


def _symbol(operator: cst.BaseBinaryOp | cst.BaseBooleanOp | cst.BaseAugOp) -> str | None:
    """The operator of reductions that `+`, `+=` or `and` brings values in by."""
    symbol = cst.Module([]).code_for_node(operator).strip().removesuffix("=")
    symbol = SAME.get(symbol, symbol)
    return symbol if symbol in OPERATORS else None


def _called(accumulator: Accumulator, call: cst.Call, method: Method) -> Form | None:
    """`min(s, x)` keeps `s` unless `x` is smaller; `min(x, s)` keeps `x` unless `s` is."""
    op = symbol_of(evaluate(call.func, method.namespace, method.local_names))
    if op is None or len(call.args) < 2 or any(each.keyword or each.star for each in call.args):
        return None
    own = [k for k, argument in enumerate(call.args) if accumulator.is_(argument.value)]
    if len(own) != 1 or sum(accumulator.in_(argument.value) for argument in call.args) != 1:
        return None
    if not OPERATORS[op].better:
        return Form(op)
    behind = (Taking(equal=True, unordered=True),) if own[0] > 0 else ()
    before = (FIRST,) if own[0] < len(call.args) - 1 else ()
    return Form(op, (*before, *behind))


def _chosen(accumulator: Accumulator, value: cst.IfExp) -> Form | None:
    """`e if e < s else s` takes `e` as `if e < s: s = e` does; `s if s < e else e` takes it where `s < e` is false."""
    if accumulator.is_(value.orelse) and not accumulator.in_(value.body):
        return _conditional(accumulator, value.test, value.body)
    if not accumulator.is_(value.body) or accumulator.in_(value.orelse):
        return None
    kept = _conditional(accumulator, value.test, value.orelse)
    if kept is None:
        return None
    return Form(OPPOSITE[kept.op], (Taking(equal=not kept.takings[0].equal, unordered=True),))


def _conditional(accumulator: Accumulator, test: cst.BaseExpression, value: cst.BaseExpression) -> Form | None:
    """The form of `if value < s: s = value` and those like it, given the test."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or accumulator.in_(value):
        return None
    operator, right = test.comparisons[0].operator, test.comparisons[0].comparator
    if accumulator.is_(right) and normalised(test.left) == normalised(value):
        return TAKES.get(type(operator))
    if accumulator.is_(test.left) and normalised(right) == normalised(value):
        found = TAKES.get(type(operator))
        return None if found is None else Form(OPPOSITE[found.op], found.takings)
    return None


OPPOSITE = {"min": "max", "max": "min"}
#: by the sign between a value and the accumulator: what it means to take the value where the comparison holds
TAKES: Mapping[type[cst.BaseCompOp], Form] = {
    cst.LessThan: Form("min"),
    cst.LessThanEqual: Form("min", (Taking(equal=True),)),
    cst.GreaterThan: Form("max"),
    cst.GreaterThanEqual: Form("max", (Taking(equal=True),)),
}


def mentions(name: str, node: cst.CSTNode) -> int:
    """How often `name` stands in `node`; the shape of an array counts too."""
    return sum(each.value == name for each in nodes_of(node, cst.Name))
