"""Makes typed expressions: casts where types differ, constants folded, intervals from those of the operands.

Builder and passes make nodes by these functions, so that no type is implied.
"""

from __future__ import annotations

import cmath
import math
import operator
from dataclasses import replace

import numpy as np

from somd.transforms.loops.operators import number, result_type
from somd.transforms.loops.program import Cast, Choice, Constant, Expression, Interval, Length, Operation, Variable
from somd.transforms.loops.ranges import LONGEST, fitted, inside, joined, of_operation, whole
from somd.transforms.types.scalars import Number, ScalarType, working_type

INT64, FLOAT64, BOOL8, COMPLEX = map(ScalarType, ("int64", "float64", "bool", "complex128"))
UINT64 = ScalarType("uint64")
#: integers that float64 holds lie within it of 0
EXACT = 1 << 53


#: floats become these by signed ones, so that negative ones wrap as in NumPy on all processors
_BY_SIGNED = {"uint8": "int32", "uint16": "int32"}


def strong(type_: ScalarType) -> ScalarType:
    """The type as the program has it: a dtype."""
    return ScalarType(type_.dtype) if type_.weak or type_.literals else type_


def constant(value: Number, type_: ScalarType) -> Constant:
    """A number of the type, rounded to it."""
    held: Number = number(value, type_.dtype).item()
    return Constant(held, type_, Interval(int(held.real), int(held.real)) if type_.kind in "iu" else None)


def whole_number(value: int) -> Constant:
    return constant(value, INT64)


def variable(name: str, type_: ScalarType, range_: Interval | None = None) -> Variable:
    type_ = strong(type_)
    return Variable(name, type_, whole(type_) if range_ is None else fitted(range_, type_))


def length(array: str, axis: int) -> Length:
    return Length(array, axis, INT64, Interval(0, LONGEST))


def cast(node: Expression, type_: ScalarType) -> Expression:
    """`node` as a number of the type; a constant at once, where the type has its value."""
    type_ = strong(type_)
    if node.type == type_:
        return node
    if isinstance(node, Constant) and _held(node.value, type_):
        made = constant(number(node.value, node.type.dtype), type_)
        return replace(made, name=node.name if node.name.isidentifier() else "")
    if node.type.kind == "f" and type_.dtype in _BY_SIGNED:
        node = cast(node, ScalarType(_BY_SIGNED[type_.dtype]))
    return Cast(node, type_, fitted(node.range, type_))


def _held(value: Number, type_: ScalarType) -> bool:
    """Whether a constant may be converted beforehand."""
    if type_.kind in "bc":
        return True
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value) and type_.kind != "f"):
        return False
    if type_.kind == "f":
        return True
    limits = np.iinfo(type_.dtype)
    return bool(limits.min <= int(value) <= limits.max)


def truth(node: Expression) -> Expression:
    """The truth value of a number."""
    return cast(node, BOOL8)


def operation(name: str, *operands: Expression) -> Operation:
    """An operator on operands that have the types which it takes.

    Raises:
        NotTyped: they have not.
    """
    type_ = result_type(name, tuple(each.type for each in operands))
    return Operation(name, operands, type_, of_operation(name, [each.range for each in operands], type_))


def negated(node: Expression) -> Expression:
    """`-node`"""
    if isinstance(node, Constant) and node.type.kind in "ifc":
        folded = -node.value
        if node.type.kind != "i" or inside(Interval(int(folded.real), int(folded.real)), whole(node.type)):
            return constant(folded, node.type)
    return operation("neg", node)


def fused(node: Operation) -> Operation:
    """One operation for a sum one operand of which is a product; the operation itself where it is none."""
    if node.operator not in ("+", "-"):
        return node
    if node.type.dtype not in ("float32", "float64") or any(each.type != node.type for each in node.operands):
        return node
    left, right = node.operands
    less = node.operator == "-"
    if isinstance(right, Operation) and right.operator == "*":
        one, other = right.operands
        return operation("fma", negated(one) if less else one, other, left)
    if isinstance(left, Operation) and left.operator == "*":
        return operation("fma", *left.operands, negated(right) if less else right)
    return node


def choice(test: Expression, yes: Expression, no: Expression) -> Choice:
    """One of two values of one type."""
    return Choice(truth(test), yes, no, yes.type, joined(yes.range, no.range))


def comparison(symbol: str, left: Expression, right: Expression, kinds: tuple[ScalarType, ScalarType]) -> Operation:
    """A comparison of values that were of `kinds`, Python's own numbers among them: exact between integers, and between
    Python's int and float; else in the type that both take."""
    dtype = _compared_as(*kinds)
    if dtype is not None:
        left, right = cast(left, ScalarType(dtype)), cast(right, ScalarType(dtype))
    return operation(symbol, left, right)


def _compared_as(left: ScalarType, right: ScalarType) -> str | None:
    """The type in which two operands are compared; None where that is done exactly."""
    if "c" in (left.kind, right.kind):
        return working_type(operator.eq, strong_or_weak(left), strong_or_weak(right)).dtype
    kinds = {left.kind, right.kind}
    if "f" in kinds:
        if left.weak and right.weak and kinds == {"i", "f"}:
            return None
        alone = [each for each in (left, right) if not each.weak]
        if len(alone) == 1:
            return alone[0].dtype if alone[0].kind == "f" else "float64"
        return str(np.result_type(left.dtype, right.dtype))
    if left.dtype == right.dtype:
        return left.dtype
    if "uint64" in (left.dtype, right.dtype):
        other = right if left.dtype == "uint64" else left
        return None if other.kind == "i" else "uint64"
    return "int64"


def strong_or_weak(type_: ScalarType) -> ScalarType:
    """A type without the numbers that it remembers."""
    return ScalarType(type_.dtype, type_.weak)


def same_number(left: Number, right: Number) -> bool:
    """Whether two numbers are one, nan and the signs of zeros included."""
    if cmath.isnan(left) or cmath.isnan(right):
        return repr(left) == repr(right)
    return left == right and repr(complex(left)) == repr(complex(right))
