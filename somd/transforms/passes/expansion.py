"""Arrays of an iteration get a place for each of many iterations, where that leaves a nest for registers.

    >>> from functools import partial
    >>> before_and_after(partial(expansion, rows=6, width=256), '''
    ... def products(a: A, b: np.ndarray):
    ...     for i in range(a.shape[0]):
    ...         row = np.zeros(a.shape[1])
    ...         for p in range(a.shape[1]):
    ...             for s in range(a.shape[1]):
    ...                 row[p] += a[i, s] * b[s, p]
    ...         for p in range(a.shape[1]):
    ...             a[i, p] = row[p]
    ... ''', master=True, a="float64[:, :]", b="float64[:, :]")  # doctest: +ELLIPSIS
    region 1, line 2
        ...
        free i from 0 to length(a, 0)
            row: float64[length(a, 1)] of 0.0
            for p from 0 to length(a, 1)
                for s from 0 to length(a, 1)
                    row[p] = row[p] + (a[i, s] * b[s, p])
            for p from 0 to length(a, 1)
                a[i, p] = row[p]
    ->
    region 1, line 2
        ...
            in chunks of count'1 trips of i, from first'1
                row_rows'1: float64[count'1, length(a, 1)]
            piece 1
                free i from 0 to length(a, 0)
                    for at'1 from 0 to length(a, 1)
                        row_rows'1[i - first'1, at'1] = 0.0
            piece 2
                free i from 0 to length(a, 0)
                    free p from 0 to length(a, 1)
                        for s from 0 to length(a, 1)
                            row_rows'1[i - first'1, p] = row_rows'1[i - first'1, p] + (a[i, s] * b[s, p])
            piece 3
                free i from 0 to length(a, 0)
                    for p from 0 to length(a, 1)
                        a[i, p] = row_rows'1[i - first'1, p]

A product of a row and a matrix in each iteration is a product of two matrices for all of them. What the iteration has
for itself keeps it from being one: the sums stand in an array of its own. With a place in it for each iteration
(*array expansion*: Feautrier, *Array expansion*, 1988) the region is cut into pieces, as `fission` does it, and one of
these is packed (`packing`). So that the places stay few, pieces run for so many iterations at a time, a *chunk*.

It is done where iterations are independent one by one and cannot fail, no array of an iteration is made in a loop
or under a condition of its body, and a nest can be packed, none of whose loops is known to have few trips.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from somd.transforms.loops.making import INT64, length, operation, variable, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    PROVED,
    Allocate,
    AllocateLike,
    Chunk,
    Constant,
    Copy,
    Element,
    Expression,
    Interval,
    Length,
    Loop,
    Origin,
    Program,
    Rebind,
    Region,
    Scan,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.ranges import LONGEST, whole
from somd.transforms.loops.rewriting import each_statement, of_master, with_bodies, with_expressions, with_operands
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes.fission import may_be_cut, pieces_where
from somd.transforms.passes.packing import packed_region
from somd.transforms.passes.register_accumulation import held_in
from somd.transforms.types.scalars import ArrayType

Block = tuple[Statement, ...]
#: the trips of a loop below which registers do not gain
FEW = 8


def expansion(program: Program, rows: int, width: int) -> Program:
    """The program with such arrays, for tiles of `rows` rows whose sums take `width` bytes each."""
    names = NewNames(program)

    def packs(piece: Region) -> bool:
        made = packed_region(held_in(piece, program), rows, width).packed
        return made is not None and not any(map(_is_short, (piece.loops[-1], *made.loops)))

    def of_statement(node: Statement) -> Statement | None:
        return node if isinstance(node, Scan) else _expanded(node, names, packs) if isinstance(node, Region) else None

    return of_master(program, of_statement)


def _is_short(loop: Loop) -> bool:
    return isinstance(loop.stop, Constant) and loop.stop.value.real < FEW


def _expanded(region: Region, names: NewNames, packs: Callable[[Region], bool]) -> Region:
    """The region in pieces that have such arrays, or as it is."""
    step, made = region.loops[-1].step, _made(region)
    if not made or region.pieces or not isinstance(step, Constant) or step.value != 1:
        return region
    first, count = (variable(names.name(each), INT64, Interval(0, LONGEST)) for each in ("first", "count"))
    arrays = {array: _with_places(node, names.name(f"{array}_rows"), count) for array, node in made.items()}
    place = operation("-", region.loops[-1].variable, first)
    body = tuple(made for node in region.body for made in _filled(node, names))
    body = _in_places(body, {array: node.array for array, node in arrays.items()}, place)
    own = with_bodies(region, lambda _: body)
    assert isinstance(own, Region)
    own = replace(own, local_arrays=tuple(each.array for each in arrays.values()))
    pieces = pieces_where(own, packs) if may_be_cut(own) else ()
    return replace(region, pieces=pieces, chunk=Chunk(first, count, tuple(arrays.values()))) if pieces else region


def _made(region: Region) -> dict[str, Allocate]:
    """What makes the arrays of an iteration, all in its body itself, with lengths that cannot fail."""
    found = {node.array: node for node in region.body if isinstance(node, Allocate) and not node.sites}
    others = [node for node in statements_in(region.body) if isinstance(node, Allocate | AllocateLike | Copy | Rebind)]
    return found if len(others) == len(found) and {*found} == {*region.local_arrays} else {}


def _with_places(node: Allocate, name: str, count: Variable) -> Allocate:
    """What makes the array that has a place for each iteration of a chunk, without content."""
    type_ = ArrayType(node.type.dtype, node.type.ndim + 1)
    return Allocate(name, type_, (count, *node.lengths), None, origin=node.origin)


def _filled(node: Statement, names: NewNames) -> Block:
    """In place of an allocation, loops that fill the array."""
    if not isinstance(node, Allocate):
        return (node,)
    if node.fill is None:
        return ()
    at = [variable(names.name("at"), INT64, Interval(0, LONGEST)) for _ in node.lengths]
    element = Element(node.array, tuple(at), PROVED, node.type.element, whole(node.type.element), origin=node.origin)
    body: Block = (Store(element, node.fill, node.origin),)
    for each, limit in reversed(list(zip(at, node.lengths, strict=True))):
        body = (Loop(each, whole_number(0), limit, whole_number(1), body, origin=Origin(node.origin.position)),)
    return body


def _in_places(body: Block, arrays: Mapping[str, str], place: Expression) -> Block:
    """A body whose iteration has its elements at a place of larger arrays."""

    def of_element(node: Element) -> Element:
        return replace(node, array=arrays[node.array], indices=(place, *node.indices)) if node.array in arrays else node

    def of_expression(node: Expression) -> Expression:
        made = with_operands(node, of_expression)
        if isinstance(made, Length) and made.array in arrays:
            return length(arrays[made.array], made.axis + 1)
        return of_element(made) if isinstance(made, Element) else made

    def of_statement(node: Statement) -> Statement:
        made = with_expressions(node, of_expression)
        return replace(made, element=of_element(made.element)) if isinstance(made, Store) else made

    return each_statement(body, of_statement)
