"""Rows of which each is summed up by itself, eight of them at once, in Python for Numba.

    for row in range(lo, hi):                        row_edge = lo + trips(lo, hi, 1) // 8 * 8
        own = -0.0                                   for row in range(lo, row_edge, 8):
        for i in range(row * 16, row * 16 + 16):         i = row * 16
            own += a[i]                         ->       own_0, ..., own_7 = running_sums(
            out[i] = total + own                             (vector_at(16, a, i), ..., vector_at(16, a, i + 112)))
        total = total + own                              put_vector(vector_sum(vector_filled(16, total), own_0), out, i)
                                                         total = total + last_of(own_0)
                                                         ... to own_7
                                                     for row in range(row_edge, hi):
                                                         ... the rows that are left

An addition waits for the one before it in its row: a processor that has a row or two in sight adds up one or two
numbers at a time. `running_sums` turns rows into columns, whose additions are those of vectors, and back. Nothing is
added in another order, so each number is that of the loop. Each row is stored when it is known: where the stores of
all rows follow one another, memory takes twice as long.

In are loops whose statements touch the very element at hand of each array, so that what one row stores no other one
reads, whichever arrays are the same. Names have behind the loop what they had.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from somd.transforms.emit.accumulators import FUNCTIONS, parts_of
from somd.transforms.emit.python_expressions import Expressions
from somd.transforms.emit.sums_in_order import term_of
from somd.transforms.loops.program import (
    Assign,
    Constant,
    Element,
    Expression,
    Loop,
    Operation,
    Proved,
    Store,
    Variable,
)
from somd.transforms.loops.scopes import assigned, read
from somd.transforms.loops.walking import inside
from somd.transforms.types.scalars import ScalarType

#: trips of a row, a constant, for which the rows are turned; and how many rows at once
TRIPS, ROWS = 16, 8


@dataclass(frozen=True)
class Rows:
    """What a loop does: for each row `copies`, then along `inner` a `term` is added to `own`, which `stores` use, and
    `total` adds up what the rows give."""

    copies: tuple[Assign, ...]
    inner: Loop
    own: Variable
    term: Expression
    stores: tuple[Store, ...]
    total: Variable


def rows_of(loop: Loop) -> Rows | None:
    """The rows that a loop adds up, each by itself, if that is what it does."""
    *copies, start, inner, behind = loop.body if len(loop.body) > 2 else (None, None, None)
    if not (isinstance(start, Assign) and isinstance(inner, Loop) and isinstance(behind, Assign)):
        return None
    own, kind = start.target, start.target.type
    first = inner.body[0] if inner.body else None
    term = term_of(first) if isinstance(first, Assign) and first.target.name == own.name else None
    if term is None or not _is_nothing(start.value) or not (_counts(loop) and _counts(inner)):
        return None
    if _has_elements((loop.start, loop.stop)):
        return None
    total = behind.target
    adds = term_of(behind)
    stores = tuple(node for node in inner.body[1:] if isinstance(node, Store))
    taken = tuple(node for node in copies if isinstance(node, Assign) and isinstance(node.value, Variable))
    if not isinstance(adds, Variable) or adds.name != own.name or len(stores) != len(inner.body) - 1 or not stores:
        return None
    changed = assigned(loop.body) | {loop.variable.name, inner.variable.name}
    kept = {each.target.name for each in taken}
    names = {own.name, total.name, *kept, loop.variable.name, inner.variable.name}
    if len(names) < len(taken) + 4 or len(taken) < len(copies) or read(*(each.value for each in taken)) & changed:
        return None
    along = _Along(inner.variable.name, kind, frozenset(changed - {total.name} - kept))
    fits = (
        _begins_at(inner, loop.variable.name, changed)
        and own.name not in read(term)
        and total.name not in read(term)
        and along.is_vector(term)
        and all(along.is_element(each.element) and along.is_vector(each.value, own.name) for each in stores)
    )
    return Rows(taken, inner, own, term, stores, total) if fits and total.type.dtype == kind.dtype else None


@dataclass(frozen=True)
class _Along:
    """A loop along which vectors of a kind of float are made; `changed` are the names that it, or what is around it,
    sets."""

    variable: str
    kind: ScalarType
    changed: frozenset[str]

    def is_vector(self, node: Expression, own: str = "") -> bool:
        """Whether a value is made by sums, products and the like of the elements at hand, numbers and `own`."""
        if node.type.dtype != self.kind.dtype or self.kind.dtype not in ("float32", "float64"):
            return False
        if isinstance(node, Element):
            return self.is_element(node)
        if isinstance(node, Variable):
            return node.name == own or node.name not in self.changed
        if isinstance(node, Operation) and node.operator in FUNCTIONS and len(node.operands) == 2:
            return all(self.is_vector(each, own) for each in node.operands)
        return isinstance(node, Constant) and isinstance(node.value, float)

    def is_element(self, node: Element) -> bool:
        """Whether it is the element at hand of an array, or of a row of it."""
        *others, last = node.indices
        fixed = not read(*others) & (self.changed | {self.variable})
        known = isinstance(node.access, Proved) and node.relaxed is None and node.type.dtype == self.kind.dtype
        return known and fixed and not _has_elements(others) and _is_named(last, self.variable)


def in_rows(loop: Loop, rows: Rows, expressions: Expressions, assumed: list[str]) -> tuple[list[str], str]:
    """The lines for all rows but the last few, and the range of those; `assumed` tells LLVM of the variable."""
    scope, value = expressions.scope, expressions.value
    name, own, variable = (scope.name(each.name) for each in (loop.variable, rows.own, rows.inner.variable))
    start, stop, edge = (scope.fresh(f"{name}_{word}") for word in ("first", "stop", "edge"))
    total = scope.name(rows.total.name)
    sums = [scope.fresh(f"{own}_{at}") for at in range(ROWS)]
    terms = [vector_along(expressions, rows.term, at, {}) for at in range(ROWS)]
    body = [f"{scope.name(each.target.name)} = {value(each.value).text}" for each in rows.copies]
    body += [f"{variable} = {value(rows.inner.start).text}", f"{', '.join(sums)} = running_sums(({', '.join(terms)}))"]
    for at, row in enumerate(sums):
        for store in rows.stores:
            made = vector_along(expressions, store.value, at, {rows.own.name: row})
            body.append(f"put_vector({made}, {_place(expressions, store.element, at)})")
        body += [f"{own} = last_of({row})", f"{total} = {total} + {own}"]
    body.append(f"{name}, {variable} = {name} + {ROWS - 1}, {variable} + {ROWS * TRIPS - 1}")
    lines = [
        f"{start}, {stop} = {value(loop.start).text}, {value(loop.stop).text}",
        f"{edge} = {start} + trips({start}, {stop}, 1) // {ROWS} * {ROWS}",
        f"for {name} in range({start}, {edge}, {ROWS}):",
        *(f"    {line}" for line in (*assumed, *body)),
    ]
    return lines, f"range({edge}, {stop})"


def vector_along(expressions: Expressions, node: Expression, row: int, known: Mapping[str, str]) -> str:
    """The text of the vector that a value is along one of the rows; those of some names are known."""
    if isinstance(node, Element):
        return f"vector_at({TRIPS}, {_place(expressions, node, row)})"
    if isinstance(node, Operation):
        sides = [vector_along(expressions, each, row, known) for each in node.operands]
        return f"{FUNCTIONS[node.operator]}({', '.join(sides)})"
    if isinstance(node, Variable) and node.name in known:
        return known[node.name]
    return f"vector_filled({TRIPS}, {expressions.value(node).text})"


def _place(expressions: Expressions, node: Element, row: int) -> str:
    """An array and the indexes of an element of a row, as arguments."""
    *others, last = expressions.indexes(node)
    last = f"np.uint64({last} + {row * TRIPS})" if row else f"np.uint64({last})"
    return ", ".join([expressions.scope.name(node.array), *others, last])


def _counts(loop: Loop) -> bool:
    return loop.by == 1 and not loop.aligned


def _is_nothing(node: Expression) -> bool:
    """Whether it is -0.0, to which any number may be added."""
    return isinstance(node, Constant) and node.value == 0 and math.copysign(1.0, float(node.value.real)) < 0


def _is_named(node: Expression, name: str) -> bool:
    return isinstance(node, Variable) and node.name == name


def _begins_at(inner: Loop, row: str, changed: set[str]) -> bool:
    """Whether each row has the same number of trips, and begins where the one before it ends."""
    (parts, start), (others, stop) = parts_of(inner.start), parts_of(inner.stop)
    if parts != others or stop - start != TRIPS:
        return False
    times = [each for each in parts if row in read(each)]
    rest = [each for each in parts if row not in read(each)]
    if len(times) != 1 or read(*rest) & changed or _has_elements(rest):
        return False
    [product] = times
    if not isinstance(product, Operation) or product.operator != "*":
        return False
    sides = sorted(product.operands, key=lambda each: isinstance(each, Constant))
    return _is_named(sides[0], row) and isinstance(sides[1], Constant) and sides[1].value == TRIPS


def _has_elements(nodes: Iterable[Expression]) -> bool:
    return any(isinstance(each, Element) for node in nodes for each in inside(node))
