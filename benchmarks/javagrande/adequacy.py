"""Table 2 of the paper for our ports: what the annotated function has that the plain one has not.

Counted from the source text, without importing it. An annotation is a parameter, a result or a local variable that
bears a marker of `somd`. An extra line is a line that the plain function does not have: the decorator and the heads of
`with` blocks count, a line that only got an annotation or an indent does not. Docstrings, comments and layout are left
out of both.
"""

from __future__ import annotations

import ast
import difflib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from benchmarks.javagrande.registry import Entry


@dataclass(frozen=True)
class Adequacy:
    """How much the annotated function adds to the plain one."""

    annotations: int
    lines: int


def adequacy(entry: Entry) -> Adequacy | None:
    """The count for a benchmark, None where it has no annotated version yet."""
    spec = importlib.util.find_spec(entry.qualified_module)
    assert spec is not None and spec.origin is not None
    return count(Path(spec.origin).read_text(encoding="utf-8"), entry.module)


def count(source: str, name: str) -> Adequacy | None:
    """The count for the functions `name` and `name_plain` of a module's source; None where `name` is not there."""
    module = ast.parse(source)
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    if name not in functions:
        return None
    annotated, plain = functions[name], functions[f"{name}_plain"]
    places = [a.annotation for a in ast.walk(annotated) if isinstance(a, ast.arg | ast.AnnAssign)]
    markers = _markers(module)
    annotations = sum(_bears(place, markers) for place in [*places, annotated.returns])
    return Adequacy(annotations, _added(_lines(plain, name), _lines(annotated, name)))


def _markers(module: ast.Module) -> set[str]:
    """The names that the module imports from `somd`."""
    return {
        alias.asname or alias.name
        for node in module.body
        if isinstance(node, ast.ImportFrom) and node.module == "somd"
        for alias in node.names
    }


def _bears(annotation: ast.expr | None, markers: set[str]) -> bool:
    """Whether one of the markers, or an attribute of the package itself, stands in an annotation."""
    names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)} if annotation else set()
    return bool(names & (markers | {"somd"}))


def _lines(function: ast.FunctionDef, name: str) -> list[str]:
    """The function's lines in one layout, without indents, docstring or its own name."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    same = ast.FunctionDef(
        name=name, args=function.args, body=body, decorator_list=function.decorator_list, returns=function.returns
    )
    if "type_params" in ast.FunctionDef._fields:
        same.type_params = []  # type: ignore[attr-defined,unused-ignore]
    text = ast.unparse(ast.fix_missing_locations(same))
    return [line.strip() for line in text.splitlines()]


def _added(plain: list[str], annotated: list[str]) -> int:
    """How many lines were added; a replaced line is the same line, changed."""
    opcodes = difflib.SequenceMatcher(None, plain, annotated, autojunk=False).get_opcodes()
    return sum(max(0, (j2 - j1) - (i2 - i1)) for tag, i1, i2, j1, j2 in opcodes if tag in ("insert", "replace"))
