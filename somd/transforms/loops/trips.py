"""Whether a loop has few trips, whatever data says: of others the first trip may end the iteration."""

from __future__ import annotations

from collections.abc import Collection

from somd.transforms.loops.program import Cast, Constant, Expression, Length, Loop, Operation, Variable
from somd.transforms.loops.varying import limits

#: numbers up to here are few trips
FEW = 1 << 20
#: what gives no number far from 0 of numbers near it
STAYING_NEAR = ("+", "-", "*", "//", "%", "min", "max", "neg")


def few_trips(loop: Loop, counted: Collection[str]) -> bool:
    """Whether the limits of a loop are made of constants, lengths and variables of loops alone (`counted`)."""
    return all(_near(each, counted) for each in limits(loop))


def _near(node: Expression, counted: Collection[str]) -> bool:
    if node.range is not None and max(-node.range.low, node.range.high) <= FEW:
        return True
    if isinstance(node, Constant):
        return abs(node.value) <= FEW
    if isinstance(node, Variable):
        return node.name in counted
    if isinstance(node, Cast):
        return _near(node.operand, counted)
    if isinstance(node, Operation) and node.operator in STAYING_NEAR:
        return all(_near(each, counted) for each in node.operands)
    return isinstance(node, Length)
