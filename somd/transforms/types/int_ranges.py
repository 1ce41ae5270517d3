"""Between which numbers the ints of a method lie, as far as its text shows it, whatever is tested before.

    n = 0
    for k in range(100):       k lies in 0..99, n in 0..255, a[i] % 10 in 0..9
        n = (n + k) % 256

In: a method and its types. Out: for an expression the least and the largest number that it may have. Python's ints have
64 bits here; NumPy's have the range of their type. What a name is set to counts, not where.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import libcst as cst
import numpy as np

from somd.transforms.analysis.affine import shape_reference
from somd.transforms.stages import Method
from somd.transforms.tree.literals import number_of
from somd.transforms.tree.loops import integer_constant, range_of
from somd.transforms.tree.walking import nodes_of
from somd.transforms.types.scalars import ScalarType
from somd.transforms.types.typing_table import Types

#: the least and the largest number
Span = tuple[int, int]
ANY: Span = (-(2**63), 2**63 - 1)
SHORT: Span = (-(2**31), 2**31 - 1)
#: of the length of an array
LENGTHS: Span = (0, 2**44)


def of_dtype(dtype: str) -> Span:
    """The range of integers of a type."""
    limits: Any = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


class IntRanges:
    """What is known of the ints of one method; if the variables of these loops have 32 bits, which is noted if it is
    relied on."""

    def __init__(self, method: Method, types: Types, short: Collection[cst.For] = ()) -> None:
        self.method, self.types, self.short = method, types, short
        self.relied_on: list[cst.For] = []
        #: by name: what it is set to, None for what is not looked at
        self.values: dict[str, list[cst.CSTNode | None]] = {name: [None] for name in method.param_names}
        for node in nodes_of(method.function.body, cst.For, cst.Assign, cst.AnnAssign, cst.AugAssign):
            self._enter(node)
        self._known: dict[str, Span] = {}
        self._asked: set[str] = set()

    def _enter(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Assign):
            for target in node.targets:
                self._set(target.target, node.value)
        elif isinstance(node, cst.AugAssign | cst.For):
            self._set(node.target, node)
        elif isinstance(node, cst.AnnAssign) and node.value is not None:
            self._set(node.target, node.value)

    def _set(self, target: cst.BaseExpression, value: cst.CSTNode | None) -> None:
        if isinstance(target, cst.Name):
            self.values.setdefault(target.value, []).append(value)
        elif isinstance(target, cst.Tuple | cst.List):
            parts = value.elements if isinstance(value, cst.Tuple) else ()
            same = len(parts) == len(target.elements)
            for k, element in enumerate(target.elements):
                self._set(element.value, parts[k].value if same else None)

    def of(self, node: cst.CSTNode | None) -> Span:
        """The range of an expression, of the variable of a loop, or of what an assignment with an operator gives."""
        kind = self.types.nodes.get(node) if node is not None else None
        if isinstance(kind, ScalarType) and kind.kind == "b":
            return 0, 1
        whole = of_dtype(kind.dtype) if isinstance(kind, ScalarType) and kind.kind in "iu" else ANY
        return self._within(whole, self._span(node)) if node is not None else whole

    def _within(self, whole: Span, found: Span | None) -> Span:
        """A range, where it is in that of the type: else numbers may have wrapped."""
        inside = found is not None and whole[0] <= found[0] and found[1] <= whole[1]
        return found if inside and found is not None else whole

    def _span(self, node: cst.CSTNode) -> Span | None:
        if isinstance(node, cst.For):
            return self._loop(node)
        if isinstance(node, cst.AugAssign):
            return _joined(node.operator, self.of(node.target), self.of(node.value))
        if isinstance(node, cst.Name):
            constant = integer_constant(node, self.method)
            return self._name(node.value) if constant is None else (constant, constant)
        if isinstance(node, cst.Integer):
            return number_of(node), number_of(node)
        if isinstance(node, cst.UnaryOperation):
            least, most = self.of(node.expression)
            if isinstance(node.operator, cst.Minus):
                return -most, -least
            return (~most, ~least) if isinstance(node.operator, cst.BitInvert) else None
        if isinstance(node, cst.BinaryOperation):
            return _joined(node.operator, self.of(node.left), self.of(node.right))
        if isinstance(node, cst.IfExp):
            return _union(self.of(node.body), self.of(node.orelse))
        if isinstance(node, cst.Subscript) and shape_reference(node) is not None:
            return LENGTHS
        return self._call(node) if isinstance(node, cst.Call) else None

    def _name(self, name: str) -> Span | None:
        if name in self._known:
            return self._known[name]
        if name in self._asked or name not in self.values:
            return None
        self._asked.add(name)
        spans = [None if value is None else self.of(value) for value in self.values[name]]
        self._asked.discard(name)
        found = ANY
        if all(span is not None for span in spans):
            found = _union(*(span for span in spans if span is not None))
        if not self._asked:  # what was asked for in between knew less
            self._known[name] = found
        return found

    def _loop(self, node: cst.For) -> Span | None:
        limits = range_of(node)
        if limits is None:
            return None
        start, stop = self.of(limits.start), self.of(limits.stop)
        step = integer_constant(limits.step, self.method)
        if step is None:
            return _union(start, stop)
        found = (start[0], max(start[0], stop[1] - 1)) if step > 0 else (min(start[1], stop[0] + 1), start[1])
        clipped = max(found[0], SHORT[0]), min(found[1], SHORT[1])
        if node in self.short and clipped != found:
            self.relied_on.append(node)
            return clipped
        return found

    def _call(self, node: cst.Call) -> Span | None:
        callee, given = self.types.calls.get(node), [argument.value for argument in node.args]
        if callee is None or callee.kind not in ("builtin", "cast", "numpy") or not given:
            return None
        if callee.name == "len":
            return LENGTHS
        kinds = [self.types.nodes.get(each) for each in given]
        if any(not isinstance(kind, ScalarType) or kind.kind not in "biu" for kind in kinds):
            return None
        spans = [self.of(each) for each in given]
        if len(spans) == 1:
            least, most = spans[0]
            if callee.name in ("abs", "absolute"):
                return (0 if least <= 0 <= most else min(abs(least), abs(most))), max(abs(least), abs(most))
            return (least, most) if callee.name == "int" or callee.kind == "cast" else None
        if callee.name in ("min", "minimum"):
            return min(span[0] for span in spans), min(span[1] for span in spans)
        if callee.name in ("max", "maximum"):
            return max(span[0] for span in spans), max(span[1] for span in spans)
        return None


def _union(*spans: Span) -> Span:
    return min(span[0] for span in spans), max(span[1] for span in spans)


def _joined(operator: cst.CSTNode, left: Span, right: Span) -> Span | None:
    """The range of what an operator makes of two ints; None where it is not known."""
    if isinstance(operator, cst.Add | cst.AddAssign):
        return left[0] + right[0], left[1] + right[1]
    if isinstance(operator, cst.Subtract | cst.SubtractAssign):
        return left[0] - right[1], left[1] - right[0]
    if isinstance(operator, cst.Multiply | cst.MultiplyAssign):
        products = [a * b for a in left for b in right]
        return min(products), max(products)
    if isinstance(operator, cst.Modulo | cst.ModuloAssign) and right[0] > 0:
        return (0, min(right[1] - 1, left[1])) if left[0] >= 0 else (0, right[1] - 1)
    if isinstance(operator, cst.FloorDivide | cst.FloorDivideAssign) and right[0] > 0:
        quotients = [a // b for a in left for b in right]
        return min(quotients), max(quotients)
    if isinstance(operator, cst.BitAnd | cst.BitAndAssign) and max(left[0], right[0]) >= 0:
        return 0, min(span[1] for span in (left, right) if span[0] >= 0)
    if isinstance(operator, cst.RightShift | cst.RightShiftAssign) and right[0] >= 0 and right[1] < 64:
        shifted = [a >> b for a in left for b in right]
        return min(shifted), max(shifted)
    bits = cst.BitOr | cst.BitOrAssign | cst.BitXor | cst.BitXorAssign
    if isinstance(operator, bits) and min(left[0], right[0]) >= 0:
        return 0, (1 << max(left[1].bit_length(), right[1].bit_length())) - 1
    return None
