"""What a rank has sent, by method and phase: messages and bytes, counted where they leave."""

from __future__ import annotations

from dataclasses import dataclass

#: in place of the number of a phase: what a call sends before it begins, what the master reads between phases, and
#: what makes the result whole
BEGIN, SERIAL, RESULT = "begin", "serial", "result"
Place = int | str


@dataclass
class Sent:
    """What was sent to single ranks, and what was given to all others at once (`gathers`)."""

    messages: int = 0
    bytes: int = 0
    gathers: int = 0
    gathered_bytes: int = 0


class Ledger:
    """What this rank sent since the last `clear`, by name of the method and number of the phase."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, Place], Sent] = {}

    def of(self, method: str, place: Place) -> Sent:
        """The entry for a phase."""
        found = self.entries.get((method, place))
        if found is None:
            found = self.entries[method, place] = Sent()
        return found

    def clear(self) -> None:
        """Begin anew."""
        self.entries.clear()


LEDGER = Ledger()
