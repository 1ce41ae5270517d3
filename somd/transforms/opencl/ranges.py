"""The distributed dimensions of a nest in C: bounds, index values, trip numbers."""

from __future__ import annotations

from dataclasses import dataclass

from somd.transforms.opencl.arguments import Argument
from somd.transforms.opencl.c_expressions import Expressions
from somd.transforms.opencl.c_tree import C, infix
from somd.transforms.opencl.c_types import literal
from somd.transforms.stages import Dim
from somd.transforms.tree.loops import integer_constant


@dataclass(frozen=True)
class CRange:
    """Dimension `number` in C: its variable, and its bounds as the kernel sees them."""

    number: int
    dim: Dim
    variable: str
    start: C
    stop: C

    def value(self, trip: C) -> str:
        """The value of the variable in that trip."""
        step = self.dim.step
        scaled = trip if step in (1, -1) else infix("*", trip, literal(abs(step), "int64"), "int64")
        if self.start.value == 0 and step > 0:
            return scaled.loose
        return infix("+" if step > 0 else "-", self.start, scaled, "int64").loose

    def beyond(self, trip: C) -> str:
        """Whether that trip is beyond the range.

        A descending range compares distances from its start: Intel's CPU compiler makes empty kernels out of
        those that follow one which returns early on `start - get_global_id(0) <= stop`.
        """
        if self.dim.step > 0:
            return infix(">=", C(self.variable, "int64"), self.stop, "bool").text
        step = literal(-self.dim.step, "int64")
        gone = trip if self.dim.step == -1 else infix("*", trip, step, "int64")
        return infix(">=", gone, infix("-", self.start, self.stop, "int64"), "bool").text

    def inside(self) -> str:
        return infix("<" if self.dim.step > 0 else ">", C(self.variable, "int64"), self.stop, "bool").text

    def trip(self) -> C:
        """The number of the trip, from the variable."""
        step, variable = self.dim.step, C(self.variable, "int64")
        sides = (variable, self.start) if step > 0 else (self.start, variable)
        distance = variable if step > 0 and self.start.value == 0 else infix("-", *sides, "int64")
        return distance if abs(step) == 1 else infix("/", distance, literal(abs(step), "int64"), "int64")


def range_in_c(number: int, dim: Dim, expressions: Expressions, arguments: list[Argument]) -> CRange:
    """The range of a dimension; bounds that do not depend on outer dimensions come as arguments, constants excepted."""
    scope = expressions.scope
    variable = scope.names.of(dim.variable)
    bounds = []
    for kind, node in (("start", dim.start), ("stop", dim.stop)):
        constant = integer_constant(node, scope.method)
        if constant is not None:
            bounds.append(literal(constant, "int64"))
        elif dim.invariant:
            text = scope.names.fresh(f"{variable}_{kind}")
            arguments.append(Argument(kind, text, number=number))
            bounds.append(C(text, "int64"))
        else:
            bounds.append(expressions.of_type(node, "int64"))
    return CRange(number, dim, variable, *bounds)
