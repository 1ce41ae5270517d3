"""Which helps of a diagnostic are edits: a block around a loop, a name for another, a marker on a parameter.

In: a diagnostic of a file's text. Out: `Fix`es. Helps are texts for people; what is in backticks in those of the kinds
below is code, and the text of the file tells where it belongs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from somd.diagnostics.model import Diagnostic
from somd.syntax import module_of

#: helps that are edits, with the code that they name
_BLOCK = re.compile(r"(?:put the loop in|use) `(with [^`]*:)`")
_NEAR = re.compile(r"did you mean `([^`]*)`\?")
_MARK = re.compile(r"mark the array that its loops index: `(\w+): (dist\[[^`]*\])`")
_INSTEAD = re.compile(r"write `(\w+)` for `(\w+)`")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$")
_LACKING = re.compile(r"there is no `([^`]*)`")


@dataclass(frozen=True, order=True)
class Place:
    """A piece of a text: lines from 1, columns in characters from 0, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, order=True)
class Fix:
    """A help that is an edit: `text` replaces what is at `place`, or, for a `block`, is the header of a block into
    which the lines there go. Markers in `text` are called as somd calls them; whoever edits the file imports them."""

    help: str
    place: Place
    text: str
    block: bool = False


def fixes_of(diagnostic: Diagnostic, text: str) -> tuple[Fix, ...]:
    """The helps of a diagnostic that are edits, in their order.

    Raises:
        SyntaxError: the text is not Python.
    """
    if diagnostic.position is None:
        return ()
    tree = module_of(text)
    return tuple(fix for each in diagnostic.helps for fix in _fix(diagnostic, each, tree, text))


def _fix(diagnostic: Diagnostic, said: str, tree: ast.Module, text: str) -> Iterator[Fix]:
    assert diagnostic.position is not None
    line = diagnostic.position.line
    if block := _BLOCK.search(said):
        loop = _loop_around(tree, line)
        if loop is not None:
            yield Fix(said, _place_of(loop, text), block[1], block=True)
    elif near := _NEAR.search(said):
        lacking = _LACKING.search(diagnostic.message)
        start = diagnostic.position.column
        if lacking is not None and lines_of(text)[line - 1].startswith(lacking[1], start):
            yield Fix(said, Place(line, start, line, start + len(lacking[1])), near[1])
    elif instead := _INSTEAD.search(said):
        start = diagnostic.position.column
        there = re.compile(rf"(?:\w+\.)*{instead[2]}\b").match(lines_of(text)[line - 1], start)
        if there is not None:
            yield Fix(said, Place(line, start, line, there.end()), instead[1])
    elif mark := _MARK.search(said):
        for param in _params(tree, line):
            if param.arg == mark[1] and (place := _annotated(param, text)) is not None:
                yield Fix(said, place, mark[2] if param.annotation is not None else f": {mark[2]}")


def _loop_around(tree: ast.Module, line: int) -> ast.For | None:
    """The outermost loop around a line, in the innermost block that is there already."""
    around: list[ast.AST] = []
    node: ast.AST | None = tree
    while node is not None:
        inside = (n for n in ast.iter_child_nodes(node) if _holds(n, line))
        node = next(inside, None)
        if isinstance(node, ast.With | ast.For):
            around.append(node)
    blocks = [k for k, each in enumerate(around) if isinstance(each, ast.With)]
    found = around[max(blocks, default=-1) + 1 :]
    return next((each for each in found if isinstance(each, ast.For)), None)


def _holds(node: ast.AST, line: int) -> bool:
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return first is not None and last is not None and first <= line <= last


def _params(tree: ast.Module, line: int) -> list[ast.arg]:
    """The parameters of the function whose name stands at a line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.lineno == line:
            return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return []


def _annotated(param: ast.arg, text: str) -> Place | None:
    """Where a parameter's annotation is, or belongs; None for one with parts of its own."""
    if param.annotation is None:
        place = _place_of(param, text)
        return Place(place.end_line, place.end_column, place.end_line, place.end_column)
    return None if isinstance(param.annotation, ast.Subscript) else _place_of(param.annotation, text)


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, as Python counts them: `splitlines` ends lines at form feeds, too.

    >>> lines_of("a\\r\\nb\\x0cc")
    ['a\\r\\n', 'b\\x0cc']
    """
    return _LINE.findall(text)


def _place_of(node: ast.stmt | ast.expr | ast.arg, text: str) -> Place:
    """The place of a node, whose columns `ast` counts in bytes."""
    lines = lines_of(text)
    last, end = node.end_lineno or node.lineno, node.end_col_offset or 0
    start = len(lines[node.lineno - 1].encode()[: node.col_offset].decode())
    return Place(node.lineno, start, last, len(lines[last - 1].encode()[:end].decode()))
