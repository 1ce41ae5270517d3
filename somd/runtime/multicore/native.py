"""Functions that Numba compiles once for given types: not anew for each constant that they are called with.

Numba gives the call `f(0, n)` a signature of its own, for the literal 0, and compiles it besides that of `f(m, n)`.
LLVM propagates constants anyway, so nothing is lost by compiling one for both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core import types

unliteral: Any = types.unliteral


def native(function: Callable[..., Any]) -> Any:
    """Compile a function; division follows NumPy, and Python's lock is not held."""
    made: Any = njit(error_model="numpy", nogil=True)(function)
    template = made.get_call_template

    def template_of_types(args: Any, kws: Any) -> Any:
        return template(tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()})

    made.get_call_template = template_of_types
    return made
