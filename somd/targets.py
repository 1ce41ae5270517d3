"""Which targets can be used here."""

from __future__ import annotations

import importlib.util

from somd.bugs import said


def targets() -> dict[str, str | None]:
    """Target name -> None where it can be used, or the reason why it cannot."""
    return {"sequential": None, "multicore": without_numba(), "opencl": _opencl()}


def without_numba() -> str | None:
    """Why Numba cannot compile here, or None if it can."""
    try:
        import numba
    except Exception as error:  # it looks at NumPy's version, at files of settings, and more
        return f"Numba cannot be imported ({said(error)})"
    if getattr(numba.config, "DISABLE_JIT", False):
        return "Numba compiles nothing: NUMBA_DISABLE_JIT, or `disable_jit` in a `.numba_config.yaml`, switches it off"
    return None


def _opencl() -> str | None:
    if importlib.util.find_spec("pyopencl") is None:
        return "pyopencl is not installed: pip install 'somd[opencl]'"
    from somd.runtime.opencl import NoDevice, select

    try:
        select(None)
    except NoDevice as error:
        return error.message
    return None
