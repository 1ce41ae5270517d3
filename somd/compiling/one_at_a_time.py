"""Compiling is for one thread at a time: the compiler, isl and Numba's type inference keep state while they work.

Python's limit on recursion is raised meanwhile: the compiler goes down a tree of the source with several calls a level,
and a sum of many terms has a level a term.

Signals wait meanwhile (see `waiting_signals`), and Python's collector: compilers make some hundred thousand objects,
most of which stay, and it would go through all of them again and again, for a tenth of the time.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType

from somd.compiling.signals import signals_wait
from somd.errors import SomdCompileError

#: levels that a method may have, as of a sum of so many terms, or so many `elif`; beyond, compiling takes minutes
LEVELS = 1000
#: calls in each other while compiling, at most: enough for so many levels, and well within a thread's stack
CALLS = 30_000
_deep = 0
_shallow = 0
_counting = threading.RLock()
_lock = threading.RLock()
#: whether the collector waits because of us
_paused = False


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """A block that no other thread enters meanwhile; the same thread may enter it again."""
    with _lock, signals_wait(), without_collections():
        yield


@contextmanager
def room_for_nesting(function: FunctionType) -> Iterator[None]:
    """A block in which what reads the source of `function` may call itself for each level of a deep expression.

    Raises:
        SomdCompileError: SOMD210, it is nested still deeper.
    """
    try:
        with many_calls():
            yield
    except RecursionError:
        raise too_deep(function) from None


@contextmanager
def many_calls() -> Iterator[None]:
    """A block in which as many functions as a compiler needs may be in calls of each other."""
    global _deep, _shallow
    counted = False
    try:
        with _counting:
            if not _deep:
                _shallow = sys.getrecursionlimit()
                sys.setrecursionlimit(max(CALLS, _shallow))
            _deep += 1
            counted = True
        yield
    finally:
        with _counting:
            _deep -= counted
            if not _deep and sys.getrecursionlimit() == max(CALLS, _shallow):
                sys.setrecursionlimit(_shallow)


def too_deep(function: FunctionType) -> SomdCompileError:
    """The refusal of a function with more than `LEVELS` levels."""
    from somd.diagnostics.model import Diagnostic, Label
    from somd.diagnostics.render import position_of_line

    code = function.__code__
    message = f"`{function.__name__}` is nested too deeply: {LEVELS} levels are compiled, as of a sum of so many terms"
    label = Label(position_of_line(code.co_filename, code.co_firstlineno), "in this function", True)
    helps = ("keep parts of the expression in variables", "let a loop over an array take the terms")
    return SomdCompileError((Diagnostic("SOMD210", message, (label,), helps),))


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


def collect_meanwhile() -> None:
    """Collect what compilers have made and left so far, where this thread would wait: as the collector does at the end,
    unless the user has switched it off."""
    if _paused:
        gc.collect(0)


def _in_child() -> None:
    global _lock, _counting, _paused
    _lock, _counting = threading.RLock(), threading.RLock()  # they may be another thread's, which is not here
    if _paused:
        _paused = False
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
