"""Whose a file is, and who may write it: what others may write is not run, as OpenSSH does with its keys.

In: paths. Out: what is wrong, in words with the way out, or None. A folder is good if it is the user's (or root's) and
others may not write it; of folders above a good one nothing is asked, for others cannot put anything into it. Systems
without owners of files pass.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def file_problem(path: Path, status: os.stat_result) -> str | None:
    """Why a file with this status is not used; None for one that is good."""
    return _problem(str(path), status)


def folder_problem(folder: Path) -> str | None:
    """Why files in `folder` are not used; None for one that is good, or not there.

    Raises:
        OSError: nothing can be known of it.
    """
    try:
        status = os.stat(folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISDIR(status.st_mode):
        return f"`{folder}` is no folder"
    # in a folder like /tmp, others may make files, but not touch those that are not theirs
    return _problem(str(folder), status, sticky=bool(status.st_mode & stat.S_ISVTX))


def make_folder(folder: Path, root: Path) -> None:
    """Make `folder` and those above it that are not there; what somd makes is its user's alone.

    Raises:
        OSError: one cannot be made.
    """
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        if folder == folder.parent:
            break
        folder = folder.parent
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:
            if not os.path.isdir(each):
                raise


def _problem(path: str, status: os.stat_result, sticky: bool = False) -> str | None:
    if not hasattr(os, "geteuid"):
        return None
    if status.st_uid not in (os.geteuid(), 0):
        return f"`{path}` belongs to another user ({_name(status.st_uid)})"
    if status.st_mode & _OTHERS and not sticky:
        return f"others may write `{path}`; if only you have written there: chmod go-w '{path}'"
    return None


def _name(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
