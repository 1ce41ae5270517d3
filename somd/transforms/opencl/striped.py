"""Elements that work-items go along, each its own stretch of an array, and a tile of local memory between.

    for i in range(16 * w, 16 * w + 16):      const long i = base + (lane + load * GROUP);
        s += a[i]                             a_next[load] = a[i];            neighbours load neighbours: striped
                                              a_tile[slot / 16][slot % 16] = a_next[load];
                                              s = s + a_tile[lane][column];   each goes along its own: blocked

Were each work-item to load its own stretch, neighbours would ask for elements that lie far apart. What is stored goes
the same way back. An element may be loaded that no trip reads: it is inside its array, and nobody else stores it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES, zero
from somd.transforms.emit.declared import assigned, read_in
from somd.transforms.loops.program import (
    Break,
    Constant,
    Continue,
    Element,
    Expression,
    If,
    Loop,
    Operation,
    Proved,
    Raise,
    Region,
    Return,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.walking import expressions, expressions_in, inside, reads_elements, statements_in
from somd.transforms.opencl.ranges import CRange

#: bytes of local memory that the tiles of a group may take: every device has 32 KiB
MOST_LOCAL = 30000
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
#: an array, and where in it: all indices but the last, which is the loop variable
Key = tuple[str, tuple[Expression, ...]]


@dataclass(frozen=True)
class Striped:
    """An array of which each work-item goes along a stretch: an element of it as the loops have it, and whether it is
    read, and stored, there."""

    element: Element
    loaded: bool
    stored: bool

    @property
    def key(self) -> Key:
        return key_of(self.element)

    def bytes_of(self, columns: int) -> int:
        """What a row of so many columns takes in a tile."""
        return np.dtype(self.element.type.dtype).itemsize * padded(columns)


def stepped(base: str, step: int, by: str) -> str:
    """The place so many steps from a base on."""
    return f"{base} + {by}" if step == 1 else f"{base} - {by}" if step == -1 else f"{base} + {step} * {by}"


def trips_between(start: str, stop: str, step: int) -> str:
    """How many steps there are, or a number below 1."""
    length = f"{stop} - {start}" if step > 0 else f"{start} - {stop}"
    return length if abs(step) == 1 else f"({length} + {abs(step) - 1}) / {abs(step)}"


def variables_in(node: Expression) -> set[str]:
    return {each.name for each in inside(node) if isinstance(each, Variable)}


def key_of(element: Element) -> Key:
    return element.array, element.indices[:-1]


def padded(columns: int) -> int:
    """The elements from row to row of a tile: an odd number, so that a column lies in all banks of memory."""
    return columns | 1


def coefficient(node: Expression, name: str) -> int | None:
    """By how much an expression grows when a variable grows by one, if that is a constant."""
    if name not in read_in(node):
        return 0
    if isinstance(node, Variable):
        return 1
    if not isinstance(node, Operation) or node.operator not in ("+", "-", "*"):
        return None
    left, right = (coefficient(each, name) for each in node.operands)
    if left is None or right is None:
        return None
    if node.operator == "+":
        return left + right
    if node.operator == "-":
        return left - right
    for one, grows in zip(node.operands, (right, left), strict=True):
        if isinstance(one, Constant):
            return int(one.value.real) * grows
    return None


def striped_in(
    loops: Sequence[Loop], region: Region, body: tuple[Statement, ...], outer: str = "", by_loop: bool = False
) -> list[Striped]:
    """The arrays whose elements the trips of `loops` go along, in a region whose iterations run `body`: all elements of
    an array that is written are such, and each trip of each of the loops stores its own; of those that have some, where
    tiles are stored `by_loop`. With a variable `outer` of the region these are rows that it names."""
    known = ({*region.scalars, *region.arrays} | {outer}) - assigned(body)
    if region.aliased or any(isinstance(each, Raise | Return) for each in statements_in(body)):
        return []

    def is_along(node: Expression, loop: Loop) -> TypeGuard[Element]:
        if not isinstance(node, Element) or not isinstance(node.access, Proved) or node.relaxed is not None:
            return False
        *leading, last = node.indices
        steady = all(not reads_elements(each) and read_in(each) <= known for each in leading)
        mine = not outer or any(outer in read_in(each) for each in leading)
        here = isinstance(last, Variable) and last.name == loop.variable.name and node.array in region.arrays
        return steady and here and mine

    found: dict[Key, Element] = {}
    along: set[int] = set()
    read: set[Key] = set()
    for loop in loops:
        for element in (each for each in expressions_in(loop.body) if is_along(each, loop)):
            found.setdefault(key_of(element), element)
            along.add(id(element))
        values = (each for node in statements_in(loop.body) for each in expressions(node))
        read |= {key_of(each) for value in values for each in inside(value) if is_along(each, loop)}
    made = []
    for key, element in found.items():
        every = [each for each in expressions_in(body) if isinstance(each, Element) and each.array == element.array]
        stored = element.array in region.written
        mine = all(id(each) in along and key_of(each) == key for each in every)
        having = [loop for loop in loops if not by_loop or any(_has(each, key) for each in expressions_in(loop.body))]
        if not stored or (mine and all(_stores(loop, key) for loop in having)):
            made.append(Striped(element, key in read, stored))
    return made


def _has(node: Expression, key: Key) -> bool:
    return isinstance(node, Element) and key_of(node) == key


def striped_along(loop: Loop, arrays: Sequence[Striped]) -> list[Striped]:
    """What one of several loops has of these: elements at its own variable, loaded where a trip reads them before it
    stores them."""
    found = []
    for each in arrays:
        here = [node for node in expressions_in(loop.body) if isinstance(node, Element) and _has(node, each.key)]
        mine = [node for node in here if isinstance(node.indices[-1], Variable)]
        mine = [node for node in mine if node.indices[-1] == loop.variable]
        if mine:
            stored = any(isinstance(n, Store) and _has(n.element, each.key) for n in statements_in(loop.body))
            found.append(Striped(mine[0], _reads_first(loop, each.key), stored))
    return found


def _reads_first(loop: Loop, key: Key) -> bool:
    """Whether a trip may read an element before it has stored it."""
    for node in loop.body:
        values = [value for each in statements_in((node,)) for value in expressions(each)]
        if any(_has(each, key) for value in values for each in inside(value)):
            return True
        if isinstance(node, Store) and _has(node.element, key):
            return False
    return False


def in_tiles_of_others(body: tuple[Statement, ...], loops: Sequence[Loop], arrays: Sequence[Striped]) -> dict[Key, Key]:
    """The arrays that may be stored in tiles of arrays that are only read, for a trip has read its element by then; an
    iteration that runs `body` takes one of the loops."""
    if not _exclude_each_other(body, loops):
        return {}
    found: dict[Key, Key] = {}
    for each in arrays:
        size = np.dtype(each.element.type.dtype)
        free = [other for other in arrays if not other.stored and other.key not in found.values()]
        free = [other for other in free if np.dtype(other.element.type.dtype) == size]
        free = [other for other in free if all(_is_read_by(loop, other.key, each.key) for loop in loops)]
        if each.stored and not each.loaded and free:
            found[each.key] = free[0].key
    return found


def _exclude_each_other(body: tuple[Statement, ...], loops: Sequence[Loop]) -> bool:
    """Whether no iteration takes two of the loops."""
    having = [node for node in body if any(each is loop for each in statements_in((node,)) for loop in loops)]
    if len(having) != 1:
        return len(having) == 0
    [node] = having
    if isinstance(node, If):
        return all(_exclude_each_other(branch, loops) for branch in (node.body, node.orelse))
    return isinstance(node, Loop) and any(node is loop for loop in loops)


def _is_read_by(loop: Loop, read: Key, stored: Key) -> bool:
    """Whether each trip has read its element of one array when it stores that of the other."""
    behind = False
    for node in loop.body:
        values = [value for each in statements_in((node,)) for value in expressions(each)]
        if behind and any(_has(each, read) for value in values for each in inside(value)):
            return False
        stores = [each for each in statements_in((node,)) if isinstance(each, Store) and _has(each.element, stored)]
        if stores and node is not stores[0]:
            return False
        behind = behind or bool(stores)
    return True


def _stores(loop: Loop, key: Key) -> bool:
    """Whether each trip stores an element."""
    if any(isinstance(node, Continue | Break) for node in statements_in(loop.body)):
        return False
    return any(isinstance(node, Store) and key_of(node.element) == key for node in loop.body)


class Tiles:
    """The tiles of a group of so many `lanes`, each `rows` by `columns`, and the C text around them. Elements are those
    at the loop variable `variable`, a name of C."""

    def __init__(
        self,
        arrays: Sequence[Striped],
        rows: int,
        columns: int,
        lanes: int,
        variable: str,
        write: Statements,
        within: Mapping[Key, Key] | None = None,
    ) -> None:
        """`within` names the arrays that are stored in the tiles of others."""
        self.arrays, self.rows, self.columns, self.lanes = arrays, rows, columns, lanes
        self.variable, self.write = variable, write
        #: for rows that a variable of the region names: how it follows from the trip, and the trip of a slot
        self.outer: tuple[CRange, str] | None = None
        fresh = write.scope.names.fresh
        names = {each.key: write.scope.array(each.element.array) for each in arrays}
        self.tiles = {key: fresh(f"{name}_tile") for key, name in names.items()}
        self.next = {each.key: fresh(f"{names[each.key]}_next") for each in arrays if each.loaded}
        self.lane, self.slot, self.column = (fresh(n) for n in ("lane", "slot", "column"))
        self.loads = rows * columns // lanes
        for key, other in (within or {}).items():
            self.tiles[key] = self.tiles[other]
        for each in arrays:
            if within and each.key in within:
                continue
            kind = CTYPES[each.element.type.dtype]
            write.local.append(f"    __local {kind} {self.tiles[each.key]}[{rows}][{padded(columns)}];")

    @property
    def loaded(self) -> list[Striped]:
        return [each for each in self.arrays if each.loaded]

    @property
    def stored(self) -> list[Striped]:
        return [each for each in self.arrays if each.stored]

    def registers(self) -> None:
        """Declares what keeps the elements on their way."""
        for each in self.loaded:
            self.write.line(f"{CTYPES[each.element.type.dtype]} {self.next[each.key]}[{self.loads}];")

    def staged(self, variable: str, body: tuple[Statement, ...], place: str = "") -> dict[Element, str]:
        """What stands for elements in the trips of a loop over `variable`, while it is printed: those at `place` of a
        tile, or else where a work-item is that goes along its row."""
        place = place or f"[{self.lane}][{self.column}]"
        places = {key: f"{tile}{place}" for key, tile in self.tiles.items()}
        found: dict[Element, str] = {}
        for each in expressions_in(body):
            if not isinstance(each, Element) or not isinstance(each.access, Proved) or key_of(each) not in places:
                continue
            if isinstance(each.indices[-1], Variable) and each.indices[-1].name == variable:
                found[each] = places[key_of(each)]
        return found

    @contextmanager
    def slots(self, unrolled: Sequence[str] = ("#pragma unroll",)) -> Iterator[None]:
        """A loop over what a work-item loads or stores, or computes."""
        self.write.lines += unrolled
        with self.write.braces(f"for (int load = 0; load < {self.loads}; load++)"):
            self.write.line(f"const int {self.slot} = {self.lane} + load * {self.lanes};")
            if self.outer is not None and self.of_rows:
                within, trip = self.outer
                self.write.line(f"const long {within.variable} = {within.value(C(f'({trip})', 'int64'))};")
            yield

    @property
    def of_rows(self) -> bool:
        """Whether a variable of the region names rows."""
        name = None if self.outer is None else self.outer[0].variable
        leading = (index for each in self.arrays for index in each.element.indices[:-1])
        return any(self.write.scope.text_of(each) == name for index in leading for each in variables_in(index))

    @property
    def row(self) -> str:
        return "0" if self.rows == 1 else f"({self.slot} / {self.columns})"

    @property
    def place(self) -> str:
        """The column of a slot."""
        return self.slot if self.rows == 1 else f"({self.slot} % {self.columns})"

    def within(self, each: Striped) -> str:
        """Whether the element lies inside its array."""
        write, tests = self.write, []
        for axis, index in enumerate(each.element.indices):
            length = write.scope.length(each.element.array, axis).text
            tests.append(f"(ulong)({write.value(index).text}) < (ulong){length}")
        return " && ".join(tests)

    def fetch(self, at: str, valid: str = "", tested: bool = True) -> None:
        """Elements into registers: that of a slot is the one at `at`, which may mention the slot."""
        write = self.write
        if not self.loaded:
            return
        with self.slots():
            write.line(f"const long {self.variable} = {at};")
            for each in self.loaded:
                element = write.value(each.element)
                test = " && ".join(filter(None, (valid, self.within(each)))) if tested else ""
                chosen = f"{test} ? {element.text} : {zero(element.dtype)}" if test else element.text
                write.line(f"{self.next[each.key]}[load] = {chosen};")

    def put(self) -> None:
        """What is in the registers into the tiles."""
        if not self.loaded:
            return
        with self.slots():
            for each in self.loaded:
                place = f"{self.tiles[each.key]}[{self.row}][{self.place}]"
                self.write.line(f"{place} = {self.next[each.key]}[load];")

    def store(self, at: str, valid: str) -> None:
        """What has been stored in the tiles into the arrays, where it is `valid`."""
        write = self.write
        if not self.stored:
            return
        with self.slots():
            write.line(f"const long {self.variable} = {at};")
            with write.braces(f"if ({valid})"):
                for each in self.stored:
                    place = write.expressions.flat_index(each.element)
                    value = f"{self.tiles[each.key]}[{self.row}][{self.place}]"
                    write.line(f"{write.scope.array(each.element.array)}[{place}] = {value};")
