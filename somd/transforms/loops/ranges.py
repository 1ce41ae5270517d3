"""Intervals of integers: what an operation makes of those of its operands.

An interval is right for the numbers that the type holds: a result that may leave the type has the whole type's.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from math import prod

import numpy as np

from somd.transforms.loops.expressions import Cast, Constant, Expression, Interval, Length, Operation, Variable
from somd.transforms.loops.walking import inside as inside_of
from somd.transforms.types.scalars import ScalarType

#: no array is longer, and no index that is inside one greater
LONGEST = 1 << 62
#: how far from 0 lengths may be, and scalars of which that is asked
NEAR = 1 << 44


def whole(type_: ScalarType) -> Interval | None:
    """All numbers of an integer type; None for other types."""
    if type_.kind not in "iu":
        return None
    limits = np.iinfo(type_.dtype)
    return Interval(int(limits.min), int(limits.max))


def inside(inner: Interval | None, outer: Interval | None) -> bool:
    """Whether `outer` has all numbers of `inner`; None has any."""
    if outer is None:
        return True
    return inner is not None and outer.low <= inner.low and inner.high <= outer.high


def fitted(found: Interval | None, type_: ScalarType) -> Interval | None:
    """An interval of exact results, or all of the type where some of them would wrap."""
    limits = whole(type_)
    return found if limits is not None and found is not None and inside(found, limits) else limits


def joined(first: Interval | None, second: Interval | None) -> Interval | None:
    """What encloses two intervals."""
    if first is None or second is None:
        return None
    return Interval(min(first.low, second.low), max(first.high, second.high))


def met(first: Interval | None, second: Interval | None) -> Interval | None:
    """What two intervals have in common; the second one where that is nothing."""
    if first is None or second is None:
        return second if first is None else first
    low, high = max(first.low, second.low), min(first.high, second.high)
    return Interval(low, high) if low <= high else second


def farthest(node: Expression, near: Container[str]) -> int:
    """How far from 0 an integer may be, where lengths and the scalars named so are within 2**44 of it."""
    if isinstance(node, Constant):
        return abs(int(node.value.real))
    if isinstance(node, Length) or (isinstance(node, Variable) and node.name in near):
        return NEAR
    sizes = [farthest(each, near) for each in node.operands] if isinstance(node, Operation) else []
    if isinstance(node, Operation) and node.operator in ("+", "-", "neg"):
        return sum(sizes)
    if isinstance(node, Operation) and node.operator in ("min", "max", "//", "abs", "pos"):
        return max(sizes)
    if isinstance(node, Operation) and node.operator == "*":
        return prod(sizes)
    return farthest(node.operand, near) if isinstance(node, Cast) else LONGEST


def farthest_constant(*nodes: Expression) -> int:
    """How far from 0 the constants in some expressions are at most."""
    found = (each for node in nodes for each in inside_of(node) if isinstance(each, Constant))
    return max((farthest(each, ()) for each in found), default=0)


def of_trips(start: Interval, stop: Interval, up: bool) -> Interval:
    """What a loop's variable is, by the loop's limits alone."""
    if up:
        return Interval(start.low, max(start.low, stop.high - 1))
    return Interval(min(start.high, stop.low + 1), start.high)


def of_operation(name: str, operands: Sequence[Interval | None], type_: ScalarType) -> Interval | None:
    """The interval of the result of an operator."""
    function = _OF.get(name)
    known = [each for each in operands if each is not None]
    if function is None or len(known) < len(operands) or type_.kind not in "iu":
        return whole(type_)
    return fitted(function(*known), type_)


def _sum(left: Interval, right: Interval) -> Interval:
    return Interval(left.low + right.low, left.high + right.high)


def _difference(left: Interval, right: Interval) -> Interval:
    return Interval(left.low - right.high, left.high - right.low)


def _product(left: Interval, right: Interval) -> Interval:
    ends = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return Interval(min(ends), max(ends))


def _floor(left: Interval, right: Interval) -> Interval | None:
    if right.low <= 0:
        return None
    ends = [a // b for a in (left.low, left.high) for b in (right.low, right.high)]
    return Interval(min(ends), max(ends))


def _rest(left: Interval, right: Interval) -> Interval | None:
    """The rest of a division, which has the sign of the divisor; by 0 it is 0 here."""
    if right.low < 0:
        return None
    if left.low >= 0 and left.high < right.low:
        return left
    return Interval(0, max(right.high - 1, 0))


def _and(left: Interval, right: Interval) -> Interval | None:
    above = [each.high for each in (left, right) if each.low >= 0]
    return Interval(0, min(above)) if above else None


def _or(left: Interval, right: Interval) -> Interval | None:
    """`|` and `^`, which set no bit above the highest ones of the operands."""
    if left.low < 0 or right.low < 0:
        return None
    return Interval(0, (1 << max(left.high, right.high).bit_length()) - 1)


def _left_shift(left: Interval, right: Interval) -> Interval | None:
    if right.low < 0 or right.high > 63:
        return None
    return _product(left, Interval(1 << right.low, 1 << right.high))


def _right_shift(left: Interval, right: Interval) -> Interval | None:
    if right.low < 0 or right.high > 63:
        return Interval(min(left.low, -1), max(left.high, 0)) if left.low < 0 else Interval(0, left.high)
    ends = [a >> b for a in (left.low, left.high) for b in (right.low, right.high)]
    return Interval(min(ends), max(ends))


def _minus(only: Interval) -> Interval:
    return Interval(-only.high, -only.low)


def _size(only: Interval) -> Interval:
    least = 0 if only.low <= 0 <= only.high else min(abs(only.low), abs(only.high))
    return Interval(least, max(abs(only.low), abs(only.high)))


_OF: dict[str, Callable[..., Interval | None]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "//": _floor,
    "%": _rest,
    "&": _and,
    "|": _or,
    "^": _or,
    "<<": _left_shift,
    ">>": _right_shift,
    "high product": lambda a, b: _right_shift(_product(a, b), Interval(16, 16)),
    "fermat remainder": lambda value, bits: Interval(0, min(value.high, 1 << bits.high)),
    "min": lambda a, b: Interval(min(a.low, b.low), min(a.high, b.high)),
    "max": lambda a, b: Interval(max(a.low, b.low), max(a.high, b.high)),
    "~": lambda only: Interval(~only.high, ~only.low),
    "neg": _minus,
    "pos": lambda only: only,
    "abs": _size,
}
