"""What happens in a region, watched access by access: what the program claims against what its iterations do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from somd.transforms.loops.program import Element, Interval, Proved, Tested
from somd.transforms.stages import FAR, Site

MANY = -1


class ProgramViolation(AssertionError):
    """A program does what it claims it does not: code that was written from it would give a wrong result."""


@dataclass(frozen=True)
class Write:
    """The last write of an element: region, iteration, line; `trip` is the place of the outermost variable among its
    values, and their number; `block` the part that the iteration ran in."""

    region: int
    iteration: tuple[int, ...]
    line: int | None
    trip: tuple[int, int]
    block: int


@dataclass
class Witness:
    """One run of a region; `iteration` is the one that runs now."""

    iteration: int = 0
    #: by byte address: the iteration that wrote it; the iteration that read it, or MANY
    written: dict[int, int] = field(default_factory=dict)
    read: dict[int, int] = field(default_factory=dict)
    #: of each array that was seen: itself, its address and its strides
    seen: dict[int, tuple[Any, int, tuple[int, ...]]] = field(default_factory=dict)

    def reads(self, element: Element, array: np.ndarray[Any, Any], where: tuple[int, ...]) -> None:
        """Note that this iteration reads an element.

        Raises:
            ProgramViolation: another one writes it.
        """
        address, iteration = self.address_of(array, where), self.iteration
        if self.written.get(address, iteration) != iteration:
            raise ProgramViolation(f"{element.array}{list(where)} is read, which another iteration writes")
        if self.read.setdefault(address, iteration) != iteration:
            self.read[address] = MANY

    def writes(self, element: Element, array: np.ndarray[Any, Any], where: tuple[int, ...]) -> None:
        """Note that this iteration writes an element.

        Raises:
            ProgramViolation: another one reads or writes it.
        """
        address, iteration = self.address_of(array, where), self.iteration
        if self.written.setdefault(address, iteration) != iteration:
            raise ProgramViolation(f"{element.array}{list(where)} is written, which another iteration writes too")
        if self.read.get(address, iteration) != iteration:
            raise ProgramViolation(f"{element.array}{list(where)} is written, which another iteration reads")

    def address_of(self, array: np.ndarray[Any, Any], where: tuple[int, ...]) -> int:
        """As the function, for an array that is asked for again and again."""
        found = self.seen.get(id(array))
        if found is None:
            found = self.seen[id(array)] = array, address_of(array, (0,) * array.ndim), array.strides
        _, address, strides = found
        if len(where) == 1:
            return address + where[0] * strides[0]
        return address + sum(index * stride for index, stride in zip(where, strides, strict=True))


def place(element: Element, array: np.ndarray[Any, Any], indices: list[int]) -> tuple[int, ...]:
    """The place in `array` that indices mean.

    Raises:
        IndexError: it is outside, and the access is tested.
        ProgramViolation: it is outside, or counts from the end, though the program says that it does not.
    """
    if len(indices) == 1 and array.ndim == 1 and 0 <= indices[0] < len(array):
        return (indices[0],)
    if len(indices) != array.ndim:
        raise ProgramViolation(f"{element.array} has {len(indices)} indices, the array {array.ndim} dimensions")
    access = element.access
    found = []
    for axis, (index, length) in enumerate(zip(indices, array.shape, strict=True)):
        if not -length <= index < length:
            if isinstance(access, Tested):
                raise outside(access.sites[axis], index)
            raise ProgramViolation(f"index {index} leaves axis {axis} of `{element.array}`, of length {length}")
        if index < 0 and (isinstance(access, Proved) or (isinstance(access, Tested) and not access.from_end)):
            raise ProgramViolation(f"index {index} of `{element.array}` counts from the end, which is ruled out")
        found.append(index + length if index < 0 else index)
    return tuple(found)


def address_of(array: np.ndarray[Any, Any], where: tuple[int, ...]) -> int:
    """The address of an element."""
    start: int = array.__array_interface__["data"][0]
    return start + sum(index * stride for index, stride in zip(where, array.strides, strict=True))


def claim(holds: bool, what: str) -> None:
    """Raise `ProgramViolation` unless `holds`."""
    if not holds:
        raise ProgramViolation(what)


def outside(site: Site, index: int | None = None) -> IndexError | OverflowError:
    """The error of an access that leaves its array at `site`, or of scalars too far from 0."""
    if site.axis == FAR:
        return OverflowError(f"{site.array} too far from 0, line {site.position.line}")
    which = "an index" if index is None else f"index {index}"
    line = f"line {site.position.line}"
    return IndexError(f"{which} of {site.text} is out of bounds for axis {site.axis} of `{site.array}`, {line}")


def holds(array: Any, values: Interval) -> bool:
    """Whether all elements of an array of integers lie in an interval."""
    return not array.size or bool(values.low <= array.min() and array.max() <= values.high)
