"""A diagnostic as plain text, in the manner of rustc: headline, place, source lines with labels, notes, helps,
and the command that tells more.

In: a `Diagnostic` and a way to get source lines. Out: text without a trailing newline, without colours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from somd.capture.source_text import line_of
from somd.diagnostics.model import Diagnostic, Label, Position
from somd.diagnostics.underline import Span, display_column, display_text, underline

SourceLine = Callable[[str, int], str]

LONGEST_SPAN = 6
"""A label over more lines than this is shown by its first two lines and its last."""


def render(diagnostic: Diagnostic, source_line: SourceLine = line_of) -> str:
    """The text of `diagnostic`; `source_line(file, line)` gives a line of source, or "" if it is not available."""
    rows = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    width = max((len(str(label.position.end_line)) for label in diagnostic.labels), default=1)
    place = diagnostic.position
    files = dict.fromkeys([place.file] if place else [])
    files.update(dict.fromkeys(label.position.file for label in diagnostic.labels))
    for number, file in enumerate(files):
        labels = [label for label in diagnostic.labels if label.position.file == file]
        head = place if place and number == 0 else labels[0].position
        arrow = ":::" if number else "-->"
        rows.append(f"{' ' * width}{arrow} {shown_path(file)}:{head.line}:{head.column + 1}")
        rows.extend(_snippet(file, labels, width, source_line))
    for kind, texts in (("note", diagnostic.notes), ("help", diagnostic.helps)):
        for text in texts:
            first, *more = text.splitlines() or [""]
            rows.append(f"{' ' * width} = {kind}: {first}")
            rows.extend(f"{' ' * width}         {line}" for line in more)
    rows.append(f"{' ' * width} = more: somdc explain {diagnostic.code}")
    return "\n".join(row.rstrip() for row in rows)


def shown_path(file: str) -> str:
    """`file` relative to the working folder when it lies inside, unchanged otherwise."""
    if not os.path.isabs(file):
        return file
    try:
        relative = os.path.relpath(file)
    except (ValueError, OSError):
        return file
    return file if relative.split(os.sep, 1)[0] == os.pardir else relative


def position_of_line(file: str, line: int, source_line: SourceLine = line_of) -> Position:
    """A whole line of `file` without its indentation."""
    text = source_line(file, line).rstrip()
    start = len(text) - len(text.lstrip())
    return Position(file, line, start, line, max(len(text), start + 1))


def _snippet(file: str, labels: Sequence[Label], width: int, source_line: SourceLine) -> Iterator[str]:
    """The numbered lines of one file, with the labels under them; the labels' texts alone without source."""
    margin = " " * width
    if not all(source_line(file, n) for label in labels for n in (label.position.line, label.position.end_line)):
        yield from (f"{margin} = note: line {label.position.line}: {label.text}" for label in labels if label.text)
        return
    tall = [label for label in labels if label.position.end_line > label.position.line]
    tall.sort(key=lambda label: -label.position.end_line)
    yield f"{margin} |"
    numbers = _shown_lines(labels, source_line)
    for before, n in zip([numbers[0] - 1, *numbers], numbers, strict=False):
        if n > before + 1:
            yield f"{'...':<{width + 3}}{_bars(tall, n)}"
        text = source_line(file, n).rstrip("\r\n")
        yield f"{n:>{width}} | {_bars(tall, n, '/')}{display_text(text)}"
        here = [label for label in labels if label not in tall and label.position.line == n]
        for row in underline([_span(label, text) for label in here]):
            yield f"{margin} | {_bars(tall, n, '|')}{row}"
        for index in reversed(range(len(tall))):
            label = tall[index]
            if label.position.end_line == n:
                # The end of a label over several lines: its bar turns right and runs to the last character.
                run = "_" * (2 * (len(tall) - index) - 2 + display_column(text, label.position.end_column))
                bars = _bars(tall[:index], n, "|")
                yield f"{margin} | {bars}|{run}{'^' if label.primary else '-'} {_one_line(label.text)}"


def _shown_lines(labels: Sequence[Label], source_line: SourceLine) -> list[int]:
    """The lines to print: those with labels, one line of context before them, and gaps of a single line."""
    shown: set[int] = set()
    for label in labels:
        start, end = label.position.line, label.position.end_line
        shown.update(range(start, end + 1) if end - start < LONGEST_SPAN else (start, start + 1, end))
    first = min(shown)
    if first > 1 and source_line(labels[0].position.file, first - 1).strip():
        shown.add(first - 1)
    shown.update([n + 1 for n in shown if n + 2 in shown])
    return sorted(shown)


def _bars(tall: Sequence[Label], n: int, start: str = " ") -> str:
    """The bars at the left of line `n`, one for each label over several lines; `start` stands on their first line."""
    marks = ""
    for label in tall:
        first, last = label.position.line, label.position.end_line
        marks += "| " if first < n <= last else f"{start} " if n == first else "  "
    return marks


def _span(label: Label, text: str) -> Span:
    start = display_column(text, label.position.column)
    end = display_column(text, label.position.end_column)
    return Span(start, max(end, start + 1), _one_line(label.text), label.primary)


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))
