"""How many turns of a loop are done before the rows that may wait for them get their updates, and in which blocks."""

from __future__ import annotations

from somd.runtime.multicore.integers import of_integers

#: turns at a time: each row is brought to the cache once for all of them, and the rows next to come are updated by one
#: MI alone
TURNS = 8
#: bytes of the rows that are updated together: they stay in the nearest cache beside a row that they are updated from
NEAREST = 1 << 14


@of_integers
def turns_at_a_time(turns: int, workers: int) -> int:
    """The turns to do at a time, of so many: while one worker does them, the others wait for at most 3 in 100 of the
    whole time."""
    return max(1, min(TURNS, turns // (32 * workers)))


@of_integers
def rows_together(memory: int, rows: int) -> int:
    """The rows to update together, of an array of `memory` bytes."""
    return max(1, rows * NEAREST // max(memory, 1))
