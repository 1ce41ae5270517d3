"""Sums of products whose rows and columns are free: tiles of them stay in registers, over columns that are packed.

    >>> from functools import partial
    >>> before_and_after(partial(packing, rows=4, width=256), '''
    ... def product(a: A, b: np.ndarray, c: A):
    ...     for i in range(c.shape[0]):
    ...         for j in range(c.shape[1]):
    ...             s = 0.0
    ...             for k in range(a.shape[1]):
    ...                 s += a[i, k] * b[k, j]
    ...             c[i, j] = s
    ... ''', a="float64[:, :]", b="float64[:, :]", c="float64[:, :]")
    s: float64 = 0.0
    for k from 0 to length(a, 1)
        s: float64 = s + (a[i, k] * b[k, j])
    c[i, j] = s
    ->
    s: float64 = 0.0
    for k from 0 to length(a, 1)
        s: float64 = s + (a[i, k] * b[k, j])
    c[i, j] = s
    packed, 4 by 32 trips at once
        s: float64 = 0.0
        for k from 0 to length(a, 1)
            s: float64 = s + (a[i, k] * b[k, j])
        c[i, j] = s

This is the matrix product of Goto and van de Geijn (*Anatomy of high-performance matrix multiplication*, 2008): what
is read by column is copied, for so many columns, into rows that lie one behind the other, and a tile of sums goes
through them with all that is read by row. The loop inside is not cut, and each sum has its own place: it sees its
operands in their order, so that the bits stay. Multiplications and additions are contracted where the program says so.

It is done where trips are independent one by one; the body has one loop, or loops of which each is all that the one
around it does, alike for all trips of the two innermost loops of the region; it adds to one float a term made of sums,
differences and products of elements that the region does not write, as isl finds where it writes others of an array:
some chosen by the column, and not by the row, and some by the row. One limit of the columns may move with the row, as
in triangles; or one of the loop, where there is one loop: trips that not all rows of a tile have are done row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from somd.transforms.loops.apart import reads_of, stored_in
from somd.transforms.loops.parts import parts_of
from somd.transforms.loops.program import (
    Assign,
    Constant,
    Element,
    Expression,
    Length,
    Loop,
    Operation,
    Packed,
    Program,
    Proved,
    Region,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.rewriting import each_region
from somd.transforms.loops.rows import is_steady, moves_with, one_moves_along, stays
from somd.transforms.loops.scopes import assigned, read
from somd.transforms.loops.varying import limits
from somd.transforms.loops.walking import called, inside, statements_in
from somd.transforms.passes.meeting import never_meet
from somd.transforms.passes.strip_mining import may_take_turns

Block = tuple[Statement, ...]
#: what terms are made of
TERMS = ("+", "-", "*")


def packing(program: Program, rows: int, width: int) -> Program:
    """The program with tiles of `rows` rows, and of columns whose sums take `width` bytes."""
    return each_region(program, lambda region: packed_region(region, rows, width))


def packed_region(region: Region, rows: int, width: int) -> Region:
    """The region with such tiles, or as it is."""
    taken = region.strips or region.tile or region.tables or region.reductions or region.aliased
    if region.depth < 2 or taken or not may_take_turns(region) or called(region.body):
        return region
    outer, inner = region.loops[-2:]
    steps = outer.by == 1 and inner.by == 1
    parts = parts_of(region.body)
    if not steps or parts is None or not _one_moves(inner, outer.variable.name):
        return region
    before, guard, loop, behind = parts
    changed = {outer.variable.name, inner.variable.name, *assigned(region.body)}
    loops = _nest(loop)
    found = _added(loops[-1])
    if guard is not None and _says_that_there_are_trips(guard, loop):
        guard = None
    guarded = guard is None or is_steady(guard, changed)
    if one_moves_along(loops, outer.variable.name) and outer.variable.name not in read(*limits(inner)):
        changed -= {outer.variable.name}  # one of the rows has all trips, with all columns
    steady = all(is_steady(each, changed) for one in loops for each in limits(one))
    if not guarded or not steady or not all(each.by == 1 for each in loops) or found is None:
        return region
    changed |= {outer.variable.name}
    target, term = found
    # what a trip hands from one part to another is the sum alone
    handed = assigned(before) & (set(reads_of(behind)) | read(term))
    trips = {each.variable.name for each in loops}
    if handed - {target.name} or trips & {*reads_of(behind), *assigned(behind)}:
        return region
    product = _Term(region, tuple(loops), changed, target)
    if not product.is_product(term):
        return region
    columns = width // np.dtype(target.type.dtype).itemsize
    return replace(
        region, packed=Packed(rows, columns, before, guard, replace(loop, hull=None), behind, frozenset(product.apart))
    )


def _one_moves(inner: Loop, row: str) -> bool:
    """Whether the columns of all rows make one range, of which the first or the last row has all."""
    moves = [each for each in limits(inner)[:2] if row in read(each)]
    return len(moves) < 2 and all(moves_with(each, row) and is_steady(each, set()) for each in moves)


def _says_that_there_are_trips(guard: Expression, loop: Loop) -> bool:
    """Whether a loop would do nothing where the guard in front of it does not hold."""
    return isinstance(guard, Operation) and guard.operator == "<" and guard.operands == (loop.start, loop.stop)


def _nest(loop: Loop) -> list[Loop]:
    """A loop, and those that are all that it does."""
    found = [loop]
    while len(found[-1].body) == 1 and isinstance(found[-1].body[0], Loop):
        found.append(found[-1].body[0])
    return found


def _added(loop: Loop) -> tuple[Variable, Expression] | None:
    """The sum that each trip of a loop adds to, or subtracts from, and the term; None where it does something else."""
    node = loop.body[0] if len(loop.body) == 1 else None
    if not isinstance(node, Assign) or not isinstance(node.value, Operation) or node.target.type.kind != "f":
        return None
    if node.value.operator not in ("+", "-", "fma") or node.target.type.dtype not in ("float32", "float64"):
        return None
    if node.value.operator == "fma":
        *factors, first = node.value.operands
        term: Expression = replace(node.value, operator="*", operands=tuple(factors))
    else:
        first, term = node.value.operands
    known = isinstance(first, Variable) and first.name == node.target.name
    return (node.target, term) if known and node.target.name not in read(term) else None


class _Term:
    """What a trip adds: by what its elements are chosen."""

    def __init__(self, region: Region, loops: tuple[Loop, ...], changed: set[str], target: Variable) -> None:
        self.region, self.loops = region, loops
        self.written = stored_in(region.body)
        #: those of them of which other elements are read, as isl has found
        self.apart: set[str] = set()
        self.row, self.column = (each.variable.name for each in region.loops[-2:])
        #: what an index may have besides what stays
        self.places = {self.row, self.column, *(each.variable.name for each in loops)}
        self.changed = changed | self.places
        self.type = target.type

    def is_product(self, term: Expression) -> bool:
        """Whether some of its elements are chosen by the column, and some by the row."""
        elements = list(_elements(term))
        by_row = any(self.row in read(*each.indices) for each in elements)
        by_column = any(self.column in read(*each.indices) for each in elements)
        return by_row and by_column and self.is_plain(term)

    def is_plain(self, node: Expression) -> bool:
        if isinstance(node, Element):
            return self.is_chosen(node)
        if node.type.dtype != self.type.dtype:
            return False
        if stays(node, self.changed):
            return True
        if not isinstance(node, Operation) or not _is_term(node):
            return False
        return all(map(self.is_plain, node.operands))

    def is_chosen(self, node: Element) -> bool:
        """Whether an element is one of a row, or of a column, that nothing changes."""
        known = isinstance(node.access, Proved) and node.relaxed is None
        if not known or node.type.dtype != self.type.dtype or not self.is_left_alone(node):
            return False
        names = read(*node.indices)
        if self.column in names:
            steady = all(is_steady(each, self.changed - self.places) for each in node.indices)
            return steady and self.row not in names
        return all(self.is_place(each) for each in node.indices)

    def is_left_alone(self, node: Element) -> bool:
        """Whether no iteration stores to an element."""
        if node.array not in self.written:
            return True
        region = self.region
        stored = (each.element for each in statements_in(region.body) if isinstance(each, Store))
        mine, body = (node, (*region.loops, *self.loops)), (region.loop,)
        alone = all(each.array != node.array or never_meet((each, region.loops), mine, body) for each in stored)
        self.apart |= {node.array} if alone else set()
        return alone

    def is_place(self, node: Expression) -> bool:
        """Whether an index is made of whole numbers of one width, by what wraps alike."""
        if node.type.dtype != "int64" or isinstance(node, Length):
            return False
        if isinstance(node, Operation):
            plain = node.operator in TERMS and len(node.operands) == 2
            return plain and all(map(self.is_place, node.operands))
        return isinstance(node, Constant) or (isinstance(node, Variable) and self.stays(node.name))

    def stays(self, name: str) -> bool:
        return name in self.places or name not in self.changed


def _is_term(node: Operation) -> bool:
    """Whether terms are made of such operations: of two operands, or a product and a sum in one."""
    return node.operator == "fma" or (node.operator in TERMS and len(node.operands) == 2)


def _elements(node: Expression) -> Iterator[Element]:
    return (each for each in inside(node) if isinstance(each, Element))
