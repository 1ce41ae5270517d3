"""Expressions of the loop program: what has a type, and an interval if it is an integer. `program` has the grammar."""

from __future__ import annotations

from dataclasses import dataclass, field

from somd.transforms.loops.accesses import Access, RelaxedRead
from somd.transforms.loops.origins import NOWHERE, Origin
from somd.transforms.types.scalars import Number, ScalarType


@dataclass(frozen=True)
class Interval:
    """The integers from `low` to `high`."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"[{self.low}, {self.high}]"


@dataclass(frozen=True)
class Constant:
    """A number written out; `name` is how the method writes it: a captured one by its name, a literal as `0xFF`."""

    value: Number
    type: ScalarType
    range: Interval | None = None
    name: str = field(default="", compare=False)


@dataclass(frozen=True)
class Variable:
    """A scalar by its name."""

    name: str
    type: ScalarType
    range: Interval | None = None


@dataclass(frozen=True)
class Element:
    """An element of an array."""

    array: str
    indices: tuple[Expression, ...]
    access: Access
    type: ScalarType
    range: Interval | None = None
    relaxed: RelaxedRead | None = None
    origin: Origin = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Length:
    """The length of an array along an axis."""

    array: str
    axis: int
    type: ScalarType
    range: Interval | None = None


@dataclass(frozen=True)
class Operation:
    """An operator of the table, or a function of it, on operands of the types that it takes."""

    operator: str
    operands: tuple[Expression, ...]
    type: ScalarType
    range: Interval | None = None


@dataclass(frozen=True)
class Cast:
    """The operand as a number of another type."""

    operand: Expression
    type: ScalarType
    range: Interval | None = None


@dataclass(frozen=True)
class Choice:
    """`yes` where the test is true, else `no`: only the one that counts is evaluated."""

    test: Expression
    yes: Expression
    no: Expression
    type: ScalarType
    range: Interval | None = None


@dataclass(frozen=True)
class HelperCall:
    """The result of a function of the program, or a part of it where that is a tuple."""

    function: str
    operands: tuple[Expression, ...]
    part: int | None
    type: ScalarType
    range: Interval | None = None


Expression = Constant | Variable | Element | Length | Operation | Cast | Choice | HelperCall
