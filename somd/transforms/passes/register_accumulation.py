"""Elements that the trips of a loop update one after the other are held in a variable while it runs.

    >>> before_and_after(register_accumulation, '''
    ... def products(a: A, b: np.ndarray, c: A):
    ...     for i in range(len(a)):
    ...         for k in range(len(b)):
    ...             c[i] += a[i] * b[k]
    ... ''', a="float32[:]", b="float32[:]", c="float32[:]")
    for k from 0 to length(b, 0)
        c[i] = c[i] + (a[i] * b[k])
    ->
    if 0 < length(b, 0)
        c_held'1: float32 = c[i]
        for k from 0 to length(b, 0)
            c_held'1: float32 = c_held'1 + (a[i] * b[k])
        c[i] = c_held'1

The variable has the element's type, so each update rounds as the store did. A compiler that cannot rule out two names
of one array does not do this, and loads and stores once a trip.

It is done where the body has no other access of the array, or isl finds that no other one is ever this element, all
its arrays have one name, nothing in it fails or leaves the loop, and the element is accessed in each trip, proved to be
inside. A loop that may have no trips stands behind a test, for then nothing says that the index is inside; not so where
the element was stored just before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from somd.transforms.loops.making import operation, variable
from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Break,
    Constant,
    Continue,
    Copy,
    Element,
    Expression,
    HelperCall,
    If,
    Loop,
    Origin,
    Program,
    Raise,
    Rebind,
    Region,
    Return,
    Statement,
    Store,
    Tested,
    Variable,
)
from somd.transforms.loops.rewriting import each_region, each_statement, with_bodies, with_expressions, with_operands
from somd.transforms.loops.scopes import assigned
from somd.transforms.loops.walking import called, expressions_in, statements_in
from somd.transforms.loops.walking import inside as within
from somd.transforms.passes.meeting import is_alone

Block = tuple[Statement, ...]
#: what ends a trip early, or gives names to arrays
LEAVING = (Break, Continue, Return, Raise, Allocate, AllocateLike, Copy, Rebind)


def register_accumulation(program: Program) -> Program:
    """The program with such elements in variables."""
    return each_region(program, _Holding(program).region)


def held_in(region: Region, program: Program) -> Region:
    """A region, none of a program's, with such elements in variables."""
    return _Holding(program).region(region)


class _Holding:
    def __init__(self, program: Program) -> None:
        self.numbers = count(1)
        #: functions that may raise
        self.raising = {f.name for f in program.functions if any(isinstance(n, Raise) for n in statements_in(f.body))}
        #: arrays that are left alone
        self.shared: frozenset[str] = frozenset()
        #: the body of the region at hand, and the loops around what is looked at
        self.body: Block = ()
        self.around: tuple[Loop, ...] = ()

    def region(self, region: Region) -> Region:
        if region.aliased or region.relaxed or any(isinstance(node, Rebind) for node in statements_in(region.body)):
            return region
        self.shared = frozenset(each.array for each in region.combined)
        self.body, self.around = region.body, region.loops
        made = with_bodies(region, self.block)
        assert isinstance(made, Region)
        return made

    def block(self, body: Block) -> Block:
        made: list[Statement] = []
        for node in body:
            held = self.held(node, made) if isinstance(node, Loop) else ()
            made += held or (self.inside(node),)
        return body if all(new is old for new, old in zip(made, body, strict=False)) else tuple(made)

    def inside(self, node: Statement) -> Statement:
        around = self.around
        self.around = (*around, node) if isinstance(node, Loop) else around
        made = with_bodies(node, self.block)
        self.around = around
        return made

    def held(self, loop: Loop, before: list[Statement]) -> Block:
        """The loop with its elements in variables, and what stands around it; empty where it has none."""
        elements, trips = list(self.elements(loop)), _trips(loop)
        known = [each for each in elements if _is_stored(each, before)]
        if trips is False or len(known) == len(elements):
            elements = known
        else:
            elements = [each for each in elements if each in known or _in_each_trip(each, loop)]
        if not elements:
            return ()
        origin = Origin(loop.origin.position)
        loads: list[Statement] = []
        stores: list[Statement] = []
        body = loop.body
        for each in elements:
            place = variable(f"{each.array}_held'{next(self.numbers)}", each.type)
            loads.append(Assign(place, each, origin))
            stores.append(Store(each, place, origin))
            body = with_variable(body, each, place)
        inner = replace(loop, body=body)
        whole = (*loads, self.inside(inner), *stores)
        if isinstance(trips, bool) or all(each in known for each in elements):
            return whole
        return (If(trips, whole, (), origin),)

    def elements(self, loop: Loop) -> Iterator[Element]:
        """The elements that all accesses of their arrays in a loop mean, stores among them."""
        if loop.order == "free":
            return
        inside = list(statements_in(loop.body))
        within = list(expressions_in(loop.body))
        accesses = [each for each in within if isinstance(each, Element)]
        if any(isinstance(node, LEAVING) for node in inside) or any(isinstance(e.access, Tested) for e in accesses):
            return
        if called(loop.body) & self.raising:
            return
        changed = assigned((loop,))
        for first in dict.fromkeys(node.element for node in inside if isinstance(node, Store)):
            mine = [each for each in accesses if each.array == first.array]
            stores = sum(isinstance(node, Store) and node.element == first for node in inside)
            if mine.count(first) <= stores or first.array in self.shared or not _is_steady(first, changed):
                continue
            if all(each == first for each in mine) or is_alone(first, loop, self.around, self.body):
                yield first


def _is_steady(element: Element, changed: set[str]) -> bool:
    """Whether an element is the same one in each trip: its indices read no array and nothing that is `changed`."""
    for each in (part for index in element.indices for part in within(index)):
        if isinstance(each, Element | HelperCall) or (isinstance(each, Variable) and each.name in changed):
            return False
    return element.relaxed is None


def _is_stored(element: Element, before: list[Statement]) -> bool:
    """Whether statements before a loop store the element, and none between the two sets what it is found by."""
    for k, node in enumerate(reversed(before)):
        if isinstance(node, Store) and node.element == element:
            return _is_steady(element, assigned(tuple(before[len(before) - k :])))
    return False


def _in_each_trip(element: Element, loop: Loop) -> bool:
    return any(isinstance(node, Store) and node.element == element for node in loop.body)


def _trips(loop: Loop) -> bool | Expression:
    """Whether the loop has trips: True, False where it has none or that cannot be tested before, or the test."""
    reads = any(isinstance(each, Element | HelperCall) for limit in (loop.start, loop.stop) for each in within(limit))
    if not isinstance(loop.step, Constant) or reads:
        return False
    forward = loop.step.value.real > 0
    if isinstance(loop.start, Constant) and isinstance(loop.stop, Constant):
        first, last = loop.start.value.real, loop.stop.value.real
        return first < last if forward else first > last
    return operation("<" if forward else ">", loop.start, loop.stop)


def with_variable(body: Block, element: Element, place: Variable) -> Block:
    """The body with the variable in place of the element."""

    def expression(node: Expression) -> Expression:
        return place if node == element else with_operands(node, expression)

    def statement(node: Statement) -> Statement:
        made = with_expressions(node, expression)
        if isinstance(made, Store) and made.element == element:
            return Assign(place, made.value, made.origin)
        return made

    return each_statement(body, statement)
