"""A region made ready to be interpreted: what its nodes mean, as functions of the values of names."""

from __future__ import annotations

from dataclasses import dataclass

from somd.transforms.loops.meaning import Code, Meaning, Value
from somd.transforms.loops.program import Region


@dataclass
class Prepared:
    """The body of an iteration, bounds and conditions."""

    region: Region
    body: Code
    limits: list[tuple[Value, Value, Value]]
    hulls: list[tuple[Value, Value] | None]
    checks: Code
    ordered_if: list[Value]
    #: of each table: how many entries there may be, and what fills it
    tables: list[tuple[Value, Code]]
    #: the body in strips, and that of a tile
    strips: Code | None
    tile: Code | None
    #: that of a trip of a tile whose sums stay in registers
    packed: Code | None
    #: whether checks fail
    failed: list[Value]
    #: the limits of the trips that those of a tile share; the conditions of strips
    inner: list[Value]
    where: list[Value]
    #: what runs in its place
    pieces: list[Prepared]
    #: what makes the arrays of a chunk
    chunk: Code | None


def prepared(region: Region, meaning: Meaning) -> Prepared:
    """A region made ready, with its pieces."""
    value, exact = meaning.value, meaning.exact
    checks = meaning.block(region.checks)
    shared = {*region.arrays} - {each.array for each in region.combined} - {*region.local_arrays}
    meaning.watched = frozenset(shared)
    tables = [(value(table.count), meaning.block(table.body)) for table in region.tables]
    meaning.claimed = {loop.variable.name: loop.variable.range for loop in region.loops}
    body = meaning.block(region.body)
    ways = (region.strips, region.tile, region.packed)
    strips, tile, packed = (None if each is None else meaning.block(each.body) for each in ways)
    meaning.watched, meaning.claimed = frozenset(), {}
    limits = [(value(loop.start), value(loop.stop), value(loop.step)) for loop in region.loops]
    hulls = [None if loop.hull is None else (exact(loop.hull[0]), exact(loop.hull[1])) for loop in region.loops]
    exactly = [exact(each) for each in region.ordered_if]
    failed = [exact(check.condition) for check in region.checks]
    inner = [value(each) for each in (() if region.tile is None else region.tile.inner or ())]
    where = [value(each) for each in (() if region.strips is None else region.strips.where)]
    pieces = [prepared(each, meaning) for each in region.pieces]
    chunk = None if region.chunk is None else meaning.block(region.chunk.arrays)
    others = (failed, inner, where, pieces, chunk)
    return Prepared(region, body, limits, hulls, checks, exactly, tables, strips, tile, packed, *others)
