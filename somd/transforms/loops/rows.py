"""Loops that store element after element of a row."""

from __future__ import annotations

from collections.abc import Sequence

from somd.transforms.loops.program import (
    Assign,
    Cast,
    Constant,
    Element,
    Expression,
    Length,
    Loop,
    Operation,
    Store,
    Tested,
    Variable,
)
from somd.transforms.loops.scopes import assigned, read
from somd.transforms.loops.walking import inside


def stored_row(loop: Loop) -> Element | None:
    """The first element that a loop stores in each trip at its variable, in a row that stays the same.

    None without one, and where the loop does more than assignments, or takes other steps than 1.
    """
    if not all(isinstance(node, Assign | Store) for node in loop.body):
        return None
    if loop.by != 1:
        return None
    changed = {*assigned(loop.body), loop.variable.name}
    for node in loop.body:
        if isinstance(node, Store) and _goes_along(node.element, loop.variable.name, changed):
            return node.element
    return None


def may_be_cut(loop: Loop) -> bool:
    """Whether a loop goes through a row that it stores to from a place, and to one, that stay the same."""
    row, changed = stored_row(loop), {*assigned(loop.body), loop.variable.name}
    if row is None or isinstance(row.access, Tested):
        return False
    return is_steady(loop.start, changed) and is_steady(loop.stop, changed)


def is_steady(node: Expression, changed: set[str]) -> bool:
    """Whether a value is computed from scalars and lengths alone, none of them `changed`."""
    kinds = Variable | Constant | Operation | Length
    return all(isinstance(each, kinds) for each in inside(node)) and read(node).isdisjoint(changed)


def stays(node: Expression, changed: set[str]) -> bool:
    """The same, casts among what it is computed by."""
    kinds = Variable | Constant | Operation | Length | Cast
    return all(isinstance(each, kinds) for each in inside(node)) and read(node).isdisjoint(changed)


def moves_with(index: Expression, variable: str) -> bool:
    """Whether a value is the variable, plus or minus something that does not have it."""
    if isinstance(index, Variable):
        return index.name == variable
    if not isinstance(index, Operation) or index.operator not in ("+", "-"):
        return False
    left, right = index.operands
    if variable in read(right):
        return index.operator == "+" and variable not in read(left) and moves_with(right, variable)
    return moves_with(left, variable)


def one_moves_along(loops: Sequence[Loop], variable: str) -> bool:
    """Whether a loop, the only one, has one limit that goes up with a variable."""
    moves = [each for each in (loops[0].start, loops[0].stop) if variable in read(each)]
    return len(loops) == 1 and len(moves) == 1 and moves_with(moves[0], variable)


def _goes_along(element: Element, variable: str, changed: set[str]) -> bool:
    *others, last = element.indices
    along = isinstance(last, Variable) and last.name == variable
    return along and all(is_steady(each, changed) for each in others)
