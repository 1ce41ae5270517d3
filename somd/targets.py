"""Which targets work here."""

from __future__ import annotations

import importlib.util


def targets() -> dict[str, str | None]:
    """Target name -> None where it can be used, or the reason why it cannot."""
    return {"sequential": None, "multicore": None, "opencl": _opencl()}


def _opencl() -> str | None:
    if importlib.util.find_spec("pyopencl") is None:
        return "pyopencl is not installed: pip install 'somd[opencl]'"
    from somd.runtime.opencl import NoDevice, select

    try:
        select(None)
    except NoDevice as error:
        return error.message
    return None
