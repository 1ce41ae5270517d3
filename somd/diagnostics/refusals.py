"""What a user sees of a refusal: the own lines that led to it and the message, no frame of the compiler's.

Python adds each frame that an exception leaves, the decorator's and the call's among them; they go where the traceback
is shown: in `sys.excepthook` (as long as it is Python's own), in IPython, and in pytest, which asks for `hidden`.
Bugs of ours (SOMD9xx) keep all frames.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from types import TracebackType
from typing import Any

from somd.diagnostics.colours import takes_colours
from somd.errors import SomdError, SomdInternalError

#: packages whose errors in a call are not the user's
_OTHERS = frozenset(("somd", "numpy", "numba", "llvmlite", "pyopencl", ""))


def is_refusal(error: object) -> bool:
    """Whether an exception is about the user's program: a refusal, or an error of an access or a call of theirs."""
    if isinstance(error, SomdError):
        return not isinstance(error, SomdInternalError)
    return getattr(error, "somd_of_the_user", False) is True


def of_the_user(error: Exception) -> None:
    """Show an exception of Python's as a refusal is shown: it is about the user's program."""
    error.somd_of_the_user = True  # type: ignore[attr-defined]
    if "IPython" in sys.modules:  # which asks the exception; no other has one that points to itself
        error._render_traceback_ = partial(for_ipython, error)  # type: ignore[attr-defined]
    hook()


def comes_from_a_statement(error: BaseException) -> bool:
    """Whether one of Python's exceptions comes from a statement of the user's that a call ran again; it is then
    shown as a refusal is. An exception of a class of theirs is left as it is."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if not isinstance(error, Exception) or type(error).__module__ != "builtins" or trace is None:
        return False
    package = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
    if package in _OTHERS or package in sys.stdlib_module_names - {"__main__"}:
        return False
    of_the_user(error)
    return True


def hidden(caught: Any) -> bool:
    """What pytest asks as `__tracebackhide__`: whether the frames of a module tell nothing of an exception."""
    return is_refusal(getattr(caught, "value", None))


def without_our_frames(trace: TracebackType | None) -> TracebackType | None:
    """A traceback whose frames of somd's modules are taken out."""
    if trace is None:
        return None
    trace.tb_next = without_our_frames(trace.tb_next)
    module = str(trace.tb_frame.f_globals.get("__name__", ""))
    return trace.tb_next if module.partition(".")[0] == "somd" else trace


def hook() -> None:
    """Have Python show refusals so, unless somebody else shows its exceptions."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _shown


def _shown(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if is_refusal(error):
        trace = error.__traceback__ = without_our_frames(trace)
    if isinstance(error, SomdError) and is_refusal(error):
        error.coloured = takes_colours(sys.stderr)
    try:
        sys.__excepthook__(kind, error, trace)
    finally:
        if isinstance(error, SomdError):
            error.coloured = False  # an interactive session keeps it


def for_ipython(error: Exception) -> list[str]:
    """The lines that IPython shows: its own way of showing an exception, without our frames and with colours.

    Raises:
        NotImplementedError: there is no IPython; it then shows the exception as any other.
    """
    from importlib import import_module

    shell: Any = import_module("IPython").get_ipython()
    if shell is None or not is_refusal(error):
        raise NotImplementedError
    trace = without_our_frames(error.__traceback__)
    while trace is not None and trace.tb_next is not None and "IPython" in trace.tb_frame.f_code.co_filename:
        trace = trace.tb_next  # what runs cells
    if isinstance(error, SomdError):
        error.coloured = shell.colors.lower() != "nocolor" and not os.environ.get("NO_COLOR")
    try:
        lines: list[str] = shell.InteractiveTB.structured_traceback(type(error), error, trace)
        return lines
    finally:
        if isinstance(error, SomdError):
            error.coloured = False
