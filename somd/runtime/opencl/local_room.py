"""Local memory that the host gives a kernel as an argument."""

from __future__ import annotations

import functools
from typing import Any

#: bytes of local memory that a driver may want for itself
KEPT_BACK = 1024


class Room:
    """Local memory of so many bytes, as an argument of a kernel; for groups of so many `lanes` where that is fixed, and
    so many `rows` each."""

    def __init__(self, local_memory: Any, lanes: int = 0, rows: int = 1) -> None:
        self.buffer = local_memory
        self.lanes, self.rows = lanes, rows


@functools.lru_cache(maxsize=64)
def room_of(cl: Any, nbytes: int, lanes: int = 0, rows: int = 1) -> Room:
    """Local memory of so many bytes, for groups of so many, with so many rows."""
    return Room(cl.LocalMemory(nbytes), lanes, rows)
