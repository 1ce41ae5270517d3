"""Integers that the text shows not to be below 0: variables of loops that begin there, lengths, what is made of them,
and what a `raise` or an `assert` before says so of.

    assert n >= 0
    for i in range(len(a)):
        a[i] = a[i] ** n

An integer power with such an exponent is an integer.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.analysis.affine import shape_reference
from somd.transforms.stages import Method
from somd.transforms.tree.loops import always_raises, else_statements, range_of, statements_of
from somd.transforms.tree.names import evaluate
from somd.transforms.tree.walking import nodes_of


class Naturals:
    """What is known of the expressions of one method."""

    def __init__(self, method: Method) -> None:
        self.method = method
        #: by name: what it is set to, None for what is not looked at
        self.values: dict[str, list[cst.BaseExpression | None]] = {name: [None] for name in method.param_names}
        for node in nodes_of(method.function.body, cst.For, cst.Assign, cst.AnnAssign, cst.AugAssign):
            self._enter(node)
        #: names that are being looked at: what they are made of may be they themselves, with something added
        self.asked: set[str] = set()
        #: by the nodes of names: those of which a test before has said that they are not below 0
        self.tested: dict[cst.CSTNode, frozenset[str]] = {}
        self._note_tests(statements_of(method.function.body), frozenset())

    def _enter(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.For):
            header = range_of(node)
            upward = header is not None and isinstance(header.step, cst.Integer)
            self._set(node.target, header.start if header is not None and upward else None)
        elif isinstance(node, cst.Assign):
            for target in node.targets:
                self._set(target.target, node.value)
        elif isinstance(node, cst.AnnAssign):
            self._set(node.target, node.value)
        elif isinstance(node, cst.AugAssign):
            grows = isinstance(node.operator, cst.AddAssign | cst.MultiplyAssign)
            self._set(node.target, node.value if grows else None)

    def _set(self, target: cst.BaseExpression, value: cst.BaseExpression | None) -> None:
        if isinstance(target, cst.Name):
            self.values.setdefault(target.value, []).append(value)
        elif isinstance(target, cst.Tuple):
            for element in target.elements:
                self._set(element.value, None)

    def _note_tests(self, statements: Sequence[cst.CSTNode], known: frozenset[str]) -> None:
        for node in statements:
            if known:
                self.tested.update((each, known) for each in nodes_of(node, cst.Name))
            if isinstance(node, cst.For | cst.While | cst.With):
                self._note_tests(statements_of(node.body), known)
            if isinstance(node, cst.If):
                self._note_tests(statements_of(node.body), known | self._shown(node.test, True))
                other = known | self._shown(node.test, False)
                self._note_tests(else_statements(node), other)
                if node.orelse is None and always_raises(statements_of(node.body)):
                    known = other

    def _shown(self, test: cst.BaseExpression, holds: bool) -> set[str]:
        """What a test shows of names that are set once, which is before the test or what they name there is not set."""
        return {name for name in shown(test, holds) if self.set_once(name)}

    def set_once(self, name: str) -> bool:
        """Whether a name stands for one value only while a block of the method runs."""
        return len(self.values.get(name, ())) == 1

    def natural(self, node: cst.BaseExpression) -> bool:
        """Whether an integer expression is never negative."""
        if isinstance(node, cst.Integer):
            return True
        if isinstance(node, cst.Name) and node.value in self.method.local_names:
            return node.value in self.tested.get(node, ()) or self._name(node.value)
        if isinstance(node, cst.BinaryOperation):
            if isinstance(node.operator, cst.Modulo):
                return isinstance(node.right, cst.Integer) and int(node.right.evaluated_value) > 0
            if isinstance(node.operator, cst.BitAnd):
                return self.natural(node.left) or self.natural(node.right)
            grows = isinstance(node.operator, cst.Add | cst.Multiply | cst.FloorDivide)
            return grows and self.natural(node.left) and self.natural(node.right)
        if isinstance(node, cst.IfExp):
            return self.natural(node.body) and self.natural(node.orelse)
        if isinstance(node, cst.Call):
            return self._call(node)
        if shape_reference(node) is not None:
            return True
        value = evaluate(node, self.method.namespace, self.method.local_names)
        return type(value) is int and value >= 0

    def _call(self, node: cst.Call) -> bool:
        """`len(a)`, `abs(k)`, `max(k, 0)`, `min(i, n)` and `int(n)` of what is not below 0."""
        function = evaluate(node.func, self.method.namespace, self.method.local_names)
        given = [argument.value for argument in node.args]
        if function in (len, abs):
            return True
        if function is max:
            return len(given) > 1 and any(map(self.natural, given))
        return function in (int, min) and len(given) > (function is min) and all(map(self.natural, given))

    def _name(self, name: str) -> bool:
        if name in self.asked:
            return True
        self.asked.add(name)
        found = all(value is not None and self.natural(value) for value in self.values.get(name, [None]))
        self.asked.discard(name)
        return found


#: comparisons of a name with a number that show it not to be less, those with the sides changed, and the opposite ones
AT_LEAST = (cst.GreaterThan, cst.GreaterThanEqual, cst.Equal)
TURNED: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.LessThan: cst.GreaterThan,
    cst.LessThanEqual: cst.GreaterThanEqual,
    cst.GreaterThan: cst.LessThan,
    cst.GreaterThanEqual: cst.LessThanEqual,
    cst.Equal: cst.Equal,
}
OPPOSITE: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.LessThan: cst.GreaterThanEqual,
    cst.LessThanEqual: cst.GreaterThan,
    cst.GreaterThan: cst.LessThanEqual,
    cst.GreaterThanEqual: cst.LessThan,
    cst.NotEqual: cst.Equal,
}


def shown(test: cst.BaseExpression, holds: bool) -> set[str]:
    """The names of integers that are not below 0 where `test` is true, or false.

    >>> sorted(shown(cst.parse_expression("not 0 <= n < 64 or m > -1"), False))
    ['n']
    >>> sorted(shown(cst.parse_expression("0 <= n < 64 and m > -1"), True))
    ['m', 'n']
    """
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return shown(test.expression, not holds)
    if isinstance(test, cst.BooleanOperation):
        return (
            shown(test.left, holds) | shown(test.right, holds) if isinstance(test.operator, cst.And) == holds else set()
        )
    if not isinstance(test, cst.Comparison) or not (holds or len(test.comparisons) == 1):
        return set()
    found, left = set(), test.left
    for target in test.comparisons:
        operator = type(target.operator) if holds else OPPOSITE.get(type(target.operator), cst.NotEqual)
        turned = TURNED.get(operator, cst.NotEqual)
        for name, number, sign in ((left, target.comparator, operator), (target.comparator, left, turned)):
            lowest = _number(number) if sign in AT_LEAST else None
            if isinstance(name, cst.Name) and lowest is not None and lowest + (sign is cst.GreaterThan) >= 0:
                found.add(name.value)
        left = target.comparator
    return found


def _number(node: cst.BaseExpression) -> int | None:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = _number(node.expression)
        return None if inner is None else -inner
    return int(node.evaluated_value) if isinstance(node, cst.Integer) else None
