"""Accumulators side by side -> one vector, in Python for Numba.

    l0 = a[i]                         v = vector_at(8, a, i)
    l1 = a[i + 1]                     for j in range(i + 8, n, 8):
    ... to l7                             v = vector_sum(v, vector_at(8, a, j))
    for j in range(i + 8, n, 8):  ->  l0, l1, l2, l3, l4, l5, l6, l7 = elements_of(v)
        l0 = l0 + a[j]
        l1 = l1 + a[j + 1]
        ... to l7

A loop that does nothing else adds to each what the others add, with neighbouring elements of arrays: of these and what
is the same for all, sums, differences, products and quotients are computed. So each accumulator is the float that it
was.
"""

from __future__ import annotations

from collections.abc import Sequence

from somd.transforms.emit.python_expressions import Expressions
from somd.transforms.emit.rows_in_order import counted
from somd.transforms.loops.making import operation, same_number
from somd.transforms.loops.program import (
    Assign,
    Constant,
    Element,
    Expression,
    Loop,
    Operation,
    Statement,
    Tested,
    Variable,
)
from somd.transforms.loops.scopes import read
from somd.transforms.types.scalars import ScalarType

#: how many accumulators there may be
COUNTS = (4, 8, 16)
FUNCTIONS = {"+": "vector_sum", "-": "vector_difference", "*": "vector_product", "/": "vector_quotient"}


def accumulators(loop: Loop) -> tuple[Variable, ...]:
    """The accumulators of a loop that does nothing but add to some, and could do so to a vector; none for others."""
    targets = tuple(node.target for node in loop.body if isinstance(node, Assign))
    names = {each.name for each in targets}
    if len(targets) != len(loop.body) or len(targets) not in COUNTS or len(names) < len(targets):
        return ()
    kind = targets[0].type
    if kind.dtype not in ("float32", "float64") or any(each.type.dtype != kind.dtype for each in targets):
        return ()
    added = added_to(loop)
    fits = len(added) == len(targets) and names.isdisjoint(read(*added)) and _are_lanes(added, kind)
    fits = fits and len({is_fused(node) for node in loop.body}) == 1
    return targets if fits else ()


def added_to(loop: Loop) -> list[Expression]:
    """What a loop adds to each of its accumulators."""
    found = []
    for node in loop.body:
        value = node.value if isinstance(node, Assign) else None
        if isinstance(value, Operation) and value.operator == "+" and isinstance(node, Assign):
            left, right = value.operands
            if isinstance(left, Variable) and left.name == node.target.name:
                found.append(right)
        if isinstance(value, Operation) and is_fused(node):
            *factors, last = value.operands
            if isinstance(last, Variable) and last == getattr(node, "target", None):
                found.append(operation("*", *factors))
    return found


def added_vector(expressions: Expressions, loop: Loop, name: str) -> str:
    """The text of the vector `name` behind a trip of the loop."""
    added = added_to(loop)
    if is_fused(loop.body[0]):
        sides = (vector(expressions, _operands(added, side)) for side in (0, 1))
        return f"vector_fma({', '.join(sides)}, {name})"
    return f"vector_sum({name}, {vector(expressions, added)})"


def is_fused(node: Statement) -> bool:
    """Whether a statement multiplies and adds at once."""
    return isinstance(node, Assign) and isinstance(node.value, Operation) and node.value.operator == "fma"


def first_values(before: Sequence[Statement], targets: Sequence[Variable]) -> list[Expression]:
    """The values that the statements in front of a loop give to its accumulators, if they do no more than that."""
    nodes = [node for node in before[-len(targets) :] if isinstance(node, Assign)]
    names = [node.target.name for node in nodes]
    values = [node.value for node in nodes]
    if names != [each.name for each in targets] or not set(names).isdisjoint(read(*values)):
        return []
    return values if _are_lanes(values, targets[0].type) else []


def vector(expressions: Expressions, lanes: Sequence[Expression]) -> str:
    """The text of a vector of values that `_are_lanes`."""
    first, count = lanes[0], len(lanes)
    if isinstance(first, Constant | Variable) or _is_one(lanes):
        text = expressions.value(first).text
        return f"vector_of(({', '.join([text] * count)}))"
    in_order = counted(first) if isinstance(first, Element) else None
    if isinstance(first, Element) and in_order is not None:
        return f"counted_vector({count}, {expressions.counted(first.array, in_order)})"
    if isinstance(first, Element):
        indexes = ", ".join(expressions.indexes(first))
        return f"vector_at({count}, {expressions.scope.name(first.array)}, {indexes})"
    assert isinstance(first, Operation), first
    sides = [vector(expressions, _operands(lanes, side)) for side in (0, 1)]
    return f"{FUNCTIONS[first.operator]}({', '.join(sides)})"


def _operands(lanes: Sequence[Expression], side: int) -> list[Expression]:
    return [each.operands[side] for each in lanes if isinstance(each, Operation)]


def _are_lanes(lanes: Sequence[Expression], kind: ScalarType) -> bool:
    """Whether values are the same but for elements, which are neighbours in their order."""
    first = lanes[0]
    if any(type(each) is not type(first) or each.type.dtype != kind.dtype for each in lanes):
        return False
    if isinstance(first, Constant):
        return isinstance(first.value, float) and all(_is_plain(each, first.value) for each in lanes)
    if isinstance(first, Variable):
        return all(each == first for each in lanes)
    if isinstance(first, Element) and not _is_one(lanes):
        return all(isinstance(each, Element) and _is_beside(first, each, at) for at, each in enumerate(lanes))
    if isinstance(first, Element):
        return not isinstance(first.access, Tested) and first.relaxed is None
    if not isinstance(first, Operation) or first.operator not in FUNCTIONS:
        return False
    if any(isinstance(each, Operation) and each.operator != first.operator for each in lanes):
        return False
    return all(_are_lanes(_operands(lanes, side), kind) for side in (0, 1))


def _is_one(lanes: Sequence[Expression]) -> bool:
    """Whether all lanes have one element."""
    return isinstance(lanes[0], Element) and all(each == lanes[0] for each in lanes)


def _is_plain(node: Expression, value: float) -> bool:
    """Whether a node is a number that the text has as a float, the same as `value` with its sign."""
    return isinstance(node, Constant) and (not node.name or "." in node.name) and same_number(node.value, value)


def _is_beside(first: Element, other: Element, steps: int) -> bool:
    """Whether an element lies so many steps behind another one in its row."""
    if isinstance(other.access, Tested) or other.relaxed is not None or other.array != first.array:
        return False
    one, two = counted(first), counted(other)
    if one is not None and two is not None:
        (begin, low), (end, high) = parts_of(one.place), parts_of(two.place)
        return one.leading == two.leading and one.lengths == two.lengths and (begin, low + steps) == (end, high)
    place, constant = parts_of(first.indices[-1])
    return first.indices[:-1] == other.indices[:-1] and parts_of(other.indices[-1]) == (place, constant + steps)


def parts_of(index: Expression) -> tuple[tuple[Expression, ...], int]:
    """The parts of a sum of indexes, and the constant in it."""
    if isinstance(index, Constant) and isinstance(index.value, int):
        return (), index.value
    if isinstance(index, Operation) and index.operator == "+":
        (left, first), (right, second) = map(parts_of, index.operands)
        return (*left, *right), first + second
    return (index,), 0
