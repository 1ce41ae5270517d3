"""How the interpreter runs loops whose trips are not taken one by one: in tiles of time, and in panels.

Chance says how many trips go together, how wide blocks are and which part or row comes next, so that what a program
claims of such a loop shows where it does not hold.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from somd.transforms.loops.meaning import Code, Names, Returned
from somd.transforms.loops.program import Break, Loop
from somd.transforms.loops.time_tiles import Tile, tiles_of
from somd.transforms.loops.witness import claim

#: trips that go together, rows of a block, and parts, at most
TRIPS, WIDEST, PARTS = 3, 6, 4


class Current(Protocol):
    """What holds while a program runs."""

    tiling: random.Random
    tile: Tile | None
    panel: Panel | None


@dataclass
class Panel:
    """A panel at work: `region` runs before row `border` in each trip; what it needs later is noted in `trips`: its
    limits, and the values of names."""

    region: int
    border: int
    trips: list[tuple[range, Names]] = field(default_factory=list)

    def noted(self, low: int, high: int, names: Names) -> tuple[int, int]:
        """The rows of the region that do not wait."""
        self.trips.append((range(low, high), dict(names)))
        return low, min(high, self.border)


def in_time_tiles(
    node: Loop, rows: tuple[int, int], trips: range, body: Code, between: Code, names: Names, current: Current
) -> bool:
    """Run a loop in tiles of time; False where arrays differ in their shapes, so that it is to run as it is."""
    tiles, reach, chance = node.time_tiles, node.reach, current.tiling
    assert tiles is not None and reach is not None
    if len({names[array].shape for array in tiles.alike}) > 1:
        return False
    while trips:
        depth = chance.randint(1, TRIPS)
        now, trips = trips[:depth], trips[depth:]
        sweeps = len(now) * tiles.sweeps
        most = (rows[1] - rows[0]) // (2 * reach * sweeps) if reach else PARTS
        parts = chance.randint(1, max(1, min(PARTS, most)))
        for stage in range(2 if reach else 1):
            for part in chance.sample(range(parts), parts):
                for tile in tiles_of(rows, part, parts, stage, reach, sweeps, chance.randint(1, WIDEST)):
                    current.tile = tile
                    _turns(node, now, body, dict(names))
        current.tile = None
        _turns(node, now, between, names)
    return True


def _turns(node: Loop, trips: range, body: Code, names: Names) -> None:
    for value in trips:
        names[node.variable.name] = np.int64(value)
        body(names)


def in_panels(
    node: Loop, trips: range, body: Code, run: Callable[[int, Names], None], names: Names, current: Current
) -> None:
    """Run a loop in panels; `run` is the region that waits, for one row and certain names."""
    panels, margin, chance, variable = node.panels, node.margin, current.tiling, node.variable.name
    assert panels is not None and margin is not None
    kept = [variable, *(each.name for each in panels.kept)]
    while trips:
        depth = chance.randint(1, TRIPS)
        now, trips = trips[:depth], trips[depth:]
        panel = current.panel = Panel(panels.region, now[-1] + 1 + margin)
        left = False
        try:
            for value in now:
                names[variable] = np.int64(value)
                signal = body(names)
                claim(not isinstance(signal, Returned), f"the loop over `{variable}`, in panels, returns")
                if signal is Break:
                    left = True
                    break
        finally:  # where a trip raises, too: those before it have run
            current.panel = None
            rows = sorted({row for limits, _ in panel.trips for row in limits if row >= panel.border})
            for row in chance.sample(rows, len(rows)):
                for limits, values in panel.trips:
                    if row in limits:
                        run(row, {**names, **{name: values[name] for name in kept if name in values}})
        if left:
            break
