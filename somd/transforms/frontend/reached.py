"""A function as a method calls it: a plain one, or one that takes values besides its arguments (see `reach`)."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import libcst as cst

from somd.capture.objects import is_known
from somd.capture.reach import Frame, Reach
from somd.transforms.frontend.nested import Nested


@dataclass(frozen=True, eq=False)
class Reached:
    """A function with what its paths stand for; values that it takes are its first parameters."""

    frame: Frame
    reach: Reach

    @property
    def __name__(self) -> str:
        return self.frame.function.__name__

    @property
    def __code__(self) -> Any:
        return self.frame.function.__code__

    @property
    def taken(self) -> tuple[str, ...]:
        """The parameters for what it takes, in order."""
        return tuple(self.reach.names[origin] for origin in self.reach.needs(self.frame))

    @property
    def __signature__(self) -> inspect.Signature:
        objects = dict(self.frame.objects)
        own = inspect.signature(self.frame.function).parameters.values()
        first = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in self.taken]
        return inspect.Signature([*first, *(p for p in own if p.name not in objects)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reached) and self.reach is other.reach and self.frame == other.frame

    def __hash__(self) -> int:
        return hash(self.frame)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function as plain Python."""
        from somd.transforms.frontend.taken_to_params import reached_method

        method = reached_method(self)
        function = method.function.with_changes(decorators=(), returns=None)
        names = dict(method.namespace)
        exec(cst.Module([function]).code, names)
        return names[method.name](*args, **kwargs)  # type: ignore[operator]


Function = FunctionType | Reached | Nested


def own_function(value: object) -> Function | None:
    """The user's own function that a name stands for: a helper, that of a SOMD method, or one that takes values."""
    wrapped = getattr(value, "__wrapped__", None)
    if hasattr(value, "sequential") and isinstance(wrapped, FunctionType):
        return wrapped
    if isinstance(value, Reached | Nested):
        return value
    return value if isinstance(value, FunctionType) and not is_known(value.__module__) else None
