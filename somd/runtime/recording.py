"""What a call that is profiled notes of itself: phases, kernels, transfers, compiling; nothing where none is profiled.

In: the runtimes of targets, which ask `current()` and note what they have run. Out: a `Recording` a call, for
`calls.profile`. All times are nanoseconds of `time.monotonic_ns`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

clock = time.monotonic_ns


@dataclass
class Part:
    """A phase, a kernel or a direction of transfers, summed up over a call.

    `operations` are those of floats; they, and `integers`, are None where they are not known. `busy` is the time of all
    MIs together, `workers` how many could have been at work; both 0 where nobody counts them. `events` are (begin, end)
    of single runs, the first of them.
    """

    kind: str
    name: str
    line: int | None = None
    runs: int = 0
    time: int = 0
    operations: int | None = 0
    integers: int | None = 0
    bytes: int = 0
    busy: int = 0
    workers: int = 0
    events: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class Recording:
    """One call: its parts, the time in generated code, and that spent on making it."""

    parts: list[Part] = field(default_factory=list)
    inside: int = 0
    compiling: dict[str, int] = field(default_factory=dict)
    #: what masters are filling at the moment
    tables: list[Any] = field(default_factory=list)
    _known: dict[tuple[str, str], Part] = field(default_factory=dict)
    #: where was noted before this began, and whether it is over
    outer: Recording | None = None
    over: bool = False

    def note(self, kind: str, name: str, begun: int, ended: int, moved: int = 0) -> None:
        """A kernel or a transfer has run."""
        part = self._known.get((kind, name))
        if part is None:
            part = self._known[kind, name] = Part(kind, name, operations=None, integers=None)
            self.parts.append(part)
        part.runs += 1
        part.time += ended - begun
        part.bytes += moved
        if len(part.events) < EVENTS:
            part.events.append((begun, ended))


#: single runs of a part that are noted in a call
EVENTS = 4096


class _Here(threading.local):
    recording: Recording | None = None


_here = _Here()
_nothing: Any = nullcontext()


def current() -> Recording | None:
    """The recording of the call that this thread is at, if it is profiled."""
    return _here.recording


@contextmanager
def recording(made: Recording) -> Iterator[Recording]:
    """A block in which this thread notes things in `made`."""
    begin(made)
    try:
        yield made
    finally:
        end(made)


def begin(made: Recording) -> None:
    """Note what this thread does in `made`."""
    made.outer, _here.recording = _here.recording, made


def end(made: Recording) -> None:
    """Note nothing more in `made`. Recordings that have begun in it may go on, as those of tasks in one thread do."""
    made.over = True
    while _here.recording is not None and _here.recording.over:
        _here.recording = _here.recording.outer


def noted(kind: str, name: str, moved: int = 0) -> Any:
    """A block that runs a kernel or a transfer of so many bytes."""
    found = _here.recording
    return _nothing if found is None else _noted(found, kind, name, moved)


@contextmanager
def _noted(found: Recording, kind: str, name: str, moved: int) -> Iterator[None]:
    begun = clock()
    try:
        yield
    finally:
        found.note(kind, name, begun, clock(), moved)


def making(what: str) -> Any:
    """A block that reads, translates or compiles; blocks in it count for themselves."""
    found = _here.recording
    return _nothing if found is None else _making(found, what)


@contextmanager
def _making(found: Recording, what: str) -> Iterator[None]:
    begun, before = clock(), sum(found.compiling.values())
    try:
        yield
    finally:
        inner = sum(found.compiling.values()) - before
        found.compiling[what] = found.compiling.get(what, 0) + clock() - begun - inner
