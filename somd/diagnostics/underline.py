"""The rows under one source line: marks for its labels, and their texts, hung on bars where they do not fit.

In: spans in display columns. Out: rows of text. It knows nothing of files and line numbers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

TAB = "    "


class Span(NamedTuple):
    """A piece of a line in display columns from 0, the end exclusive."""

    start: int
    end: int
    text: str
    primary: bool


def display_text(line: str) -> str:
    """`line` as it is printed: tabs become four blanks."""
    return line.replace("\t", TAB)


def display_column(line: str, column: int) -> int:
    """The terminal column at which character `column` of `line` is printed (tabs, wide and combining characters)."""
    return sum(_width(character) for character in line[:column])


def _width(character: str) -> int:
    if character == "\t":
        return len(TAB)
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def underline(spans: Sequence[Span]) -> Iterator[str]:
    """The rows for `spans`: the text of the rightmost beside its mark, those of the others below, on bars.

    >>> print("\\n".join(underline([Span(0, 4, "write", False), Span(7, 15, "read", True)])))
    ----   ^^^^^^^^ read
    |
    write
    """
    if not spans:
        return
    ordered = sorted(spans, key=lambda span: (span.start, span.end))
    last = ordered[-1]
    beside = last if all(span.end <= last.start for span in ordered[:-1]) else None
    yield f"{_marks(ordered)} {beside.text if beside else ''}".rstrip()
    hung = [span for span in ordered if span is not beside and span.text]
    if hung:
        yield _hang(hung, "")
    while hung:
        span = hung.pop()
        yield _hang([other for other in hung if other.start < span.start], " " * span.start + span.text)


def _marks(spans: Sequence[Span]) -> str:
    """`---` under each secondary span, `^^^` under each primary one; the primary ones lie on top."""
    marks = [" "] * max(span.end for span in spans)
    for span in sorted(spans, key=lambda span: span.primary):
        marks[span.start : span.end] = ("^" if span.primary else "-") * (span.end - span.start)
    return "".join(marks)


def _hang(spans: Sequence[Span], row: str) -> str:
    """`row` with a bar at the start of each of `spans`."""
    columns = list(row.ljust(max((span.start + 1 for span in spans), default=0)))
    for span in spans:
        columns[span.start] = "|"
    return "".join(columns)
