"""One hash for the content of many files, which a copy of them elsewhere, with other times, has too.

In: files below a folder. Out: the hash. The files are read when one of them has changed; otherwise their sizes, times
and numbers tell that the hash which was found for them still holds.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from somd.runtime.folders import cache_folder, read_checked, write_checked

#: what fixes the bits of results, besides the text of a function
BITS = ("runtime/blocks.py", "language/operators.py")
#: the rooms on which generated text depends, but for the runtime of its target: all that the compiler imports
COMPILER = (
    *("language", "settings", "capture", "arguments", "cache", "calls", "compiling", "elementary"),
    *("diagnostics", "errors.py", "syntax.py", "transforms", "backends", "runtime/*.py"),
)


def content_of_rooms(*rooms: str) -> str:
    """A hash of the modules of the package in `rooms`: folders, modules, or the modules that lie in a folder itself
    (`runtime/*.py`). Working on them never meets old output."""
    root = str(Path(__file__).parents[1])
    return content_of(root, {path for room in rooms for path in _modules(f"{root}/{room}")})


def content_of(root: str, files: Iterable[str]) -> str:
    """A hash of the names, below `root`, and the contents of `files`."""
    paths = sorted(files)
    known = hashlib.sha256()
    for path in paths:
        state = os.stat(path)
        # a time of change cannot be set by hand
        numbers = (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, state.st_dev)
        known.update(f"{path} {numbers}\0".encode())
    note = cache_folder("contents", known.hexdigest()[:32])
    found = read_checked(note)
    if found is None:
        found = _hash(root, paths)
        write_checked(note, found)
    return found.decode()


def _modules(place: str) -> Iterator[str]:
    """The modules at a place, in folders within folders; every process looks for them before its first method."""
    folder, alone, _ = place.partition("/*")
    if folder.endswith(".py"):
        yield folder
        return
    for entry in os.scandir(folder):
        if entry.name.endswith(".py"):
            yield entry.path
        elif not alone and entry.is_dir() and entry.name != "__pycache__":
            yield from _modules(entry.path)


def _hash(root: str, paths: Iterable[str]) -> bytes:
    state = hashlib.sha256()
    for path in paths:
        content = Path(path).read_bytes().replace(b"\r\n", b"\n")
        state.update(f"{Path(path).relative_to(root).as_posix()} {len(content)}\0".encode() + content)
    return state.hexdigest().encode()
