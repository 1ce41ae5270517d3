"""Where the device layer keeps files: the folder `opencl` of somd's cache."""

from __future__ import annotations

from pathlib import Path

from somd.runtime import folders
from somd.runtime.folders import read_checked, read_own, read_whole, write_checked, write_whole

__all__ = ["cache_folder", "read_checked", "read_own", "read_whole", "write_checked", "write_whole"]


def cache_folder(*parts: str) -> Path:
    """The folder `opencl/<parts>` of somd's cache; it need not exist."""
    return folders.cache_folder("opencl", *parts)
