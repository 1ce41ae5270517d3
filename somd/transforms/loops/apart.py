"""What the trips of loops have to themselves: elements of arrays, and scalars that nothing else reads.

In: loops of a region in which no two names are one array. Out: what holds for certain; False where it is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from somd.transforms.loops.program import (
    Element,
    Expression,
    Loop,
    Operation,
    Proved,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.rows import is_steady
from somd.transforms.loops.scopes import assigned
from somd.transforms.loops.walking import bodies, expressions, expressions_in, inside, statements_in

Block = tuple[Statement, ...]


def reads_of(body: Block) -> Counter[str]:
    """How often scalars are read, but for variables in their loops."""
    found: Counter[str] = Counter()
    for node in body:
        found.update(name for each in expressions(node) for name in _names(each))
        for block in bodies(node):
            inner = reads_of(block)
            if isinstance(node, Loop):
                del inner[node.variable.name]
            found += inner
    return found


def stored_in(body: Block) -> set[str]:
    """The arrays that a body stores elements of."""
    return {node.element.array for node in statements_in(body) if isinstance(node, Store)}


def _names(node: Expression) -> Iterator[str]:
    return (each.name for each in inside(node) if isinstance(each, Variable))


def have_their_own(loop: Loop, variable: str) -> bool:
    """Whether what a loop does for each value of a variable, its own or that of a loop in it, reaches elements of its
    own of the arrays that it stores to: on some axis, each access has the variable, plus something that stays."""
    changed = assigned((loop,))
    elements = [each for each in expressions_in((loop,)) if isinstance(each, Element)]
    for array in stored_in(loop.body):
        mine = [each for each in elements if each.array == array]
        if not all(isinstance(each.access, Proved) for each in mine):
            return False
        same = [axis for axis in zip(*(each.indices for each in mine), strict=True) if len(set(axis)) == 1]
        if not any(_tells_apart(axis[0], variable, changed) for axis in same):
            return False
    return True


def _tells_apart(index: Expression, name: str, changed: set[str]) -> bool:
    """Whether an index is the variable, plus or minus something that stays."""
    if isinstance(index, Variable):
        return index.name == name
    if not isinstance(index, Operation) or index.operator not in ("+", "-"):
        return False
    left, right = index.operands
    return any(
        _tells_apart(one, name, changed) and is_steady(other, changed) for one, other in ((left, right), (right, left))
    )
