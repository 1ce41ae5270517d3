"""What regions accumulate: the parts of nodes of `program` that tell of scalars and of arrays that a fence combines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from somd.transforms.reduction import FIRST, Taking

if TYPE_CHECKING:
    from somd.transforms.loops.expressions import Variable


@dataclass(frozen=True)
class Reduced:
    """A scalar that the trips of a region accumulate: each block of trips starts from the neutral element of `op`, and
    the blocks are combined in their order. Companions follow a new extremum, `flag` tells that one was taken."""

    variable: Variable
    op: str
    companions: tuple[Variable, ...] = ()
    taking: Taking = FIRST
    flag: Variable | None = None

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All that a block hands on to its next trip."""
        return (self.variable, *self.companions, *(() if self.flag is None else (self.flag,)))


@dataclass(frozen=True)
class CombinedArray:
    """An array that each block of trips updates in a private copy, neutral at first, which the fence combines."""

    array: str
    op: str
