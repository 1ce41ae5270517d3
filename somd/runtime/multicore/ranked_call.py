"""Runs a generated module as one of several ranks, which all make the same call.

What distinguishes it from a call in one process: all ranks compare what they are about to call; a master for ranks has
a session, by which ranks exchange what phases need, and at the end what the call has changed or made; one rank of a
machine compiles, and the others load. Other masters run on every rank alike.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from somd.runtime.mpi.calling import begin, ranks_for
from somd.runtime.mpi.returned import Given, arrays_of, returned
from somd.runtime.mpi.session import Session
from somd.runtime.multicore.call import MulticoreCall, Share
from somd.runtime.multicore.ranks import Told
from somd.runtime.multicore.small_work import MEASURED


class RankedCall(MulticoreCall):
    """A loaded module, called by all ranks; `MulticoreCall` says what with."""

    def __init__(self, module: ModuleType, name: str, *how: Any, **named: Any) -> None:
        super().__init__(module, name, *how, **named)
        self.compiled = False

    def __call__(self, args: tuple[Any, ...], workers: int, small_work: int | None = None) -> Any:
        """Run this rank's share of a call.

        Raises:
            SomdRuntimeError: other ranks make another call (SOMD611), one has left (SOMD612), or this is not the main
                thread of one, and an argument has rows on others (SOMD613).
            As `MulticoreCall`: what an iteration raises, on all ranks.
        """
        world = ranks_for(args)
        if world is None:
            return super().__call__(args, workers, small_work)
        threads = world.threads(workers)
        small = MEASURED[self.layer.name] if small_work is None else small_work
        session, args, given, together = begin(world, self.name, "", args, (workers, threads, small), self.written)
        workers, small_work = int(together[0, 0 if self.counted else 1]), int(together[0, 2])
        if not self.compiled:
            self.compiled = True
            with world.leader_first():
                self.compile(args)
        session.whole(args[k] for k, _ in self.partitions)  # partitioners look at them
        if not self.ranked:
            session.whole(arrays_of(args))
            return self.run(args, workers, small_work, Share(None, 0, 1, threads))
        return self.shared(session, args, given, workers, small_work, threads)

    def shared(
        self, session: Session, args: tuple[Any, ...], given: Given, workers: int, small_work: int, threads: int
    ) -> Any:
        """Run the master for ranks, and make what it leaves behind what programs expect."""
        told = Told(session)
        written = [args[k] for k in self.written if not given.has(args[k])]
        share = Share(told, session.world.rank, session.world.size, threads)
        try:
            result = self.run(args, workers, small_work, share)
        except BaseException as error:
            if told.error is not None or isinstance(error, MemoryError) or not isinstance(error, Exception):
                session.world.astray = True  # it is of this rank alone
            else:
                session.whole(written, given.shown())
            raise
        else:
            return returned(session, result, args, given, written)
        finally:
            session.arrays.clear()  # what ctypes made for the call refers to itself, and keeps the session for a while
