"""Compiling is for one thread at a time: the compiler, isl and Numba's type inference keep state while they work.

Python's collector waits meanwhile. Compilers make some hundred thousand objects, most of which stay, and it would go
through all of them again and again, for a tenth of the time.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.RLock()
#: whether the collector waits because of us
_paused = False


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """A block that no other thread enters meanwhile; the same thread may enter it again."""
    with _lock, without_collections():
        yield


@contextmanager
def without_collections() -> Iterator[None]:
    """A block in which the collector does not run by itself; as it was before, at the end."""
    global _paused
    if not gc.isenabled():
        yield
        return
    gc.disable()
    _paused = True
    try:
        yield
    finally:
        _paused = False
        gc.enable()


def _in_child() -> None:
    global _lock, _paused
    _lock = threading.RLock()  # it may have been another thread's, which is not here
    if _paused:
        _paused = False
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
