"""libcst expressions -> affine expressions and conditions in isl's notation.

A scalar `n` is the isl name `v_n`, the length of axis k of array `a` is `s_a_k`. What is not affine is None: the caller
must then assume any value.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.stages import Method
from somd.transforms.tree.literals import number_of
from somd.transforms.tree.loops import integer_constant

COMPARISONS: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Equal: "=",
    cst.NotEqual: "!=",
}
#: operations of constants
DIVISIONS = (cst.FloorDivide, cst.Modulo)
FOLDED: dict[type[cst.BaseBinaryOp], Callable[[int, int], int]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.FloorDivide: operator.floordiv,
    cst.Modulo: operator.mod,
}


@dataclass(frozen=True)
class Scope:
    """What names mean at a place: `known` are scalars with an affine value (None: any value), `arrays` array names,
    `inexact` scalars that are no integers."""

    method: Method
    arrays: Collection[str]
    known: Mapping[str, Affine | None] = field(default_factory=dict)
    inexact: Collection[str] = frozenset()
    #: arrays of keys that a partitioner keeps to one MI each
    keys: Collection[str] = frozenset()
    #: lengths of the arrays that an iteration makes for itself; None where they are not known
    lengths: Mapping[str, tuple[Affine | None, ...]] = field(default_factory=dict)

    def with_lengths(self, lengths: Mapping[str, tuple[Affine | None, ...]]) -> Scope:
        return replace(self, lengths=dict(lengths))

    def with_known(self, known: Mapping[str, Affine | None]) -> Scope:
        return replace(self, known={**self.known, **known})


def variable(name: str) -> str:
    """The isl name of scalar `name`."""
    return f"v_{ascii_name(name)}"


_ESCAPED = re.compile(r"[^\x00-\x7f]|'|(?<=_)_|Z(?=x)")


def ascii_name(name: str) -> str:
    """`name` in letters that isl reads, without `__`, with which names for another iteration and of keys are made.

    >>> [ascii_name(name) for name in ("i", "i__2", "é", "s'1", "Zx")]
    ['i', 'i_Zx5fZ2', 'Zxe9Z', 'sZx27Z1', 'Zx5aZx']
    """
    return _ESCAPED.sub(lambda found: f"Zx{ord(found.group()):x}Z", name)


def size(array: str, axis: int) -> str:
    """The isl name of the length of `array` along `axis`."""
    return f"s_{ascii_name(array)}_{axis}"


def affine(node: cst.BaseExpression, scope: Scope) -> Affine | None:
    """`node` as an affine expression, or None."""
    constant = integer_constant(node, scope.method)
    if constant is not None:
        return _constant(constant)
    if isinstance(node, cst.Name):
        return _name(node.value, scope)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus | cst.Plus):
        inner = affine(node.expression, scope)
        if inner is None or isinstance(node.operator, cst.Plus):
            return inner
        if not inner.names:
            return _constant(-_value(inner))
        return Affine(f"(-{inner.text})", inner.names)
    if isinstance(node, cst.BinaryOperation):
        return _binary(node, scope)
    return _key(node, scope) or _shape(node, scope)


def _name(name: str, scope: Scope) -> Affine | None:
    if name in scope.known:
        return scope.known[name]
    if name in scope.arrays or name in scope.inexact or name not in scope.method.local_names:
        return None
    return Affine(variable(name), frozenset({variable(name)}))


def _constant(value: int) -> Affine:
    return Affine(str(value) if value >= 0 else f"({value})")


def _value(constant: Affine) -> int:
    return int(constant.text.strip("()"))


def _binary(node: cst.BinaryOperation, scope: Scope) -> Affine | None:
    left, right = affine(node.left, scope), affine(node.right, scope)
    if left is None or right is None:
        return None
    names = left.names | right.names
    kind = node.operator
    if not names and type(kind) in FOLDED and not (isinstance(kind, DIVISIONS) and _value(right) == 0):
        return _constant(FOLDED[type(kind)](_value(left), _value(right)))
    if isinstance(kind, cst.Add | cst.Subtract):
        return joined(left, right, kind)
    if isinstance(kind, cst.Multiply) and (not left.names or not right.names):
        constant, other = (left, right) if not left.names else (right, left)
        return Affine(f"({_value(constant)} * {other.text})", names)  # isl takes no constant in parentheses here
    divisor = integer_constant(node.right, scope.method)
    if divisor is None or divisor <= 0:
        return None
    if isinstance(kind, cst.FloorDivide):
        return Affine(f"floor({left.text} / {divisor})", names)
    if isinstance(kind, cst.Modulo):
        return Affine(f"({left.text} mod {divisor})", names)
    return None


def joined(left: Affine, right: Affine, kind: cst.Add | cst.Subtract) -> Affine:
    """The sum or difference of two expressions."""
    if not left.names and not right.names:
        return _constant(FOLDED[type(kind)](_value(left), _value(right)))
    return Affine(f"({left.text} {'+' if isinstance(kind, cst.Add) else '-'} {right.text})", left.names | right.names)


def key(array: str, loop: str) -> str:
    """The isl name of the key that `array` holds for the iteration of `loop` (an isl name)."""
    return f"k_{ascii_name(array)}__{loop}"


def _key(node: cst.BaseExpression, scope: Scope) -> Affine | None:
    """`row[k]` for an array of keys and a loop variable: an unknown value, but the same for the same iteration."""
    if not (isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name) and node.value.value in scope.keys):
        return None
    element = node.slice[0].slice if len(node.slice) == 1 else None
    if not isinstance(element, cst.Index) or not isinstance(element.value, cst.Name):
        return None
    index = affine(element.value, scope)
    if index is None or index.names != {index.text}:
        return None
    name = key(node.value.value, index.text)
    return Affine(name, frozenset({name}))


def _shape(node: cst.BaseExpression, scope: Scope) -> Affine | None:
    found = shape_reference(node)
    if found is None or found[0] not in scope.arrays:
        return None
    if found[0] in scope.lengths:
        known = scope.lengths[found[0]]
        return known[found[1]] if found[1] < len(known) else None
    name = size(*found)
    return Affine(name, frozenset({name}))


def shape_reference(node: cst.BaseExpression) -> tuple[str, int] | None:
    """(array, axis) for `len(a)` and `a.shape[axis]`."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "len":
        if len(node.args) == 1 and isinstance(node.args[0].value, cst.Name):
            return node.args[0].value.value, 0
        return None
    if not (isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute) and len(node.slice) == 1):
        return None
    attribute, index = node.value, node.slice[0].slice
    if attribute.attr.value != "shape" or not isinstance(attribute.value, cst.Name):
        return None
    if isinstance(index, cst.Index) and isinstance(index.value, cst.Integer):
        return attribute.value.value, number_of(index.value)
    return None


