"""Diagnostics as text, as JSON, and as the commands that GitHub shows beside the lines of a pull request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from somd.diagnostics.model import Diagnostic, Label
from somd.diagnostics.registry import REGISTRY
from somd.diagnostics.render import render, shown_path
from somd.sources.problems import FileProblem


def as_text(diagnostics: Iterable[Diagnostic], problems: Iterable[FileProblem]) -> Iterator[str]:
    """Each as the compiler raises it."""
    yield from (f"error: {problem}" for problem in problems)
    yield from (render(diagnostic) for diagnostic in diagnostics)


def as_json(diagnostics: Iterable[Diagnostic], problems: Iterable[FileProblem]) -> str:
    """A list with an object for each; lines and columns count from 1, ends are exclusive. A file that could not be
    read, parsed or imported has no code."""
    listed = [_problem(problem) for problem in problems]
    listed += [_diagnostic(diagnostic) for diagnostic in diagnostics]
    return json.dumps(listed, indent=2, ensure_ascii=False)


def _problem(problem: FileProblem) -> dict[str, Any]:
    place = {"file": shown_path(problem.file), "line": problem.line, "column": None}
    return {"code": None, "severity": "error", "message": problem.message, **place}


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    chosen = next((label for label in diagnostic.labels if label.primary), None)
    chosen = chosen or next(iter(diagnostic.labels), None)
    return {
        "code": diagnostic.code,
        "title": REGISTRY[diagnostic.code].title,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **(_place(chosen) if chosen else {"file": None, "line": None, "column": None}),
        "labels": [{**_place(label), "text": label.text, "primary": label.primary} for label in diagnostic.labels],
        "notes": list(diagnostic.notes),
        "help": list(diagnostic.helps),
    }


def _place(label: Label) -> dict[str, Any]:
    position = label.position
    return {
        "file": shown_path(position.file),
        "line": position.line,
        "column": position.column + 1,
        "end_line": position.end_line,
        "end_column": position.end_column + 1,
    }


def as_github(diagnostics: Iterable[Diagnostic], problems: Iterable[FileProblem]) -> str:
    """A workflow command a line, as GitHub reads them from a job's log."""
    lines = []
    for problem in problems:
        line = {} if problem.line is None else {"line": problem.line}
        lines.append(_command("error", {"file": shown_path(problem.file), **line}, problem.message))
    for diagnostic in diagnostics:
        position = diagnostic.position
        place: dict[str, object] = {}
        if position is not None:
            place = {"file": shown_path(position.file), "line": position.line, "endLine": position.end_line}
            if position.end_line == position.line:  # GitHub takes columns for one line only
                place |= {"col": position.column + 1, "endColumn": position.end_column}
        text = "\n".join([diagnostic.message, *diagnostic.notes, *(f"help: {h}" for h in diagnostic.helps)])
        level = "notice" if diagnostic.severity == "note" else diagnostic.severity
        lines.append(_command(level, {**place, "title": diagnostic.code}, text))
    return "\n".join(lines)


def _command(level: str, properties: dict[str, object], message: str) -> str:
    listed = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in properties.items())
    return f"::{level} {listed}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
