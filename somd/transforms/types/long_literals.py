"""Integers that are written out and have more than 64 bits, or 64 bits and no sign.

h = (h ^ a[i]) * 0x9E3779B97F4A7C15     # wraps, whether `h` is a Python int or a np.uint64
if a[i] > 0xFFFFFFFFFFFFFFF0:           # beside a np.uint64 it is one
if n > 0x8000000000000000:              # not a number that a Python int has here: refused
"""

from __future__ import annotations

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.transforms.stages import Method
from somd.transforms.tree.walking import nodes_in
from somd.transforms.types.scalars import AUGMENTED, ScalarType
from somd.transforms.types.typing_table import Types

SIGNED, UNSIGNED = 1 << 63, 1 << 64
#: digits that such a number has, its prefix among them
DIGITS = 18
#: what gives the same 64 bits whatever is beyond them
WRAPPING = (cst.Add, cst.Subtract, cst.Multiply, cst.BitAnd, cst.BitOr, cst.BitXor)


def is_long(node: cst.CSTNode) -> bool:
    """Whether an integer is written out that an int64 does not hold."""
    return isinstance(node, cst.Integer) and len(node.value) >= DIGITS and node.evaluated_value >= SIGNED


def check_long_literals(method: Method, types: Types, collector: Collector) -> None:
    """Report those that stand where they would mean another number (SOMD402)."""
    found = [node for node in types.nodes if is_long(node)]
    if not found:
        return
    held = {literal for node in nodes_in(method.function.body) for literal in _held(node, types)}
    for node in found:
        if node not in held:
            message = "an integer of more than 64 bits has another value here: Python's ints have 64 bits and a sign"
            helps = "write `np.uint64(...)` around it, where it goes with numbers of that type, or a float: `1e19`"
            label = Label(method.position(node), "here", True)
            collector.add(Diagnostic("SOMD402", message, (label,), (helps,)))


def _held(node: cst.CSTNode, types: Types) -> list[cst.BaseExpression]:
    """What stands in `node` where a literal means what it says: as a np.uint64, or up to multiples of 2**64."""
    if isinstance(node, cst.UnaryOperation):
        literal = node.expression
        lowest = isinstance(literal, cst.Integer) and literal.evaluated_value == SIGNED
        return [literal] if lowest and isinstance(node.operator, cst.Minus) else []
    if isinstance(node, cst.Comparison):
        sides = [node.left, *(target.comparator for target in node.comparisons)]
        near = zip(sides, [None, *sides], [*sides[1:], None], strict=False)
        return [
            side for side, *beside in near if all(_is_unsigned(types, each) for each in beside if each) and _fits(side)
        ]
    if isinstance(node, cst.BinaryOperation | cst.AugAssign):
        augmented = isinstance(node, cst.AugAssign)
        operator = AUGMENTED[type(node.operator)] if augmented else type(node.operator)
        sides = [node.target, node.value] if isinstance(node, cst.AugAssign) else [node.left, node.right]
        wraps = operator in WRAPPING and _is_python_int(types, node)
        return [side for side in sides if _fits(side) and (wraps or any(_is_unsigned(types, each) for each in sides))]
    if isinstance(node, cst.Assign):
        return [node.value] if _is_unsigned(types, node.targets[0].target) and _fits(node.value) else []
    if isinstance(node, cst.IfExp | cst.Call) and _is_unsigned(types, node):
        sides = [node.body, node.orelse] if isinstance(node, cst.IfExp) else [each.value for each in node.args]
        return list(filter(_fits, sides))
    return []


def _fits(node: cst.BaseExpression) -> bool:
    """Whether an integer is written out that a np.uint64 holds."""
    return isinstance(node, cst.Integer) and bool(node.evaluated_value < UNSIGNED)


def _is_unsigned(types: Types, node: cst.CSTNode) -> bool:
    found = types.nodes.get(node)
    return isinstance(found, ScalarType) and found.dtype == "uint64"


def _is_python_int(types: Types, node: cst.CSTNode) -> bool:
    found = types.nodes.get(node)
    return isinstance(found, ScalarType) and found.weak and found.kind == "i"
