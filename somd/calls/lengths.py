"""The length of the array in an IndexError: what the runtime of a target does not know, since masters give arrays other
names on the way.

In: the error of a call, and what was called with. Out: the same error, with the length in its text where it is certain.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from somd.diagnostics.refusals import of_the_user
from somd.runtime.faults import out_of_bounds
from somd.syntax import module_of

if TYPE_CHECKING:
    from somd.calls.specialisations import Entry


def with_length(error: IndexError, entry: Entry, values: tuple[Any, ...]) -> bool:
    """Add the length of the axis to an error that an access outside its array has made; False for another one."""
    told = getattr(error, "somd_access", None)
    if told is None:
        return False
    of_the_user(error)
    (_, _, array, axis, _), _ = told
    for (name, text), value in zip(entry.parameters, values, strict=False):
        if text == array and not _bound_again(name, entry.text):
            shape = getattr(value, "shape", ())
            if 0 <= axis < len(shape):
                error.args = (out_of_bounds(told[0], told[1], shape[axis]),)
            break
    return True


def _bound_again(name: str, text: str) -> bool:
    """Whether generated code gives a name to something else (`u, v = v, u`)."""
    nodes = ast.walk(module_of(text))
    return any(isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name for node in nodes)
