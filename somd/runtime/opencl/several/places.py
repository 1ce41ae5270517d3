"""Where the rows of an array are valid: on which devices, and on the host.

In: what is about to be read, and what was written, and where. Out: the copies that must be made first. Nothing here
moves data. Rows that are valid nowhere have no defined content; they need no copy.
"""

from __future__ import annotations

from dataclasses import dataclass

from somd.runtime.intervals import Intervals, joined, missing, within, without

#: the place that is no device
HOST = -1


@dataclass(frozen=True)
class Copy:
    """Rows [low, high) to be copied from one place to another."""

    source: int
    target: int
    low: int
    high: int


class Places:
    """The rows 0 to `rows` - 1 of an array, and the places that hold them as they are."""

    def __init__(self, rows: int, devices: int) -> None:
        self.rows = rows
        self._valid: dict[int, Intervals] = dict.fromkeys((HOST, *range(devices)), ())

    def valid(self, place: int) -> Intervals:
        """The rows that `place` holds."""
        return self._valid[place]

    def holds(self, place: int, row: int) -> bool:
        """Whether `place` holds that row."""
        return any(low <= row < high for low, high in self._valid[place])

    def whole(self, place: int) -> bool:
        """Whether `place` holds all rows."""
        return not self.rows or self._valid[place] == ((0, self.rows),)

    def hold(self, place: int, low: int = 0, high: int | None = None) -> None:
        """`place` has [low, high), too; without limits, all rows."""
        self._valid[place] = joined(self._valid[place], low, self.rows if high is None else high)

    def need(self, place: int, low: int, high: int) -> list[Copy]:
        """The copies after which `place` holds [low, high), which counts as done. The host is asked first:
        taking rows from a device waits for what it is doing."""
        low, high = max(low, 0), min(high, self.rows)
        lacking = missing(self._valid[place], low, high)
        if not lacking:
            return []
        copies: list[Copy] = []
        for source, rows in self._valid.items():
            if source == place:
                continue
            found = [part for a, b in lacking for part in within(rows, a, b)]
            copies += [Copy(source, place, a, b) for a, b in found]
            for a, b in found:
                lacking = without(lacking, a, b)
        self._valid[place] = joined(self._valid[place], low, high)
        return copies

    def sources(self) -> list[Copy]:
        """Where to take each row that is valid somewhere; the target means nothing."""
        lacking: Intervals = ((0, self.rows),) if self.rows else ()
        found: list[Copy] = []
        for source, rows in self._valid.items():
            parts = [part for a, b in lacking for part in within(rows, a, b)]
            found += [Copy(source, source, a, b) for a, b in parts]
            for a, b in parts:
                lacking = without(lacking, a, b)
        return found

    def on_no_device(self) -> Intervals:
        """The rows that no device holds."""
        lacking: Intervals = ((0, self.rows),) if self.rows else ()
        for place, rows in self._valid.items():
            for a, b in rows if place != HOST else ():
                lacking = without(lacking, a, b)
        return lacking

    def drop(self, place: int) -> None:
        """`place` holds nothing any more."""
        self._valid[place] = ()

    def written(self, place: int, low: int, high: int) -> None:
        """[low, high) has changed at `place`, and is stale everywhere else."""
        low, high = max(low, 0), min(high, self.rows)
        for other in self._valid:
            if other != place:
                self._valid[other] = without(self._valid[other], low, high)
        self._valid[place] = joined(self._valid[place], low, high)
