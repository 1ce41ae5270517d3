"""Loops that array statements became, and the arrays between them, in the words of the user's text.

In: a loop of a plan, or names of its arrays. Out: the statement or the expression that it stands for, as written.
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from somd.capture.source_text import line_of
from somd.diagnostics.model import Position
from somd.transforms.stages import Method, Nest, Site
from somd.transforms.tree.spelling import UNNAMED, as_written

#: how the variables of such loops begin, and what arrays between them are called
INDEX, BETWEEN = "at__", "value__"


def statement_of(loop: cst.CSTNode, method: Method) -> str | None:
    """The statement, or the part of one, that a loop goes through; None for a loop that the user wrote."""
    name = loop.target.value if isinstance(loop, cst.For) and isinstance(loop.target, cst.Name) else ""
    spelled = method.spelled.get(name, name)
    if spelled == name or not (name.startswith(INDEX) or spelled.startswith(INDEX)):
        return None
    return _source(method.position(loop)) if spelled == UNNAMED or spelled.startswith(INDEX) else spelled


def loops_of(nest: Nest, method: Method) -> str:
    """The heads of a nest's loops, or the statement that they go through."""
    code, statement = cst.Module([]).code_for_node, statement_of(nest.dims[0].node, method)
    loops = "; ".join(f"for {code(d.node.target)} in {code(d.node.iter)}" for d in nest.dims)
    return loops if statement is None else f"`{statement}`"


def _source(place: Position) -> str:
    lines = [line_of(place.file, number).rstrip("\r\n") for number in range(place.line, place.end_line + 1)]
    lines[-1] = lines[-1][: place.end_column]
    lines[0] = lines[0][place.column :]
    return " ".join(" ".join(lines).split())


def is_between(name: str, method: Method) -> bool:
    """Whether an array is none of the user's, but what an expression needs on the way."""
    return name.startswith(BETWEEN) and name in method.spelled


def listed(names: Iterable[str], method: Method) -> str:
    """Names of arrays, those of the user's first, then the expressions that others belong to."""
    found = sorted(names, key=lambda name: is_between(name, method))
    said = (f"`{as_written(name, method.spelled)}`" if is_between(name, method) else name for name in found)
    return ", ".join(dict.fromkeys(said))


def access_of(site: Site) -> str:
    """An access as the user wrote it; of a loop over elements that has no variable of the user's, the array."""
    return site.array if UNNAMED in site.text else site.text


def shown(site: Site, nest: Nest, method: Method) -> bool:
    """Whether an access tells the user something: not one of an array that an expression needs on the way."""
    made = {method.spelled[name] for name in (*nest.arrays_read, *nest.arrays_written) if is_between(name, method)}
    return site.array not in made
