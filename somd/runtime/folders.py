"""Where somd keeps generated files: below `SOMD_CACHE_DIR`, or the user's cache folder.

What is written goes to a temporary file and is renamed, so that another process never sees half of it. A cache may
fail: a folder that cannot be written, a full disk, a file that is gone or damaged are all a miss, never an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

_HASH = hashlib.sha256().digest_size


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
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError):
            return False
        raise
    return True


def read_whole(path: Path) -> bytes | None:
    """The bytes of `path`, or None where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def write_checked(path: Path, data: bytes) -> bool:
    """Write `data` behind its SHA-256, as `write_whole` does; for what must not be used when damaged."""
    return write_whole(path, hashlib.sha256(data).digest() + data)


def read_checked(path: Path) -> bytes | None:
    """What `write_checked` wrote to `path`, or None where it cannot be read or is not what was written."""
    data = read_whole(path)
    if data is None or len(data) <= _HASH or hashlib.sha256(data[_HASH:]).digest() != data[:_HASH]:
        return None
    return data[_HASH:]
