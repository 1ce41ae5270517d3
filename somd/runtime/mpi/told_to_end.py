"""What a rank says when its launcher tells it to end: where its program was.

Launchers pass Ctrl-C on as SIGINT, which is Python's matter; that of Open MPI sends SIGTERM, and by then listens to
ranks no more. So there a rank writes to where the launcher itself writes, which Linux shows of its parent. Of ranks
that wait for others only the first one says so: the cause is where the others are. One that runs native code says
nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType

#: what Open MPI leaves in the environment of ranks
OPEN_MPI = "OMPI_COMM_WORLD_SIZE"
#: the function in which ranks wait for messages
WAITS = "_wait"


def say_where(rank: int) -> None:
    """From now on a SIGTERM that the program does not handle itself ends it with a line on stderr."""
    process = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if os.getpid() == process:  # not in one that it has forked
            where, waits = _place(frame)
            if rank == 0 or not waits:
                what = ", where it waited for other ranks" if waits else ""
                _write(f"somd: rank {rank} was told to end (SIGTERM){where}{what}\n")
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    with contextlib.suppress(ValueError):  # not the main thread of the main interpreter
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, end)


def _place(frame: FrameType | None) -> tuple[str, bool]:
    """The line of the user's program that runs, and whether it waits for other ranks."""
    waits = False
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "somd":
        waits = waits or frame.f_code.co_name == WAITS
        frame = frame.f_back
    return ("" if frame is None else f" in {frame.f_code.co_filename}, line {frame.f_lineno}"), waits


def _write(line: str) -> None:
    if OPEN_MPI in os.environ:
        with contextlib.suppress(OSError):  # no /proc, or a socket
            file = os.open(f"/proc/{os.getppid()}/fd/2", os.O_WRONLY | os.O_APPEND | os.O_NOCTTY)
            os.write(file, line.encode())
            os.close(file)
            return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.write(sys.stderr.fileno(), line.encode())
