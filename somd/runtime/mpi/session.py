"""Session: one call that is shared among ranks.

In: the arrays that the call is given, and what its master tells, at the same places on every rank: arrays that it
makes, rows that the shares of its phases touch and write, partial results. Out: the exchanges that this takes. Arrays
go by their addresses, which differ from rank to rank: whatever is at an address was told when it was made, so that all
ranks mean the same array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from somd.runtime.intervals import Range, missing
from somd.runtime.mpi.addresses import in_huge_pages
from somd.runtime.mpi.holders import (
    Holders,
    Piece,
    Ranges,
    after_writing,
    before_reading,
    blocks,
    everywhere,
    holding,
    in_turn,
)
from somd.runtime.mpi.ledger import LEDGER, RESULT, SERIAL, Place
from somd.runtime.mpi.world import Bytes, World

Array = np.ndarray[Any, Any]


#: of an array that is wanted whole, along whatever axis
ANY = -1


class Side(Protocol):
    """Where else a rank may have rows of an array, along the first axis: on a device."""

    def leaves(self, low: int, high: int) -> None:
        """Rows that this rank holds are to come into the array."""
        ...

    def left(self) -> None:
        """All these rows are about to be read there."""
        ...

    def arrived(self, low: int, high: int) -> None:
        """Rows have been written into the array."""
        ...


class Shared:
    """An array that every rank has, of which it may hold some rows along an axis only; first all ranks hold all. What
    it holds may lie at its other side: `side` is a weak reference to that. A `fresh` one is new, and nobody has written
    it."""

    __slots__ = ("array", "axis", "fresh", "holders", "rank", "side")

    def __init__(self, array: Array, rank: int, ranks: int, fresh: bool = False) -> None:
        self.array, self.axis, self.rank, self.fresh = array, 0, rank, fresh
        self.side: Callable[[], Side | None] | None = None
        self.holders: Holders = everywhere(len(array), ranks)

    @property
    def rows(self) -> int:
        """How many rows there are along the axis."""
        return int(self.array.shape[self.axis])

    def current(self, low: int = 0, high: int | None = None) -> bool:
        """Whether all ranks hold rows [low, high) along the first axis; those of other axes are counted as one."""
        first, last = (0, self.rows) if high is None or self.axis else (low, high)
        return not any(missing(rows, first, last) for rows in self.holders)

    def copied_to(self, array: Array) -> Shared:
        """Another array with the rows that each rank holds of this one, which are copied; nothing is sent."""
        made = Shared(array, self.rank, len(self.holders))
        made.axis, made.holders = self.axis, self.holders
        for low, high in self.holders[self.rank]:
            part = rows_along(self.axis, low, high)
            in_huge_pages(array, self.axis, low, high)
            made.array[part] = self.array[part]
        return made

    def written(self, ranges: Ranges) -> None:
        """Ranks are about to write these rows."""
        self.holders = after_writing(self.holders, ranges)
        low, high = ranges[self.rank]
        if self.fresh and low < high:
            self.fresh = False
            in_huge_pages(self.array, self.axis, low, high)

    def fetched(self, wanted: Ranges) -> Moves:
        """What must travel so that ranks have what they want, which counts as done."""
        pieces, self.holders = before_reading(self.holders, wanted)
        return [(self, self.axis, pieces)] if pieces else []

    def leaves(self, low: int, high: int) -> None:
        """See `Side`."""
        side = None if self.side is None else self.side()
        if side is not None:
            side.leaves(low, high)

    def left(self) -> None:
        """See `Side`."""
        side = None if self.side is None else self.side()
        if side is not None:
            side.left()

    def arrived(self, low: int, high: int) -> None:
        """See `Side`."""
        side = None if self.side is None else self.side()
        if side is not None:
            side.arrived(low, high)


#: arrays, each with the axis along which rows are counted, and the pieces of it that travel
Moves = list[tuple[Shared, int, tuple[Piece, ...]]]


class Session:
    """The arrays of one call, by address, and their exchanges."""

    def __init__(self, world: World, method: str) -> None:
        self.world = world
        self.method = method
        self.arrays: dict[int, Shared] = {}

    def given(self, shared: Shared) -> None:
        """An array of which it is known from before who holds what."""
        self.arrays[address_of(shared.array)] = shared

    def made(self, array: Array, fresh: bool = False) -> None:
        """An array that all ranks have alike from here on."""
        if array.size:
            self.given(Shared(array, self.world.rank, self.world.size, fresh))

    def copied(self, copy: Array, source: Array) -> None:
        """An array that is to have the elements of another one: who holds rows of that gets them of the copy."""
        if copy.size:
            original = self.arrays.get(address_of(source))
            original = original or Shared(source, self.world.rank, self.world.size)
            self.given(original.copied_to(copy))

    def filled(self, array: Array, number: Any) -> None:
        """An array that is to have one number everywhere, of which each rank fills its share of the rows."""
        shared = Shared(array, self.world.rank, self.world.size)
        cut = blocks(len(array), self.world.size)
        shared.holders = holding(cut)
        low, high = cut[self.world.rank]
        in_huge_pages(array, 0, low, high)
        array[low:high] = number
        self.given(shared)

    def phase(
        self,
        number: Place,
        arrays: Sequence[tuple[Shared, int, Ranges, Ranges]],
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        """Before a phase: of each array what the ranks touch along an axis, which they get, and what they will write;
        along ANY from 0 to 1 for all of it. For `meanwhile` see `move`."""
        moves: Moves = []
        for shared, axis, touched, written in arrays:
            if axis not in (ANY, shared.axis):
                moves += self.along(number, shared, axis)
            if axis == ANY:
                touched = tuple((0, shared.rows * high) for _, high in touched)
            moves += self.brought(number, shared, touched)
            shared.written(written)
        self.move(number, moves, meanwhile)

    def rows(self, address: int, low: int, high: int, place: Place = SERIAL) -> None:
        """All ranks get rows [low, high) along the first axis."""
        self.rows_of(self.arrays[address], low, high, place)

    def rows_of(self, shared: Shared, low: int, high: int, place: Place = SERIAL) -> None:
        """As `rows`."""
        if shared.axis != 0:
            low, high = 0, shared.rows
        self.move(place, self.brought(place, shared, ((max(low, 0), min(high, shared.rows)),) * self.world.size))

    def whole(self, arrays: Iterable[Array], windows: Iterable[tuple[Shared, Range]] = ()) -> None:
        """All ranks get all of arrays, and of others the rows of windows, along the first axis."""
        moves: Moves = []
        for address in dict.fromkeys(address_of(array) for array in arrays if array.size):
            shared = self.arrays.get(address)
            if shared is not None:
                moves += self.brought(RESULT, shared, ((0, shared.rows),) * self.world.size)
        for shared, (low, high) in windows:
            if low < high:
                moves += self.along(RESULT, shared, 0)
                moves += self.brought(RESULT, shared, ((low, high),) * self.world.size)
        self.move(RESULT, moves)

    def along(self, place: Place, shared: Shared, axis: int) -> Moves:
        """What must travel so that rows can be counted along an axis: all of the array, if that was another one."""
        if axis == shared.axis:
            return []
        moves = self.brought(place, shared, ((0, shared.rows),) * self.world.size)
        shared.axis = axis
        shared.holders = everywhere(shared.rows, self.world.size)
        return moves

    def brought(self, place: Place, shared: Shared, wanted: Ranges) -> Moves:
        """What must travel so that ranks have what they want. Where all of them want all and lack most, each gives its
        part to all others at once, which is done then."""
        array, ends = shared.array, None
        if all(each == (0, shared.rows) for each in wanted) and shared.axis == 0 and array.flags.c_contiguous:
            ends = in_turn(shared.holders, shared.rows)
        if ends is None:
            return shared.fetched(wanted)
        width, rank = array.nbytes // shared.rows, self.world.rank
        shared.leaves(ends[rank], ends[rank + 1])
        shared.left()
        in_huge_pages(array, 0, 0, shared.rows)
        self.all(place, _bytes_of(array), [end * width for end in ends])
        for low, high in missing(shared.holders[rank], 0, shared.rows):
            shared.arrived(low, high)
        shared.holders = everywhere(shared.rows, self.world.size)
        return []

    def gather(self, number: Place, rows: Bytes, count: int) -> None:
        """Rank p has made its share of `count` rows of bytes, cut evenly; all get all."""
        width = len(rows) // count if count else 0
        ends = [0, *(high * width for _, high in blocks(count, self.world.size))]
        self.all(number, rows, ends)

    def alike(self, place: Place, mine: Bytes) -> Array:
        """What each rank has, as rows of one array, for as many bytes on all."""
        size, rank, width = self.world.size, self.world.rank, len(mine)
        found = np.empty(size * width, np.uint8)
        found[rank * width : (rank + 1) * width] = mine
        self.all(place, found, range(0, size * width + 1, width))
        return found.reshape(size, width)

    def all(self, place: Place, whole: Bytes, ends: Sequence[int]) -> None:
        """Bytes `ends[p]` up to `ends[p + 1]` of `whole` are rank p's; then all have all."""
        sent = LEDGER.of(self.method, place)
        sent.gathers += 1
        sent.gathered_bytes += ends[self.world.rank + 1] - ends[self.world.rank]
        with self.through():
            self.world.gather(whole, ends)

    def move(self, place: Place, moves: Moves, meanwhile: Callable[[], None] | None = None) -> None:
        """One message from each rank to each other one that lacks something of it. What this rank may do while rows are
        on their way, `meanwhile`, is called if there are any; it must not change those that this rank sends."""
        rank = self.world.rank
        sends: dict[int, list[Array]] = {}
        receives: dict[int, list[Array]] = {}
        for shared, axis, pieces in moves:
            for piece in pieces:
                part = rows_along(axis, piece.low, piece.high)
                if piece.source == rank:
                    shared.leaves(piece.low, piece.high)
                    sends.setdefault(piece.target, []).append(shared.array[part])
                elif piece.target == rank:
                    receives.setdefault(piece.source, []).append(shared.array[part])
        if not sends and not receives:
            return
        with self.through():
            if meanwhile is not None:
                meanwhile()
            for shared, _, _ in moves:
                shared.left()
            out = [(target, _packed(parts)) for target, parts in sends.items()]
            into = [(source, _room_for(parts), parts) for source, parts in receives.items()]
            sent = LEDGER.of(self.method, place)
            sent.messages += len(out)
            sent.bytes += sum(len(buffer) for _, buffer in out)
            self.world.exchange(out, [(source, buffer) for source, buffer, _ in into])
            for _, buffer, parts in into:
                _unpack(buffer, parts)
        for shared, _, pieces in moves:
            for piece in pieces:
                if piece.target == rank:
                    shared.arrived(piece.low, piece.high)

    @contextmanager
    def through(self) -> Iterator[None]:
        """A block that this rank must not leave before its end: others count it as done."""
        before, self.world.astray = self.world.astray, True
        yield
        self.world.astray = before


def rows_along(axis: int, low: int, high: int) -> tuple[slice, ...]:
    """The index of rows [low, high) along an axis."""
    return (*(slice(None),) * axis, slice(low, high))


def address_of(array: Array) -> int:
    """Where the first element of an array lies."""
    found: int = array.__array_interface__["data"][0]
    return found


def _bytes_of(part: Array) -> Bytes:
    return part.reshape(-1).view(np.uint8)


def _packed(parts: Sequence[Array]) -> Bytes:
    """The bytes of some rows, in C order; where they lie so already, themselves."""
    made = [_bytes_of(np.ascontiguousarray(part)) for part in parts]
    return made[0] if len(made) == 1 else np.concatenate(made)


def _room_for(parts: Sequence[Array]) -> Bytes:
    if len(parts) == 1 and parts[0].flags.c_contiguous:
        return _bytes_of(parts[0])
    return np.empty(sum(part.nbytes for part in parts), np.uint8)


def _unpack(buffer: Bytes, parts: Sequence[Array]) -> None:
    if len(parts) == 1 and parts[0].flags.c_contiguous:
        return
    at = 0
    for part in parts:
        part[...] = buffer[at : at + part.nbytes].view(part.dtype).reshape(part.shape)
        at += part.nbytes
