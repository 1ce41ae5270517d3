"""What is wrong with a file before the compiler looks at it."""

from __future__ import annotations

from somd.diagnostics.render import shown_path
from somd.errors import SomdError


class FileProblem(SomdError):
    """A file that cannot be read, parsed or imported; `line` (from 1) is None where it concerns the whole file."""

    def __init__(self, file: str, message: str, line: int | None = None) -> None:
        super().__init__(file, message, line)
        self.file = file
        self.message = message
        self.line = line

    def __str__(self) -> str:
        place = shown_path(self.file) + (f":{self.line}" if self.line is not None else "")
        return f"{place}: {self.message}"
