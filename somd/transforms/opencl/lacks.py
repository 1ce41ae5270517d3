"""What OpenCL C cannot express: the caller falls back to another target and says why."""

from __future__ import annotations

from somd.diagnostics.model import Position
from somd.errors import SomdError


class TargetLacks(SomdError):
    """The method uses something that the OpenCL target has no form for (SOMD501); `reason` is a sentence about it."""

    code = "SOMD501"

    def __init__(self, reason: str, position: Position | None = None) -> None:
        super().__init__(reason, position)
        self.reason = reason
        self.position = position

    def __str__(self) -> str:
        if self.position is None:
            return self.reason
        return f"{self.reason} ({self.position.file}:{self.position.line})"
