"""Loops that copy elements of a row to another one -> calls that copy them at once, in Python for Numba.

An index `j % n` goes along a row up to the next multiple of n.

    for j in range(lo, hi):              copy_row(max(hi - lo, 0), c, a, i, lo + 2, i, lo)
        c[i, j + 2] = a[i, j]     ->

A choice between two values that a limit of the loop's variable makes, or nothing in the loop at all, becomes two loops,
of which one copies:

    for j in range(lo, hi):              cut = min(max(k, lo), hi)
        c[j] = a[j] if j < k else 0.0    copy_row(cut - lo, c, a, lo, lo)
                                  ->     for j in range(cut, hi):
                                             c[j] = 0.0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from somd.transforms.emit.python_expressions import Expressions, Scope
from somd.transforms.emit.python_text import as_operand, indented
from somd.transforms.loops.program import Choice, Element, Expression, Loop, Operation, Statement, Store, Tested
from somd.transforms.loops.rows import moves_with, stays
from somd.transforms.loops.scopes import read

#: comparisons with the sides exchanged
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: the most pieces of a loop
MOST = 6


def copied_row(node: Loop, scope: Scope) -> Store | None:
    """The store of a loop that is no more than copies of rows, some of its trips at least; where the order of its trips
    matters it is not asked for."""
    [only, *others] = node.body or [None]
    if others or not isinstance(only, Store) or node.by != 1 or scope.strip is not None or scope.placed is not None:
        return None
    steady = stays(node.start, set()) and stays(node.stop, set())
    plain = steady and not node.aligned and not node.in_vectors and _is_row(only.element, node.variable.name)
    leaves = list(_leaves(only.value, node.variable.name)) if plain else []
    return only if len(leaves) <= MOST and any(_copies(only.element, leaf, node) for leaf in leaves) else None


def row_copies(
    node: Loop,
    store: Store,
    limits: Sequence[str],
    scope: Scope,
    lines: Callable[[Sequence[Statement]], list[str]],
) -> list[str]:
    """The lines of such a loop between limits; `lines` gives those of what a trip does."""
    return [*node.origin.comments, *_Pieces(node, store, scope, lines).pieces(store.value, *limits)]


class _Pieces:
    def __init__(
        self, node: Loop, store: Store, scope: Scope, lines: Callable[[Sequence[Statement]], list[str]]
    ) -> None:
        self.node, self.store, self.scope, self.lines = node, store, scope, lines
        self.cuts = 0

    def pieces(self, value: Expression, start: str, stop: str) -> list[str]:
        """What copies one of the values from start to stop."""
        name = self.node.variable.name
        if not isinstance(value, Choice) or not _is_cut(value.test, name):
            return (
                self.copy(value, start, stop)
                if _copies(self.store.element, value, self.node)
                else self.rest(value, start, stop)
            )
        if isinstance(value.test, Operation) and value.test.operator == "and":
            first, *others = value.test.operands
            behind = others[0] if len(others) == 1 else replace(value.test, operands=tuple(others))
            return self.pieces(replace(value, test=first, yes=replace(value, test=behind)), start, stop)
        if name not in read(value.test):
            made = [f"if {Expressions(self.scope).value(value.test).text}:"]
            made += indented(self.pieces(value.yes, start, stop))
            return [*made, "else:", *indented(self.pieces(value.no, start, stop))]
        cut, lines, below = self.cut(value.test, start, stop)
        parts = (value.yes, value.no) if below else (value.no, value.yes)
        return [*lines, *self.pieces(parts[0], start, cut), *self.pieces(parts[1], cut, stop)]

    def cut(self, test: Expression, start: str, stop: str) -> tuple[str, list[str], bool]:
        """Where a comparison changes between two limits, the lines that compute it, and whether it holds below."""
        assert isinstance(test, Operation)
        left, right, operator = *test.operands, test.operator
        if self.node.variable.name in read(right):
            left, right, operator = right, left, TURNED[operator]
        first, expressions = self.first()
        self.cuts += 1
        cut = self.scope.fresh(f"{self.scope.name(self.node.variable.name)}_cut_{self.cuts}")
        least = f"{as_operand(expressions.value(right).text)} - ({expressions.value(left).text}) + {first}"
        least += " + 1" if operator in ("<=", ">") else ""
        return cut, [f"{first} = {start}", f"{cut} = max({first}, min({least}, {stop}))"], operator in ("<", "<=")

    def copy(self, value: Expression, start: str, stop: str) -> list[str]:
        assert isinstance(value, Element)
        first, expressions = self.first()
        target, last = self.store.element, value.indices[-1]
        arrays = [self.scope.name(each.array) for each in (target, value)]
        indexes = [index for each in (target, value) for index in expressions.indexes(each)]
        texts = ", ".join([*arrays, *indexes])
        if not _is_periodic(last, self.node.variable.name):
            return [f"{first} = {start}", f"copy_row({as_operand(stop)} - {first}, {texts})"]
        assert isinstance(last, Operation)
        period, index = as_operand(expressions.value(last.operands[1]).text), expressions.value(last).text
        count = self.scope.fresh(f"{self.scope.name(self.node.variable.name)}_count")
        piece = [f"{count} = min({period} - {index}, {as_operand(stop)} - {first})"]
        piece += [f"copy_row({count}, {texts})", f"{first} += {count}"]
        made = [f"{first} = {start}", f"while {first} < {stop}:", *indented(piece)]
        return [f"if {period} > 0:", *indented(made), "else:", *indented(self.rest(value, start, stop))]

    def rest(self, value: Expression, start: str, stop: str) -> list[str]:
        """The loop over what is no copy."""
        header = f"for {self.scope.name(self.node.variable.name)} in range({start}, {stop}):"
        return [header, *indented(self.lines([replace(self.store, value=value)]))]

    def first(self) -> tuple[str, Expressions]:
        """A name for the first trip, and the expressions of it."""
        first = self.scope.fresh(f"{self.scope.name(self.node.variable.name)}_first")
        renamed = {**self.scope.renamed, self.node.variable.name: first}
        return first, Expressions(replace(self.scope, renamed=renamed))


def _is_row(element: Element, variable: str) -> bool:
    """Whether an element is the next one of a row in each trip."""
    *others, last = element.indices
    plain = not isinstance(element.access, Tested) and element.relaxed is None
    return (
        plain and moves_with(last, variable) and all(stays(each, {variable}) for each in others) and stays(last, set())
    )


def _copies(target: Element, value: Expression, node: Loop) -> bool:
    if not isinstance(value, Element) or value.type != target.type:
        return False
    name, last = node.variable.name, value.indices[-1]
    if isinstance(last, Operation) and _is_periodic(last, name):  # up to the next multiple it is a row
        value = replace(value, indices=(*value.indices[:-1], last.operands[0]))
    return _is_row(value, name)


def _is_periodic(index: Expression, variable: str) -> bool:
    """Whether an index goes through the same elements again and again."""
    if not isinstance(index, Operation) or index.operator != "%" or index.type.dtype != "int64":
        return False
    return moves_with(index.operands[0], variable) and stays(index.operands[1], {variable})


def _leaves(value: Expression, variable: str) -> list[Expression]:
    """The values between which limits choose."""
    if not isinstance(value, Choice) or not _is_cut(value.test, variable):
        return [value]
    return [*_leaves(value.yes, variable), *_leaves(value.no, variable)]


def _is_cut(test: Expression, variable: str) -> bool:
    """Whether a test is the same for all trips of a loop up to one of them, and the other way for the rest."""
    if isinstance(test, Operation) and test.operator == "and":
        return all(_is_cut(each, variable) for each in test.operands)
    if stays(test, {variable}):
        return True
    if not isinstance(test, Operation) or test.operator not in TURNED:
        return False
    left, right = test.operands
    sides = (left, right) if variable in read(left) else (right, left)
    whole = all(each.type.kind == "i" and each.type.dtype == "int64" for each in sides)
    return whole and moves_with(sides[0], variable) and stays(sides[0], set()) and stays(sides[1], {variable})
