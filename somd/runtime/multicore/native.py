"""Functions that Numba compiles once for given types: not anew for each constant that they are called with.

Numba gives the call `f(0, n)` a signature of its own, for the literal 0, and compiles it besides that of `f(m, n)`.
LLVM propagates constants anyway, so nothing is lost by compiling one for both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import types

njit: Any = numba.njit
unliteral: Any = types.unliteral


Function = TypeVar("Function", bound=Callable[..., Any])


def native(function: Function, from_python: bool = True) -> Function:
    """Compile a function; division follows NumPy, and Python's lock is not held. One that is not called from Python
    needs no way in from there, which takes time to compile."""
    made: Any = njit(error_model="numpy", nogil=True, no_cpython_wrapper=not from_python, no_cfunc_wrapper=True)(
        function
    )
    template = made.get_call_template

    def template_of_types(args: Any, kws: Any) -> Any:
        return template(tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()})

    made.get_call_template = template_of_types
    compiled: Function = made
    return compiled
