"""Python ints that loops as written join with elements of narrower integers: tests that NumPy makes, before the loop.

    for i in range(len(a)):   ->   if 0 < len(a) and (k < 0 or k > 255):
        a[i] = a[i] * k                raise OverflowError(f"Python integer {k} out of bounds for uint8")
                                   for i in range(len(a)):
                                       a[i] = a[i] * k

In: a method whose types are known. Out: for each outermost loop tests of those ints that no loop changes, and, beside
integers of 32 bits, of variables of loops that count up, where it is sure that plain Python comes to the operation in
the first iteration: it stands under no condition, the limits of the loops around it do not change, and nothing raises
before; that indexes are inside arrays in that iteration is part of the test. `fitting_in_place` puts them there, and
tests all others where they are. Ints that are written out `types` has looked at, those of array statements `fitting`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import libcst as cst
import numpy as np

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.arrays.fitting_conditions import TRUE_QUOTIENT, Misfits
from somd.transforms.stages import Method
from somd.transforms.tree.loops import integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import children_of, nodes_in
from somd.transforms.types.scalars import ArrayType, ScalarType, Type
from somd.transforms.types.typing_table import Types

#: statements behind which it is not sure that an iteration goes on
_LEAVING = (cst.Break, cst.Continue, cst.Return, cst.Raise, cst.While, cst.Try, cst.Assert)
#: parts of an expression that Python may not evaluate
_PERHAPS = (cst.BooleanOperation, cst.IfExp, cst.Lambda, cst.BaseComp, cst.Comparison)
#: operations that may raise, and operators of them that do for numbers of Python
_OPERATIONS = (cst.Subscript, cst.Call, cst.BinaryOperation, cst.AugAssign)
_DIVIDING = (cst.DivideAssign, cst.FloorDivideAssign, cst.ModuloAssign, cst.PowerAssign)


@dataclass(frozen=True)
class _Loops:
    """The loops around a statement: what says before them that each has trips, what their variables are at first, and
    the least and the largest number of those that count up."""

    running: tuple[str, ...] = ()
    first: Mapping[str, str] = field(default_factory=dict)
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
        #: numbers that are tested before a loop, and the types that they meet
        self.found: set[tuple[cst.CSTNode, str]] = set()
        self.misfits = Misfits(method, types, self.found)
        #: what says before the loops that nothing has raised so far; None where that cannot be said
        self.guards: list[str] | None = []

    def before(self, loop: cst.For) -> list[EarlyTest]:
        """The tests before an outermost loop, each once for each number and type that it is about."""
        self.guards = []
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
            if not isinstance(statement, cst.SimpleStatementLine):
                self.look_at(statement)
            if self.guards is None or any(isinstance(node, _LEAVING) for node in nodes_in(statement)):
                self.guards = None
                return

    def look_at(self, node: cst.CSTNode) -> None:
        """Notes that what runs here by turns, or perhaps, may raise."""
        if any(isinstance(each, _OPERATIONS) for each in (node, *nodes_in(node))):
            self.guards = None

    def within(self, loop: cst.For, around: _Loops) -> _Loops | None:
        """The loops around the body of this one; None if it cannot be said before all of them that it has trips."""
        limits = range_of(loop)
        step = None if limits is None else integer_constant(limits.step, self.method)
        if limits is None or not step or not all(map(self.is_steady, limits.limits)):
            return None
        first, last = (code_of(limit) for limit in (limits.limits if step > 0 else limits.limits[::-1]))
        variables = {name: ends for name, ends in around.variables.items() if name != limits.variable}
        if step == 1 and limits.variable not in assigned_names(loop.body):
            variables[limits.variable] = (limits.start, f"{last} - 1")
        starts = {**around.first, limits.variable: code_of(limits.start)}
        if limits.variable in assigned_names(loop.body):
            del starts[limits.variable]
        return _Loops((*around.running, f"{first} < {last}"), starts, variables)

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
            targets = [each.target for each in node.targets]
            for target in targets:
                if isinstance(target, cst.Subscript):
                    yield from self.of_expression(target, loops)
                    yield from self.of_pair(self.element(target), node.value, loops)
                elif not isinstance(target, cst.Name):
                    self.look_at(target)
                kind = self.misfits.element(target)
                self.note(kind is not None and any(self.misfits.stored(kind.dtype, node.value, "x")))
        elif isinstance(node, cst.AugAssign):
            sides = (cast(cst.BaseExpression, node.target), node.value)
            for side in sides:
                yield from self.of_expression(side, loops)
            if not isinstance(node.operator, TRUE_QUOTIENT):
                yield from self.of_pair(self.element(node.target), node.value, loops)
                self.note(any(self.misfits.joined(sides)))
            given, kind = self.misfits.kind(node), self.misfits.element(node.target)
            divided = isinstance(node.operator, _DIVIDING) and given is not None and given.weak
            self.note(divided or (kind is not None and (given is None or given.dtype != kind.dtype)))
        else:
            self.look_at(node)

    def note(self, may_raise: bool) -> None:
        if may_raise:
            self.guards = None

    def of_expression(self, node: cst.CSTNode, loops: _Loops) -> Iterator[EarlyTest]:
        """The tests of its operations, in the order in which Python evaluates them."""
        if isinstance(node, _PERHAPS):
            self.look_at(node)
            return
        for child in children_of(node):
            yield from self.of_expression(child, loops)
        if isinstance(node, cst.BinaryOperation):
            if not isinstance(node.operator, TRUE_QUOTIENT):
                left, right = (self.types.nodes.get(each) for each in (node.left, node.right))
                yield from self.of_pair(left, node.right, loops)
                yield from self.of_pair(right, node.left, loops)
                self.note(any(self.misfits.joined((node.left, node.right))))
            self.note(self.misfits.may_raise(node))
        elif isinstance(node, cst.Call):
            self.note(self.misfits.may_raise(node) or any(self.misfits.call(node)))
        elif isinstance(node, cst.Subscript) and self.guards is not None:
            self.guards = self.within_array(node, loops)

    def within_array(self, node: cst.Subscript, loops: _Loops) -> list[str] | None:
        """What says that the indexes of an element are inside its array in the first iteration, too."""
        array = code_of(node.value)
        kind = self.types.names.get(array) if array in self.steady else None
        if self.is_steady(node):
            return self.guards
        indexes = index_expressions(node)
        if not isinstance(kind, ArrayType) or len(indexes) != kind.ndim:
            return None
        made = [*(self.guards or ())]
        for axis, index in enumerate(indexes):
            place = self.at_first(index, loops)
            if place is None:
                return None
            lengths = (f"len({array})", f"{array}.shape[0]") if axis == 0 else (f"{array}.shape[{axis}]",)
            if place in ("0", "(0)") and any(f"0 < {length}" in loops.running for length in lengths):
                continue
            guard = f"-{lengths[0]} <= {place} < {lengths[0]}"
            made += [guard] if guard not in made else []
        return made

    def at_first(self, node: cst.BaseExpression, loops: _Loops) -> str | None:
        """An index in the first iteration, as a text; None where it is not known before the loops."""
        if isinstance(node, cst.Name) and node.value in loops.first:
            return f"({loops.first[node.value]})"
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add | cst.Subtract | cst.Multiply):
            sides = self.at_first(node.left, loops), self.at_first(node.right, loops)
            sign = code_of(cst.BinaryOperation(cst.Name("a"), node.operator, cst.Name("b")))[1:-1].strip()
            return None if None in sides else f"({sides[0]} {sign} {sides[1]})"
        return f"({code_of(node)})" if self.is_steady(node) else None

    def of_pair(self, kind: Type | None, number: cst.BaseExpression, loops: _Loops) -> Iterator[EarlyTest]:
        """The tests of a Python int that meets a number of this type."""
        if self.guards is None or not isinstance(kind, ScalarType) or kind.weak or kind.dtype == "int64":
            return
        if kind.kind not in "iu":
            return
        given = self.types.names.get(number.value) if isinstance(number, cst.Name) else None
        if not (isinstance(number, cst.Name) and isinstance(given, ScalarType) and given.weak and given.kind == "i"):
            return
        limits: Any = np.iinfo(kind.dtype)

        def test(number_then: str, *outside: str) -> EarlyTest:
            condition = " and ".join([*loops.running, *(self.guards or ()), f"({' or '.join(outside)})"])
            self.found.add((number, kind.dtype))
            return EarlyTest(condition, number_then, kind.dtype, number)

        def outside(name: str) -> list[str]:
            return [f"{name} < {limits.min}", *([f"{name} > {limits.max}"] if kind.dtype != "uint64" else [])]

        if number.value in self.steady:
            yield test(number.value, *outside(number.value))
        elif number.value in loops.variables and np.dtype(kind.dtype).itemsize >= 4 and not self.guards:
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
