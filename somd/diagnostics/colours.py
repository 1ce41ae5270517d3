"""The text of diagnostics in the colours of a terminal, and whether pictures are light or dark in a notebook.

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

#: what tells that a notebook is light or dark, whatever the system is: Jupyter, Visual Studio Code, Colab
_LIGHT = ("[data-jp-theme-light='true']", ".vscode-light", "html[theme='light']")
_DARK = ("[data-jp-theme-light='false']", ".vscode-dark", "html[theme='dark']")


def as_around(selector: str) -> str:
    """Rules of CSS by which an element is light or dark as the notebook around it, and as the system is elsewhere."""
    light, dark = (", ".join(f"{each} {selector}" for each in places) for places in (_LIGHT, _DARK))
    both = "color-scheme: light dark"
    return f"{selector} {{ {both}; }}\n{light} {{ color-scheme: light; }}\n{dark} {{ color-scheme: dark; }}\n"


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
