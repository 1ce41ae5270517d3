"""What is known of an access where it happens."""

from __future__ import annotations

from dataclasses import dataclass

from somd.transforms.stages import Site


@dataclass(frozen=True)
class Proved:
    """Every index is at least 0 and below the length of its axis."""


@dataclass(frozen=True)
class FromEnd:
    """Every index is inside, those below 0 count from the end."""


@dataclass(frozen=True)
class Tested:
    """Each index is tested where the access happens, at the site of its axis; one below 0 counts from the end, or is
    proved not to be there."""

    sites: tuple[Site, ...]
    from_end: bool = True


Access = Proved | FromEnd | Tested
PROVED, FROM_END = Proved(), FromEnd()


@dataclass(frozen=True)
class RelaxedRead:
    """The element is that of `snapshot` where another part of the loop may write it: index number `axis` less one of
    `writes` is the value of the outermost variable in the iteration that writes it. One that is `apart` is never one
    that the iteration itself writes."""

    snapshot: str
    axis: int
    writes: tuple[int, ...]
    apart: bool = False
