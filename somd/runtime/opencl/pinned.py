"""Pinned memory of the host, which devices read and write by themselves, and large copies through it.

A driver copies memory of the caller's into such pieces, too, but on one core and while nobody else does anything: here
some threads fill one piece while the device takes the one before.
"""

from __future__ import annotations

import functools
import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from somd.runtime.opencl import fork

#: kinds of devices that do not work in the memory of the host
APART = ("gpu",)
#: bytes from which on copies go through pieces, the least and the most in a piece, and pieces. Measured on an H200 with
#: 2 GB: 18 to 23 GB/s, the driver 7 up and 11 down; 12 against 3 GB/s down to memory that is new
LARGE, LEAST, MOST, PIECES = 1 << 24, 1 << 23, 1 << 25, 4
#: threads that fill a piece, at most
MOST_THREADS = 4

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class Pinned:
    """Pinned memory as bytes. `used` are the events of copies that use it: held, since letting go of one waits."""

    def __init__(self, cl: Any, queue: Any, size: int) -> None:
        flags, both = cl.mem_flags, cl.map_flags.READ | cl.map_flags.WRITE
        self._buffer = cl.Buffer(queue.context, flags.READ_WRITE | flags.ALLOC_HOST_PTR, size)
        self.bytes: Bytes = cl.enqueue_map_buffer(queue, self._buffer, both, 0, (size,), np.uint8)[0]
        for value in (self._buffer, self.bytes):
            fork.keep_in_child(value)
        self.used: tuple[Any, ...] = ()

    def wait(self) -> None:
        """Until the copies are done."""
        for event in self.used:
            event.wait()
        self.used = ()


class Pieces:
    """Large copies between the host and the device of a queue. The caller holds the context's lock."""

    def __init__(self, cl: Any, queue: Any) -> None:
        self._copy = cl.enqueue_copy
        self._pieces = [Pinned(cl, queue, MOST) for _ in range(PIECES)]
        self._turn = 0

    def upload(self, queue: Any, buffer: Any, source: Bytes, offset: int) -> None:
        """Copies `source` to `buffer` from byte `offset` on. Afterwards `source` may change, though the device may
        still be taking the last pieces."""
        size = _size(len(source))
        for start in range(0, len(source), size):
            part, piece = source[start : start + size], self._next()
            piece.wait()
            data = piece.bytes[: len(part)]
            _fill(data, part)
            piece.used = (self._copy(queue, buffer, data, dst_offset=offset + start, is_blocking=False),)
            queue.flush()

    def download(self, queue: Any, target: Bytes, buffer: Any, offset: int) -> None:
        """Copies `buffer` from byte `offset` on to `target`."""
        waiting: deque[tuple[Pinned, Bytes]] = deque()
        size = _size(len(target))
        for start in range(0, len(target), size):
            part, piece = target[start : start + size], self._next()
            if len(waiting) == PIECES:
                _take(*waiting.popleft())
            piece.wait()
            data = piece.bytes[: len(part)]
            piece.used = (self._copy(queue, data, buffer, src_offset=offset + start, is_blocking=False),)
            queue.flush()
            waiting.append((piece, part))
        while waiting:
            _take(*waiting.popleft())

    def _next(self) -> Pinned:
        self._turn += 1
        return self._pieces[self._turn % PIECES]


def _size(nbytes: int) -> int:
    """The bytes to copy at a time: enough to be worth several threads, little enough for several pieces."""
    return min(MOST, max(LEAST, nbytes // (2 * PIECES)))


def _take(piece: Pinned, part: Bytes) -> None:
    piece.wait()
    _fill(part, piece.bytes[: len(part)])


def _fill(target: Bytes, source: Bytes) -> None:
    """A copy by several threads: NumPy lets go of Python's lock meanwhile."""
    threads = _threads()
    share = -(-len(target) // threads[1])
    parts = range(0, len(target), share)
    done = threads[0].map(lambda k: np.copyto(target[k : k + share], source[k : k + share]), parts)
    for _ in done:
        pass


@functools.cache
def _threads() -> tuple[ThreadPoolExecutor, int]:
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    count = max(1, min(MOST_THREADS, cores))
    return ThreadPoolExecutor(count, thread_name_prefix="somd-copies"), count
