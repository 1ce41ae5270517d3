"""Compiling is for one thread at a time: the compiler, isl and Numba's type inference keep state while they work."""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager

_lock = threading.RLock()


def one_at_a_time() -> AbstractContextManager[object]:
    """A block that no other thread enters meanwhile; the same thread may enter it again."""
    return _lock


def _in_child() -> None:
    global _lock
    _lock = threading.RLock()  # it may have been another thread's, which is not here


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
