"""The length of the array and the first index outside in an IndexError: what the runtime of a target does not know,
since masters give arrays other names on the way.

In: the error of a call, and what was called with. Out: the same error, with both in its text where they are certain.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np

from somd.diagnostics.refusals import of_the_user
from somd.runtime.faults import out_of_bounds
from somd.syntax import expression_of, module_of

if TYPE_CHECKING:
    from somd.calls.specialisations import Entry


def with_length(error: IndexError, entry: Entry, values: tuple[Any, ...]) -> bool:
    """Add the length of the axis to an error that an access outside its array has made; False for another one."""
    told = getattr(error, "somd_access", None)
    if told is None:
        return False
    of_the_user(error)
    site, index = told
    array, axis = site[2:4]
    for (name, text), value in zip(entry.parameters, values, strict=False):
        if text == array and not _bound_again(name, entry.text):
            shape = getattr(value, "shape", ())
            if 0 <= axis < len(shape):
                index = _first(site, entry, values, shape[axis]) if index is None else index
                error.args = (out_of_bounds(site, index, shape[axis]),)
            break
    return True


def _first(site: tuple[Any, ...], entry: Entry, values: tuple[Any, ...], length: int) -> int | None:
    """The first index outside of a site that was tested before its loop; None where the arguments do not tell it."""
    if len(site) == 5:
        return None
    given = {name: value for (name, _), value in zip(entry.parameters, values, strict=False)}
    tree = expression_of(site[5])
    known: dict[str, Any] = {"min": min, "max": max}
    for name in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - known.keys():
        value = given.get(name)
        if value is None or _bound_again(name, entry.text):
            return None
        if isinstance(value, int | np.integer):  # Python's, which do not wrap
            known[name] = int(value)
        elif hasattr(value, "shape"):
            known[name] = value
        else:
            return None
    index = int(eval(compile(tree, "<index>", "eval"), {"__builtins__": {}}, known))
    return None if -length <= index < length else index


def _bound_again(name: str, text: str) -> bool:
    """Whether generated code gives a name to something else (`u, v = v, u`)."""
    nodes = ast.walk(module_of(text))
    return any(isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name for node in nodes)
