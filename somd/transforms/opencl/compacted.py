"""Stores of a group at the places of a counter, brought together in local memory: neighbours then store neighbours.

    if a[i] > 0:              kept |= 1 << column; out_kept[column] = a[i]; k += 1     the trips of each work-item
        out[k] = a[i]   ->    stage[place++] = out_kept[column]                        those that were kept, one by one
        k += 1                out[first + slot] = stage[slot]                          all of the group, striped

Each work-item's own stretch of a filter fills a few places in a row, far from its neighbour's. In are iterations that
end with a store at a counter's place and a step of one, under a condition (`passes/compaction.py` finds these); nothing
else touches what is stored. Where a place of the group lies outside, the iterations are run as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from somd.transforms.emit.c import Statements
from somd.transforms.emit.c_tree import C
from somd.transforms.emit.c_types import CTYPES
from somd.transforms.emit.declared import assigned
from somd.transforms.loops.accesses import PROVED
from somd.transforms.loops.program import Element, If, Loop, Region, Statement, Store, While
from somd.transforms.loops.walking import expressions_in, statements_in, tests_accesses
from somd.transforms.loops.work import operations
from somd.transforms.opencl.striped import BARRIER, MOST_LOCAL, Striped, padded
from somd.transforms.passes.compaction import Kept, kinds_of

#: operations of an iteration up to which its trips are written out, and bytes that a work-item keeps at most
SHORT, MOST_KEPT = 16, 256


@dataclass(frozen=True)
class Staged:
    """A store at the place of a counter: what of `kinds` it belongs to, and the tile that is free for it, if one is."""

    store: Store
    kind: int
    tile: Striped | None


class Keeping(Statements):
    """Statements in which some stores may be kept: `keeps` has by elements what takes their values."""

    keeps: Mapping[Element, Callable[[str], list[str]]] = MappingProxyType({})

    def store(self, element: Element, value: C) -> None:
        keep = self.keeps.get(element)
        if keep is None:
            super().store(element, value)
            return
        for line in keep(value.loose):
            self.line(line)


def staged_in(
    region: Region, carried: Sequence[str], arrays: Sequence[Striped], trips: int, lanes: int, extra: int
) -> tuple[list[Kept], list[Staged]]:
    """The kinds of iterations that store where counters point, and their stores; nothing where another form is needed.
    `arrays` have tiles, with `extra` bytes besides for a work-item."""
    nothing: tuple[list[Kept], list[Staged]] = [], []
    if region.depth != 1 or not region.body or not isinstance(region.body[-1], If):
        return nothing
    *before, last = region.body
    assert isinstance(last, If)
    kinds = [each for each in kinds_of(last) if each.stores]
    stores = [(store, k) for k, each in enumerate(kinds) for store in each.stores]
    names = [store.element.array for store, _ in stores]
    every = [each.array for each in expressions_in(region.body) if isinstance(each, Element)]
    mine = len(set(names)) == len(names) and all(every.count(name) == 1 for name in names)
    counters = {each.counter.name for each in kinds}
    if not kinds or not mine or not counters <= set(carried) or counters & assigned(tuple(before)):
        return nothing
    looping = any(isinstance(node, Loop | While) for node in statements_in(region.body))
    if looping or operations(region.body, {}) > SHORT or tests_accesses((*before, without_tests(last))):
        return nothing
    sizes = [np.dtype(store.element.type.dtype).itemsize for store, _ in stores]
    if sum(sizes) * trips > MOST_KEPT:
        return nothing
    free = [each for each in arrays if not each.stored]
    made, room = [], extra + sum(each.bytes_of(trips) for each in arrays)
    for (store, kind), size in zip(stores, sizes, strict=True):
        tile = next((each for each in free if np.dtype(each.element.type.dtype).itemsize == size), None)
        if tile is None:
            room += size * trips
        else:
            free.remove(tile)
        made.append(Staged(store, kind, tile))
    return (kinds, made) if room * lanes <= MOST_LOCAL else nothing


def without_tests(node: If) -> If:
    """The iteration's last statement with its stores proved."""

    def plain(body: Sequence[Statement]) -> tuple[Statement, ...]:
        return tuple(
            replace(each, element=replace(each.element, access=PROVED)) if isinstance(each, Store) else each
            for each in body
        )

    return replace(node, body=plain(node.body), orelse=plain(node.orelse))


