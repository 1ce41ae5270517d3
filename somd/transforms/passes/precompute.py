"""Tables of what no iteration of a region changes: expensive expressions in inner loops, computed once by a part.

    >>> before_and_after(precompute, '''
    ... def spectrum(a: A, modes: int):
    ...     for i in range(len(a)):
    ...         x = 0.0
    ...         for k in range(modes):
    ...             x += 0.125
    ...             a[i] = a[i] * np.exp(x)
    ... ''', a="float64[:]", modes="int")
    x: float64 = 0.0
    for k from 0 to modes
        x: float64 = x + 0.125
        a[i] = a[i] * np.exp(x)
    ->
    table table'1: float64, up to trips(0, modes, 1)
        x: float64 = 0.0
        for k from 0 to modes
            x: float64 = x + 0.125
            if k >= length(table'1, 0)
                return table'1
            table'1[k] = np.exp(x)
        return table'1
    x: float64 = 0.0
    for k from 0 to modes
        x: float64 = x + 0.125
        entry'1: float64 = table'1[k] if (k < length(table'1, 0)) else np.exp(x)
        a[i] = a[i] * entry'1

What is looked up depends on the trips of inner loops and on what is the same for all iterations (`Varying`), such as
the recurrence of `x`. A table is filled by the statements of the body that its expression needs, in their order, so it
holds the same bits; it has as many entries as a target has room for, and what is not in it is computed where it stands.

A table may hold what no iteration computes, where a condition that varies stands around the expression: there it may
read no elements and call no helpers. Nor may it read elements in a region of several loops, or call helpers that might
not end, for a part may have trips of the outer one and no iterations, and only these have proved the accesses. Loops
under such a condition, or whose limits an iteration reckons, get no tables; nor do regions that test accesses or raise,
that have arrays for an iteration, copies, or values that parts hand on.

Helpers are written out where that shows an expression (`inlining`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from somd.transforms.loops.making import INT64, choice, length, operation, variable, whole_number
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.printer import block_text
from somd.transforms.loops.program import (
    PROVED,
    Assign,
    Cast,
    Choice,
    Constant,
    Element,
    Expression,
    Function,
    HelperCall,
    If,
    Loop,
    Operation,
    Origin,
    Program,
    Region,
    Return,
    Statement,
    Store,
    Table,
    Variable,
    While,
    Whole,
)
from somd.transforms.loops.ranges import whole
from somd.transforms.loops.rewriting import (
    each_region,
    each_statement,
    renamed,
    with_bodies,
    with_expressions,
    with_operands,
)
from somd.transforms.loops.scopes import assigned, read, set_by
from somd.transforms.loops.varying import Varying, is_straight, limits
from somd.transforms.loops.walking import asks, called, expressions, inside, origin_of, statements_in, tests_accesses
from somd.transforms.loops.work import cost
from somd.transforms.passes.inlining import Inliner
from somd.transforms.types.scalars import ArrayType

Block = tuple[Statement, ...]
Loops = tuple[Loop, ...]
#: what an operator costs that is worth a look-up, in sums of floats
EXPENSIVE = 50


def precompute(program: Program, once: bool = False) -> Program:
    """The program with tables; `once` asks for those of one entry, too: what is the same for all iterations, outside of
    inner loops. It pays where an iteration cannot take from another what a compiler moves out of a loop."""
    names = NewNames(program)
    functions = {function.name: function for function in program.functions}

    def of_region(region: Region) -> Region:
        if not _may_have_tables(region):
            return region
        for body in (Inliner(program, names).block(region.body), region.body):
            made = _Tables(region, body, names, functions, once).region() if is_straight(body) else None
            if made is not None:
                return made
        return region

    return each_region(program, of_region)


def _may_have_tables(region: Region) -> bool:
    private = region.tables or region.local_arrays or region.combined or region.handed_on or region.relaxed
    return not private and not tests_accesses(region.body)


@dataclass(frozen=True)
class Place:
    """A statement whose value is to be looked up by the trip of the loops around it."""

    statement: Assign
    loops: Loops
    trip: Expression


class _Tables:
    """Makes the tables of one region."""

    def __init__(
        self, region: Region, body: Block, names: NewNames, functions: Mapping[str, Function], once: bool = False
    ) -> None:
        self.origin = region
        self.names = names
        several = region.depth > 1
        endless = _perhaps_endless(functions) if several else ()
        self.varying = Varying(region, body, elements=several, functions=endless)
        self.finder = _Finder(region, self.varying, names, functions, once)
        self.body = self.finder.block(body, _At((), True))
        self.tables: list[Table] = []
        #: by what fills it, with names numbered: the name of a table
        self.known: dict[tuple[str, Block], str] = {}

    def region(self) -> Region | None:
        """The region with tables; None where nothing is worth one."""
        if not self.finder.places:
            return None
        lookups = {id(place.statement): self.looked_up(place) for place in self.finder.places}
        body = each_statement(self.body, lambda node: lookups.get(id(node), node))
        made = with_bodies(self.origin, lambda _: body)
        assert isinstance(made, Region)
        return replace(made, tables=tuple(self.tables))

    def looked_up(self, place: Place) -> Statement:
        """The statement that takes the value from a table, where that is long enough."""
        array, node = self.table(place), place.statement
        entry = Element(array, (place.trip,), PROVED, node.value.type, whole(node.value.type))
        there = operation("<", place.trip, length(array, 0))
        return replace(node, value=choice(there, entry, node.value))

    def table(self, place: Place) -> str:
        """The name of a table for an expression, which may be there already."""
        body = self.filling(place, "")
        own = dict.fromkeys(name for node in statements_in(body) for name in sorted(set_by(node)))
        body = renamed(body, {name: f"{k}" for k, name in enumerate(own)})
        key = block_text(body), body
        if key not in self.known:
            array = self.known[key] = self.names.name("table")
            kind = ArrayType(place.statement.value.type.dtype, 1)
            count = reduce(_times, map(_trips, place.loops)) if place.loops else whole_number(1)
            self.tables.append(Table(array, kind, count, self.filling(place, array)))
        return self.known[key]

    def filling(self, place: Place, array: str) -> Block:
        """What fills a table and returns it."""
        value, ends = place.statement.value, Return((Whole(array, ArrayType(place.statement.value.type.dtype, 1)),))
        entry = Element(array, (place.trip,), PROVED, value.type, whole(value.type))
        full = If(operation(">=", place.trip, length(array, 0)), (ends,))
        stored = (full, Store(entry, value))
        needed, before = {*read(place.trip, value)}, -1
        while len(needed) > before:
            before = len(needed)
            made = self.needed(self.body, place.statement, stored, needed)
            needed |= {name for node in statements_in(made) for name in read(*expressions(node))}
        return (*made, ends)

    def needed(self, body: Block, node: Assign, stored: Block, names: set[str]) -> Block:
        """The statements that assign `names`, with `stored` before the one that is to be looked up."""
        made: list[Statement] = []
        for each in body:
            if isinstance(each, If):
                yes, no = (self.needed(inner, node, stored, names) for inner in (each.body, each.orelse))
                if self.varying(each.test):
                    made += [*yes, *no]  # nothing but what is stored: all that is assigned here varies
                elif yes or no:
                    made.append(replace(each, body=yes, orelse=no))
            elif isinstance(each, Loop):
                inner = self.needed(each.body, node, stored, names)
                made += [replace(each, body=inner, order="in order", hull=None)] if inner else []
            else:
                made += stored if each is node else ()
                made += [each] if not names.isdisjoint(set_by(each)) else []
        return tuple(made)


@dataclass(frozen=True)
class _At:
    """Where something stands: in these loops of the body, and whether all iterations or none come there."""

    loops: Loops
    certain: bool

    def under(self, varies: bool) -> _At:
        """Under a condition."""
        return replace(self, certain=False) if varies else self


class _Finder:
    """Finds the largest expressions that are worth a table, and gives them statements of their own."""

    def __init__(
        self,
        region: Region,
        varying: Varying,
        names: NewNames,
        functions: Mapping[str, Function],
        once: bool = False,
    ) -> None:
        self.once = once
        self.varying = varying
        self.names = names
        self.functions = functions
        self.inputs = frozenset(region.scalars)
        self.places: list[Place] = []
        #: by the loops around: the variable that counts their trips, beside them
        self.counters: dict[tuple[int, ...], Variable] = {}
        #: those loops
        self.counted: dict[tuple[int, ...], Loops] = {}

    # --- statements ----------------------------------------------------------------------------------------------

    def block(self, body: Block, at: _At) -> Block:
        """The statements with such expressions in statements of their own, and with what counts trips."""
        made: list[Statement] = []
        for node in body:
            if isinstance(node, Loop):
                made += self.loop(node, at)
            elif isinstance(node, If):
                made += self.branch(node, at)
            else:
                made += self.line(node, at)
        same = len(made) == len(body) and all(new is old for new, old in zip(made, body, strict=True))
        return body if same else tuple(made)

    def loop(self, node: Loop, at: _At) -> Iterable[Statement]:
        if not at.certain or not self.is_countable(node):
            return [node]  # under a condition that varies its trips would not number those around it
        loops = (*at.loops, node)
        body = self.block(node.body, replace(at, loops=loops))
        key = _key(loops)
        if key in self.counted:
            body = (*body, Assign(self.counters[key], operation("+", self.counters[key], whole_number(1))))
        mine = [self.counters[key] for key, around in self.counted.items() if any(each is node for each in around)]
        first = [Assign(trip, whole_number(0)) for trip in mine] if not at.loops else []
        if body is node.body:
            return [node]
        return [*first, replace(node, body=body, order="in order" if mine else node.order)]

    def is_countable(self, node: Loop) -> bool:
        """Whether a loop has trips that are known before the region."""
        return read(*limits(node)) <= self.inputs and not any(map(asks, limits(node)))

    def branch(self, node: If, at: _At) -> Iterable[Statement]:
        before: list[Statement] = []
        test = self.value(node.test, at, before, origin_of(node))
        varies = self.varying(node.test)
        if not varies and not at.certain and asks(node.test):
            return [node]
        inner = at.under(varies)
        body, orelse = self.block(node.body, inner), self.block(node.orelse, inner)
        same = test is node.test and body is node.body and orelse is node.orelse
        return [*before, node if same else replace(node, test=test, body=body, orelse=orelse)]

    def line(self, node: Statement, at: _At) -> Iterable[Statement]:
        if isinstance(node, Assign) and node.target.name not in self.varying.names and self.is_worth(node.value, at):
            return [self.place(replace(node), at)]
        before: list[Statement] = []
        changed = with_expressions(node, lambda each: self.value(each, at, before, origin_of(node)))
        return [*before, changed]

    def place(self, node: Assign, at: _At) -> Assign:
        self.places.append(Place(node, at.loops, self.trip(at.loops)))
        return node

    def trip(self, loops: Loops) -> Expression:
        """What numbers the trips of loops: how far one that counts by 1 has come, or a counter."""
        if not loops:
            return whole_number(0)
        if _counts(loops):
            return _so_far(loops[0])
        key = _key(loops)
        if key not in self.counters:
            self.counters[key] = variable(self.names.name("trip"), INT64)
            self.counted[key] = loops
        return self.counters[key]

    # --- expressions ---------------------------------------------------------------------------------------------

    def value(self, node: Expression, at: _At, before: list[Statement], origin: Origin) -> Expression:
        """The expression with names for what is looked up, which `before` sets."""
        if self.is_worth(node, at):
            entry = variable(self.names.name("entry"), node.type)
            before.append(self.place(Assign(entry, node, Origin(origin.position)), at))
            return entry
        if isinstance(node, Choice) or (isinstance(node, Operation) and node.operator in ("and", "or")):
            first, *_ = (node.test,) if isinstance(node, Choice) else node.operands
            maybe = at.under(True)
            return with_operands(node, lambda each: self.value(each, at if each is first else maybe, before, origin))
        return with_operands(node, lambda each: self.value(each, at, before, origin))

    def is_worth(self, node: Expression, at: _At) -> bool:
        """Whether an expression is expensive, the same for all iterations, and other in another trip; and may be
        computed before them."""
        if not isinstance(node, Operation | Cast | Choice | HelperCall):
            return False
        if not at.loops and (not self.once or not at.certain or asks(node)):
            return False
        if self.varying(node):
            return False
        if (at.loops and assigned((at.loops[0],)).isdisjoint(read(node))) or node.range != whole(node.type):
            return False
        if not any(cost(each, self.functions) >= EXPENSIVE for each in inside(node)):
            return False
        return at.certain or not asks(node)


def _perhaps_endless(functions: Mapping[str, Function]) -> frozenset[str]:
    """The helpers that repeat something as long as a test holds, themselves or in what they call."""
    found = {name for name, each in functions.items() if any(isinstance(n, While) for n in statements_in(each.body))}
    before = -1
    while len(found) > before:
        before = len(found)
        found |= {name for name, each in functions.items() if not found.isdisjoint(called(each.body))}
    return frozenset(found)


def _key(loops: Loops) -> tuple[int, ...]:
    return tuple(map(id, loops))


def _counts(loops: Loops) -> bool:
    """Whether the variable of a loop tells the number of its trip: it counts up by 1."""
    [*others, loop] = loops
    return not others and loop.by == 1 and loop.variable.name not in assigned(loop.body)


def _so_far(loop: Loop) -> Expression:
    """How many trips a loop that counts up by 1 has had."""
    start = isinstance(loop.start, Constant) and loop.start.value == 0
    return loop.variable if start else operation("-", loop.variable, loop.start)


def _times(one: Expression, other: Expression) -> Expression:
    return operation("*", one, other)


def _trips(loop: Loop) -> Expression:
    """How many trips a loop has."""
    return operation("trips", *limits(loop))
