"""The text of diagnostics in the colours of a terminal.

In: what `render` gives. Out: the same with ANSI escapes. Whether a stream takes them is asked here too.
"""

from __future__ import annotations

import os
import re
from typing import IO

RED, YELLOW, BLUE, BOLD, PLAIN = "\x1b[1;31m", "\x1b[1;33m", "\x1b[34m", "\x1b[1m", "\x1b[0m"

_HEADLINES = {"error": RED, "warning": YELLOW, "note": BLUE}
_HEADLINE = re.compile(r"^(error|warning|note)(?:\[\w+\])?: ")
_PLACE = re.compile(r"^ *(?:-->|:::)")
_MARGIN = re.compile(r"^ *\d* \|")
_REMARK = re.compile(r"^ *= (?:help|note|more):")
_MARKS = re.compile(r"\^+")
_SOURCE = re.compile(r"^ *\d+ \|")


def in_colour(text: str) -> str:
    """Rendered diagnostics with colours.

    >>> in_colour("error[SOMD301]: no")
    '\\x1b[1;31merror[SOMD301]:\\x1b[0m\\x1b[1m no\\x1b[0m'
    """
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    headline = _HEADLINE.match(line)
    if headline is not None:
        end = headline.end() - 1
        return f"{_HEADLINES[headline[1]]}{line[:end]}{PLAIN}{BOLD}{line[end:]}{PLAIN}"
    for pattern, style in ((_PLACE, BLUE), (_REMARK, BOLD), (_MARGIN, BLUE)):
        start = pattern.match(line)
        if start is not None:
            rest = line[start.end() :]
            if pattern is _MARGIN and not _SOURCE.match(line):
                rest = _MARKS.sub(lambda marks: f"{RED}{marks[0]}{PLAIN}", rest)
            return f"{style}{start[0]}{PLAIN}{rest}"
    return line


def takes_colours(stream: IO[str] | None) -> bool:
    """Whether to write colours to a stream: to terminals, unless NO_COLOR says no or FORCE_COLOR says always.

    Both are read as https://no-color.org and https://force-color.org define them.
    """
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        return False
