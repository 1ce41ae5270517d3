"""Integers that the text shows not to be below 0: variables of loops that begin there, lengths, what is made of them.

An integer power with such an exponent is an integer.
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.stages import Method
from somd.transforms.tree.loops import range_of
from somd.transforms.tree.names import evaluate
from somd.transforms.tree.walking import nodes_in


class Naturals:
    """What is known of the expressions of one method."""

    def __init__(self, method: Method) -> None:
        self.method = method
        #: by name: what it is set to, None for what is not looked at
        self.values: dict[str, list[cst.BaseExpression | None]] = {name: [None] for name in method.param_names}
        for node in nodes_in(method.function.body):
            self._enter(node)
        #: names that are being looked at: what they are made of may be they themselves, with something added
        self.asked: set[str] = set()

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

    def natural(self, node: cst.BaseExpression) -> bool:
        """Whether an integer expression is never negative."""
        if isinstance(node, cst.Integer):
            return True
        if isinstance(node, cst.Name) and node.value in self.method.local_names:
            return self._name(node.value)
        if isinstance(node, cst.BinaryOperation):
            if isinstance(node.operator, cst.Modulo):
                return isinstance(node.right, cst.Integer) and int(node.right.evaluated_value) > 0
            grows = isinstance(node.operator, cst.Add | cst.Multiply | cst.FloorDivide)
            return grows and self.natural(node.left) and self.natural(node.right)
        if isinstance(node, cst.Call):
            return evaluate(node.func, self.method.namespace, self.method.local_names) is len
        value = evaluate(node, self.method.namespace, self.method.local_names)
        return type(value) is int and value >= 0

    def _name(self, name: str) -> bool:
        if name in self.asked:
            return True
        self.asked.add(name)
        found = all(value is not None and self.natural(value) for value in self.values.get(name, [None]))
        self.asked.discard(name)
        return found
