"""The files of the cache that are somd's own, and how many of them are kept.

In: the cache's folder. Out: its files with size and last use. A file counts as ours if it lies where somd puts such a
file, has a name such as somd gives, and belongs to the user: nothing else is ever removed.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from somd.runtime.folders import cache_folder
from somd.settings.config import cache_limits
from somd.settings.targets import TARGETS, target_of

#: the files of no target, and what is said of them
MARKS = {"checked": "marks of sources that passed", "contents": "hashes of somd's own files"}
_MARK, _MODULE = r"[0-9a-f]{32}", r"\w+_[0-9a-f]{16}\.(py|json)"
#: what writing left behind where a process was killed
_LEFT = r"(\w{8}\.tmp)?"
#: how many files a process writes before it looks at the limits again
_EACH = 64
_written = 0


@dataclass(frozen=True)
class Cached:
    """A file of the cache: which folder of somd's it is in, its size in bytes, and when it was last used."""

    path: Path
    kind: str
    size: int
    used: float


def cached_files() -> Iterator[Cached]:
    """All files of the cache that are ours; those that `somdc verify` made are of kind `verify`."""
    for root, verify in ((cache_folder(), ""), (cache_folder("verify"), "verify")):
        for place in MARKS:
            yield from _in(root / place, _MARK, verify or place)
        for target in TARGETS:
            yield from _in(root / target, _MODULE, verify or target)
            for folder in _folders(root / target):
                for name, pattern in target_of(target).files.items():
                    if re.fullmatch(name, folder.name):
                        yield from _in(folder, pattern, verify or target)


def foreign_folders() -> Iterator[tuple[Path, str]]:
    """The folders that others fill, as long as all in them is the user's, and what is in them."""
    for root in (cache_folder(), cache_folder("verify")):
        for target in TARGETS:
            for name, what in target_of(target).foreign.items():
                folder = root / target / name
                if _is_own(folder, stat.S_ISDIR) and _all_own(folder):
                    yield folder, what


def remove(files: list[Cached]) -> int:
    """Remove files, and the folders that are empty then; how many bytes that frees."""
    freed = 0
    for each in files:
        try:
            each.path.unlink()
            freed += each.size
        except FileNotFoundError:
            continue
    for folder in {each.path.parent for each in files}:
        while folder != cache_folder() and folder != folder.parent:
            try:
                folder.rmdir()
            except OSError:
                break
            folder = folder.parent
    return freed


def note_written() -> None:
    """Keep to the limits, every now and then: files that have not been used for long go first."""
    global _written
    _written += 1
    if _written % _EACH == 1:
        with contextlib.suppress(OSError):
            trim()


def trim() -> int:
    """Remove what is beyond the limits of the configuration; how many bytes that frees.

    Raises:
        OSError: a file cannot be removed.
    """
    size, days = cache_limits()
    files = sorted(cached_files(), key=lambda each: each.used, reverse=True)
    total, gone = 0, []
    oldest = time.time() - days * 86400.0
    for each in files:
        total += each.size
        if total > size or each.used < oldest:
            gone.append(each)
    return remove(gone) if gone else 0


def _in(folder: Path, pattern: str, kind: str) -> Iterator[Cached]:
    if not _is_own(folder, stat.S_ISDIR):
        return
    try:
        entries = {entry.name: entry for entry in os.scandir(folder)}
    except OSError:
        return
    ours = re.compile(pattern + _LEFT)
    for name, entry in entries.items():
        if not ours.fullmatch(name):
            continue
        with contextlib.suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            if _of_user(status, stat.S_ISREG):
                # a record is used whenever its module is
                module = entries.get(name.removesuffix(".json") + ".py") if name.endswith(".json") else None
                used = (module or entry).stat(follow_symlinks=False).st_mtime
                yield Cached(Path(entry.path), kind, status.st_size, used)


def _folders(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]


def _is_own(path: Path, kind: Callable[[int], bool]) -> bool:
    """Whether this is a file, or folder, of the user's; links are neither."""
    try:
        return _of_user(os.lstat(path), kind)
    except OSError:
        return False


def _of_user(status: os.stat_result, kind: Callable[[int], bool]) -> bool:
    return kind(status.st_mode) and (not hasattr(os, "geteuid") or status.st_uid == os.geteuid())


def _all_own(folder: Path) -> bool:
    for place, folders, names in os.walk(folder):
        if not all(_is_own(Path(place, name), stat.S_ISDIR) for name in folders):
            return False
        if not all(_is_own(Path(place, name), stat.S_ISREG) for name in names):
            return False
    return True
