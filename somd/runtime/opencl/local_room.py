"""Local memory that the host gives a kernel as an argument."""

from __future__ import annotations

import functools
from typing import Any

#: bytes of local memory that a driver may want for itself
KEPT_BACK = 1024


class Room:
    """Local memory of so many bytes, as an argument of a kernel."""

    def __init__(self, local_memory: Any) -> None:
        self.buffer = local_memory


@functools.lru_cache(maxsize=64)
def room_of(cl: Any, nbytes: int) -> Room:
    """Local memory of so many bytes."""
    return Room(cl.LocalMemory(nbytes))
