"""Expressions of the loop program -> C. Types are those of the tree: nothing is inferred here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from somd.diagnostics.model import Position
from somd.settings.targets import TargetLacks
from somd.transforms.emit.c_operations import operation
from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_tree import C, call, conditional, infix
from somd.transforms.emit.c_types import bits, converted, literal
from somd.transforms.emit.c_unit import Unit
from somd.transforms.emit.declared import is_size
from somd.transforms.loops.making import fused
from somd.transforms.loops.program import (
    Cast,
    Choice,
    Constant,
    Element,
    Expression,
    FromEnd,
    HelperCall,
    Interval,
    Length,
    Operation,
    RelaxedRead,
    Tested,
    Variable,
)
from somd.transforms.loops.ranges import inside

#: the least k for which a remainder by 2**k + 1 is taken without a division
FERMAT = 8


@dataclass(frozen=True)
class Speculation:
    """Tested elements are read as if inside: indexes but those that are `steady` are brought inside, and singles are
    divided as if no step left the normal numbers, and so are `doubles`; the variable `outside` becomes true if
    something was not so."""

    outside: str
    steady: frozenset[Expression]
    doubles: bool = False


class Expressions:
    """Prints expressions of one function."""

    def __init__(self, scope: Scope, unit: Unit) -> None:
        self.scope = scope
        self.unit = unit
        #: where the statement stands that is being written
        self.at: Position | None = None
        self.speculation: Speculation | None = None

    def expression(self, node: Expression) -> C:
        """The value of an expression. What a literal mentions counts where it is used, for it may be converted."""
        if isinstance(node, Constant):
            return literal(node.value, node.type.dtype)
        return self.unit.printed(self._made(node))

    def _made(self, node: Expression) -> C:
        if isinstance(node, Variable):
            return self.scope.value(node)
        if isinstance(node, Length):
            return self.scope.length(node.array, node.axis)
        if isinstance(node, Cast):
            made = converted(self.expression(node.operand), node.type.dtype)
            return reaching(made, node) if node.operand.type.kind in "iu" and made.value is None else made
        if isinstance(node, Choice):
            test, yes, no = (self.expression(each) for each in (node.test, node.yes, node.no))
            return conditional(test, yes, no, node.type.dtype)
        if isinstance(node, HelperCall):
            made = self.helper(node.function, node.operands, node.type.dtype)
            return made if node.part is None else C(f"{made.text}.part_{node.part}", made.dtype)
        if isinstance(node, Element):
            return self.element(node)
        assert isinstance(node, Operation)
        return self.operation(node)

    def operation(self, node: Operation) -> C:
        if self.unit.fused:
            node = fused(node)
        operands = [self.expression(each) for each in node.operands]
        if is_size(node):
            return infix("*", operands[0], operands[1], "int64")
        power = fermat_power(node)
        if power:
            function = self.unit.function("fermat_mod", node.type.dtype)
            return call(function, node.type.dtype, operands[0], literal(power, node.type.dtype))
        if self.speculation is not None and in_steps(node, self.speculation.doubles):
            dtype, outside = node.type.dtype, C(f"&{self.speculation.outside}", "int64")
            function = self.unit.quotient_near(dtype) if node.operator == "/" else self.unit.root_near(dtype)
            return call(function, dtype, *operands, outside)
        symbol = same_in_c(node)
        if symbol:
            return reaching(infix(symbol, operands[0], operands[1], node.type.dtype), node)
        try:
            return operation(node.operator, operands, node.type, self.unit)
        except TargetLacks as lack:
            raise TargetLacks(lack.reason, lack.position or self.at) from None

    def helper(self, function: str, operands: tuple[Expression, ...], dtype: str) -> C:
        """The call of a function of the program; `dtype` is that of its result, which means nothing for a tuple."""
        given = [self.expression(each) for each in operands]
        if not self.scope.failing() or not self.unit.lasts(function):
            return call(self.unit.helper(function), dtype, *given)
        noted, number = self.scope.noted, self.scope.iteration()
        self.scope.tests_accesses = True
        failed = C(f"&{noted}" if noted else "faults", "int64")
        return call(self.unit.leaving_helper(function, bool(noted)), dtype, *given, failed, C(number, "int64"))

    # --- accesses ------------------------------------------------------------------------------------------------

    def element(self, node: Element) -> C:
        """The value of an element that is read."""
        if node in self.scope.staged:
            found = C(self.scope.staged[node], node.type.dtype)
        elif isinstance(node.access, Tested) and self.speculation is None:
            found = call(self.tested(node, store=False), node.type.dtype, *self.test_arguments(node))
        else:
            found = C(f"{self.source(node)}[{self.flat_index(node)}]", node.type.dtype)
        # A bool whose memory is seen as bytes elsewhere may be any byte.
        return infix("!=", found, literal(0, "uint8"), "bool") if node.type.dtype == "bool" else found

    def source(self, node: Element) -> str:
        """What a read takes its element from: the array, or its snapshot where another iteration may write it."""
        name, read, range_ = self.scope.array(node.array), node.relaxed, self.scope.relaxed_range
        if read is None or not range_:
            return name
        snapshot = self.scope.array(read.snapshot)
        if read.apart:
            return snapshot
        index = self.expression(node.indices[read.axis])
        if isinstance(node.access, FromEnd | Tested):
            index = self._from_end(index, node.array, read.axis)
        self.unit.another()
        return f"({another(read, index, range_)} ? {snapshot} : {name})"

    def tested(self, node: Element, store: bool) -> str:
        """The C function for an access that is tested where it happens."""
        self.scope.tests_accesses = True
        where = "own" if node.array in self.scope.own else "apart" if node.array in self.scope.apart else ""
        return self.unit.tested_access(store, node.type.dtype, len(node.indices), where, bool(self.scope.noted))

    def test_arguments(self, node: Element) -> list[C]:
        assert isinstance(node.access, Tested)
        arguments = [C(self.source(node), "int64")]
        step = self.scope.apart.get(node.array)
        arguments += [] if step is None else [C(step, "int64")]
        for axis, index in enumerate(node.indices):
            arguments += [self.expression(index), self.scope.length(node.array, axis)]
        noted, number = self.scope.noted, self.scope.iteration()
        record = [C(name, "int64") for name in ([f"&{noted}", number] if noted else ["faults", number, "turn"])]
        return [*arguments, *record, literal(node.access.sites[0].number, "int64")]

    def flat_index(self, node: Element) -> str:
        """The place of an element in the flat array, in C order."""
        flat: C | None = None
        for axis, each in enumerate(node.indices):
            index = self.expression(each)
            if isinstance(node.access, FromEnd):
                index = self._from_end(index, node.array, axis)
            elif isinstance(node.access, Tested) and self.speculation and each not in self.speculation.steady:
                outside = C(f"&{self.speculation.outside}", "int64")
                index = call(self.unit.near(), "int64", index, self.scope.length(node.array, axis), outside)
            row = None if flat is None else infix("*", flat, self.scope.length(node.array, axis), "int64")
            flat = index if row is None else infix("+", row, index, "int64")
        assert flat is not None
        step = self.scope.apart.get(node.array)
        return flat.loose if step is None else infix("*", flat, C(step, "int64"), "int64").text

    def place(self, node: Element, axis: int) -> C:
        """Where on an axis an element lies that is inside."""
        index = self.expression(node.indices[axis])
        return self._from_end(index, node.array, axis) if isinstance(node.access, FromEnd) else index

    def _from_end(self, index: C, array: str, axis: int) -> C:
        if isinstance(index.value, int):
            return index if index.value >= 0 else infix("+", self.scope.length(array, axis), index, "int64")
        return call(self.unit.from_end(), "int64", index, self.scope.length(array, axis))


def in_steps(node: Expression, doubles: bool = False) -> bool:
    """Whether an expression is a quotient or a root of singles, or `doubles`: one to round right in steps without a
    branch."""
    if not isinstance(node, Operation) or node.operator not in ("/", "np.sqrt"):
        return False
    known = ("float32", "float64") if doubles else ("float32",)
    return node.type.dtype in known and all(each.type.dtype == node.type.dtype for each in node.operands)


def reaching(made: C, node: Expression) -> C:
    """What is printed of an integer, with how far from 0 it may be."""
    reach = 0 if node.range is None else max(-node.range.low, node.range.high)
    return replace(made, reach=reach) if reach < 1 << 62 else made


def fermat_power(node: Operation) -> int:
    """The k where an operation is the remainder by 2**k + 1 of an unsigned number below 2**2k: no division is needed
    for it, and Intel's compiler has none for vectors; 0 elsewhere."""
    if node.operator != "%" or node.type.kind != "u":
        return 0
    number, divisor = node.operands
    if not isinstance(divisor, Constant) or number.range is None:
        return 0
    least = int(divisor.value.real)
    power = least.bit_length() - 1
    return power if power >= FERMAT and least == (1 << power) + 1 and number.range.high < 1 << 2 * power else 0


def same_in_c(node: Operation) -> str:
    """The operator of C that divides or shifts integers as Python does, for what these can be; empty where none does.

    Divisors are constants: what is only said not to be 0 may be 0 where nobody asks for the result.
    """
    if node.type.dtype not in ("int32", "uint32", "int64", "uint64") or len(node.operands) != 2:
        return ""
    left, right = node.operands
    if node.operator in ("%", "//"):
        natural = left.range is not None and left.range.low >= 0
        divides = isinstance(right, Constant) and right.value.real > 0
        return {"%": "%", "//": "/"}[node.operator] if natural and divides else ""
    shifts = inside(right.range, Interval(0, bits(node.type.dtype) - 1))
    if node.operator == ">>" or (node.operator == "<<" and node.type.kind == "u"):
        return node.operator if shifts else ""
    return ""


def another(read: RelaxedRead, index: C, range_: str) -> str:
    """Whether another iteration may write the element at `index`, the place along the read's axis; `range_` is the
    outermost variable and its range as text."""
    tests = []
    for c in read.writes:
        at = index if c == 0 else infix("-", index, literal(c, "int64"), "int64")
        tests.append(f"python_another({at.loose}, {range_})")
    return " || ".join(tests)
