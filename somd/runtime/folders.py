"""Where somd keeps generated files: below `SOMD_CACHE_DIR`, or the user's cache folder.

What is written goes to a temporary file and is renamed, so that another process never sees half of it. What others may
have written is not read (`owners`). A cache may fail: a folder that cannot be used, a full disk, a file that is gone or
damaged are all a miss and never an error; a warning, once, tells of what the user can put right.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import time
import warnings
from pathlib import Path

from somd.errors import SomdCacheWarning
from somd.runtime.owners import file_problem, folder_problem, make_folder

_HASH = hashlib.sha256().digest_size
_DAY = 86400.0
#: a folder that cannot be, for a cache whose own cannot be told: a relative one where the working folder is gone
_NOWHERE = Path(os.devnull, "somd")
_warned: set[str] = set()


def cache_folder(*parts: str) -> Path:
    """The folder `<parts>` of somd's cache; it need not exist."""
    root = os.environ.get("SOMD_CACHE_DIR")
    if not root:
        from platformdirs import user_cache_dir

        root = user_cache_dir("somd")
    try:
        # the user's cache folder begins with `~` where there is no home
        return (_NOWHERE if root.startswith("~") else Path(root).absolute()).joinpath(*parts)
    except OSError:
        return _NOWHERE.joinpath(*parts)


def cache_problem() -> str | None:
    """Why the cache is not used, or not all of it; None where nothing is wrong with its folder."""
    root = cache_folder()
    if root == _NOWHERE:
        return "there is no folder for it"
    try:
        return folder_problem(root)
    except OSError as error:
        return f"`{_short(root)}`: {error.strerror or error}"


def write_whole(path: Path, data: bytes) -> bool:
    """Write `data` to `path` by way of a temporary file. False where that cannot be done: a cache may fail."""
    try:
        make_folder(path.parent, _root_of(path))
        problem = _problem(path.parent)
        if problem is not None:
            _warn(path, problem)
            return False
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name[:100], suffix=".tmp")
    except OSError as error:
        _warn(path, f"`{_short(path.parent)}` cannot be written ({error.strerror or error})")
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError):
            _warn(path, f"`{_short(path.parent)}` cannot be written ({error.strerror or error})")
            return False
        raise
    return True


def read_whole(path: Path) -> bytes | None:
    """The bytes of `path`, or None where it cannot be read; it may be anybody's."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def read_own(path: Path) -> bytes | None:
    """The bytes of a file of the cache; None where it cannot be read, or where others may have written it."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            problem = _problem(path.parent) or file_problem(path, status)
            if problem is not None:
                _warn(path, problem)
                return None
            if not stat.S_ISREG(status.st_mode):
                return None
            if time.time() - status.st_mtime > _DAY:  # what has not been used for long goes first
                with contextlib.suppress(OSError):
                    os.utime(path)
            return file.read()
    except OSError:
        return None


def write_checked(path: Path, data: bytes) -> bool:
    """Write `data` behind its SHA-256, as `write_whole` does; for what must not be used when damaged."""
    return write_whole(path, hashlib.sha256(data).digest() + data)


def read_checked(path: Path) -> bytes | None:
    """What `write_checked` wrote to `path`, or None where it cannot be read or is not what was written."""
    data = read_own(path)
    if data is None or len(data) <= _HASH or hashlib.sha256(data[_HASH:]).digest() != data[:_HASH]:
        return None
    return data[_HASH:]


def _root_of(path: Path) -> Path:
    root = cache_folder()
    return root if path.is_relative_to(root) else path.parent


def _problem(folder: Path) -> str | None:
    """Why files of a folder are not used: it, or one between it and the cache's own, may be written by others."""
    root = _root_of(folder / "file")
    while True:
        problem = folder_problem(folder)
        if problem is not None or folder == root or folder == folder.parent:
            return problem
        folder = folder.parent


def _warn(path: Path, problem: str) -> None:
    """Say once for each cache what is wrong with it."""
    root = str(_root_of(path))
    if root in _warned:
        return
    _warned.add(root)
    what = f"somd's cache in {_short(Path(root))} is not used: {problem}"
    if root == str(_NOWHERE):
        what = "somd has no cache: its folder cannot be told, since there is no home or no working folder"
    text = f"{what}; every process compiles anew. `SOMD_CACHE_DIR` names a folder of your own [SOMD608]"
    frame, level = sys._getframe(1), 2
    here = str(Path(__file__).parents[1])
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, SomdCacheWarning, stacklevel=level - 1)


def _short(path: Path) -> str:
    """A path for messages, which may be longer than what a screen holds."""
    text = str(path)
    return text if len(text) <= 200 else f"{text[:90]}...{text[-90:]}"
