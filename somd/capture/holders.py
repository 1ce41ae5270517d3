"""Where the annotation of an attribute stands: in the class of its object, or in a module."""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType

from somd.capture.attributes import MISSING
from somd.capture.lookups import Lookups


class CapturedIn:
    """The module of a captured name."""

    def __init__(self, names: dict[str, object]) -> None:
        self.names = names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CapturedIn) and self.names is other.names

    def __hash__(self) -> int:
        return id(self.names)


def annotation_in(holder: object, name: str, lookups: Lookups) -> object:
    """The annotation of a name in a class or its bases, or in a module's annotations; None if there is none."""
    places: list[tuple[object, dict[str, object]]] = []
    if isinstance(holder, type):
        for kind in holder.__mro__:
            places.append((_written(kind), _names_around(kind)))
    elif isinstance(holder, CapturedIn):
        _written(sys.modules.get(str(holder.names.get("__name__"))))
        places.append((lookups.read(holder.names, "__annotations__"), holder.names))
    for written, names in places:
        if isinstance(written, dict):
            found = lookups.read(written, name)
            if found is not MISSING:
                return lookups.text_in(names, found) if isinstance(found, str) else found
    return None


def holder_of(owner: object) -> object:
    """Where annotations of an object's attributes stand."""
    if isinstance(owner, ModuleType):
        return CapturedIn(vars(owner))
    return owner if isinstance(owner, type) else type(owner)


def _written(owner: object) -> object:
    """The annotations in a class or a module itself. From Python 3.14 on they are computed when they are asked for, and
    kept there."""
    own = getattr(owner, "__dict__", {})
    if "__annotations__" not in own and not own.keys().isdisjoint(("__annotate__", "__annotate_func__")):
        try:
            return getattr(owner, "__annotations__", None)
        except Exception:  # a name that they need is not there
            return None
    return own.get("__annotations__")


def _names_around(kind: type) -> dict[str, object]:
    """The global names where a class is defined: those of its methods, or else of its module."""
    plain = [getattr(value, "somd_function", value) for value in vars(kind).values()]
    function = next((f for f in plain if isinstance(f, FunctionType) and f.__module__ == kind.__module__), None)
    names = vars(sys.modules[kind.__module__]) if kind.__module__ in sys.modules else {}
    return function.__globals__ if function is not None else names
