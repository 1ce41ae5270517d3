"""Tiles of sums of which those of row i and column j, and of row j and column i, are the same number: half of them do.

for i in range(n):                        the tiles that have a sum at or above the diagonal, by columns of tiles:
    for j in range(n):                        0 1 3 6
        s = 0.0                                 2 4 7
        for k in range(m):          ->            5 8
            s += a[k, i] * a[k, j]                  9
        c[i, j] = s                       c[i, j] = s, and where i < j also c[j, i] = s

What a trip adds has the same bits if row and column change places, as operands of one sum or product may; each sum
begins alike, has the same trips, and adds in the order of the loop. What stands behind the loop runs for both, whatever
it does.
"""

from __future__ import annotations

from somd.transforms.loops.program import Element, Expression, Operation, Packed, Proved, Region, Store, Variable
from somd.transforms.loops.scopes import read, read_beside
from somd.transforms.loops.varying import limits
from somd.transforms.loops.walking import statements_in

#: operators whose operands may change places, to the bit
COMMUTE = ("+", "*")


def are_symmetric(packed: Packed, region: Region) -> bool:
    """Whether sums of a packed region of two loops are the same with row and column in each other's places."""
    outer, inner = region.loops
    places = {outer.variable.name, inner.variable.name}
    if (outer.start, outer.stop) != (inner.start, inner.stop):
        return False
    if any(isinstance(node, Store) for node in statements_in(packed.before)):
        return False
    steady = (
        *(() if packed.guard is None else (packed.guard,)),
        *(each for loop in packed.loops for each in limits(loop)),
    )
    if places & (read(*steady) | _read_in(packed)):
        return False
    value = packed.sum.value
    assert isinstance(value, Operation)
    term = value.operands[1]
    return _alike(term, term, {outer.variable.name: inner.variable.name, inner.variable.name: outer.variable.name})


def _read_in(packed: Packed) -> set[str]:
    """The scalars that are read before the loop."""
    return read_beside(packed.before, packed.loop)


def _alike(one: Expression, other: Expression, names: dict[str, str]) -> bool:
    """Whether an expression is another one with these names for its own, but for operands in each other's places."""
    if isinstance(one, Variable) and isinstance(other, Variable):
        return names.get(one.name, one.name) == other.name
    if isinstance(one, Element) and isinstance(other, Element):
        if one.array != other.array or not isinstance(other.access, Proved):
            return False
        return all(_alike(*pair, names) for pair in zip(one.indices, other.indices, strict=True))
    if isinstance(one, Operation) and isinstance(other, Operation):
        if (one.operator, one.type, len(one.operands)) != (other.operator, other.type, len(other.operands)):
            return False
        orders = [other.operands, other.operands[::-1]] if one.operator in COMMUTE else [other.operands]
        return any(all(_alike(*pair, names) for pair in zip(one.operands, order, strict=True)) for order in orders)
    return one == other and not read(one) & set(names)
