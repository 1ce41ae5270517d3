"""What building a nest raises when its loop may not be distributed."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.diagnostics.model import Diagnostic


class Rejected(Exception):
    """The loop cannot be distributed, for the reasons in `diagnostics`; without the iteration `point` it could be."""

    def __init__(self, *diagnostics: Diagnostic, point: cst.BaseExpression | None = None) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics
        self.point = point


def leaves_early(reasons: Sequence[Diagnostic]) -> bool:
    """Whether a loop runs in order only because it may end early: that is no matter where the one around it can be
    distributed."""
    return all(each.code == "SOMD206" for each in reasons)


def waits(reasons: Sequence[Diagnostic]) -> bool:
    """Whether a loop runs in order only for the sake of scalars."""
    return all(each.code in ("SOMD304", "SOMD308") for each in reasons)
