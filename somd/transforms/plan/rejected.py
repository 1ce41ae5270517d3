"""What building a nest raises when its loop may not be distributed."""

from __future__ import annotations

import libcst as cst

from somd.diagnostics.model import Diagnostic


class Rejected(Exception):
    """The loop cannot be distributed, for the reasons in `diagnostics`; without the iteration `point` it could be."""

    def __init__(self, *diagnostics: Diagnostic, point: cst.BaseExpression | None = None) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics
        self.point = point
