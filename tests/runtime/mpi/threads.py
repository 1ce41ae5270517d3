"""Ranks that are threads of one process: all of `runtime.mpi` but what carries the messages.

A message is a copy. A rank that fails lets the others fail, too.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

from somd.runtime.mpi import launched
from somd.runtime.mpi.world import Bytes

#: seconds after which a rank that nobody answers fails
PATIENCE = 20
_here = threading.local()


class Post:
    """What ranks share: messages on their way, and a place to meet."""

    def __init__(self, size: int) -> None:
        self.meeting = threading.Barrier(size, timeout=PATIENCE)
        self.boxes = {(source, target): queue.Queue[Bytes]() for source in range(size) for target in range(size)}
        self.parts: dict[int, Bytes] = {}
        #: messages that were sent
        self.count = 0


class ThreadWorld:
    """One rank."""

    calls, doing, astray = 0, "", False

    def __init__(self, post: Post, rank: int, size: int) -> None:
        self.post, self.rank, self.size = post, rank, size

    def threads(self, workers: int) -> int:
        return workers

    def exchange(self, sends: Sequence[tuple[int, Bytes]], receives: Sequence[tuple[int, Bytes]]) -> None:
        for target, message in sends:
            self.post.boxes[self.rank, target].put(message.copy())
            self.post.count += 1
        for source, room in receives:
            message = self.post.boxes[source, self.rank].get(timeout=PATIENCE)
            assert message.shape == room.shape, "both sides mean the same message"
            room[...] = message

    def gather(self, whole: Bytes, ends: Sequence[int]) -> None:
        assert len(whole) == ends[-1]
        self.post.parts[self.rank] = whole[ends[self.rank] : ends[self.rank + 1]].copy()
        self.post.meeting.wait()
        for rank in range(self.size):
            whole[ends[rank] : ends[rank + 1]] = self.post.parts[rank]
        self.post.meeting.wait()

    def leader_first(self) -> Any:
        return contextlib.nullcontext()


def on_ranks(size: int, call: Callable[[int], Any]) -> list[Any]:
    """What `call(rank)` returns on each of so many ranks, or the exception that it raises there."""
    post, found = Post(size), [None] * size

    def run(rank: int) -> None:
        _here.world = ThreadWorld(post, rank, size)
        try:
            found[rank] = call(rank)
        except Exception as error:
            found[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    with (
        patch.object(launched, "several_ranks", lambda: True),
        patch.object(launched, "world", lambda: getattr(_here, "world", None)),
        patch.object(launched, "in_turn", lambda method: contextlib.nullcontext()),
    ):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(box.empty() for box in post.boxes.values()) or any(isinstance(each, Exception) for each in found)
    return found
