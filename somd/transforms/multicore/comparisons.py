"""Comparisons as NumPy and Python decide them, each of a chain by itself.

x < 0.1             ->  x < np.float32(0.1)                             for a float32 `x`
x < 0.1 < y         ->  x < np.float32(0.1) and 0.1 < y                 for a float64 `y`
n < t               ->  python_compare(n, t) < 0                        for Python's int `n` and float `t`
n < u               ->  compare_signed(n, u) < 0                        for an int64 and a uint64
z == w              ->  np.complex128(z) == w                           for a complex64 `z`
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence

import libcst as cst

from somd.transforms.multicore.numpy_calls import as_type, called
from somd.transforms.types.scalars import ScalarType, working_type

#: integers that float64 holds lie within it of 0
EXACT = 1 << 53
#: a length is less than that
LENGTHS = ("len",)

Pair = tuple[cst.BaseExpression, cst.BaseExpression]


def compared(node: cst.Comparison, kinds: Sequence[ScalarType]) -> cst.BaseExpression:
    """The expression for a comparison of operands of these types."""
    operands = [node.left, *(target.comparator for target in node.comparisons)]
    pairs = [
        _pair(*sides, *types)
        for sides, types in zip(itertools.pairwise(operands), itertools.pairwise(kinds), strict=True)
    ]
    if all(before[1] is behind[0] for before, behind in itertools.pairwise(pairs)):
        targets = [t.with_changes(comparator=pair[1]) for t, pair in zip(node.comparisons, pairs, strict=True)]
        return node.with_changes(left=pairs[0][0], comparisons=targets)
    parts: list[cst.BaseExpression] = [
        cst.Comparison(left, [target.with_changes(comparator=right)])
        for (left, right), target in zip(pairs, node.comparisons, strict=True)
    ]
    joined = functools.reduce(lambda before, part: cst.BooleanOperation(before, cst.And(), part), parts)
    return joined.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def is_near(node: cst.BaseExpression) -> bool:
    """Whether a Python number is known to be an integer that float64 holds."""
    if isinstance(node, cst.Integer):
        return bool(node.evaluated_value <= EXACT)
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.operator, cst.Minus | cst.Plus) and is_near(node.expression)
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value in LENGTHS
    shape = node.value if isinstance(node, cst.Subscript) else None
    return isinstance(shape, cst.Attribute) and shape.attr.value == "shape"


def _pair(left: cst.BaseExpression, right: cst.BaseExpression, one: ScalarType, other: ScalarType) -> Pair:
    """The two sides of one comparison, in the type in which they are compared."""
    if "c" in (one.kind, other.kind):
        dtype = working_type(operator.eq, *(ScalarType(each.dtype, each.weak) for each in (one, other))).dtype
        return as_type(left, one, dtype), as_type(right, other, dtype)
    if one.weak and other.weak:
        return _of_python(left, right, one, other)
    if {one.dtype, other.dtype} == {"int64", "uint64"} and not any(map(is_near, (left, right))):
        if one.kind == "i":
            return called("compare_signed", left, right), cst.Integer("0")
        return cst.Integer("0"), called("compare_signed", right, left)
    if one.weak == other.weak:
        return left, right
    weak, strong = (left, other) if one.weak else (right, one)
    if strong.dtype == "float32" or (strong.dtype == "uint64" and isinstance(weak, cst.Integer)):
        kind = one if one.weak else other
        made = as_type(weak, kind, strong.dtype)
        return (made, right) if one.weak else (left, made)
    return left, right


def _of_python(left: cst.BaseExpression, right: cst.BaseExpression, one: ScalarType, other: ScalarType) -> Pair:
    """Python compares an integer with a float exactly."""
    if (one.kind, other.kind) == ("i", "f") and not is_near(left) and not _is_small(right):
        return called("python_compare", left, right), cst.Integer("0")
    if (one.kind, other.kind) == ("f", "i") and not is_near(right) and not _is_small(left):
        return cst.Integer("0"), called("python_compare", right, left)
    return left, right


def _is_small(node: cst.BaseExpression) -> bool:
    """Whether a float is a literal that only one integer, if any, is rounded to."""
    if isinstance(node, cst.UnaryOperation):
        return _is_small(node.expression)
    return isinstance(node, cst.Float) and bool(node.evaluated_value < EXACT)
