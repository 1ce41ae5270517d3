"""Python ints that loops as written join with elements of narrower integers: tests that NumPy makes, before the loop.

    for i in range(len(a)):   ->   if 0 < len(a) and (k < 0 or k > 255):
        a[i] = a[i] * k                raise OverflowError(f"Python integer {k} out of bounds for uint8")
                                   for i in range(len(a)):
                                       a[i] = a[i] * k

In: a method whose types are known. Out: for each outermost loop tests of those ints that no loop changes, and, beside
integers of 32 bits, of variables of loops that count up, where it is sure that plain Python comes to the operation: it
stands under no condition, and the limits of the loops around it do not change. `fitting_in_place` puts them there, and
tests all others where they are. Ints that are written out `types` has looked at, those of array statements `fitting`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
import numpy as np

from somd.transforms.arrays.fitting import TRUE_QUOTIENT
from somd.transforms.arrays.integers import code
from somd.transforms.stages import Method
from somd.transforms.tree.loops import integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.walking import children_of, nodes_in
from somd.transforms.types.scalars import ArrayType, ScalarType, Type
from somd.transforms.types.typing_table import Types

#: statements behind which it is not sure that an iteration goes on
_LEAVING = (cst.Break, cst.Continue, cst.Return, cst.Raise, cst.While, cst.Try, cst.Assert)
#: parts of an expression that Python may not evaluate
_PERHAPS = (cst.BooleanOperation, cst.IfExp, cst.Lambda, cst.BaseComp, cst.Comparison)


@dataclass(frozen=True)
class _Loops:
    """The loops around a statement: what says before them that each has trips, and the least and the largest number of
    those variables that count up."""

    running: tuple[str, ...] = ()
    variables: Mapping[str, tuple[cst.BaseExpression, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class EarlyTest:
    """When a number is outside integers of a type, and what it is then."""

    condition: str
    number: str
    dtype: str
    node: cst.CSTNode

    @property
    def message(self) -> str:
        return f'OverflowError(f"Python integer {{{self.number}}} out of bounds for {self.dtype}")'


class EarlyTests:
    """Finds the tests before the outermost loops of a method."""

    def __init__(self, method: Method, types: Types) -> None:
        self.method, self.types = method, types
        loops = [node for node in nodes_in(method.function.body) if isinstance(node, cst.For)]
        #: what is the same before and in all loops
        self.steady = {name for name in types.names if name not in set().union(*map(assigned_names, loops))}

    def before(self, loop: cst.For) -> list[EarlyTest]:
        """The tests before an outermost loop, each once for each number and type that it is about."""
        return list(self.tests_of(loop, _Loops()))

    # --- what runs for sure ----------------------------------------------------------------------------------------

    def tests_of(self, loop: cst.For, around: _Loops) -> Iterator[EarlyTest]:
        within = self.within(loop, around)
        if within is not None:
            yield from self.tests_in(statements_of(loop.body), within)

    def tests_in(self, statements: Sequence[cst.CSTNode], loops: _Loops) -> Iterator[EarlyTest]:
        for statement in statements:
            if isinstance(statement, cst.For):
                yield from self.tests_of(statement, loops)
            elif isinstance(statement, cst.With):
                yield from self.tests_in(statements_of(statement.body), loops)
            elif isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    yield from self.of_statement(small, loops)
            if any(isinstance(node, _LEAVING) for node in nodes_in(statement)):
                return

    def within(self, loop: cst.For, around: _Loops) -> _Loops | None:
        """The loops around the body of this one; None if it cannot be said before all of them that it has trips."""
        limits = range_of(loop)
        step = None if limits is None else integer_constant(limits.step, self.method)
        if limits is None or not step or not all(map(self.is_steady, limits.limits)):
            return None
        first, last = (code(limit) for limit in (limits.limits if step > 0 else limits.limits[::-1]))
        variables = {name: ends for name, ends in around.variables.items() if name != limits.variable}
        if step == 1 and limits.variable not in assigned_names(loop.body):
            variables[limits.variable] = (limits.start, f"{last} - 1")
        return _Loops((*around.running, f"{first} < {last}"), variables)

    def is_bounded(self, loop: cst.For) -> bool:
        """Whether it can be said before all loops between which numbers the variable of this one lies."""
        limits = range_of(loop)
        if limits is None or limits.variable in assigned_names(loop.body):
            return False
        return bool(integer_constant(limits.step, self.method)) and all(map(self.is_steady, limits.limits))

    def is_steady(self, node: cst.BaseExpression) -> bool:
        """Whether an expression of numbers and lengths is the same before and in all loops."""
        if isinstance(node, cst.Name):
            return node.value in self.steady and isinstance(self.types.names[node.value], ScalarType)
        if isinstance(node, cst.Call):
            [array] = [arg.value for arg in node.args] if len(node.args) == 1 else [node]
            plain = isinstance(node.func, cst.Name) and node.func.value == "len"
            return plain and isinstance(array, cst.Name) and array.value in self.steady
        if isinstance(node, cst.Subscript):
            shape = node.value
            return (
                isinstance(shape, cst.Attribute)
                and shape.attr.value == "shape"
                and isinstance(shape.value, cst.Name)
                and shape.value.value in self.steady
            )
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add | cst.Subtract):
            return self.is_steady(node.left) and self.is_steady(node.right)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            return self.is_steady(node.expression)
        return isinstance(node, cst.Integer)

    # --- what is joined --------------------------------------------------------------------------------------------

    def of_statement(self, node: cst.CSTNode, loops: _Loops) -> Iterator[EarlyTest]:
        if isinstance(node, cst.Assign):
            yield from self.of_expression(node.value, loops)
            for target in node.targets:
                if isinstance(target.target, cst.Subscript):
                    yield from self.of_pair(self.element(target.target), node.value, loops)
        elif isinstance(node, cst.AugAssign):
            yield from self.of_expression(node.value, loops)
            if not isinstance(node.operator, TRUE_QUOTIENT):
                yield from self.of_pair(self.element(node.target), node.value, loops)

    def of_expression(self, node: cst.CSTNode, loops: _Loops) -> Iterator[EarlyTest]:
        if isinstance(node, _PERHAPS):
            return
        if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, TRUE_QUOTIENT):
            left, right = (self.types.nodes.get(each) for each in (node.left, node.right))
            yield from self.of_pair(left, node.right, loops)
            yield from self.of_pair(right, node.left, loops)
        for child in children_of(node):
            yield from self.of_expression(child, loops)

    def of_pair(self, kind: Type | None, number: cst.BaseExpression, loops: _Loops) -> Iterator[EarlyTest]:
        """The tests of a Python int that meets a number of this type."""
        if not isinstance(kind, ScalarType) or kind.weak or kind.kind not in "iu" or kind.dtype == "int64":
            return
        given = self.types.names.get(number.value) if isinstance(number, cst.Name) else None
        if not (isinstance(number, cst.Name) and isinstance(given, ScalarType) and given.weak and given.kind == "i"):
            return
        limits: Any = np.iinfo(kind.dtype)

        def test(number_then: str, *outside: str) -> EarlyTest:
            condition = " and ".join([*loops.running, f"({' or '.join(outside)})"])
            return EarlyTest(condition, number_then, kind.dtype, number)

        def outside(name: str) -> list[str]:
            return [f"{name} < {limits.min}", *([f"{name} > {limits.max}"] if kind.dtype != "uint64" else [])]

        if number.value in self.steady:
            yield test(number.value, *outside(number.value))
        elif number.value in loops.variables and np.dtype(kind.dtype).itemsize >= 4:
            least, largest = loops.variables[number.value]
            if isinstance(least, cst.Name):
                yield test(least.value, *outside(least.value))
            elif integer_constant(least, self.method) not in range(limits.min, limits.max + 1):
                return
            if kind.dtype != "uint64":
                yield test(str(limits.max + 1), f"{largest} > {limits.max}")

    def element(self, target: cst.BaseExpression) -> Type | None:
        """The type of what is stored to, or updated."""
        if isinstance(target, cst.Name):
            return self.types.names.get(target.value)
        array = target.value if isinstance(target, cst.Subscript) else None
        kind = self.types.names.get(array.value) if isinstance(array, cst.Name) else None
        return ScalarType(kind.dtype) if isinstance(kind, ArrayType) else None
