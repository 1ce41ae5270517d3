"""The ranks that MPI knows, by way of mpi4py.

Nobody waits for a rank that will not come: whoever waits looks now and then whether another rank has left the program,
and lets Python answer signals. A rank whose program ends by an exception ends the job.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np
from mpi4py import MPI

from somd.errors import SomdRuntimeError
from somd.runtime.mpi.told_to_end import say_where
from somd.runtime.mpi.world import Bytes

#: tags of messages between two ranks: rows, and that one has left
ROWS, LEFT = 1, 2
#: the largest piece of a message: MPI counts bytes by 32 bits
MOST = 1 << 30
#: how often a rank that waits asks without a pause, the longest pause in seconds, and in how many looks it once asks
#: whether somebody has left
TRIES, PAUSE, LOOKS = 300, 0.0005, 64
#: seconds after which a rank says that it waits
PATIENCE = 30.0


class MpiWorld:
    """All ranks of `COMM_WORLD`; messages go by communicators of our own."""

    def __init__(self) -> None:
        self._rows = MPI.COMM_WORLD.Dup()
        self._left = MPI.COMM_WORLD.Dup()
        self._machine = self._rows.Split_type(MPI.COMM_TYPE_SHARED)
        self.rank, self.size = self._rows.Get_rank(), self._rows.Get_size()
        #: the number of this rank among those of its machine
        self.place = self._machine.Get_rank()
        of_mine = self._cores()
        self._share = max(1, int(of_mine + 1e-9))
        #: whether another rank may wait for the core on which this one waits
        self._crowded = of_mine < 1 - 1e-9
        #: how many calls this rank has begun, what the last one is called, and how many those who left had begun
        self.calls = 0
        self.doing = ""
        self.astray = False
        self._gone: dict[int, int] = {}

    def _cores(self) -> float:
        """How many cores this rank has, where each is shared out among the ranks of the machine that may use it."""
        affinity = getattr(os, "sched_getaffinity", None)
        mine = sorted(affinity(0)) if affinity is not None else list(range(os.cpu_count() or 1))
        users = self._machine.allgather(mine)
        return sum(1 / sum(core in others for others in users) for core in mine)

    def threads(self, workers: int) -> int:
        """How many of so many threads this rank may have beside the other ranks of its machine."""
        return max(1, min(workers, self._share))

    def ended(self) -> bool:
        """Whether MPI can be asked no more."""
        return bool(MPI.Is_finalized())

    # --- messages ------------------------------------------------------------------------------------------------

    def exchange(self, sends: Sequence[tuple[int, Bytes]], receives: Sequence[tuple[int, Bytes]]) -> None:
        """Send to ranks and receive from ranks, all at once.

        Raises:
            SomdRuntimeError: a rank that is waited for has left (SOMD612).
        """
        requests = [
            self._rows.Irecv([part, MPI.BYTE], source, ROWS) for source, whole in receives for part in _parts(whole)
        ]
        requests += [
            self._rows.Isend([part, MPI.BYTE], target, ROWS) for target, whole in sends for part in _parts(whole)
        ]
        self._wait(requests)

    def gather(self, whole: Bytes, ends: Sequence[int]) -> None:
        """Bytes `ends[p]` up to `ends[p + 1]` of `whole` are rank p's; then all have all.

        Raises:
            SomdRuntimeError: a rank that is waited for has left (SOMD612).
        """
        counts = np.diff(ends)
        if ends[-1] < MOST:
            given = [whole, counts.tolist(), list(ends[:-1]), MPI.BYTE]
            self._wait([self._rows.Iallgatherv(MPI.IN_PLACE, given)])
            return
        others = [p for p in range(self.size) if p != self.rank]
        mine = whole[ends[self.rank] : ends[self.rank + 1]]
        self.exchange([(p, mine) for p in others], [(p, whole[ends[p] : ends[p + 1]]) for p in others])

    @contextmanager
    def leader_first(self) -> Iterator[None]:
        """A block that one rank of each machine runs first, and the others when it is through."""
        leads = self.place == 0
        if not leads:
            self._wait([self._machine.Ibarrier()])
        try:
            yield
        finally:
            if leads:
                self._wait([self._machine.Ibarrier()])

    def _wait(self, requests: list[MPI.Request]) -> None:
        begun, tries = 0.0, 0
        while not _done(requests):
            tries += 1
            if tries < TRIES:
                if self._crowded:
                    os.sched_yield() if hasattr(os, "sched_yield") else time.sleep(0)
                continue
            time.sleep(min(PAUSE, 1e-6 * (tries - TRIES + 1)))
            if tries % LOOKS:
                continue
            self._look()
            now = time.monotonic()
            if not begun:
                begun = now
            elif now - begun > PATIENCE:
                print(f"somd: rank {self.rank} waits for other ranks in {self.doing}", file=sys.stderr, flush=True)
                begun = now + 1e9

    # --- ranks that leave ----------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Fail if a rank has left before it came to the call in which this one waits."""
        state = MPI.Status()
        while self._left.Iprobe(MPI.ANY_SOURCE, LEFT, state):
            count = np.empty(1, np.int64)
            self._left.Recv(count, state.Get_source(), LEFT)
            self._gone[state.Get_source()] = int(count[0])
        for rank, calls in self._gone.items():
            if calls < self.calls:
                raise SomdRuntimeError(
                    f"rank {rank} has ended its program, and rank {self.rank} waits for it in {self.doing}", "SOMD612"
                )

    def end_together(self) -> None:
        """From now on an exception that nobody catches ends the job, a rank that leaves tells the others, and one that
        is told to end says where it was."""
        before = sys.excepthook

        def end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            before(kind, error, trace)
            sys.stdout.flush()
            sys.stderr.flush()
            if os.getpid() == process and not self.ended():
                MPI.COMM_WORLD.Abort(1)

        def leave() -> None:
            if os.getpid() == process:
                self._leave()

        process = os.getpid()  # not in one that it has forked
        sys.excepthook = end
        atexit.register(leave)
        say_where(self.rank)

    def _leave(self) -> None:
        if self.ended():
            return
        self._count = np.array([self.calls], np.int64)
        self._requests = [self._left.Isend(self._count, p, LEFT) for p in range(self.size) if p != self.rank]


def _done(requests: list[MPI.Request]) -> bool:
    try:
        return bool(MPI.Request.Testall(requests))
    except MPI.Exception as error:
        raise SomdRuntimeError(f"MPI failed: {error}") from error


def _parts(whole: Bytes) -> list[Any]:
    """A message in pieces that MPI can count."""
    return [whole[at : at + MOST] for at in range(0, len(whole), MOST)]
