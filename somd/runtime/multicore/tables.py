"""How long tables are that an MI fills before its share of a loop."""

from __future__ import annotations

from somd.runtime.multicore.integers import of_integers

#: iterations of an MI from which a table is worth filling
ENOUGH = 4
#: entries that a table may have: half a megabyte
ENTRIES = 1 << 16


@of_integers
def table_length(iterations: int, trips: int) -> int:
    """The entries of a table for inner loops of so many `trips`, looked up by so many `iterations`; none where the
    number of trips is so large that it wrapped."""
    return max(0, min(trips, ENTRIES)) if iterations >= ENOUGH else 0
