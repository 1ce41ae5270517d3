"""One hash for the content of many files, which a copy of them elsewhere, with other times, has too.

In: files below a folder. Out: the hash. The files are read when one of them has changed; otherwise their sizes, times
and numbers tell that the hash which was found for them still holds.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from somd.runtime.folders import cache_folder, read_checked, write_checked

#: what fixes the bits of results, besides the text of a function
BITS = ("runtime/blocks.py", "language/operators.py")
#: the rooms on which generated text depends, but for the runtime of its target
COMPILER = (
    *("language", "settings", "capture", "arguments", "cache", "calls", "compiling", "elementary"),
    *("transforms", "backends"),
    *BITS,
)


def content_of_rooms(*rooms: str) -> str:
    """A hash of the modules of the package in `rooms`, which are folders or modules: working on them never meets old
    output."""
    root = Path(__file__).parents[1]
    places = [root / room for room in rooms]
    return content_of(root, {path for p in places for path in (p.rglob("*.py") if p.is_dir() else (p,))})


def content_of(root: Path, files: Iterable[Path]) -> str:
    """A hash of the names, below `root`, and the contents of `files`."""
    paths = sorted(files)
    states = [os.stat(path) for path in paths]
    known = hashlib.sha256()
    for path, state in zip(paths, states, strict=True):
        # a time of change cannot be set by hand
        numbers = (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, state.st_dev)
        known.update(f"{path} {numbers}\0".encode())
    note = cache_folder("contents", known.hexdigest()[:32])
    found = read_checked(note)
    if found is None:
        found = _hash(root, paths)
        write_checked(note, found)
    return found.decode()


def _hash(root: Path, paths: Iterable[Path]) -> bytes:
    state = hashlib.sha256()
    for path in paths:
        content = path.read_bytes().replace(b"\r\n", b"\n")
        state.update(f"{path.relative_to(root).as_posix()} {len(content)}\0".encode() + content)
    return state.hexdigest().encode()
