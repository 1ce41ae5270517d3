"""Which loops go along rows that a work-group keeps in local memory, and which of their trips run side by side.

for k: largest = max(largest, x[r, k])                 all work-items of a row, each some trips
for k: out[r, k] = exp(x[r, k] - largest)       ->     all work-items: the row of out takes the place of that of x
       whole += out[r, k]                              in order, one work-item
for k: out[r, k] /= whole                              all work-items

A loop with an order is cut in two: what a trip computes of its own elements, and of what the loop does not change, is
shared out; what it hands on to the next trip stays in order. Values between the two are *terms*, a row of local memory
each. What is cheap is computed where it is asked for. Nothing here writes C.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from somd.transforms.emit.declared import assigned, read_in, scalars_set
from somd.transforms.loops.program import (
    Assign,
    Break,
    Choice,
    Continue,
    Element,
    Expression,
    Function,
    Loop,
    Operation,
    Proved,
    Raise,
    Region,
    Return,
    Statement,
    Store,
    Variable,
    While,
)
from somd.transforms.loops.walking import (
    bodies,
    expressions,
    expressions_in,
    goes_on,
    inside,
    operands,
    reads_elements,
    statements_in,
    tests_accesses,
)
from somd.transforms.opencl.cut_loops import SIZES, Block, Cut
from somd.transforms.opencl.kernels import is_plain, own_variables
from somd.transforms.opencl.row_fusion import shared_extreme
from somd.transforms.opencl.striped import Key, key_of
from somd.transforms.passes.extremes import Extreme
from somd.transforms.stages import Nest
from somd.transforms.types.scalars import ArrayType, Type


@dataclass(frozen=True)
class Sweep:
    """A way along the rows: all work-items of a row share out the trips, each with `body`, behind which it keeps the
    `terms`; or one of them runs them in order."""

    loop: Loop
    body: Block
    in_order: bool = False
    terms: tuple[tuple[Variable, Expression], ...] = ()
    extreme: Extreme | None = None

    @property
    def reckoned(self) -> tuple[Expression, ...]:
        return (*expressions_in(self.body), *(each for _, term in self.terms for each in inside(term)))

    @property
    def limits(self) -> tuple[Expression, Expression]:
        return self.loop.start, self.loop.stop


@dataclass(frozen=True)
class Row:
    """A row of local memory: of an array, or of terms. It lies in the place of this number, and is brought in before
    all else if it is `loaded`."""

    place: int
    dtype: str
    element: Element | None = None
    loaded: bool = False


@dataclass
class Place:
    """Room for a row of each iteration: the axes with as many elements at most, of `size` bytes each."""

    size: int
    axes: list[tuple[str, int]]
    #: the sweeps, by their numbers, from one to which it is taken, and what is in it then
    taken: list[tuple[int, int, Key | str]] = field(default_factory=list)


@dataclass(frozen=True)
class StagedRows:
    """Sweeps and what stands between them, in order; the rows by what they are of, and their places. `last` are the
    sweeps, by number, that store an array, so that no later one stores the same elements."""

    parts: tuple[Sweep | Block, ...]
    rows: Mapping[Key, Row]
    terms: Mapping[str, Row]
    places: tuple[Place, ...]
    last: frozenset[tuple[int, Key]]


def staged_rows_of(
    nest: Nest, region: Region, types: Mapping[str, Type], functions: Mapping[str, Function]
) -> StagedRows | None:
    """How the iterations of a region are run so; None where they are not."""
    told = nest.tests or nest.raises or nest.partition or nest.copies
    if told or not is_plain(region) or region.depth != 1 or region.aliased or region.packed or region.pieces:
        return None
    body = region.body
    ends = any(isinstance(node, Raise | Return | Break | Continue) for node in statements_in(body))
    if ends or any(map(goes_on, body)) or tests_accesses(body) or region.loop.variable.name in assigned(body):
        return None
    return _Look(region, types, functions).found()


class _Look:
    def __init__(self, region: Region, types: Mapping[str, Type], functions: Mapping[str, Function]) -> None:
        self.region, self.types, self.functions = region, types, functions
        self.row = region.loop.variable.name
        self.scoped = own_variables(region).scoped
        self.number = 0
        self.loops = [node for node in region.body if isinstance(node, Loop)]
        self.elements = [each for each in expressions_in(region.body) if isinstance(each, Element)]
        self.may_lie_here = {key_of(e) for e in self.elements if self.is_along(e) and self.has_rows(e.array)}
        written = {key for key in self.may_lie_here if key[0] in region.written}
        self.may_lie_here -= {key for key in written if not self.is_whole(key)}

    def found(self) -> StagedRows | None:
        parts: list[Sweep | Block] = []
        for at, node in enumerate(self.region.body):
            if isinstance(node, Loop):
                sweeps = self.sweeps(node, self.region.body[at + 1 :])
                if not sweeps:
                    return None
                parts += sweeps
            elif _loops(node) or (_stores(node) and any(scalars_set((node,)))):
                return None
            elif parts and not isinstance(parts[-1], Sweep) and not _stores(node) and not _stores(parts[-1][-1]):
                parts[-1] = (*parts[-1], node)
            else:
                parts.append((node,))
        ordered = any(isinstance(each, Sweep) and (each.in_order or each.extreme is not None) for each in parts)
        return self.placed(parts) if ordered and len(self.loops) > 1 else None

    # --- what may lie in local memory -------------------------------------------------------------------------------

    def is_along(self, node: Element) -> bool:
        """Whether an element is one of the iteration's own row, at the variable of a loop along it."""
        if not isinstance(node.access, Proved) or node.relaxed is not None or len(node.indices) < 2:
            return False
        *leading, last = node.indices
        known = {*self.region.scalars, *self.region.arrays, self.row} - assigned(self.region.body)
        steady = all(not reads_elements(each) and read_in(each) <= known for each in leading)
        mine = any(self.row in read_in(each) for each in leading)
        return steady and mine and isinstance(last, Variable) and any(last == loop.variable for loop in self.loops)

    def has_rows(self, array: str) -> bool:
        kind = self.types.get(array)
        if not isinstance(kind, ArrayType) or array not in self.region.arrays:
            return False
        dtype = np.dtype(kind.dtype)
        return dtype.kind in "iuf" and dtype.itemsize in SIZES

    def is_whole(self, key: Key) -> bool:
        """Whether all that is done to an array that is written is done to this row of it, and each store of it is one
        of every trip of a loop."""
        if not all(key_of(e) == key and isinstance(e.access, Proved) for e in self.elements if e.array == key[0]):
            return False
        direct = [(loop, node) for loop in self.loops for node in loop.body if _stores_row(node, key)]
        every = [node for node in statements_in(self.region.body) if _stores_row(node, key)]
        along = all(isinstance(n, Store) and n.element.indices[-1] == loop.variable for loop, n in direct)
        return along and len(direct) == len(every)

    # --- the ways along rows ----------------------------------------------------------------------------------------

    def sweeps(self, loop: Loop, behind: Block) -> list[Sweep]:
        """The ways along the rows that a loop becomes; none where it cannot be run so."""
        name, limits = loop.variable.name, (loop.start, loop.stop)
        if loop.by != 1 or name not in self.scoped or name in assigned(loop.body):
            return []
        if any(reads_elements(each) for each in limits):
            return []
        extreme = shared_extreme(loop)
        if extreme is not None or loop.order == "free":
            return [Sweep(loop, loop.body, extreme=None if loop.order == "free" else extreme)]
        cut = Cut(loop, behind, self.may_lie_here, self.functions, self.term)
        terms = tuple((variable, node) for node, variable in cut.terms.items())
        stored = any(isinstance(node, Store) for node in cut.free)
        first, rest = Sweep(loop, tuple(cut.free), terms=terms), Sweep(loop, cut.rest, in_order=True)
        if cut.failed or not cut.free or not (stored or terms) or (terms and self.width_of(first) is None):
            return [Sweep(loop, loop.body, in_order=True)]
        return [first, rest] if cut.rest else [first]

    def term(self, kind: Expression) -> Variable:
        self.number += 1
        return Variable(f"term'{self.number}", kind.type)

    # --- where what lies --------------------------------------------------------------------------------------------

    def placed(self, parts: Sequence[Sweep | Block]) -> StagedRows | None:
        """The parts with the rows that are worth it."""
        uses = {key: self.uses(parts, key) for key in self.may_lie_here}
        ordered = {number for number, part in enumerate(parts) if isinstance(part, Sweep) and part.in_order}
        wanted = [key for key, numbers in uses.items() if len(numbers) > 1 or ordered & {*numbers}]
        wanted.sort(key=lambda key: (uses[key][0], str(key)))
        if not any(len(uses[key]) > 1 for key in wanted):
            return None
        places: list[Place] = []
        rows: dict[Key, Row] = {}
        for key in wanted:
            element = next(e for e in self.elements if key_of(e) == key and self.is_along(e))
            loaded = self.is_loaded(parts, uses[key], key)
            first = -1 if loaded else uses[key][0]
            place = self.place(places, parts, (first, uses[key][-1], key), element)
            rows[key] = Row(place, element.type.dtype, element, loaded)
        terms: dict[str, Row] = {}
        for number, part in enumerate(parts):
            for variable, _ in part.terms if isinstance(part, Sweep) else ():
                along = self.width_of(parts[number])
                assert along is not None
                place = self.place(places, parts, (number, number + 1, variable.name), along, variable.type.dtype)
                terms[variable.name] = Row(place, variable.type.dtype)
        last = {(number, key) for key in rows for number in self.last_stores(parts, key)}
        return StagedRows(tuple(parts), rows, terms, tuple(places), frozenset(last))

    def uses(self, parts: Sequence[Sweep | Block], key: Key) -> list[int]:
        """The numbers of the parts that touch a row."""
        return [number for number, part in enumerate(parts) if any(_is_of(e, key) for e in _reckoned(part))]

    def is_loaded(self, parts: Sequence[Sweep | Block], uses: Sequence[int], key: Key) -> bool:
        """Whether the elements of a row may be read before they are stored."""
        using = [parts[number] for number in uses]
        first = using[0]
        if not isinstance(first, Sweep) or not all(isinstance(each, Sweep) for each in using):
            return True
        known = {*self.region.scalars, *self.region.arrays} - assigned(self.region.body)
        alike = all(isinstance(each, Sweep) and each.limits == first.limits for each in using)
        if not alike or not all(read_in(each) <= known for each in first.limits):
            return True
        at_variables = all(
            isinstance(e.indices[-1], Variable) and self.is_along(e) for e in self.elements if _is_of(e, key)
        )
        for node in first.body:
            if any(_is_of(e, key) for top in expressions(node) for e in inside(top)) or bodies(node):
                return True
            if _stores_row(node, key):
                return not at_variables
        return True

    def last_stores(self, parts: Sequence[Sweep | Block], key: Key) -> set[int]:
        """The sweeps whose elements of a row no later one stores, as far as is known."""
        storing = [n for n, part in enumerate(parts) if isinstance(part, Sweep) and _stores_key(part, key)]
        known = {*self.region.scalars, *self.region.arrays} - assigned(self.region.body)
        found = set()
        for number in storing:
            sweep, later = parts[number], [parts[n] for n in storing if n > number]
            assert isinstance(sweep, Sweep)
            steady = all(read_in(each) <= known for each in sweep.limits)
            if not steady or not any(isinstance(each, Sweep) and each.limits == sweep.limits for each in later):
                found.add(number)
        return found

    def place(
        self,
        places: list[Place],
        parts: Sequence[Sweep | Block],
        wanted: tuple[int, int, Key | str],
        along: Element,
        dtype: str = "",
    ) -> int:
        """The number of a place that is free from the first to the last of the sweeps."""
        size, axis = np.dtype(dtype or along.type.dtype).itemsize, (along.array, len(along.indices) - 1)
        fits = (
            k for k, e in enumerate(places) if e.size == size and all(self.is_free(t, wanted, parts) for t in e.taken)
        )
        number = next(fits, len(places))
        if number == len(places):
            places.append(Place(size, []))
        place = places[number]
        place.taken.append(wanted)
        if axis not in place.axes:
            place.axes.append(axis)
        return number

    def is_free(
        self, taken: tuple[int, int, Key | str], wanted: tuple[int, int, Key | str], parts: Sequence[Sweep | Block]
    ) -> bool:
        """Whether a place is not asked for any more when it is wanted for something else: in one trip an element may
        be read, and that of another row be stored in its place."""
        (first, last, key), (begin, end, new) = taken, wanted
        if last < begin or end < first:
            return True
        part = parts[begin] if begin >= 0 else None
        if (
            last != begin
            or not isinstance(part, Sweep)
            or part.in_order
            or isinstance(key, str)
            or key[0] in self.region.written
        ):
            return False
        if part.extreme is not None or not all(
            e.indices[-1] == part.loop.variable for e in part.reckoned if isinstance(e, Element) and _is_of(e, key)
        ):
            return False
        if isinstance(new, str):  # terms are kept when all of them are known
            return True
        stored = next((at for at, node in enumerate(part.body) if _stores_row(node, new)), len(part.body))
        behind = (*expressions_in(part.body[stored + 1 :]), *(e for _, term in part.terms for e in inside(term)))
        return not any(_is_of(e, key) for e in behind)

    def width_of(self, part: Sweep | Block) -> Element | None:
        """An element at the variable of a sweep's loop in its every trip: the row of terms is as long as its own."""
        if not isinstance(part, Sweep):
            return None
        found = [e for e in always_read(part.loop.body) if key_of(e) in self.may_lie_here]
        return next((e for e in found if e.indices[-1] == part.loop.variable), None)


