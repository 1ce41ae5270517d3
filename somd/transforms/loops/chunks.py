"""Pieces of a region that keep arrays of an iteration from one to the next: a part of the loop program, whose grammar
`program` has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from somd.transforms.loops.expressions import Variable

if TYPE_CHECKING:
    from somd.transforms.loops.program import Allocate


@dataclass(frozen=True)
class Chunk:
    """Trips of the innermost of a region's loops, from that of the variable `first` on, `count` of them or as many as
    are left: all pieces run for these before any runs for the next. `arrays` have a place for each trip along their
    first axis (*array expansion*); a part has them once. A target chooses the count."""

    first: Variable
    count: Variable
    arrays: tuple[Allocate, ...]
