"""Loops in tiles of time: what may stand in them, and the order in which parts run their trips (decision 18).

Parts take some trips of the loop at a time, in two stages. In the first each one runs the regions in rows that become
fewer, by the reach of the loop, from region to region at each end that it shares with another part; in the second the
wedges between them are filled. In a stage rows are taken in blocks, which move by the reach from region to region. With
a reach of 0 there are no wedges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from somd.transforms.loops.program import Assign, Constant, Loop, Rebind, Region, Statement
from somd.transforms.loops.scopes import assigned, read
from somd.transforms.loops.walking import statements_in

Block = tuple[Statement, ...]


def regions_in(body: Block) -> list[Region]:
    """The regions of a block of the master."""
    return [node for node in statements_in(body) if isinstance(node, Region)]


def sweeps_in(body: Block) -> int | None:
    """How many regions a block runs; None where that, or what else it does, is not known before."""
    total = 0
    for node in body:
        if isinstance(node, Region):
            total += 1
        elif isinstance(node, Loop):
            limits = [each.value for each in (node.start, node.stop, node.step) if isinstance(each, Constant)]
            inner = sweeps_in(node.body)
            if len(limits) < 3 or inner is None:
                return None
            total += inner * len(range(*(int(value.real) for value in limits)))
        elif not isinstance(node, Assign | Rebind):
            return None
    return total


def problems(loop: Loop) -> Iterator[str]:
    """What is wrong with the tiles of a loop."""
    tiles, over = loop.time_tiles, f"the loop over `{loop.variable.name}`"
    if tiles is None:
        return
    if loop.reach is None:
        yield f"{over} is in tiles of time, and has no reach"
    if sweeps_in(loop.body) != tiles.sweeps:
        yield f"{over} is in tiles of time, and has not {tiles.sweeps} sweeps a trip"
    if any(isinstance(node, Region) for node in statements_in(tiles.between)):
        yield f"{over} is in tiles of time, with regions between them"
    loops = [node for node in statements_in(loop.body) if isinstance(node, Loop)]
    if any(node.time_tiles is not None or node.panels is not None for node in loops):
        yield f"{over} is in tiles of time, and so is a loop in it"
    changed = {*assigned(loop.body), loop.variable.name}
    for region in regions_in(loop.body):
        special = region.reductions or region.combined or region.handed_on or region.relaxed or region.ordered_if
        if special or not isinstance(region.loop.step, Constant) or region.loop.step.value.real <= 0:
            yield f"region {region.number} cannot run in tiles of time"
        fixed = [region.loop.start, region.loop.stop, *(check.condition for check in region.checks)]
        if not changed.isdisjoint(read(*fixed)):
            yield f"region {region.number} has other rows in other trips of {over}"


@dataclass
class Tile:
    """The rows of a part from `low` to `high`, and a block of these from `left` to `right`: from region to region they
    move by `below` and `above`, and by `reach`."""

    left: int
    right: int
    low: int
    high: int
    below: int
    above: int
    reach: int

    def next_rows(self) -> tuple[int, int]:
        """The rows in which the next region runs here."""
        rows = max(self.left, self.low), min(self.right, self.high)
        self.low, self.high = self.low + self.below, self.high + self.above
        self.left, self.right = self.left - self.reach, self.right - self.reach
        return rows


def tiles_of(
    rows: tuple[int, int], part: int, parts: int, stage: int, reach: int, sweeps: int, width: int
) -> list[Tile]:
    """The tiles of one part in a stage of so many `sweeps`, in the order in which it runs them."""
    first, last = rows
    size = last - first
    low, high = first + size * part // parts, first + size * (part + 1) // parts
    below = reach if part > 0 else 0
    above = -reach if part < parts - 1 else 0
    if stage == 1:
        high, below, above = low, -reach, reach if part > 0 else -reach
    end = high + (above + reach) * (sweeps - 1)
    return [Tile(left, left + width, low, high, below, above, reach) for left in range(low, end, width)]
