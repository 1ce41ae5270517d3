"""The distributed dimensions of a nest in C: bounds, index values, trip numbers."""

from __future__ import annotations

from dataclasses import dataclass

from somd.transforms.emit.c_expressions import Expressions
from somd.transforms.emit.c_tree import C, infix
from somd.transforms.emit.c_types import literal
from somd.transforms.loops.program import Constant, Loop
from somd.transforms.opencl.arguments import Argument


@dataclass(frozen=True)
class CRange:
    """Dimension `number` in C: its variable, and its bounds as the kernel sees them."""

    number: int
    variable: str
    start: C
    stop: C
    step: int
    #: whether the bounds are the same for all trips of the loops around
    invariant: bool

    def value(self, trip: C) -> str:
        """The value of the variable in that trip."""
        step = self.step
        scaled = trip if step in (1, -1) else infix("*", trip, literal(abs(step), "int64"), "int64")
        if self.start.value == 0 and step > 0:
            return scaled.loose
        return infix("+" if step > 0 else "-", self.start, scaled, "int64").loose

    def beyond(self, trip: C) -> str:
        """Whether that trip is beyond the range.

        A descending range compares distances from its start: Intel's CPU compiler makes empty kernels out of
        those that follow one which returns early on `start - get_global_id(0) <= stop`.
        """
        if self.step > 0:
            return infix(">=", C(self.variable, "int64"), self.stop, "bool").text
        step = literal(-self.step, "int64")
        gone = trip if self.step == -1 else infix("*", trip, step, "int64")
        return infix(">=", gone, infix("-", self.start, self.stop, "int64"), "bool").text

    def inside(self) -> str:
        return infix("<" if self.step > 0 else ">", C(self.variable, "int64"), self.stop, "bool").text

    def trip(self) -> C:
        """The number of the trip, from the variable."""
        step, variable = self.step, C(self.variable, "int64")
        sides = (variable, self.start) if step > 0 else (self.start, variable)
        distance = variable if step > 0 and self.start.value == 0 else infix("-", *sides, "int64")
        return distance if abs(step) == 1 else infix("/", distance, literal(abs(step), "int64"), "int64")


def range_in_c(number: int, loop: Loop, expressions: Expressions, arguments: list[Argument]) -> CRange:
    """The range of a dimension; bounds that do not depend on outer dimensions come as arguments, constants excepted."""
    scope, invariant = expressions.scope, loop.hull is None
    variable = scope.text_of(loop.variable.name)
    bounds = []
    for kind, node in (("start", loop.start), ("stop", loop.stop)):
        if isinstance(node, Constant) or not invariant:
            bounds.append(expressions.expression(node))
        else:
            text = scope.names.fresh(f"{variable}_{kind}")
            arguments.append(Argument(kind, text, number=number))
            bounds.append(C(text, "int64"))
    assert isinstance(loop.step, Constant)
    start, stop = bounds
    return CRange(number, variable, start, stop, int(loop.step.value.real), invariant)
