"""Which targets can be used here."""

from __future__ import annotations

import importlib.util

from somd.runtime.numba_here import without_numba


def targets() -> dict[str, str | None]:
    """Target name -> None where it can be used, or the reason why it cannot."""
    return {"sequential": None, "multicore": without_numba(), "opencl": _opencl()}


def _opencl() -> str | None:
    if importlib.util.find_spec("pyopencl") is None:
        return "pyopencl is not installed: pip install 'somd[opencl]'"
    from somd.runtime.opencl import NoDevice, select

    try:
        select(None)
    except NoDevice as error:
        return error.message
    return None