def condition(node: cst.BaseExpression, scope: Scope) -> Affine | None:
    """A test as an isl formula, or None if any part is not affine."""
    if isinstance(node, cst.BooleanOperation):
        left, right = condition(node.left, scope), condition(node.right, scope)
        if left is None or right is None:
            return None
        word = "and" if isinstance(node.operator, cst.And) else "or"
        return Affine(f"({left.text} {word} {right.text})", left.names | right.names)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        inner = condition(node.expression, scope)
        return None if inner is None else negation(inner)
    if isinstance(node, cst.Comparison):
        return _comparison(node, scope)
    return None


def negation(formula: Affine) -> Affine:
    return Affine(f"(not ({formula.text}))", formula.names)


def _comparison(node: cst.Comparison, scope: Scope) -> Affine | None:
    parts: list[str] = []
    names: frozenset[str] = frozenset()
    left = affine(node.left, scope)
    for target in node.comparisons:
        right = affine(target.comparator, scope)
        symbol = COMPARISONS.get(type(target.operator))
        if left is None or right is None or symbol is None:
            return None
        parts.append(f"{left.text} {symbol} {right.text}")
        names |= left.names | right.names
        left = right
    return Affine("(" + " and ".join(parts) + ")", names)


def bound(node: cst.BaseExpression, scope: Scope, upper: bool) -> tuple[tuple[Affine, ...], bool]:
    """The affine bounds that a loop limit gives, and whether they are all of it.

    `min(a, b)` as an upper limit is two bounds, `max(a, b)` as a lower one likewise, and so are sums with such parts:
    `min(a, b) - max(c, d)` as an upper limit is four bounds.
    """
    value = affine(node, scope)
    if value is not None:
        return (value,), True
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add | cst.Subtract):
        minus = isinstance(node.operator, cst.Subtract)
        left, left_exact = bound(node.left, scope, upper)
        right, right_exact = bound(node.right, scope, upper is not minus)
        sign = "-" if minus else "+"
        sums = tuple(Affine(f"({a.text} {sign} {b.text})", a.names | b.names) for a in left for b in right)
        return sums, left_exact and right_exact
    wanted = "min" if upper else "max"
    if (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Name)
        and node.func.value == wanted
        and wanted not in scope.method.local_names
        and len(node.args) > 1
    ):
        parts = [bound(arg.value, scope, upper) for arg in node.args]
        return tuple(b for bounds, _ in parts for b in bounds), all(exact for _, exact in parts)
    return (), False
