"""What the commands write: results to standard output, the rest to standard error; colours on terminals only."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

from rich.console import Console

from somd.diagnostics.colours import in_colour, takes_colours


class Problem(Exception):
    """A command cannot be done as given; `status` is what somdc then exits with."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


def prepare() -> None:
    """Let characters that the terminal cannot show come out escaped."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with contextlib.suppress(ValueError, OSError):
                reconfigure(errors="backslashreplace")


def flush() -> None:
    """Let a closed pipe show here rather than at exit."""
    if sys.stdout is not None:
        sys.stdout.flush()


def say(text: str = "") -> None:
    """A line of the result."""
    print(text)


def shortened(text: str) -> str:
    """What a user gave, for a message on one line."""
    return text if len(text) <= 100 else f"{text[:60]}..."


def say_bytes(text: str, encoding: str) -> None:
    """Part of the result as the bytes of a file; as text on terminals and where there are no bytes to write."""
    stream = sys.stdout
    buffer = getattr(stream, "buffer", None)
    if buffer is None or stream.isatty():
        print(text, end="")
        return
    stream.flush()
    buffer.write(text.encode(encoding))


def complain(text: str, *, bare: bool = False) -> None:
    """An error on standard error, after the word `error:` unless it is `bare`."""
    show(text if bare else f"error: {text}", sys.stderr)


def remark(text: str) -> None:
    """Something to know that is not part of the result."""
    if sys.stderr is not None:
        print(text, file=sys.stderr)


def show(text: str, stream: IO[str] | None = None) -> None:
    """Diagnostics, with colours where the stream is a terminal."""
    stream = sys.stdout if stream is None else stream
    if stream is None:
        return
    print(in_colour(text) if takes_colours(stream) else text, file=stream)


def console(stream: IO[str] | None = None) -> Console:
    """A console that leaves lines as they are."""
    return Console(file=stream or sys.stdout, soft_wrap=True, highlight=False, markup=False, emoji=False)


def coloured() -> bool:
    """Whether standard output takes colours."""
    return sys.stdout is not None and console().is_terminal and not console().no_color


@contextlib.contextmanager
def progress(text: str) -> Iterator[None]:
    """A block that takes long; a spinner where standard error is a terminal, nothing elsewhere."""
    if sys.stderr is None or not console(sys.stderr).is_terminal:
        yield
        return
    with console(sys.stderr).status(text):
        yield


def table(rows: Iterable[Sequence[str]], indent: str = "") -> str:
    """Rows as columns, two blanks apart.

    >>> print(table([("a", "b"), ("long", "c")]))
    a     b
    long  c
    """
    rows = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows), strict=False)] if rows else []
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append((indent + "  ".join([*cells, row[-1]])).rstrip())
    return "\n".join(lines)
