"""Places in source text, for Numba's messages: paths are made relative to the working folder, which may be gone.

Numba makes a message of each way to type a call that does not fit, and throws most of them away.
"""

from __future__ import annotations

import functools
import os
from typing import Any

from numba.core import ir as _ir

ir: Any = _ir
_relative = ir.Loc._get_path


def _path(self: Any) -> str:
    try:
        return _path_from(os.getcwd(), self.filename)
    except OSError:
        return str(self.filename)


@functools.lru_cache(maxsize=256)
def _path_from(folder: str, file: str) -> str:
    """The path of a file as seen from the working folder."""
    return str(_relative(ir.Loc(file, 1)))


def survive_without_working_folder() -> None:
    """Have places keep their whole path where none is relative."""
    ir.Loc._get_path = _path
