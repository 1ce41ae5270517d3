"""Accesses to arrays as the analysis sees them, for `stages`: affine indices, the loops and conditions around them, and
what is read from snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from somd.diagnostics.model import Position


@dataclass(frozen=True)
class Affine:
    """An integer expression in isl's notation; `names` are the isl names it mentions."""

    text: str
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class LoopDomain:
    """A loop around an access: its isl variable and the constraints that hold for it (exact or too wide).

    The isl variable is that of the loop, or, for a loop over trip numbers, what differs from trip to trip.
    """

    variable: str
    constraints: tuple[Affine, ...]
    exact: bool
    node: cst.For
    bounded: bool = True
    strided: bool = False


@dataclass(frozen=True)
class Flat:
    """An index d0 * m1 * ... + d1 * m2 * ... + dn of digits, highest first, and the moduli of all but the first."""

    digits: tuple[Affine, ...]
    moduli: tuple[Affine, ...]


@dataclass(frozen=True)
class Surroundings:
    """The loops and conditions around a statement, and whether it is reached exactly where they say."""

    loops: tuple[LoopDomain, ...]
    guards: tuple[Affine, ...]
    exact: bool


@dataclass(frozen=True)
class Access:
    """One read or write of an array element; an index that is no affine expression is None."""

    array: str
    indices: tuple[Affine | None, ...]
    write: bool
    node: cst.Subscript
    loops: tuple[LoopDomain, ...]
    guards: tuple[Affine, ...]
    exact: bool
    #: as `exact`, where nothing is raised
    usual: bool
    position: Position
    #: ways to take the index of a one-dimensional array apart that holds products
    flat: tuple[Flat, ...] = ()
    #: the axes whose index an array statement reads also where it has no elements, and where the statement stands
    asked: tuple[int, ...] = ()
    statement: Surroundings | None = None


@dataclass(frozen=True)
class RelaxedRead:
    """A read of elements that other MIs may write: those are taken from the snapshot of the array.

    An iteration v of the outermost loop writes v + c along `axis`, for each c of `writes`, and reads from
    v + reach[0] to v + reach[1]; without `reach`, anything.
    """

    array: str
    axis: int
    writes: tuple[int, ...]
    reach: tuple[int, int] | None


@dataclass(frozen=True)
class Relaxed:
    """What a nest in a relaxed block reads from snapshots, and their names by array.

    `fresh`: the phase takes them itself, being the whole block; otherwise a `Snapshot` did.
    """

    reads: Mapping[cst.Subscript, RelaxedRead]
    snapshots: Mapping[str, str]
    fresh: bool = False

    def margins(self, step: int) -> tuple[int, int] | None:
        """At how many trips from the two ends of its part an MI reads nothing of others; None if it may anywhere."""
        below = above = 0
        for read in self.reads.values():
            if read.reach is None:
                return None
            below = max(below, max(read.writes) - read.reach[0])
            above = max(above, read.reach[1] - min(read.writes))
        first, last = (below, above) if step > 0 else (above, below)
        return -(-first // abs(step)), -(-last // abs(step))
