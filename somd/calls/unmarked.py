"""What `@somd` says of things that it cannot mark, and of options that it does not have.

In: what was given to it. Out: the error, with the line of the user's that did so.
"""

from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from somd.diagnostics.model import Diagnostic, Label
from somd.diagnostics.render import position_of_line
from somd.errors import SomdCompileError
from somd.settings import targets


def cannot_mark(thing: object) -> SomdCompileError:
    """The refusal of what is no function written with `def`."""
    what, help_text = _told(thing)
    message = f"`@somd` marks functions and methods written with `def`, not {what}"
    return SomdCompileError((Diagnostic("SOMD101", message, _labels(), (help_text,)),))


def no_option(wrong: str, options: Iterable[str]) -> SomdCompileError:
    """The refusal of an option."""
    near = difflib.get_close_matches(wrong, options, n=1)
    meant = (f"did you mean `{near[0]}`?",) if near else ()
    helps = (*meant, f"there are {', '.join(f'`{each}`' for each in options)}")
    return SomdCompileError((Diagnostic("SOMD102", f"`@somd` has no option `{wrong}`", _labels(), helps),))


def _told(thing: Any) -> tuple[str, str]:
    """What a thing is, and what to do with it."""
    kind, name = type(thing), getattr(thing, "__name__", "")
    if isinstance(thing, str):
        target = thing if thing in targets.names() else targets.DEFAULT
        return "a text", f'options go by their names: `@somd(target="{target}")`'
    if isinstance(thing, type):
        return f"the class `{name}`", "mark its methods one by one, each above its `def`"
    if isinstance(thing, functools.partial):
        return "a `functools.partial`", "mark the function in it, and give it all its arguments in a call"
    if isinstance(thing, property):
        return "a property", "put `@property` above `@somd`"
    if hasattr(kind, "cache_info"):
        return f"the cache around `{name}`", "take the cache off: arrays cannot be its keys"
    if hasattr(kind, "somd_function"):
        return f"`{name}`, which is a SOMD method already", "mark it once"
    if kind.__module__.partition(".")[0] == "numba":
        return f"what Numba made of `{name}`", "take Numba's decorator off: `@somd` compiles the function itself"
    if isinstance(thing, np.ufunc | BuiltinFunctionType):
        return f"`{name}`, which is not written in Python", "write a method whose loop calls it"
    if isinstance(getattr(kind, "__call__", None), FunctionType):  # noqa: B004 - not whether it is callable
        return f"an object of `{kind.__name__}`", "mark `__call__` in its class"
    return f"an object of `{kind.__name__}`", "write the loop in a `def`, and `@somd` above it"


def _labels() -> tuple[Label, ...]:
    """The line outside of somd that is running; none where a tool reads the file, which knows the line itself."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        if frame.f_globals["__name__"].startswith("somd.sources."):
            return ()
        frame = frame.f_back
    return (Label(position_of_line(frame.f_code.co_filename, frame.f_lineno), "marked here", True),)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "somd"
