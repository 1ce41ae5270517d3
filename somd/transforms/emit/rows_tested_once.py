"""Rows that an index chooses, `a[k[i], j]`: whether the index is inside is asked once for a row, in Python for Numba.

    for j in range(0, a.shape[1]):                 if 0 < a.shape[1]:
        at_1 = wrapped(k[i], a.shape[0])               j = 0
        if at_1 < 0:                                   at_1 = wrapped(k[i], a.shape[0])
            note(..., (i, j, 0))                ->     if at_1 < 0:
            return                                         note(..., (i, j, 0))
        b[i, j] = a[at_1, j]                               return
                                                       for j in range(0, a.shape[1]):
                                                           b[i, j] = a[at_1, j]

LLVM cannot do so: what is stored may be the index, for all it knows. It is done where an iteration is one store and
all that is tested in it stays, in arrays that the region does not write, or is the variable of a loop along the axis,
which is inside. The first trip is the one that would fail, and it does nothing before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from somd.transforms.emit.python_text import indented
from somd.transforms.loops.making import INT64, variable
from somd.transforms.loops.program import (
    PROVED,
    Choice,
    Element,
    Expression,
    HelperCall,
    Interval,
    Length,
    Loop,
    Operation,
    Proved,
    Region,
    Statement,
    Store,
    Tested,
    Variable,
)
from somd.transforms.loops.ranges import LONGEST
from somd.transforms.loops.rewriting import with_bodies, with_operands
from somd.transforms.loops.scopes import read
from somd.transforms.loops.walking import inside

if TYPE_CHECKING:
    from somd.transforms.emit.python import Statements


@dataclass(frozen=True)
class Once:
    """A region that tests nothing, with the tests for the first trip of its innermost loop, which come before that."""

    region: Region
    tests: tuple[tuple[Element, int, Variable], ...]

    def lines(self, statements: Statements, limits: tuple[str, str], quick: list[str] | None) -> list[str]:
        """The lines of the loop with the tests before it; `quick`: those of the loop, if it is no loop any more."""
        loop, scope, (start, stop) = self.region.loops[-1], statements.scope, limits
        name = scope.name(loop.variable.name)
        before = [f"{name} = {start}"]
        for element, axis, place in self.tests:
            before += statements.expressions.test_of(element, axis, scope.name(place.name))
        if quick is None:
            body = [*statements.assumed(loop), *statements.block(loop.body)]
            quick = [*loop.origin.comments, f"for {name} in range({start}, {stop}):", *indented(body)]
        return [f"if {start} < {stop}:", *indented([*before, *quick])]


def tested_once(region: Region) -> Once | None:
    """The region with its tests before the innermost loop; None where it has none, or they are to stay."""
    loop, store = region.loops[-1], region.body[0]
    if region.depth < 2 or len(region.body) != 1 or not isinstance(store, Store) or loop.by != 1 or loop.aligned:
        return None
    if region.relaxed or region.aliased or region.tables or region.carried or region.combined or loop.in_vectors:
        return None
    found: dict[Element, Element] = {}
    tests: list[tuple[Element, int, Variable]] = []
    for node in (*inside(store.value), *inside(store.element)):
        if isinstance(node, HelperCall | Choice) or (isinstance(node, Operation) and node.operator in ("and", "or")):
            return None  # which may not evaluate all that is in them
        if isinstance(node, Element) and isinstance(node.access, Tested) and node not in found:
            made = _places(node, node.access, loop, region)
            if made is None:
                return None
            found[node] = replace(node, indices=tuple(made), access=PROVED)
            kept = zip(node.indices, made, strict=True)
            tests += [(node, axis, at) for axis, (old, at) in enumerate(kept) if old != at and isinstance(at, Variable)]
    if not tests:
        return None

    def proved(node: Expression) -> Expression:
        return found[node] if isinstance(node, Element) and node in found else with_operands(node, proved)

    element, value = proved(store.element), proved(store.value)
    assert isinstance(element, Element)
    made_store: tuple[Statement, ...] = (replace(store, element=element, value=value),)
    made_region = with_bodies(region, lambda _: made_store)
    assert isinstance(made_region, Region)
    return Once(made_region, tuple(tests))


def _places(node: Element, access: Tested, loop: Loop, region: Region) -> list[Expression] | None:
    """The indexes of an access that is tested, with names for those that the tests give."""
    found: list[Expression] = []
    if node.relaxed is not None:
        return None
    for axis, (index, site) in enumerate(zip(node.indices, access.sites, strict=True)):
        if any(_goes_through(each, index, node.array, axis) for each in region.loops):
            found.append(index)
        elif _stays(index, loop, region):
            found.append(variable(f"at_{site.number}'", INT64, Interval(0, LONGEST)))
        else:
            return None
    return found


def _goes_through(loop: Loop, index: Expression, array: str, axis: int) -> bool:
    """Whether an index is the variable of a loop over all of an axis, or a part of it."""
    known = loop.start.range is not None and loop.start.range.low >= 0
    along = isinstance(index, Variable) and index.name == loop.variable.name
    end = loop.stop
    return known and along and isinstance(end, Length) and (end.array, end.axis) == (array, axis)


def _stays(index: Expression, loop: Loop, region: Region) -> bool:
    """Whether an index is the same for all trips, and nothing in it fails."""
    elements = [each for each in inside(index) if isinstance(each, Element)]
    safe = all(isinstance(each.access, Proved) and each.array not in region.written for each in elements)
    return safe and loop.variable.name not in read(index)
