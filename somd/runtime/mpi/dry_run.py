"""What a call would send and take on any number of ranks, reckoned in one process without them.

In: what the master of a call tells, whose slaves compute nothing. Out: for each phase how often it comes, messages and
bytes, and seconds by the costs of a cluster. The reckoning is that of real ranks (`session`), for all of them at once;
only the exchanges are left out. What masters read is zeros, so that what depends on data goes the way that zeros take;
partial results are small numbers some times, and then zeros, so that loops until nothing changes end after some turns.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from somd.errors import SomdRuntimeError
from somd.runtime.mpi.holders import Ranges, blocks, holding
from somd.runtime.mpi.ledger import Place
from somd.runtime.mpi.session import ANY, Array, Moves, Session, Shared, address_of
from somd.runtime.mpi.world import Bytes
from somd.settings.cluster import Cluster

#: phases after which a call is left: a loop may wait for what slaves do not compute
MOST = 20_000
#: how often partial results are small numbers, and the bytes that make them: 4.8e-4 as float64, 0.75 as float32
TURNS, SMALL_NUMBER = 10, 0x3F


@dataclass
class Reckoned:
    """What one phase sends, all ranks and times together; seconds are those of the rank that takes longest."""

    times: int = 0
    messages: int = 0
    bytes: int = 0
    gathers: int = 0
    gathered_bytes: int = 0
    computing: float = 0.0
    sending: float = 0.0


class DryWorld:
    """Ranks that are not there; this process stands for the first of them."""

    calls, doing, rank, astray = 0, "", 0, False

    def __init__(self, size: int) -> None:
        self.size = size

    def threads(self, workers: int) -> int:
        return workers

    def exchange(self, sends: Sequence[tuple[int, Bytes]], receives: Sequence[tuple[int, Bytes]]) -> None:
        return

    def gather(self, whole: Bytes, ends: Sequence[int]) -> None:
        return

    def leader_first(self) -> Any:
        return contextlib.nullcontext()


class DrySession(Session):
    """A session that reckons, for all ranks, what others do; `left` is whether the call was left before its end."""

    def __init__(self, size: int, method: str, costs: Cluster) -> None:
        super().__init__(DryWorld(size), method)
        self.costs = costs
        self.reckoned: defaultdict[Place, Reckoned] = defaultdict(Reckoned)
        self.phases = self.gathers = 0
        self.left = False

    @property
    def seconds(self) -> float:
        """What the call takes."""
        return sum(each.computing + each.sending for each in self.reckoned.values())

    def phase(
        self,
        number: Place,
        arrays: Sequence[tuple[Shared, int, Ranges, Ranges]],
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        self.phases += 1
        if self.phases > MOST:
            self.left = True
            raise SomdRuntimeError(f"left after {MOST} phases")
        entry = self.reckoned[number]
        entry.times += 1
        traffic = np.zeros(self.world.size)
        for shared, axis, *rows in arrays:
            array = shared.array
            row = array.nbytes / (1 if axis == ANY else array.shape[axis])
            for ranges in rows:
                ends = np.array(ranges, np.int64)
                traffic += (ends[:, 1] - ends[:, 0]) * row
        entry.computing += float(traffic.max()) / self.costs.memory
        super().phase(number, arrays, meanwhile)

    def copied(self, copy: Array, source: Array) -> None:
        self.made(copy)
        original, made = self.arrays.get(address_of(source)), self.arrays.get(address_of(copy))
        if original is not None and made is not None:
            made.axis, made.holders = original.axis, original.holders

    def filled(self, array: Array, number: Any) -> None:
        shared = Shared(array, 0, self.world.size)
        shared.holders = holding(blocks(len(array), self.world.size))
        self.given(shared)

    def alike(self, place: Place, mine: Bytes) -> Array:
        self.all(place, mine, range(0, self.world.size * len(mine) + 1, len(mine)))
        return np.zeros((self.world.size, len(mine)), np.uint8)

    def gather(self, number: Place, rows: Bytes, count: int) -> None:
        self.gathers += 1
        rows[...] = SMALL_NUMBER if self.gathers <= TURNS else 0
        super().gather(number, rows, count)

    def all(self, place: Place, whole: Bytes, ends: Sequence[int]) -> None:
        size, entry = self.world.size, self.reckoned[place]
        if size > 1:
            entry.gathers += size
            entry.gathered_bytes += ends[-1]
            turns = (size - 1).bit_length()
            entry.sending += turns * self.costs.message(1, 0) + ends[-1] / self.costs.network

    def move(self, place: Place, moves: Moves, meanwhile: Callable[[], None] | None = None) -> None:
        sent: defaultdict[tuple[int, int], int] = defaultdict(int)
        for shared, axis, pieces in moves:
            row = shared.array.nbytes // shared.array.shape[axis]
            for piece in pieces:
                sent[piece.source, piece.target] += (piece.high - piece.low) * row
        if not sent:
            return
        count = np.zeros((2, self.world.size), np.int64)
        size = np.zeros((2, self.world.size), np.int64)
        for pair, length in sent.items():
            for way, rank in enumerate(pair):
                count[way, rank] += 1
                size[way, rank] += length
        entry = self.reckoned[place]
        entry.messages += len(sent)
        entry.bytes += sum(sent.values())
        entry.sending += max(
            self.costs.message(int(messages), int(most))
            for messages, most in zip(count.max(axis=0), size.max(axis=0), strict=True)
        )
