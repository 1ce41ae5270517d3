"""What masters that are profiled call: clocks of phases, and what they count.

In: the table of a call, int64, with a row for each phase, and its events. Out: both filled. Masters that are not
profiled have none of this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic as _intrinsic

from somd.runtime.multicore.crews import time_now
from somd.runtime.multicore.numba_internals.native import native

intrinsic: Any = _intrinsic

#: columns of the table: how often a phase ran, nanoseconds, operations of floats, bytes, operations of integers; then
#: nanoseconds of each MI
RUNS, TIME, OPERATIONS, BYTES, INTEGERS, RANKS = range(6)
#: the phases of a call that are noted one by one, for a timeline
EVENTS = 4096


@intrinsic  # type: ignore[untyped-decorator,unused-ignore]
def now(typing_context: Any) -> Any:
    """Nanoseconds of a clock that runs evenly, that of `time.monotonic_ns`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return time_now(builder)

    return types.int64(), generate


def tables(phases: int, parts: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The table for so many phases (row 0 is for what belongs to none) and MIs, and room for events: phase, begin, end.
    The first event holds how many there are."""
    return np.zeros((phases + 1, RANKS + parts), np.int64), np.zeros((EVENTS + 1, 3), np.int64)


@native
def ran(table: Any, events: Any, phase: int, begun: int) -> None:
    """A phase, or a part of it, has ended that began at `begun`."""
    ended = now()
    table[phase, TIME] += ended - begun
    place = events[0, 0] + 1
    events[0, 0] = place
    if place < len(events):
        events[place, 0] = phase
        events[place, 1] = begun
        events[place, 2] = ended


@native
def worked(table: Any, phase: int, rank: int, begun: int) -> None:
    """An MI has ended its share of a phase."""
    column = RANKS + rank
    if column < table.shape[1]:
        table[phase, column] += now() - begun


@native
def counted(table: Any, phase: int, runs: int, operations: int, moved: int, integers: int) -> None:
    """A phase is about to run so often, and to compute and move so much each time; operations of floats, and of
    integers, are -1 where they are not known."""
    table[phase, RUNS] += runs
    for column, more in ((OPERATIONS, operations), (INTEGERS, integers)):
        if more < 0 or table[phase, column] < 0:
            table[phase, column] = -1
        else:
            table[phase, column] += runs * more
    table[phase, BYTES] += runs * moved
