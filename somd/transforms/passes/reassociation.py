"""Long sums of an iteration become several that go along side by side: for methods with `fastmath` alone.

    >>> from functools import partial
    >>> before_and_after(partial(reassociation, lanes=4, chains=2), '''
    ... def products(a: A, x: np.ndarray, y: A):
    ...     for i in range(len(y)):
    ...         s = 0.0
    ...         for k in range(len(x)):
    ...             s += a[i, k] * x[k]
    ...         y[i] = s
    ... ''', a="float64[:, :]", x="float64[:]", y="float64[:]")
    s: float64 = 0.0
    for k from 0 to length(x, 0)
        s: float64 = s + (a[i, k] * x[k])
    y[i] = s
    ->
    s: float64 = 0.0
    s'1: float64 = -0.0
    s'2: float64 = -0.0
    s'3: float64 = -0.0
    s'4: float64 = -0.0
    for k from 0 to length(x, 0) - 3 by 4
        s'1: float64 = s'1 + (a[i, k] * x[k])
        s'2: float64 = s'2 + (a[i, k + 1] * x[k + 1])
        s'3: float64 = s'3 + (a[i, k + 2] * x[k + 2])
        s'4: float64 = s'4 + (a[i, k + 3] * x[k + 3])
    s: float64 = s + ((s'1 + s'2) + (s'3 + s'4))
    for k from (length(x, 0) // 4) * 4 to length(x, 0)
        s: float64 = s + (a[i, k] * x[k])
    y[i] = s

An addition waits for the one before it: one sum takes several times as long as its elements take to be read. Where the
terms are made of elements that lie side by side the sums are the lanes of vectors; else there are `chains` of them.

Which sums there are depends on the text alone, and in which order they are added up on the number of terms, so the bits
do not change with the number of workers. It is done where a loop does nothing but add to floats, along the rows of
arrays. Sums that go along columns, and products of matrices, have better forms, which keep each sum in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from somd.transforms.loops.apart import reads_of
from somd.transforms.loops.making import constant, operation, variable, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    Assign,
    Cast,
    Element,
    Expression,
    Loop,
    Operation,
    Origin,
    Program,
    Region,
    Statement,
    Variable,
)
from somd.transforms.loops.rewriting import each_plain_region, renamed, with_bodies
from somd.transforms.loops.rows import moves_with
from somd.transforms.loops.scopes import assigned, read
from somd.transforms.loops.walking import called, inside, tests_accesses
from somd.transforms.passes.unroll_and_jam import again, counts_by_one, cut

Block = tuple[Statement, ...]


def reassociation(program: Program, lanes: int, chains: int) -> Program:
    """The program with so many sums for each that goes along rows, or else so many."""
    names = NewNames(program)

    def of_region(region: Region) -> Region:
        sums = _Sums(region, names, lanes, chains)
        made = with_bodies(region, lambda body: sums.block(body, ()))
        assert isinstance(made, Region)
        return made

    return each_plain_region(program, of_region)


@dataclass(frozen=True)
class _Sum:
    """What a loop does to a float: `added`, the statement, and `term`, what it adds."""

    added: Assign
    term: Expression


class _Sums:
    """The sums in the body of a region."""

    def __init__(self, region: Region, names: NewNames, lanes: int, chains: int) -> None:
        self.region, self.names = region, names
        self.lanes, self.chains = lanes, chains
        self.carried = {each.name for each in region.carried}
        self.free = [each.variable.name for each in region.loops]
        self.reads: Counter[str] = reads_of(region.body)

    def block(self, body: Block, around: tuple[str, ...]) -> Block:
        made: list[Statement] = []
        for node in body:
            if not isinstance(node, Loop):
                made.append(with_bodies(node, lambda inner: self.block(inner, around)))
                continue
            sums = self.sums_of(node, around)
            inside_it = (*around, node.variable.name)
            made += self.side_by_side(node, sums) if sums else [self.within(node, inside_it)]
        return body if all(new is old for new, old in zip(made, body, strict=False)) else tuple(made)

    def within(self, loop: Loop, around: tuple[str, ...]) -> Statement:
        return with_bodies(loop, lambda inner: self.block(inner, around))

    # --- which sums -----------------------------------------------------------------------------------------------

    def sums_of(self, loop: Loop, around: tuple[str, ...]) -> list[_Sum]:
        """What a loop adds up, if it does nothing else and has better be taken apart."""
        name = loop.variable.name
        if not loop.body or not counts_by_one(loop) or loop.order != "in order" or loop.aligned or loop.in_vectors:
            return []
        if self.reads[name] > reads_of((loop,))[name] or name in assigned(loop.body):
            return []
        found = [_sum_of(node) for node in loop.body]
        sums = [each for each in found if each is not None]
        own = {each.added.target.name for each in sums}
        if len(own) < len(loop.body) or own & self.carried:
            return []
        if any(own & read(each.term) for each in sums):
            return []
        if len(sums) > 1 and (tests_accesses(loop.body) or called(loop.body)):
            return []  # which of them fails first is told trip by trip
        return sums if all(self.goes_along(each.term, name, around) for each in sums) else []

    def goes_along(self, term: Expression, name: str, around: tuple[str, ...]) -> bool:
        """Whether a term is made of elements along rows, and of nothing that lies along another loop, whose trips could
        be lanes instead."""
        elements = [each for each in inside(term) if isinstance(each, Element)]
        others = {*around, *self.free}
        if not any(name in read(*each.indices) for each in elements):
            return False
        if any(others & read(each.indices[-1]) and name not in read(each.indices[-1]) for each in elements):
            return False
        if any(name in read(*each.indices[:-1]) for each in elements):
            return False
        return not self.is_product(elements)

    def is_product(self, elements: list[Element]) -> bool:
        """Whether elements are chosen by one of the two innermost loops of the region, and others by the other one."""
        if len(self.free) < 2:
            return False
        row, column = self.free[-2:]
        chosen = [read(*each.indices) & {row, column} for each in elements]
        return {row} in chosen and {column} in chosen

    # --- what becomes of them ------------------------------------------------------------------------------------

    def side_by_side(self, loop: Loop, sums: list[_Sum]) -> Iterator[Statement]:
        for each in sums:
            count = self.lanes if _are_neighbours(each.term, loop.variable.name) else self.chains
            yield from self.apart(replace(loop, body=(each.added,)), each, count)

    def apart(self, loop: Loop, found: _Sum, count: int) -> Iterator[Statement]:
        """One sum as several."""
        target, place = found.added.target, Origin(loop.origin.position)
        whole, upto = cut(loop, count)
        known = loop.variable.range
        first = loop.variable
        if known is not None:
            first = replace(first, range=replace(known, high=max(known.low, known.high - (count - 1))))
        own = [variable(self.names.name(target.name), target.type) for _ in range(count)]
        for each in own:
            yield Assign(each, constant(-0.0, target.type))
        body: list[Statement] = []
        for k, each in enumerate(own):
            moved: dict[str, Expression] = {first.name: operation("+", first, whole_number(k)) if k else first}
            copy = renamed((found.added,), {target.name: each.name}, {target.name: each, **moved})
            body += again(copy) if k else copy
        yield replace(loop, variable=first, stop=whole, step=whole_number(count), hull=None, body=tuple(body))
        yield Assign(target, operation("+", target, _pairwise(list(own))), place)
        yield replace(loop, start=upto, hull=None, body=again(loop.body), origin=place)


def _sum_of(node: Statement) -> _Sum | None:
    """What a statement adds to a float, or subtracts from it."""
    value = node.value if isinstance(node, Assign) else None
    if not isinstance(node, Assign) or not isinstance(value, Operation):
        return None
    if node.target.type.dtype not in ("float32", "float64"):
        return None
    if value.operator == "fma":
        *factors, last = value.operands
        term: Expression = operation("*", *factors)
        return _Sum(node, term) if last == node.target else None
    if value.operator in ("+", "-") and value.operands[0] == node.target:
        return _Sum(node, value.operands[1])
    return None


def _are_neighbours(node: Expression, name: str) -> bool:
    """Whether the elements of a term lie side by side for trips that follow each other, or are the same for all."""
    if isinstance(node, Element):
        moves = name in read(*node.indices)
        return not moves or (moves_with(node.indices[-1], name) and name not in read(*node.indices[:-1]))
    if isinstance(node, Operation):
        return node.operator in ("+", "-", "*", "/", "fma") and all(_are_neighbours(e, name) for e in node.operands)
    return not isinstance(node, Cast) or name not in read(node)


def _pairwise(values: list[Variable]) -> Expression:
    """The sum of some values, by pairs of neighbours, level by level."""
    found: list[Expression] = list(values)
    while len(found) > 1:
        found = [operation("+", *pair) for pair in zip(found[::2], found[1::2], strict=True)]
    return found[0]
