"""Ways out of an error that are edits, applied to the text of a file.

In: a text, and a fix of a diagnostic of it. Out: edits, smallest pieces that are replaced, with those for the imports
that they need. Nothing is judged here: `repaired` checks the changed text before it keeps it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from somd.diagnostics.model import Diagnostic
from somd.errors import SomdError
from somd.sources.checking import Checked
from somd.sources.fixes import Fix, Place, fixes_of, lines_of
from somd.sources.load import load_text
from somd.sources.problems import FileProblem
from somd.syntax import module_of

#: fixes that a file may need at most
MOST = 100
_MARKERS = re.compile(r"\b(single|sync|dist)\b")


@dataclass(frozen=True, order=True)
class Edit(Place):
    """A piece of a text, and what comes in its place."""

    text: str


def edits_of(text: str, fix: Fix) -> tuple[Edit, ...]:
    """The edits of a fix, in the order of the text; they do not overlap."""
    tree = module_of(text)
    names = {name: _known(tree, name) for name in _MARKERS.findall(fix.text)}
    written = _MARKERS.sub(lambda found: names[found[1]] or found[1], fix.text)
    found = list(_around(text, fix, written)) if fix.block else [_replaced(fix, written)]
    wanted = [name for name, known in names.items() if known is None]
    return tuple(sorted((*found, *_imports(tree, text, wanted))))


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text with edits.

    >>> applied("a = b\\n", [Edit(1, 4, 1, 5, "c")])
    'a = c\\n'
    """
    lines = lines_of(text)
    ends = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    for edit in sorted(edits, reverse=True):
        while len(lines) < edit.end_line:
            lines.append("")
        first, last = lines[edit.line - 1], lines[edit.end_line - 1]
        lines[edit.line - 1 : edit.end_line] = [
            first[: edit.column] + edit.text.replace("\n", ends) + last[edit.end_column :]
        ]
    return "".join(lines)


def repaired(path: Path, text: str, *, whole: bool = False) -> tuple[str, tuple[Fix, ...]]:
    """The text of a file with the fixes that leave fewer errors, one after the other, and which they were: those that
    keep what the functions mean.

    Raises:
        FileProblem: the file is not Python, or raises when it is imported.
    """
    before, done = text, list[Fix]()
    found = first = diagnostics_in(path, text, whole)
    while len(done) < MOST:
        better = next(_better(path, text, found, whole), None)
        if better is None:
            break
        fix, text, found = better
        done.append(fix)
    return (text, tuple(done)) if len(found) < len(first) else (before, ())


def _better(
    path: Path, text: str, found: Sequence[Diagnostic], whole: bool
) -> Iterator[tuple[Fix, str, list[Diagnostic]]]:
    for diagnostic in found:
        for fix in fixes_of(diagnostic, text):
            if "relaxed=True" in fix.text or "scan=" in fix.text:  # other values, or sums in another order
                continue
            changed = applied(text, edits_of(text, fix))
            try:
                left = diagnostics_in(path, changed, whole)
            except (FileProblem, SyntaxError):
                continue
            gone = all((each.code, each.message) != (diagnostic.code, diagnostic.message) for each in left)
            if len(left) < len(found) or (gone and len(left) == len(found)):  # it may have hidden another
                yield fix, changed, left


def diagnostics_in(path: Path, text: str, whole: bool = False) -> list[Diagnostic]:
    """What is wrong with the methods of a text, were it that of the file `path`."""
    try:
        loaded = load_text(path, text, str(path), whole=whole)
        checks = list(Checked().add(loaded))
    except SomdError as error:
        if not hasattr(error, "diagnostics"):
            raise
        return list(error.diagnostics)
    return list(dict.fromkeys(d for each in checks for d in each.diagnostics if _is_of(d, path)))


def _is_of(diagnostic: Diagnostic, path: Path) -> bool:
    return diagnostic.position is None or diagnostic.position.file == str(path)


def _replaced(fix: Fix, written: str) -> Edit:
    place = fix.place
    return Edit(place.line, place.column, place.end_line, place.end_column, written)


def _around(text: str, fix: Fix, header: str) -> Iterator[Edit]:
    """The lines of a statement in a block."""
    lines = lines_of(text)
    first, last = fix.place.line, fix.place.end_line
    inside = _within_texts(text)
    indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    step = "\t" if "\t" in indent else "    "
    yield Edit(first, 0, first, 0, f"{indent}{header}\n{step}")
    for number in range(first + 1, last + 1):
        if lines[number - 1].strip() and number not in inside:
            yield Edit(number, 0, number, 0, step)


def _within_texts(text: str) -> set[int]:
    """The lines that begin inside of a string, whose blanks are part of it."""
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)):
            found |= set(range(token.start[0] + 1, token.end[0] + 1))
    return found


def _known(tree: ast.Module, name: str) -> str | None:
    """How a file calls something of somd's, or None if it does not import it."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "somd" and not node.level:
            for each in node.names:
                if each.name == name:
                    return each.asname or name
    for node in tree.body:
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name == "somd":
                    return f"{each.asname or 'somd'}.{name}"
    return None


def _imports(tree: ast.Module, text: str, names: Sequence[str]) -> Iterator[Edit]:
    """The names among what a file imports from somd, or in a statement of their own."""
    if not names:
        return
    listed = ", ".join(names)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "somd" and not node.level:
            last = node.names[-1]
            assert last.end_lineno is not None and last.end_col_offset is not None
            line = lines_of(text)[last.end_lineno - 1]
            column = len(line.encode()[: last.end_col_offset].decode())
            yield Edit(last.end_lineno, column, last.end_lineno, column, f", {listed}")
            return
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    place = max((node.end_lineno or 0 for node in imports), default=0) + 1
    yield Edit(place, 0, place, 0, f"from somd import {listed}\n")
