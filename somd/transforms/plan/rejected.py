"""What building a nest raises when its loop may not be distributed."""

from __future__ import annotations

from somd.diagnostics.model import Diagnostic


class Rejected(Exception):
    """The loop cannot be distributed, for the reasons in `diagnostics`."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics
