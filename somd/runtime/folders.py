"""Where somd keeps generated files: below `SOMD_CACHE_DIR`, or the user's cache folder.

What is written goes to a temporary file and is renamed, so that another process never sees half of it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def cache_folder(*parts: str) -> Path:
    """The folder `<parts>` of somd's cache; it need not exist."""
    root = os.environ.get("SOMD_CACHE_DIR")
    if not root:
        from platformdirs import user_cache_dir

        root = user_cache_dir("somd")
    return Path(root).absolute().joinpath(*parts)


def write_whole(path: Path, data: bytes) -> bool:
    """Write `data` to `path` by way of a temporary file. False where that cannot be done: a cache may fail."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(name)
        return False
    return True


def read_whole(path: Path) -> bytes | None:
    """The bytes of `path`, or None where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None
