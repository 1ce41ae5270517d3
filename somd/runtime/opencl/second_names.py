"""One array under a second name: `f(x, x[:])`, or two device arrays on one buffer.

In: the `Managed` of an array, and another object with the same memory. Out: a `Managed` of its own identity, so that a
call returns the object that it was given, whose sides are those of the first: what is written through one name is read
through the other.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from somd.runtime.opencl.arrays import Managed


def second_name(managed: Managed, array: Any) -> Managed:
    """`managed` for `array`, which has the same memory."""
    writeable = array.flags.writeable if managed.host is not None else True
    if writeable and not managed.writeable:
        managed.host, managed.writeable = array, True
    kind: Any = type(managed)
    named: Any = object.__new__(_seen_through(kind))
    named._whole = managed
    return cast(Managed, named)


@cache
def _seen_through(kind: Any) -> Any:
    """A class like `kind` whose instances have the attributes of another instance."""
    slots = {name for base in kind.__mro__ for name in vars(base).get("__slots__", ())} - {"__weakref__"}
    return type(f"Second{kind.__name__}", (kind,), {"__slots__": ("_whole",), **{n: _forwarded(n) for n in slots}})


def _forwarded(name: str) -> property:
    def get(self: Any) -> Any:
        return getattr(self._whole, name)

    def put(self: Any, value: Any) -> None:
        setattr(self._whole, name, value)

    return property(get, put)