@dataclass(frozen=True)
class Stage:
    """Local memory of a group for values of `kind`: elements of type `held`, in rows of `columns` if that is not 0."""

    name: str
    kind: str
    held: str
    columns: int

    def place(self, at: str) -> str:
        inside = f"[{at} / {self.columns}][{at} % {self.columns}]" if self.columns else f"[{at}]"
        return f"{self.name}{inside}"

    def put(self, at: str, value: str) -> str:
        return f"{self.place(at)} = {value if self.kind == self.held else f'as_{self.held}({value})'}"

    def taken(self, at: str) -> str:
        return self.place(at) if self.kind == self.held else f"as_{self.kind}({self.place(at)})"


class Compacted:
    """The text for a group of so many `lanes`, which run `trips` each; `tiles` are the names of arrays' tiles."""

    def __init__(
        self,
        kinds: Sequence[Kept],
        staged: Sequence[Staged],
        write: Keeping,
        tiles: dict[Striped, str],
        trips: int,
        lanes: int,
    ) -> None:
        self.kinds, self.staged, self.write, self.trips, self.lanes = kinds, staged, write, trips, lanes
        fresh = write.scope.names.fresh
        texts = [write.scope.text_of(each.counter.name) for each in kinds]
        self.counters = texts
        self.firsts, self.ends, self.masks, self.places = (
            [fresh(f"{text}_{word}") for text in texts] for word in ("from", "to", "mask", "place")
        )
        names = [write.scope.array(each.store.element.array) for each in staged]
        self.types = [CTYPES[each.store.element.type.dtype] for each in staged]
        self.kept = [fresh(f"{name}_kept") for name in names]
        self.stages: list[Stage] = []
        for each, name, kind in zip(staged, names, self.types, strict=True):
            if each.tile is None:
                stage = fresh(f"{name}_stage")
                write.local.append(f"    __local {kind} {stage}[{trips * lanes}];")
                self.stages.append(Stage(stage, kind, kind, 0))
            else:
                self.stages.append(Stage(tiles[each.tile], kind, CTYPES[each.tile.element.type.dtype], padded(trips)))

    @contextmanager
    def ranges(self, texts: Sequence[tuple[str, str]]) -> Iterator[None]:
        """Declares from where to where the counters go in the group, which `texts` are, by counters; the block is
        what is done if all places are inside."""
        write, tests = self.write, []
        for first, end, (low, high) in zip(self.firsts, self.ends, texts, strict=True):
            write.line(f"const long {first} = {low};")
            write.line(f"const long {end} = {high};")
            tests.append(f"0 <= {first} && {first} <= {end} && {end} - {first} <= {self.trips * self.lanes}")
        for each in self.staged:
            tests.append(f"{self.ends[each.kind]} <= {write.scope.length(each.store.element.array, 0).text}")
        with write.braces(f"if ({' && '.join(tests)})"):
            for counter, first, mask, place in zip(self.counters, self.firsts, self.masks, self.places, strict=True):
                write.line(f"uint {mask} = 0;")
                write.line(f"uint {place} = (uint)({counter} - {first});")
            for kind, kept in zip(self.types, self.kept, strict=True):
                write.line(f"{kind} {kept}[{self.trips}];")
            yield

    def keeping(self, column: str) -> dict[Element, Callable[[str], list[str]]]:
        """What takes the values of stores in a trip."""

        def keeper(kept: str, mask: str) -> Callable[[str], list[str]]:
            return lambda value: [f"{kept}[{column}] = {value};", f"{mask} |= 1u << {column};"]

        pairs = zip(self.staged, self.kept, strict=True)
        return {each.store.element: keeper(kept, self.masks[each.kind]) for each, kept in pairs}

    def stored(self, lane: str) -> None:
        """What the work-items have kept, together, and into the arrays."""
        write = self.write
        write.line(BARRIER)
        write.lines.append("#pragma unroll")
        with write.braces(f"for (int column = 0; column < {self.trips}; column++)"):
            for kind, (mask, place) in enumerate(zip(self.masks, self.places, strict=True)):
                with write.braces(f"if ({mask} >> column & 1u)"):
                    for each, stage, kept in zip(self.staged, self.stages, self.kept, strict=True):
                        if each.kind == kind:
                            write.line(f"{stage.put(place, f'{kept}[column]')};")
                    write.line(f"{place}++;")
        write.line(BARRIER)
        for each, stage in zip(self.staged, self.stages, strict=True):
            first, end = self.firsts[each.kind], self.ends[each.kind]
            with write.braces(f"for (uint slot = {lane}; slot < (uint)({end} - {first}); slot += {self.lanes})"):
                write.line(f"{write.scope.array(each.store.element.array)}[{first} + slot] = {stage.taken('slot')};")
