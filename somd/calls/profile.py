"""`somd.profile`: where the time of SOMD methods goes.

In: what calls record while a block runs. Out: `Profile`, with the parts of each method; `profile_views` shows them.
Nothing is recorded, and nothing costs anything, outside of such blocks. Inside, methods run code that keeps time of its
phases, compiled besides the usual code; on devices each kernel is waited for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from types import FunctionType, TracebackType
from typing import Any

from somd.runtime.recording import Part, Recording, begin, clock, end, recording
from somd.settings.config import Settings, profiling

#: the calls of a method that are kept for the timeline
CALLS = 2000


@dataclass(frozen=True)
class Call:
    """One call: when it began and ended, and the first runs of its parts, (part, begin, end)."""

    begun: int
    ended: int
    runs: tuple[tuple[str, int, int], ...]


@dataclass
class MethodProfile:
    """The calls of one method on one target. Times are nanoseconds.

    `parts` are phases, kernels and transfers; `between` is what generated code did between them, `call` what a call
    costs besides, `making` what was spent on translating and compiling. Together they make `time`.
    """

    name: str
    file: str
    line: int
    target: str
    calls: int = 0
    time: int = 0
    parts: dict[tuple[str, str], Part] = field(default_factory=dict)
    between: int = 0
    call: int = 0
    making: dict[str, int] = field(default_factory=dict)
    timeline: list[Call] = field(default_factory=list)


class Profile(AbstractContextManager["Profile"]):
    """A block whose calls of SOMD methods are recorded, in all threads; what it found is there when it has ended.

    Attributes:
        methods: what was found, the method that took longest first.
        wall: how long the block took, in seconds.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[FunctionType, str], MethodProfile] = {}
        self._begun = self._ended = 0
        #: what the thread of the block notes outside of calls: methods that are defined, arrays that are moved
        self._outside: list[Recording] = []

    def __enter__(self) -> Profile:
        _open.append(self)
        profiling(1)
        self._outside.append(Recording())
        begin(self._outside[-1])
        self._begun = clock()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = clock()
        end(next(each for each in reversed(self._outside) if not each.over))
        profiling(-1)
        _open.remove(self)

    @property
    def methods(self) -> tuple[MethodProfile, ...]:
        return tuple(sorted(self._found.values(), key=lambda each: -each.time))

    @property
    def wall(self) -> float:
        return ((self._ended or clock()) - self._begun) / 1e9

    @property
    def begun(self) -> int:
        return self._begun

    @property
    def outside(self) -> MethodProfile:
        """What was noted outside of calls, as a method without a name; `between` is the program's own Python."""
        made = MethodProfile("outside of methods", "", 0, "")
        for noted in self._outside:
            for part in noted.parts:
                _add(made, part)
            for what, time in noted.compiling.items():
                made.making[what] = made.making.get(what, 0) + time
        within = sum(each.time for each in self._found.values())  # of all threads, so perhaps more than the block took
        made.time = max((self._ended or clock()) - self._begun - within, 0)
        told = sum(part.time for part in made.parts.values()) + sum(made.making.values())
        made.between = max(made.time - told, 0)
        return made

    def of(self, function: FunctionType, target: str) -> MethodProfile:
        """What is known of a method on a target."""
        code = function.__code__
        key = function, target
        if key not in self._found:
            self._found[key] = MethodProfile(function.__qualname__, code.co_filename, code.co_firstlineno, target)
        return self._found[key]

    def __str__(self) -> str:
        from somd.calls.profile_views import as_table

        return as_table(self)

    __repr__ = __str__

    def table(self) -> str:
        """Methods, phases, kernels and transfers as a table."""
        return str(self)

    def json(self) -> str:
        """All of it, for programs: times in seconds, `gflops` and `gbytes` a second, the machine's limits."""
        from somd.calls.profile_views import as_json

        return as_json(self)

    def html(self) -> str:
        """A page with the table, where each phase stands under the limits of the machine, and a timeline."""
        from somd.calls.profile_page import as_html

        return as_html(self)

    def _repr_html_(self) -> str:
        from somd.calls.profile_page import body

        return body(self)


#: the blocks that are recorded at the moment
_open: list[Profile] = []
_adding = threading.Lock()


def profile() -> Profile:
    """Record the calls of SOMD methods in a block: ``with somd.profile() as p: ...``, then ``print(p)``."""
    return Profile()


def recorded(function: FunctionType, settings: Settings, run: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    """The result of a call, which the open profiles get to know."""
    with recording(Recording()) as found:
        begun = clock()
        try:
            return run(settings.target, values, settings)
        finally:
            ended = clock()
            with _adding:
                for each in dict.fromkeys(_open):
                    _enter(each.of(function, settings.target), found, begun, ended)


def _enter(entry: MethodProfile, found: Recording, begun: int, ended: int) -> None:
    """Add a call to what is known of a method."""
    entry.calls += 1
    entry.time += ended - begun
    for part in found.parts:
        _add(entry, part)
    for what, time in found.compiling.items():
        entry.making[what] = entry.making.get(what, 0) + time
    within, made = sum(part.time for part in found.parts), sum(found.compiling.values())
    inside = max(found.inside, within)
    entry.between += inside - within
    entry.call += ended - begun - inside - made
    if len(entry.timeline) < CALLS:
        runs = tuple((part.name, *event) for part in found.parts for event in part.events)
        entry.timeline.append(Call(begun, ended, runs))


def _add(entry: MethodProfile, part: Part) -> None:
    """Add a part of a call to what is known of it."""
    known = entry.parts.get((part.kind, part.name))
    if known is None:
        entry.parts[part.kind, part.name] = replace(part, events=[])
        return
    known.runs += part.runs
    known.time += part.time
    known.bytes += part.bytes
    known.busy += part.busy
    known.workers = max(known.workers, part.workers)
    known.operations, known.integers = (
        None if one is None or more is None else one + more
        for one, more in ((known.operations, part.operations), (known.integers, part.integers))
    )
