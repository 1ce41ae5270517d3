"""Whether all ranks are about to do the same: who differs is named, not waited for.

Whatever ranks do together begins with this, so that two that do different things meet here.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from somd.errors import SomdRuntimeError
from somd.runtime.mpi.ledger import BEGIN
from somd.runtime.mpi.session import Session
from somd.runtime.mpi.world import World

#: bytes of the text that ranks show each other
WIDTH = 512
_NOT_THE_USERS = ("somd", "contextlib", "numpy")
#: words that ranks may tell each other besides
WORDS = 4
Words = np.ndarray[Any, np.dtype[np.int64]]


def begun(world: World, name: str, text: str, words: Sequence[int] = ()) -> tuple[Session, Words]:
    """The session of something that all ranks do together, and a row with the words of each.

    Raises:
        SomdRuntimeError: SOMD611, on all ranks alike: two of them have come with different texts; or SOMD612: a rank
            has left the program, or this one has left something that others have not.
    """
    if world.astray:
        message = f"rank {world.rank} was interrupted in {world.doing}, and does not know any more what others hold"
        raise SomdRuntimeError(message, "SOMD612")
    world.calls += 1
    world.doing = f"`{name}`"
    session = Session(world, name)
    return session, _agreed(session, text, words)


def _agreed(session: Session, text: str, words: Sequence[int]) -> Words:
    told = [zlib.crc32(text.encode()), *words, *(0,) * (WORDS - len(words))]
    found = session.alike(BEGIN, np.array(told, np.int64).view(np.uint8)).view(np.int64)
    others = np.flatnonzero(found[:, 0] != found[0, 0])
    if len(others):
        raise _differing(session, text + _place(), int(others[0]))
    return found[:, 1:]


def _place() -> str:
    """Where the user's program is."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _NOT_THE_USERS:
        frame = frame.f_back
    return f" ({frame.f_code.co_filename}, line {frame.f_lineno})"


def _differing(session: Session, mine: str, other: int) -> SomdRuntimeError:
    text = np.frombuffer(mine.encode()[:WIDTH].ljust(WIDTH), np.uint8)
    calls = [bytes(row).decode(errors="replace").rstrip() for row in session.alike(BEGIN, text)]
    message = f"ranks make different calls: rank 0 calls {calls[0]}, rank {other} calls {calls[other]}"
    return SomdRuntimeError(message, "SOMD611")
