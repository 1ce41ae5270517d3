"""Intervals of integers: what values an integer expression of a slave can have.

In: statements as the slave has them, the types of names and arrays, and what is assumed of arrays' elements. Out: an
interval for each name, over all its assignments. Numba computes integers in 64 bits; a result that may leave them may
wrap, and then nothing is known of it. `uint64` is left out: with it Numba computes in other types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import libcst as cst
import numpy as np

from somd.transforms.multicore.flow import Statements, assigned, pairs_of, small_of, target_names
from somd.transforms.tree.loops import else_statements, range_of, statements_of
from somd.transforms.types.scalars import AUGMENTED, REALS

#: rounds over the statements after which what still grows is taken to be anything
PATIENCE = 6


@dataclass(frozen=True)
class Interval:
    """The integers from `low` to `high`."""

    low: int
    high: int

    def __or__(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def within(self, outer: Interval) -> bool:
        return outer.low <= self.low and self.high <= outer.high


INT64 = Interval(-(1 << 63), (1 << 63) - 1)
WORD = Interval(0, (1 << 32) - 1)
LENGTH = Interval(0, 1 << 62)
#: stands for a name that has no value yet
NOTHING = Interval(1, 0)


def of_dtype(dtype: str) -> Interval | None:
    """The values of an integer type; None for other types and for uint64."""
    if np.dtype(dtype).kind not in "iu" or dtype == "uint64":
        return None
    limits = np.iinfo(dtype)
    return Interval(int(limits.min), int(limits.max))


class Intervals:
    """The intervals of names, and of expressions over them.

    `scalars` and `arrays` give dtypes, `constants` the values of captured numbers, `assumed` intervals of the elements
    of some arrays. Names of `carried` have values from before the statements, so anything their types hold.
    """

    def __init__(
        self,
        scalars: Mapping[str, str],
        arrays: Mapping[str, str],
        constants: Mapping[str, object],
        assumed: Mapping[str, Interval],
    ) -> None:
        self.scalars = scalars
        self.arrays = arrays
        self.constants = constants
        self.assumed = assumed
        self.names: dict[str, Interval] = {}

    def learn(self, statements: Statements, carried: set[str]) -> None:
        """Find the intervals of the names that `statements` assign."""
        for name in assigned(statements):
            whole = self._whole(name)
            if whole is not None:
                self.names[name] = whole if name in carried else NOTHING
        before, turn = None, 0
        while self.names != before:
            before, turn = dict(self.names), turn + 1
            self._block(statements, turn > PATIENCE)

    def _whole(self, name: str) -> Interval | None:
        return of_dtype(self.scalars[name]) if name in self.scalars else None

    def _block(self, statements: Statements, widen: bool) -> None:
        for statement in statements:
            for small in small_of(statement):
                self._assign(small, widen)
            if isinstance(statement, cst.If):
                self._block(statements_of(statement.body), widen)
                self._block(else_statements(statement), widen)
            elif isinstance(statement, cst.For):
                header = range_of(statement)
                assert header is not None
                start, stop, step = (self.of(n) for n in (header.start, header.stop, header.step))
                self._enter(header.variable, _trips(start, stop, step), widen)
                self._block(statements_of(statement.body), widen)

    def _assign(self, small: cst.CSTNode, widen: bool) -> None:
        names = target_names(small)
        if isinstance(small, cst.AugAssign) and names:
            operation = cst.BinaryOperation(small.target, AUGMENTED[type(small.operator)](), small.value)
            self._enter(names[0], self.of(operation), widen)
        elif isinstance(small, cst.Assign):
            for target, value in pairs_of(small):
                if isinstance(target, cst.Name):
                    self._enter(target.value, None if value is None else self.of(value), widen)

    def _enter(self, name: str, found: Interval | None, widen: bool) -> None:
        whole = self._whole(name)
        if whole is None or found == NOTHING:
            return
        if found is None or not found.within(whole):
            found = whole
        known = self.names.get(name, NOTHING)
        joined = found if known == NOTHING else known | found
        self.names[name] = whole if widen and joined != known else joined

    # --- expressions ---------------------------------------------------------------------------------------------

    def of(self, node: cst.BaseExpression) -> Interval | None:
        """The values of an expression: None if it is no integer or nothing is known of its type."""
        found = self._of(node)
        return INT64 if found is not None and found != NOTHING and not found.within(INT64) else found

    def _of(self, node: cst.BaseExpression) -> Interval | None:
        if isinstance(node, cst.Integer):
            return Interval(node.evaluated_value, node.evaluated_value)
        if isinstance(node, cst.Name):
            return self._name(node.value)
        if isinstance(node, cst.Subscript):
            return self._element(node)
        if isinstance(node, cst.Call):
            return self._call(node)
        if isinstance(node, cst.IfExp):
            return _both(self.of(node.body), self.of(node.orelse), lambda a, b: a | b)
        if isinstance(node, cst.UnaryOperation):
            return self._unary(node)
        if isinstance(node, cst.BinaryOperation):
            rule = RULES.get(type(node.operator))
            return None if rule is None else _both(self.of(node.left), self.of(node.right), rule)
        return None

    def _name(self, name: str) -> Interval | None:
        if name in self.names:
            return self.names[name]
        value = self.constants.get(name)
        if name not in self.scalars and type(value) is int:
            return Interval(value, value)
        return self._whole(name)

    def _element(self, node: cst.Subscript) -> Interval | None:
        if isinstance(node.value, cst.Attribute):
            return LENGTH if node.value.attr.value == "shape" else None
        if not isinstance(node.value, cst.Name) or node.value.value not in self.arrays:
            return None
        name = node.value.value
        return self.assumed.get(name) or of_dtype(self.arrays[name])

    def _call(self, node: cst.Call) -> Interval | None:
        arguments = [a.value for a in node.args]
        if isinstance(node.func, cst.Attribute) and isinstance(node.func.value, cst.Name):
            dtype = node.func.attr.value
            if node.func.value.value != "np" or len(arguments) != 1 or dtype not in REALS:
                return None
            whole, inner = of_dtype(dtype), self.of(arguments[0])
            return inner if inner is not None and whole is not None and inner.within(whole) else whole
        name = node.func.value if isinstance(node.func, cst.Name) else ""
        if name == "len":
            return LENGTH
        found = [self.of(a) for a in arguments]
        if name == "int" and len(found) == 1:
            return found[0]
        if name in ("min", "max") and len(found) == 2:
            pick = min if name == "min" else max
            return _both(found[0], found[1], lambda a, b: Interval(pick(a.low, b.low), pick(a.high, b.high)))
        if name == "abs" and len(found) == 1:
            return _both(found[0], found[0], lambda a, _: _absolute(a))
        rule = CALLED.get(name)
        if rule is not None and len(found) == 2:
            return _both(found[0], found[1], rule)
        return None

    def _unary(self, node: cst.UnaryOperation) -> Interval | None:
        inner = self.of(node.expression)
        if inner is None or inner == NOTHING:
            return inner
        if isinstance(node.operator, cst.Minus):
            return Interval(-inner.high, -inner.low)
        if isinstance(node.operator, cst.BitInvert):
            return Interval(~inner.high, ~inner.low)
        return inner if isinstance(node.operator, cst.Plus) else None


Rule = Callable[[Interval, Interval], Interval]


def _both(left: Interval | None, right: Interval | None, rule: Rule) -> Interval | None:
    if left is None or right is None:
        return None
    return NOTHING if NOTHING in (left, right) else rule(left, right)


def _trips(start: Interval | None, stop: Interval | None, step: Interval | None) -> Interval | None:
    """The values of a loop variable."""
    if start is None or stop is None or step is None or NOTHING in (start, stop, step):
        return None
    if step.low > 0:
        return Interval(start.low, max(start.low, stop.high - 1))
    if step.high < 0:
        return Interval(min(start.high, stop.low + 1), start.high)
    return None


def _absolute(inner: Interval) -> Interval:
    ends = (abs(inner.low), abs(inner.high))
    return Interval(0 if inner.low <= 0 <= inner.high else min(ends), max(ends))


def _product(left: Interval, right: Interval) -> Interval:
    corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return Interval(min(corners), max(corners))


def _remainder(left: Interval, right: Interval) -> Interval:
    if right.low <= 0:
        return INT64
    return Interval(0, min(right.high - 1, left.high) if left.low >= 0 else right.high - 1)


def _quotient(left: Interval, right: Interval) -> Interval:
    if right.low <= 0:
        return INT64
    corners = [a // b for a in (left.low, left.high) for b in (right.low, right.high)]
    return Interval(min(corners), max(corners))


def _and(left: Interval, right: Interval) -> Interval:
    natural = [i.high for i in (left, right) if i.low >= 0]
    return Interval(0, min(natural)) if natural else INT64


def _or(left: Interval, right: Interval) -> Interval:
    if left.low < 0 or right.low < 0:
        return INT64
    return Interval(0, (1 << max(left.high, right.high).bit_length()) - 1)


def _left_shift(left: Interval, right: Interval) -> Interval:
    if right.low < 0 or right.high > 63:
        return INT64
    return _product(left, Interval(1 << right.low, 1 << right.high))


def _right_shift(left: Interval, right: Interval) -> Interval:
    if right.low < 0 or right.high > 63:
        return Interval(min(left.low, -1), max(left.high, 0)) if left.low < 0 else Interval(0, left.high)
    corners = [a >> b for a in (left.low, left.high) for b in (right.low, right.high)]
    return Interval(min(corners), max(corners))


RULES: dict[type[cst.CSTNode], Rule] = {
    cst.Add: lambda a, b: Interval(a.low + b.low, a.high + b.high),
    cst.Subtract: lambda a, b: Interval(a.low - b.high, a.high - b.low),
    cst.Multiply: _product,
    cst.Modulo: _remainder,
    cst.FloorDivide: _quotient,
    cst.BitAnd: _and,
    cst.BitOr: _or,
    cst.BitXor: _or,
    cst.LeftShift: _left_shift,
    cst.RightShift: _right_shift,
}
#: the runtime's functions for operations with edge cases
CALLED: dict[str, Rule] = {"floor_divide": _quotient, "shift_left": _left_shift, "shift_right": _right_shift}
