"""Annotations of a function as objects, also where they are written as strings.

In: a function. Out: what its annotations evaluate to; for the compiler, what they were found to mean (`lookups`). It
imports nothing of the compiler, so calls may use it.
"""

from __future__ import annotations

import builtins
import inspect
from types import FunctionType

from somd.capture.lookups import annotations_of, current


def namespace_of(function: FunctionType) -> dict[str, object]:
    """What the free names of `function` stand for: builtins, globals, and its closure."""
    lookups = current()
    if lookups is not None:
        return lookups.namespace(function)
    names: dict[str, object] = dict(vars(builtins))
    names.update(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            continue
    return names


def annotation_of(function: FunctionType, name: str) -> object:
    """The annotation of a parameter, or of `"return"`; `inspect.Parameter.empty` where there is none."""
    lookups = current()
    if lookups is not None:
        return lookups.annotation(function, name)
    value = annotations_of(function).get(name, inspect.Parameter.empty)
    while isinstance(value, str):  # quoted under `from __future__ import annotations`, it is a text twice
        try:
            value = eval(value, namespace_of(function))
        except Exception:
            return inspect.Parameter.empty
    return value
