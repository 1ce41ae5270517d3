"""Work on many numbers in several processes, of which some may hang or die: the number has a result that says so."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any


@dataclass(frozen=True)
class Lost:
    """What became of a process: `hangs`, or `died` with the exit status."""

    what: str


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    number: int | None = None
    since: float = 0.0


def each(
    work: Callable[[Any], Any], numbers: Iterable[Any], processes: int, seconds: float, renew: int = 200
) -> Iterator[tuple[Any, Any]]:
    """(number, result) as they come; a process has so many seconds for each, and is renewed after so many of them."""
    context = multiprocessing.get_context("spawn")
    left = iter(numbers)
    workers: list[_Worker] = []
    done: dict[int, int] = {}

    def started() -> _Worker:
        mine, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(work, theirs), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, mine)

    def given(worker: _Worker) -> bool:
        number = next(left, None)
        if number is None:
            worker.pipe.close()
            worker.process.terminate()
            return False
        worker.number, worker.since = number, time.monotonic()
        worker.pipe.send(number)
        return True

    for _ in range(processes):
        worker = started()
        if given(worker):
            workers.append(worker)
    while workers:
        ready = wait([worker.pipe for worker in workers], timeout=1.0)
        for worker in list(workers):
            lost = None
            if worker.pipe in ready:
                try:
                    result = worker.pipe.recv()
                except (EOFError, OSError):
                    worker.process.join(5)
                    lost = Lost(f"died ({worker.process.exitcode})")
            elif time.monotonic() - worker.since > seconds:
                worker.process.kill()
                lost = Lost("hangs")
            else:
                continue
            yield worker.number, lost if lost is not None else result
            count = done[id(worker)] = done.get(id(worker), 0) + 1
            if lost is not None or count >= renew:
                workers.remove(worker)
                worker.pipe.close()
                worker.process.kill()
                worker = started()
                workers.append(worker)
            if not given(worker):
                workers.remove(worker)


def _serve(work: Callable[[Any], Any], pipe: Connection) -> None:
    while True:
        try:
            number = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(work(number))
