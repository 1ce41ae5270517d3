"""The innermost loop of a region in strips: so many iterations side by side, each statement for all before the next.

    >>> from functools import partial
    >>> before_and_after(partial(strip_mining, room=1 << 14, lanes=(64, 1024)), '''
    ... def horner(a: A, c: np.ndarray, b: A):
    ...     for i in range(len(a)):
    ...         x = a[i]
    ...         for k in range(len(c)):
    ...             x = x * x + c[k]
    ...         b[i] = x
    ... ''', a="float64[:]", b="float64[:]", c="float64[:]")
    x: float64 = a[i]
    for k from 0 to length(c, 0)
        x: float64 = (x * x) + c[k]
    b[i] = x
    ->
    x: float64 = a[i]
    for k from 0 to length(c, 0)
        x: float64 = (x * x) + c[k]
    b[i] = x
    in strips of 1024
        each lane, leaving x
            x: float64 = a[i]
        for k from 0 to length(c, 0)
            each lane, taking x, leaving x
                x: float64 = (x * x) + c[k]
        each lane, taking x
            b[i] = x

A scalar that lives from one group of statements to the next has a place for each lane. LLVM does not vectorise the loop
as it is, whose innermost loop is a chain; it does those over the lanes. Iterations are independent, and within one the
order stays, so the results are the same bits.

Integers are computed in words of 16 and 32 bits there, where intervals prove it the same; if it takes that, under an
assumption on the elements of arrays, which is tested before. Sines and cosines in inner loops become statements of
their own, for they are taken of all lanes at once; in a body without loops they are reason enough for strips. Accesses
that are tested while a region runs, since they stand under conditions, are proved where comparisons of lengths that are
made before say so (`strip_guards`). Regions whose iterations are not independent one by one, that test other accesses,
or that keep arrays for an iteration, are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from somd.language.operators import OPERATORS
from somd.runtime.blocks import LANES
from somd.transforms.loops.making import variable
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.program import (
    Assign,
    Choice,
    Constant,
    Element,
    Evaluate,
    Expression,
    Interval,
    Loop,
    Operation,
    Origin,
    Program,
    Proved,
    Reduced,
    Region,
    Statement,
    Store,
    Strips,
    Unpack,
    Variable,
)
from somd.transforms.loops.ranges import inside
from somd.transforms.loops.rewriting import (
    each_region,
    each_statement,
    in_inner_loops,
    with_expressions,
    with_operands,
)
from somd.transforms.loops.scopes import given_to
from somd.transforms.loops.varying import OF_LANES, Varying, is_straight, of_lanes
from somd.transforms.loops.walking import expressions_in, statements_in
from somd.transforms.passes.bit_widths import in_words, words_of
from somd.transforms.passes.strip_gains import Shape, carries, unrolls, vectorises
from somd.transforms.passes.strip_guards import Guarded, read_before, read_once, where_inside
from somd.transforms.passes.strip_loads import Loads, lies_apart
from somd.transforms.passes.strip_pieces import Piece, groups_in, note_needs, pieces_of, written_out
from somd.transforms.passes.value_ranges import with_ranges
from somd.transforms.types.scalars import REALS, ScalarType

Block = tuple[Statement, ...]
#: what elements of an array are taken for, where that is asked of them at run time
SHORT = words_of(16)
#: the bits of words of vector units
WORDS = (16, 32)


def strip_mining(program: Program, room: int, lanes: tuple[int, int]) -> Program:
    """The program with strips where they gain: of as many lanes, between two numbers, as take `room` bytes."""
    names = NewNames(program)
    return each_region(program, lambda region: _in_strips(region, names, room, lanes))


def _in_strips(region: Region, names: NewNames, room: int, lanes: tuple[int, int]) -> Region:
    step = region.loops[-1].step
    if region.packed is not None or region.loops[-1].in_vectors:
        return region
    guarded = where_inside(region) if _are_independent(region) else None
    if guarded is None or not isinstance(step, Constant) or (guarded.conditions and region.reductions):
        return region
    made = _guarded_strips(region, guarded, names, room, lanes)
    if made is None and not region.reductions and not region.aliased:
        once = read_once(guarded, region, _apart(region, guarded.body), names)
        made = None if once is guarded else _guarded_strips(region, once, names, room, lanes)
    return region if made is None else replace(region, strips=made)


def _guarded_strips(
    region: Region, guarded: Guarded, names: NewNames, room: int, lanes: tuple[int, int]
) -> Strips | None:
    """The strips of a body whose accesses are proved under conditions; None where they do not gain."""
    loop, step = region.loops[-1].variable.name, region.loops[-1].by or 1
    body = read_before(guarded, Varying(region, guarded.body, loop=region.loops[-1]), names)
    flat = not any(isinstance(node, Loop) for node in statements_in(body))
    body = _Separating(Varying(region, body, loop=region.loops[-1]), names).done(body, flat)
    sines = flat and any(map(of_lanes, statements_in(body)))
    loads = Loads(region, body, names)
    body, apart = loads.body, loads.names
    varying = Varying(region, body, loop=region.loops[-1])
    cut = pieces_of(body, varying, apart)
    if cut is None:
        return None
    kept = _kept(cut, varying) - {loop, *(each.name for each in region.carried)}
    laned = frozenset(each.variable.name for each in region.reductions if _laned(each))
    if not sines and not carries(cut, kept, laned):
        return None
    for assumed in _assumptions(region, body, varying):
        known = with_ranges(_assuming(body, assumed), given_to(region))
        pieces = pieces_of(known, varying, apart)
        assert pieces is not None
        note_needs(pieces, set())
        narrowed = in_words(known, kept, WORDS)
        for group in groups_in(pieces):
            group.statements = narrowed(group.statements)
        if not sines and unrolls(pieces, varying):
            return None
        if vectorises(pieces, Shape(varying, loop, step), apart):
            made = _strips(region, pieces, kept, room, lanes)
            return made and replace(made, assumed=tuple(assumed.items()), where=guarded.conditions)
    return None


def _apart(region: Region, body: Block) -> Callable[[Element], bool]:
    """Whether an element lies apart for neighbouring lanes, in an array that outlives an iteration."""
    loop = region.loops[-1]
    shape = Shape(Varying(region, body, loop=loop), loop.variable.name, loop.by or 0)
    return lambda node: node.array not in region.local_arrays and lies_apart(node, region, shape)


def may_take_turns(region: Region) -> bool:
    """Whether iterations are independent one by one, each statement is run as often as its loops say, and no access is
    tested or counts from the end."""
    proved = all(isinstance(each.access, Proved) for each in expressions_in(region.body) if isinstance(each, Element))
    return proved and _are_independent(region)


def _are_independent(region: Region) -> bool:
    dependent = region.relaxed or region.ordered_if or region.handed_on or region.combined
    if dependent or region.partition is not None:
        return False
    return is_straight(region.body) and all(map(_in_lanes, region.reductions))


def _in_lanes(reduced: Reduced) -> bool:
    """Whether a reduction gives the same bits when lanes take turns: one with lanes does, and one of integers."""
    return not reduced.companions and (_laned(reduced) or reduced.variable.type.kind in "biu")


def _laned(reduced: Reduced) -> bool:
    """Whether each lane has an accumulator of its own."""
    return OPERATORS[reduced.op].ordered and reduced.variable.type.kind in "fc"


def _kept(pieces: list[Piece], varying: Varying) -> frozenset[str]:
    """The scalars that a lane may have to keep from one group to the next."""
    note_needs(pieces, set())
    assigned = {name for group in groups_in(pieces) for name in group.possible}
    return frozenset(varying.names & assigned)


def _strips(
    region: Region, pieces: list[Piece], kept: frozenset[str], room: int, lanes: tuple[int, int]
) -> Strips | None:
    """The strips of the pieces; None where a lane would have to keep what it cannot."""
    types: dict[str, ScalarType] = {}
    for node in (each for group in groups_in(pieces) for each in statements_in(group.statements)):
        set_here = (node.target,) if isinstance(node, Assign) else node.targets if isinstance(node, Unpack) else ()
        types.update({target.name: target.type for target in set_here})

    def in_lanes(names: set[str]) -> tuple[Variable, ...]:
        return tuple(variable(name, types[name]) for name in sorted(names & kept))

    needed = {each for group in groups_in(pieces) for each in in_lanes(group.loaded | group.stored)}
    if any(each.type.dtype not in REALS for each in needed):
        return None
    width = sum(np.dtype(each.type.dtype).itemsize for each in needed)
    shortest, length = lanes
    while length > shortest and length * width > room:
        length //= 2
    length = LANES if any(map(_laned, region.reductions)) else length
    return Strips(written_out(pieces, in_lanes), length)


# --- what elements hold -------------------------------------------------------------------------------------------


def _assumptions(region: Region, body: Block, varying: Varying) -> Iterator[dict[str, Interval]]:
    """What may be assumed of arrays' elements: nothing, or that those of integers that are only read, anywhere but at
    places that vary, are short."""
    yield {}
    elements = [each for each in expressions_in(body) if isinstance(each, Element)]
    wide = {each.array for each in elements if each.type.kind in "iu" and each.type.dtype != "uint64"}
    wide -= {each.array for each in elements if any(map(varying, each.indices)) or inside(each.range, SHORT)}
    found = sorted(wide - set(region.written))
    if found and not region.reductions and not region.aliased:
        yield dict.fromkeys(found, SHORT)


def _assuming(body: Block, assumed: dict[str, Interval]) -> Block:
    def known(node: Expression) -> Expression:
        made = with_operands(node, known)
        return replace(made, range=assumed[made.array]) if isinstance(made, Element) and made.array in assumed else made

    return each_statement(body, lambda node: with_expressions(node, known)) if assumed else body


# --- functions of all lanes ---------------------------------------------------------------------------------------


class _Separating:
    """Takes sines and cosines out of the statements in inner loops, or anywhere, that need them, into statements of
    their own: neither those under conditions that vary, nor what is not always evaluated."""

    def __init__(self, varying: Varying, names: NewNames) -> None:
        self.varying = varying
        self.names = names

    def done(self, body: Block, outside: bool) -> Block:
        return in_inner_loops(body, self.separated, lambda node: not self.varying(node.test), outside)

    def separated(self, node: Assign | Store | Evaluate) -> list[Statement]:
        before: list[Statement] = []

        def change(part: Expression) -> Expression:
            conditional = isinstance(part, Choice) or (isinstance(part, Operation) and part.operator in ("and", "or"))
            if conditional:
                return part
            if not self.wanted(part):
                return with_operands(part, change)
            assert isinstance(part, Operation)
            place = variable(self.names.name(part.operator.partition(".")[2]), part.type)
            first = Origin(node.origin.position, node.origin.comments if not before else ())
            before.append(Assign(place, part.operands[0], first))
            before.append(Assign(place, replace(part, operands=(place,)), Origin(node.origin.position)))
            return place

        made = with_expressions(node, change)
        if not before:
            return [node]
        assert isinstance(made, Assign | Store | Evaluate)
        return [*before, replace(made, origin=replace(node.origin, comments=()))]

    def wanted(self, node: Expression) -> bool:
        """Whether it is a sine or cosine of a float64 that varies."""
        known = isinstance(node, Operation) and node.operator in OF_LANES
        return known and node.type.dtype == "float64" and self.varying(node)
