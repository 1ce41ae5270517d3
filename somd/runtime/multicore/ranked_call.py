"""Runs a generated module as one of several ranks, which all make the same call.

What distinguishes it from a call in one process: all ranks compare what they are about to call; a master for ranks has
a session, by which ranks exchange what phases need, and at the end what the call has changed or made; one rank of a
machine compiles, and the others load. Other masters run on every rank alike.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from somd.runtime.mpi import launched
from somd.runtime.mpi.agreement import agreed
from somd.runtime.mpi.session import Session
from somd.runtime.mpi.world import World
from somd.runtime.multicore.call import MulticoreCall, Share
from somd.runtime.multicore.ranks import Told
from somd.runtime.multicore.small_work import MEASURED

#: by "1" users ask that the contents of arrays are compared, too
CHECKED = "SOMD_CHECK_RANKS"


class RankedCall(MulticoreCall):
    """A loaded module, called by all ranks; `MulticoreCall` says what with."""

    def __init__(self, module: ModuleType, name: str, *how: Any, **named: Any) -> None:
        super().__init__(module, name, *how, **named)
        self.compiled = False

    def __call__(self, args: tuple[Any, ...], workers: int, small_work: int | None = None) -> Any:
        """Run this rank's share of a call.

        Raises:
            SomdRuntimeError: other ranks make another call (SOMD611), or one has left (SOMD612).
            As `MulticoreCall`: what an iteration raises, on all ranks.
        """
        world = launched.world()
        if world is None:
            return super().__call__(args, workers, small_work)
        world.calls += 1
        world.doing = f"`{self.name}`"
        return self.on(world, args, workers, small_work)

    def on(self, world: World, args: tuple[Any, ...], workers: int, small_work: int | None = None) -> Any:
        """Run the share of one rank of a world.

        Raises:
            As `__call__`.
        """
        session = Session(world, self.name)
        threads = world.threads(workers)
        small = MEASURED[self.layer.name] if small_work is None else small_work
        together = agreed(session, _described(self.name, args), (workers, threads, small))
        workers, small_work = int(together[0 if self.counted else 1]), int(together[2])
        if not self.compiled:
            self.compiled = True
            with world.leader_first():
                self.compile(args)
        if not self.ranked:
            return self.run(args, workers, small_work, Share(None, 0, 1, threads))
        told = Told(session)
        for array in _arrays(args):
            session.made(array)
        written = [args[k] for k in self.written]
        try:
            result = self.run(args, workers, small_work, Share(told, world.rank, world.size, threads))
        except MemoryError:
            raise  # of this rank alone
        except Exception:
            if told.error is None:  # on all ranks
                session.whole(written)
            raise
        session.whole([*written, *_arrays(result if isinstance(result, tuple | list) else (result,))])
        return result


def _arrays(values: Sequence[Any]) -> Iterator[np.ndarray[Any, Any]]:
    return (value for value in values if isinstance(value, np.ndarray))


def _described(name: str, args: Sequence[Any]) -> str:
    """A call with its numbers and the shapes of its arrays, or their contents if that is asked for."""
    content = os.environ.get(CHECKED) == "1"
    texts = [
        f"{a.dtype}{list(a.shape)}{f' #{zlib.crc32(a.tobytes()):x}' if content else ''}"
        if isinstance(a, np.ndarray)
        else repr(a)
        for a in args
    ]
    return f"`{name}({', '.join(texts)})`"
