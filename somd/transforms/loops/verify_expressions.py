"""What holds of every expression of a loop program: types, intervals, names that have values.

In: expressions in the order in which they are evaluated, and the names as they come to have values. Out: what is wrong.
Statements are checked by `verify`.
"""

from __future__ import annotations

from collections.abc import Iterable

from somd.transforms.loops.making import BOOL8, INT64, constant, same_number
from somd.transforms.loops.operators import result_type
from somd.transforms.loops.program import (
    Cast,
    Choice,
    Constant,
    Element,
    Expression,
    Function,
    Interval,
    Length,
    Operation,
    Proved,
    Tested,
    Variable,
)
from somd.transforms.loops.ranges import LONGEST, inside, joined, of_operation, whole
from somd.transforms.loops.walking import operands
from somd.transforms.types.scalars import ArrayType, NotTyped, ScalarType


class ExpressionVerifier:
    """Keeps the names of a program or function, with their types, and what is wrong."""

    def __init__(self, functions: Iterable[Function]) -> None:
        self.functions = {function.name: function for function in functions}
        self.found: list[str] = []
        #: the one type of each name
        self.types: dict[str, ScalarType | ArrayType] = {}
        #: names that may have a value here
        self.known: set[str] = set()
        #: what elements of arrays are assumed to be
        self.assumed: dict[str, Interval] = {}

    def wrong(self, what: str) -> None:
        self.found.append(what)

    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.found.append(what)

    # --- names ---------------------------------------------------------------------------------------------------

    def scalar(self, name: str, type_: ScalarType) -> None:
        """A scalar gets a value here."""
        self.expect(self.types.setdefault(name, type_) == type_, f"`{name}` is {self.types[name]} and {type_}")
        self.known.add(name)

    def array(self, name: str, type_: ArrayType) -> None:
        self.expect(self.types.setdefault(name, type_) == type_, f"`{name}` is {self.types[name]} and {type_}")
        self.known.add(name)

    def array_type(self, name: str) -> ArrayType | None:
        found = self.types.get(name)
        if not isinstance(found, ArrayType) or name not in self.known:
            self.wrong(f"`{name}` is no array here")
            return None
        return found

    # --- expressions ---------------------------------------------------------------------------------------------

    def expression(self, node: Expression) -> None:
        for each in operands(node):
            self.expression(each)
        self.expect(not node.type.weak and not node.type.literals, f"{node.type} is no type of a program")
        self.of_kind(node)
        least = self.least(node)
        if node.type.kind in "iu":
            self.expect(node.range is not None, "an integer without an interval")
            self.expect(inside(node.range, whole(node.type)), f"the interval {node.range} is beyond {node.type}")
            self.expect(least is None or inside(least, node.range), f"the interval {node.range} is {least} at least")
        else:
            self.expect(node.range is None, "an interval of what is no integer")

    def of_kind(self, node: Expression) -> None:
        if isinstance(node, Constant):
            kept = constant(node.value, node.type).value
            self.expect(same_number(kept, node.value), f"{node.value!r} is no {node.type}")
        elif isinstance(node, Variable):
            self.expect(node.name in self.known, f"`{node.name}` has no value where it is read")
            known = self.types.get(node.name, node.type)
            self.expect(known == node.type, f"`{node.name}` is {known}, read as {node.type}")
        elif isinstance(node, Element):
            self.element(node)
        elif isinstance(node, Length):
            array = self.array_type(node.array)
            self.expect(array is None or node.axis < array.ndim, f"`{node.array}` has no axis {node.axis}")
            self.expect(node.type == INT64, f"a length is {node.type}")
        elif isinstance(node, Operation):
            try:
                wanted = result_type(node.operator, tuple(each.type for each in node.operands))
            except NotTyped as error:
                self.wrong(f"{node.operator}: {error}")
            else:
                self.expect(wanted == node.type, f"`{node.operator}` gives {wanted}, not {node.type}")
        elif isinstance(node, Cast):
            self.expect(node.operand.type != node.type, f"a cast from {node.type} to itself")
            real = node.type.kind not in "cb" and node.operand.type.kind == "c"
            self.expect(not real, f"a cast from {node.operand.type} to {node.type}")
        elif isinstance(node, Choice):
            self.expect(node.test.type == BOOL8, "a choice by something that is no truth value")
            alike = node.yes.type == node.no.type == node.type
            self.expect(alike, f"a choice of {node.yes.type} and {node.no.type} that is {node.type}")
        else:
            self.call(node.function, node.operands)
            function = self.functions.get(node.function)
            part = None if function is None else function.result[node.part or 0]
            self.expect(part is None or part == node.type, f"`{node.function}` gives {part}, not {node.type}")

    def element(self, node: Element) -> None:
        array = self.array_type(node.array)
        if array is None:
            return
        self.expect(node.type.dtype == array.dtype, f"an element of `{node.array}`, {array}, that is {node.type}")
        self.expect(len(node.indices) == array.ndim, f"`{node.array}`, {array}, has {len(node.indices)} indices")
        for index in node.indices:
            self.expect(index.type == INT64, f"an index of `{node.array}` that is {index.type}")
            never = isinstance(node.access, Proved) and index.range is not None and index.range.high < 0
            self.expect(not never, f"an index of `{node.array}` that is proved and below 0: {index.range}")
        sites = not isinstance(node.access, Tested) or len(node.access.sites) == len(node.indices)
        self.expect(sites, f"an access of `{node.array}` that is tested without a site for each axis")
        if node.relaxed is not None:
            self.expect(node.relaxed.snapshot in self.known, f"no snapshot `{node.relaxed.snapshot}`")

    def call(self, name: str, given: tuple[Expression, ...]) -> None:
        function = self.functions.get(name)
        if function is None:
            self.wrong(f"there is no function `{name}`")
            return
        types = tuple(each.type for each in given)
        wanted = tuple(parameter.type for parameter in function.parameters)
        self.expect(types == wanted, f"`{name}` takes {wanted}, not {types}")

    def least(self, node: Expression) -> Interval | None:
        """What the interval of an expression encloses, as its operands are; None where that says nothing."""
        if isinstance(node, Constant) and node.type.kind in "iu":
            return Interval(int(node.value.real), int(node.value.real))
        if isinstance(node, Length):
            return Interval(0, LONGEST)
        if isinstance(node, Operation):
            return of_operation(node.operator, [each.range for each in node.operands], node.type)
        if isinstance(node, Cast) and inside(node.operand.range, whole(node.type)):
            return node.operand.range
        if isinstance(node, Choice):
            return joined(node.yes.range, node.no.range)
        if isinstance(node, Element) and node.array in self.assumed:
            return self.assumed[node.array]
        return None if isinstance(node, Variable) else whole(node.type)
