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

#: bytes of the text that ranks show each other
WIDTH = 512
#: words that ranks may tell each other besides
WORDS = 3


def agreed(session: Session, text: str, words: Sequence[int] = ()) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The words of rank 0, if all ranks have come with the same text.

    Raises:
        SomdRuntimeError: SOMD611, on all ranks alike; it names two whose texts differ.
    """
    told = [zlib.crc32(text.encode()), *words, *(0,) * (WORDS - len(words))]
    found = session.alike(BEGIN, np.array(told, np.int64).view(np.uint8)).view(np.int64)
    others = np.flatnonzero(found[:, 0] != found[0, 0])
    if len(others):
        raise _differing(session, text + _place(), int(others[0]))
    return found[0, 1:]


def _place() -> str:
    """Where the user's program is."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("somd", "contextlib"):
        frame = frame.f_back
    return f" ({frame.f_code.co_filename}, line {frame.f_lineno})"


def _differing(session: Session, mine: str, other: int) -> SomdRuntimeError:
    text = np.frombuffer(mine.encode()[:WIDTH].ljust(WIDTH), np.uint8)
    calls = [bytes(row).decode(errors="replace").rstrip() for row in session.alike(BEGIN, text)]
    message = f"ranks make different calls: rank 0 calls {calls[0]}, rank {other} calls {calls[other]}"
    return SomdRuntimeError(message, "SOMD611")
