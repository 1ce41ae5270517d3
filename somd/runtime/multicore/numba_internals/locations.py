"""Places in source text, for Numba's messages: paths are made relative to the working folder, which may be gone."""

from __future__ import annotations

from typing import Any

from numba.core import ir as _ir

ir: Any = _ir
_relative = ir.Loc._get_path


def _path(self: Any) -> str:
    try:
        return str(_relative(self))
    except OSError:
        return str(self.filename)


def survive_without_working_folder() -> None:
    """Have places keep their whole path where none is relative."""
    ir.Loc._get_path = _path
