"""Whether this process is one of several ranks, by what launchers leave in the environment and by what MPI says then.

A process that no launcher has started never imports mpi4py. What is not a rank's main thread, and what a rank has
forked or started itself, computes alone.
"""

from __future__ import annotations

import os
import threading
import warnings
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from somd.errors import SomdFallbackWarning

if TYPE_CHECKING:
    from somd.runtime.mpi.mpi_world import MpiWorld

#: how many processes there are, as Open MPI, MPICH, Intel's MPI and SLURM say it
COUNTS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
#: by "0" users say that each process has a program, or data, of its own
WANTED = "SOMD_RANKS"
#: what a rank leaves for the processes that it starts itself: they are none, whatever else they find
RANK = "SOMD_RANK_PROCESS"


class _Found:
    world: MpiWorld | None = None
    process = 0
    asked = False


def launched() -> int:
    """How many processes the launcher says that it has started together with this one."""
    if os.environ.get(WANTED) == "0" or os.environ.get(RANK, str(os.getpid())) != str(os.getpid()):
        return 1
    counts = (os.environ.get(name, "") for name in COUNTS)
    return next((int(text) for text in counts if text.isdecimal()), 1)


def several_ranks() -> bool:
    """Whether this process is one of several ranks."""
    return _of_process() is not None


def world() -> MpiWorld | None:
    """The ranks, for a call from this thread; None where it computes alone."""
    found = _of_process()
    return found if found is not None and threading.current_thread() is threading.main_thread() else None


def place() -> int:
    """The number of this process among the ranks of its machine."""
    found = _of_process()
    return 0 if found is None else found.place


def in_turn(method: str) -> AbstractContextManager[None]:
    """A block that compiles a method: one rank of a machine runs it first, the others when it is through.

    Raises:
        SomdRuntimeError: other ranks do something else (SOMD611), or one has left (SOMD612).
    """
    ranks = world()
    if ranks is None:
        return nullcontext()
    from somd.runtime.mpi.agreement import begun

    begun(ranks, method, f"`{method}` for the first time so")
    return ranks.leader_first()


def _of_process() -> MpiWorld | None:
    if not _Found.asked:
        _Found.asked = True
        _Found.world = _found()
        _Found.process = os.getpid()
    alive = _Found.world is not None and _Found.process == os.getpid() and not _Found.world.ended()
    return _Found.world if alive else None


def _found() -> MpiWorld | None:
    count = launched()
    if count < 2:
        return None
    try:
        from somd.runtime.mpi.mpi_world import MpiWorld

        made = MpiWorld()
    except (ImportError, RuntimeError) as error:  # no mpi4py, or no MPI that it finds
        message = f"{count} processes were started together, but there is no MPI ({error}): each computes everything"
        warnings.warn(f"{message}; pip install 'somd[mpi]'", SomdFallbackWarning, stacklevel=2)
        return None
    if made.size < 2:
        message = f"{count} processes were started together, and MPI finds one: the launcher is that of another MPI"
        warnings.warn(f"{message}; each computes everything", SomdFallbackWarning, stacklevel=2)
        return None
    os.environ[RANK] = str(os.getpid())
    made.end_together()
    return made
