"""Lines of a C function: indentation, the number of the iteration, `#line` directives."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager

from somd.diagnostics.model import Position
from somd.settings.targets import TargetLacks
from somd.transforms.emit.c_scope import ITERATION, Scope

INDENT = "    "
#: brackets in each other in one line of C, at most: compilers refuse 256, or fail on some hundreds
MOST_NESTED = 200


def nested(text: str) -> int:
    """How many round brackets stand in each other.

    >>> nested("f((a + b) * c)")
    2
    """
    steps = ({"(": 1, ")": -1}.get(letter, 0) for letter in text)
    return max(itertools.accumulate(steps), default=0)


class Lines:
    """The lines of the body of a function, as they are written."""

    def __init__(self, scope: Scope, depth: int = 1) -> None:
        self.scope = scope
        self.depth = depth
        #: where the statement stands that is being written
        self.at: Position | None = None
        self.lines: list[str] = []
        #: declarations of what lies in local memory, before all else
        self.local: list[str] = []
        #: lines that were not known yet when the line of that number was the next one
        self._rooms: list[tuple[int, list[str]]] = []
        self._numbers: list[tuple[list[str], str]] = []

    def line(self, text: str) -> None:
        if text.count("(") > MOST_NESTED and nested(text) > MOST_NESTED:
            what = f"an expression with more than {MOST_NESTED} brackets in each other"
            raise TargetLacks(f"{what}, which compilers of OpenCL C refuse or fail on", self.at)
        self.lines.append(INDENT * self.depth + text)

    def open(self, text: str = "") -> None:
        self.line(f"{text} {{" if text else "{")
        self.depth += 1

    def close(self, text: str = "}") -> None:
        self.depth -= 1
        self.line(text)

    @contextmanager
    def braces(self, text: str = "") -> Iterator[None]:
        """A block in C: what is written inside stands in braces behind `text`."""
        self.open(text)
        yield
        self.close()

    @contextmanager
    def otherwise(self, test: str = "") -> Iterator[None]:
        """The `else` branch of the block that was written last; `test` is the head of an `if` there."""
        self.lines.pop()
        self.open(f"}} else {test}".rstrip())
        yield
        self.close()

    def room(self) -> list[str]:
        """Room at this place for lines that are not known yet."""
        found: list[str] = []
        self._rooms.append((len(self.lines), found))
        return found

    def number(self, place: str) -> None:
        """Say here that the iteration has the number `place`, if something in the kernel asks for it."""
        self._numbers.append((self.room(), f"{INDENT * self.depth}const long {ITERATION} = {place};"))

    def finished(self) -> list[str]:
        """All lines of the body."""
        found, start = [], 0
        for room, line in self._numbers if self.scope.numbered else ():
            room.append(line)
        for place, room in self._rooms:
            found += [*self.lines[start:place], *room]
            start = place
        return [*found, *self.lines[start:]]

    def where(self, position: Position | None) -> None:
        """Name the user's line that the next lines are made of."""
        if position is not None:
            self.at = position
            name = os.path.basename(position.file).replace("\\", "\\\\").replace('"', '\\"')
            self.lines.append(f'#line {position.line} "{name}"')
