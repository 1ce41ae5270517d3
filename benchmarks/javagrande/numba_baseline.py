"""The plain function of a benchmark, compiled by Numba for one thread: what every speed-up is relative to.

In: a plain function and the plain helpers that it calls. Out: a compiled function with Numba's disk cache on. Nothing
is registered globally, so that no other use of Numba in the process sees the helpers as compiled.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy"}
"""Division by zero gives infinity or NaN, as array elements do in the plain function, and costs no test."""


def compiled(function: Callable[..., Any], *helpers: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function`, for any arguments; `helpers` in calling order, the innermost first."""
    import numba  # imported when first needed: it takes a second, and the other targets' start-up is measured too

    jit: Callable[[Callable[..., Any]], Callable[..., Any]] = numba.njit(**OPTIONS)
    replaced: dict[str, object] = {}
    for helper in helpers:
        replaced[helper.__name__] = jit(_with_globals(helper, replaced))
    return jit(_with_globals(function, replaced))


def _with_globals(function: Callable[..., Any], replaced: dict[str, object]) -> types.FunctionType:
    """A copy of `function` that finds `replaced` instead of the module's own names."""
    assert isinstance(function, types.FunctionType)
    copy = types.FunctionType(function.__code__, {**function.__globals__, **replaced}, function.__name__)
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
    return copy
