"""Where nodes of a program come from."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from somd.diagnostics.model import Position


@dataclass(frozen=True)
class Origin:
    """Where a node comes from: its place in the source, the user's comments before it and `behind` it, and the user's
    own node where nothing was changed."""

    position: Position | None = None
    comments: tuple[str, ...] = ()
    node: cst.CSTNode | None = None
    behind: str = ""


NOWHERE = Origin()
