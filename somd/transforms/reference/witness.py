"""What happens in a phase, watched access by access: the claims of a nest against what its iterations do.

In: every access with the iteration that makes it. Out: the index as Python counts it, an `IndexError` where the plan
tests the access, or a `PlanViolation`: the plan is wrong, and a compiled back end would give a wrong result.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from somd.transforms.stages import FAR, Site

MANY = -1


class PlanViolation(AssertionError):
    """A nest does what its plan says it cannot do."""


@dataclass(frozen=True)
class Watched:
    """An access of a nest: its text, its sites if it is tested where it happens, whether its index may be negative."""

    text: str
    sites: tuple[Site, ...]
    wrapping: bool
    line: int | None = None


@dataclass(frozen=True)
class Write:
    """The last write of an element: phase, iteration, line; `trip` is the place of the outermost variable among its
    values, and their number; `block` the part that the iteration ran in."""

    phase: int
    iteration: tuple[int, ...]
    line: int | None
    trip: tuple[int, int]
    block: int


@dataclass
class Witness:
    """One run of a phase; `iteration` is the one that runs now."""

    iteration: int = 0
    #: by byte address: the iteration that wrote it; the iteration that read it, or MANY
    written: dict[int, int] = field(default_factory=dict)
    read: dict[int, int] = field(default_factory=dict)

    def place(self, access: Watched, mode: str, array: np.ndarray[Any, Any], *indexes: Any) -> tuple[int, ...]:
        """The place in `array` that `indexes` mean; `mode` is a combination of `r` and `w`, empty for a private copy or
        an array of the iteration's own.

        Raises:
            IndexError: it is outside, and the plan tests this access.
            PlanViolation: it is outside and untested, negative against the plan, or another iteration meets it.
        """
        if len(indexes) != array.ndim:
            raise PlanViolation(f"{access.text} has {len(indexes)} indexes, the array {array.ndim} dimensions")
        where = tuple(
            self._inside(access, axis, operator.index(index), array.shape[axis]) for axis, index in enumerate(indexes)
        )
        address = address_of(array, where)
        if "r" in mode:
            self._reads(access, address, where)
        if "w" in mode:
            self._writes(access, address, where)
        return where

    def _inside(self, access: Watched, axis: int, index: int, length: int) -> int:
        if not -length <= index < length:
            if not access.sites:
                raise PlanViolation(f"{access.text}: index {index} leaves axis {axis} of length {length}, untested")
            raise outside(access.sites[axis], index)
        if index < 0 and not access.wrapping:
            raise PlanViolation(f"{access.text}: index {index} counts from the end, which the plan rules out")
        return index + length if index < 0 else index

    def _reads(self, access: Watched, address: int, where: tuple[int, ...]) -> None:
        writer = self.written.get(address, self.iteration)
        if writer != self.iteration:
            raise PlanViolation(f"{access.text} reads {list(where)}, which another iteration writes")
        if self.read.setdefault(address, self.iteration) != self.iteration:
            self.read[address] = MANY

    def _writes(self, access: Watched, address: int, where: tuple[int, ...]) -> None:
        if self.written.setdefault(address, self.iteration) != self.iteration:
            raise PlanViolation(f"{access.text} writes {list(where)}, which another iteration writes too")
        if self.read.get(address, self.iteration) != self.iteration:
            raise PlanViolation(f"{access.text} writes {list(where)}, which another iteration reads")


def address_of(array: np.ndarray[Any, Any], where: tuple[int, ...]) -> int:
    """The address of an element."""
    start: int = array.__array_interface__["data"][0]
    return start + sum(index * stride for index, stride in zip(where, array.strides, strict=True))


def claim(holds: bool, what: str) -> None:
    """Raise `PlanViolation` unless `holds`."""
    if not holds:
        raise PlanViolation(what)


def outside(site: Site, index: int | None = None) -> IndexError | OverflowError:
    """The error of an access that leaves its array at `site`, or of scalars too far from 0."""
    if site.axis == FAR:
        return OverflowError(f"{site.array} too far from 0, line {site.position.line}")
    which = "an index" if index is None else f"index {index}"
    place = f"line {site.position.line}"
    return IndexError(f"{which} of {site.text} is out of bounds for axis {site.axis} of `{site.array}`, {place}")
