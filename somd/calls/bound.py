"""A SOMD method read from an object, as `heat.step` is: a call passes the object first."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from somd.calls.explanation import Explanation
    from somd.calls.method import SomdMethod

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


class BoundMethod(Generic[S, P, R]):
    """What reading a SOMD method from an object (or from a class, for a class method) gives; it may be kept and called.

    Everything that a SOMD method offers is here too, and everything that Python's bound methods have.
    """

    def __init__(self, method: SomdMethod[..., R], receiver: S) -> None:
        self.__func__ = method
        self.__self__ = receiver
        self.__doc__ = method.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the method with the object as its first argument; see `SomdMethod`."""
        return self.__func__(self.__self__, *args, **kwargs)

    @property
    def sequential(self) -> Callable[P, R]:
        """The function as written, interpreted."""
        return MethodType(self.__func__.sequential, self.__self__)

    @property
    def __wrapped__(self) -> Callable[P, R]:
        return self.sequential

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.sequential)

    def source(self, target: str | None = None) -> str:
        """The generated text for `target`; see `SomdMethod.source`."""
        return self.__func__.source(target)

    def explain(self) -> Explanation:
        """The plan in words; see `SomdMethod.explain`."""
        return self.__func__.explain()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__func__, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundMethod):
            return NotImplemented
        return self.__self__ is other.__self__ and self.__func__ is other.__func__

    def __hash__(self) -> int:
        return hash((id(self.__self__), self.__func__))

    def __repr__(self) -> str:
        return f"<bound {repr(self.__func__)[1:-1]} of {self.__self__!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.__self__, self.__func__.somd_function.__name__)
