"""What a rank asks of the ranks together, whatever carries the messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

#: bytes, one-dimensional and contiguous
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class World(Protocol):
    """The ranks that run one program; every method but the first two is called by all of them, in the same order."""

    rank: int
    size: int
    #: how many things the ranks have begun together, and what the last of them is called
    calls: int
    doing: str
    #: whether this rank has left something that others have not, so that nobody knows any more who holds what
    astray: bool

    def threads(self, workers: int) -> int:
        """How many of so many threads this rank may have beside the other ranks of its machine."""
        ...

    def exchange(self, sends: Sequence[tuple[int, Bytes]], receives: Sequence[tuple[int, Bytes]]) -> None:
        """Send to ranks and receive from ranks, all at once: at most one message from one rank to another."""
        ...

    def gather(self, whole: Bytes, ends: Sequence[int]) -> None:
        """Bytes `ends[p]` up to `ends[p + 1]` of `whole` are rank p's; then all have all."""
        ...

    def leader_first(self) -> Any:
        """A block that one rank of each machine runs first, and the others when it is through."""
        ...
