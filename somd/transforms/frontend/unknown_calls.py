"""What is said of a call of a function that a method may not call (SOMD203): why, and the way out that fits it.

In: the call and what its function is. Out: headline and helps.
"""

from __future__ import annotations

import builtins
from typing import Any

import libcst as cst

from somd.arguments.instead import drawn, is_random
from somd.language.written_out import instead_of_function, instead_of_method
from somd.transforms.stages import Method
from somd.transforms.tree.misspelt import meant
from somd.transforms.tree.names import MISSING

_OUTSIDE = "call it outside of the method, and pass its result"
_PRINT = (
    "to look at values on the way, run the function as it stands: `.sequential(...)` of the method, or the whole "
    "program with `SOMD_TARGET=sequential`"
)


def unknown_call(function: Any, node: cst.Call, method: Method) -> tuple[str, tuple[str, ...]]:
    """Headline and helps of SOMD203."""
    text = cst.Module([]).code_for_node(node.func)
    near = meant(node.func, method)
    if near:
        return f"there is no `{text}`", (f"did you mean `{near}`?",)
    message = f"`{text}` is not a function that a method may call"
    if function is MISSING and isinstance(node.func, cst.Attribute):
        changed = instead_of_method(node.func.attr.value, cst.Module([]).code_for_node(node.func.value))
        return message, changed or _instead(function)
    return message, _instead(function)


def is_compiled_by_numba(function: Any) -> bool:
    """Whether it is what `njit` and its like make of a function."""
    return type(function).__module__.partition(".")[0] == "numba" and hasattr(function, "py_func")


def _instead(function: Any) -> tuple[str, ...]:
    if is_random(function):
        return drawn(str(getattr(function, "__name__", "")))
    if function is print:
        return (_PRINT,)
    if function is builtins.sum:
        return ("write the loop out: `s += a[i]` in a loop is a sum",)
    if is_compiled_by_numba(function):
        return (
            f"take Numba's decorator off `{function.__name__}`: a method compiles the plain functions that it calls",
        )
    if function is MISSING:
        return ("write the loop out, or call it outside of the method",)
    return (*instead_of_function(function), _OUTSIDE)
