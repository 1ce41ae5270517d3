"""Whether Numba can be used here; asked before the room that needs it is imported."""

from __future__ import annotations

from somd.compiling.bugs import said


def without_numba() -> str | None:
    """Why Numba cannot compile here, or None if it can."""
    try:
        import numba
    except Exception as error:  # it looks at NumPy's version, at files of settings, and more
        return f"Numba cannot be imported ({said(error)})"
    if getattr(numba.config, "DISABLE_JIT", False):
        return "Numba compiles nothing: NUMBA_DISABLE_JIT, or `disable_jit` in a `.numba_config.yaml`, switches it off"
    return None