def always_read(block: Block) -> list[Element]:
    """The elements that are read or stored whenever a block is run."""
    plain = [node for node in block if isinstance(node, Assign | Store)]
    tops = [*(e for node in plain for e in expressions(node)), *(n.element for n in plain if isinstance(n, Store))]
    return [each for top in tops for each in _evaluated(top)]


def _evaluated(node: Expression) -> Iterator[Element]:
    """The elements that are read wherever an expression is."""
    if isinstance(node, Choice) or (isinstance(node, Operation) and node.operator in ("and", "or")):
        return
    if isinstance(node, Element):
        yield node
    for each in operands(node):
        yield from _evaluated(each)


def _reckoned(part: Sweep | Block) -> tuple[Expression, ...]:
    return part.reckoned if isinstance(part, Sweep) else tuple(expressions_in(part))


def _is_of(node: Expression, key: Key) -> bool:
    return isinstance(node, Element) and isinstance(node.access, Proved) and key_of(node) == key


def _loops(node: Statement) -> bool:
    return any(isinstance(each, Loop | While) for each in statements_in((node,)))


def _stores(node: Statement) -> bool:
    return any(isinstance(each, Store) for each in statements_in((node,)))


def _stores_row(node: Statement, key: Key) -> bool:
    return isinstance(node, Store) and key_of(node.element) == key


def _stores_key(part: Sweep, key: Key) -> bool:
    return any(_stores_row(node, key) for node in part.body)
