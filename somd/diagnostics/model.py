"""A diagnostic as data, and the collector that turns those of a method into one error.

Nothing here knows how a diagnostic looks; that is `render`.
"""

from __future__ import annotations

from dataclasses import dataclass

from somd.diagnostics import registry
from somd.errors import SomdCompileError, SomdInternalError


@dataclass(frozen=True, order=True)
class Position:
    """A piece of a source file: lines from 1, columns in characters from 0, the end exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Label:
    """A piece of source and what to say about it. The primary one is underlined `^^^`, others `---`."""

    position: Position
    text: str = ""
    primary: bool = True


@dataclass(frozen=True)
class Diagnostic:
    """One message: its code (see `registry`), headline, labelled places, ways out and remarks.

    `severity` is the word before the code: `error`, `warning` or `note`.
    """

    code: str
    message: str
    labels: tuple[Label, ...] = ()
    helps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    severity: str = "error"

    @property
    def position(self) -> Position | None:
        """Where the diagnostic points: its first primary label, or else its first label."""
        chosen = next((label for label in self.labels if label.primary), None)
        chosen = chosen or next(iter(self.labels), None)
        return chosen.position if chosen else None


#: the groups of which a line has one error: Python that a method may not use, and types
_ONE_A_LINE = ("SOMD2", "SOMD4")


class Collector:
    """Gathers the diagnostics of a method, so that the user sees all of them at once."""

    def __init__(self) -> None:
        self._diagnostics: dict[Diagnostic, None] = {}

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep `diagnostic`; an equal one is kept once.

        Raises:
            KeyError: its code is not in the registry.
        """
        registry.entry(diagnostic.code)
        self._diagnostics.setdefault(diagnostic)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """In the order of the places they point to; those without a place come last.

        Of what is wrong with the language or the types of a line the first is told: mostly the others follow from it.
        """
        found: dict[object, Diagnostic] = {}
        for each in sorted(self._diagnostics, key=_sort_key):
            place = each.position
            follows = place is not None and each.severity == "error" and each.code[:5] in _ONE_A_LINE
            found.setdefault((place.file, place.line) if follows and place else each, each)
        return tuple(found.values())

    @property
    def has_errors(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self._diagnostics)

    def raise_if_errors(self) -> None:
        """Raise one `SomdCompileError` with everything collected, if an error is among it."""
        if not self.has_errors:
            return
        internal = any(diagnostic.code.startswith("SOMD9") for diagnostic in self._diagnostics)
        raise (SomdInternalError if internal else SomdCompileError)(self.diagnostics)


def _sort_key(diagnostic: Diagnostic) -> tuple[bool, Position, str]:
    position = diagnostic.position
    return position is None, position or Position("", 0, 0, 0, 0), diagnostic.code
