"""What the builder has no form for. A target that prints programs then lacks it (SOMD501); `somdc verify` says so."""

from __future__ import annotations

from somd.diagnostics.model import Position
from somd.errors import SomdError


class NotExpressed(SomdError):
    """A construct of a plan that the loop program does not express yet; the text names it."""

    def __init__(self, construct: str, position: Position | None = None) -> None:
        super().__init__(construct if position is None else f"{construct}, line {position.line}")
        self.construct = construct
        self.position = position
