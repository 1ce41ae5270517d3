"""What the lanes of one sum or product take in a strip of trips, as a vector, in Python for Numba.

    total = total + a[k] * a[k]  ->  a_vector = vector_at(LANES, a, k)
                                     total_vector = vector_sum(total_vector, vector_product(a_vector, a_vector))

for trips k, k + 1 ... of a loop, as many as there are lanes. Elements are neighbours in their rows, or the same in all
trips; of these and of numbers sums, differences, products and quotients are computed. LLVM makes scalars of a loop over
the lanes where there is one strip alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from somd.transforms.emit.accumulators import FUNCTIONS, is_fused
from somd.transforms.emit.python_expressions import Expressions
from somd.transforms.loops.program import (
    Assign,
    Constant,
    Element,
    Expression,
    Operation,
    Statement,
    Tested,
    Variable,
)
from somd.transforms.loops.scopes import read
from somd.transforms.types.scalars import ScalarType


def takes_lanes(body: Sequence[Statement], variable: Variable) -> bool:
    """Whether a loop over `variable` does no more than to add to one float, or multiply it, what may be a vector."""
    node = body[0] if len(body) == 1 else None
    if not isinstance(node, Assign) or node.target.type.dtype not in ("float32", "float64"):
        return False
    value = node.value
    if not isinstance(value, Operation) or not (is_fused(node) or value.operator in ("+", "*")):
        return False
    (total, *taken) = reversed(value.operands) if is_fused(node) else value.operands
    return total == node.target and all(_may_be_vector(each, node.target, variable) for each in taken)


def lanes_taken(
    expressions: Expressions, node: Statement, variable: Variable, count: str, total: str
) -> tuple[list[str], str]:
    """The lines of such a statement for `count` trips from that at hand on, in which the vector `total` takes its
    value."""
    assert isinstance(node, Assign) and isinstance(node.value, Operation), node
    value = node.value

    def text(each: Expression, named: Mapping[str, str], met: list[str]) -> str:
        if each == node.target:
            return total
        if isinstance(each, Operation):
            sides = ", ".join(text(side, named, met) for side in each.operands)
            return f"{'vector_fma' if each.operator == 'fma' else FUNCTIONS[each.operator]}({sides})"
        if isinstance(each, Element) and variable.name in read(*each.indices):
            indexes = ", ".join(expressions.indexes(each))
            found = f"vector_at({count}, {expressions.scope.name(each.array)}, {indexes})"
        else:
            found = f"vector_filled({count}, {expressions.value(each).text})"
        met.append(found)
        return named.get(found, found)

    met: list[str] = []
    text(value, {}, met)
    names = {
        each: expressions.scope.fresh(f"{total}_{at}") for at, (each, k) in enumerate(Counter(met).items()) if k > 1
    }
    return [f"{name} = {each}" for each, name in names.items()], text(value, names, [])


def _may_be_vector(node: Expression, target: Variable, variable: Variable) -> bool:
    if node.type.dtype != target.type.dtype or not isinstance(node.type, ScalarType):
        return False
    if isinstance(node, Constant):
        return isinstance(node.value, float) and (not node.name or "." in node.name)
    if isinstance(node, Variable):
        return node.name not in (target.name, variable.name)
    if isinstance(node, Operation):
        return node.operator in FUNCTIONS and all(_may_be_vector(each, target, variable) for each in node.operands)
    if not isinstance(node, Element) or isinstance(node.access, Tested) or node.relaxed is not None:
        return False
    *others, last = node.indices
    if target.name in read(*node.indices) or variable.name in read(*others):
        return False
    return variable.name not in read(last) or _counts_up(last, variable)


def _counts_up(index: Expression, variable: Variable) -> bool:
    """Whether an index goes up by one with a variable."""
    if index == variable:
        return True
    if not isinstance(index, Operation) or index.operator not in "+-" or len(index.operands) != 2:
        return False
    left, right = index.operands
    if variable.name in read(left):
        return variable.name not in read(right) and _counts_up(left, variable)
    return index.operator == "+" and _counts_up(right, variable)
