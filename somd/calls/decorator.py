"""`@somd`: makes a SOMD method of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, overload

from somd.arguments.device_arrays import to_device
from somd.calls.method import Options, SomdMethod
from somd.diagnostics.refusals import hidden as __tracebackhide__  # noqa: F401 - pytest asks for it
from somd.settings.config import use
from somd.settings.targets import targets
from somd.settings.values import check_fastmath, check_target, check_workers

P = ParamSpec("P")
R = TypeVar("R")


class Decorator:
    """The decorator, with what is set, listed and moved beside it: `from somd import dist, somd` serves a program.

    Attributes:
        use: `somd.use` of the package.
        targets: `somd.targets` of the package.
        to_device: `somd.to_device` of the package.
    """

    use = staticmethod(use)
    targets = staticmethod(targets)
    to_device = staticmethod(to_device)

    @overload
    def __call__(self, function: Callable[P, R], /) -> SomdMethod[P, R]: ...
    @overload
    def __call__(
        self,
        /,
        *,
        target: str | None = None,
        workers: int | None = None,
        signatures: Sequence[str] = (),
        fastmath: bool | None = None,
    ) -> Callable[[Callable[P, R]], SomdMethod[P, R]]: ...
    def __call__(
        self,
        function: Callable[P, R] | None = None,
        /,
        *,
        target: str | None = None,
        workers: int | None = None,
        signatures: Sequence[str] = (),
        fastmath: bool | None = None,
        **others: object,
    ) -> SomdMethod[P, R] | Callable[[Callable[P, R]], SomdMethod[P, R]]:
        """Mark a function as a SOMD method: ``@somd`` or ``@somd(target="opencl", workers=4)``.

        Args:
            target: where it runs unless the environment or `somd.use` says otherwise.
            workers: number of method instances.
            signatures: Numba signature strings to compile ahead of time, such as ``"float64[:], float64[:]"``.
            fastmath: whether products may be added without being rounded, and inner sums be added up in another order:
                faster, and no more the bits of plain Python, though the same for any number of workers.

        Raises:
            SomdCompileError: the source alone shows that the method cannot run in parallel, or is outside the language;
                what is marked is no function written with `def`; there is no such option.
            SomdConfigError: an unknown target or number of workers; `fastmath` is neither True nor False.
        """
        for name in others:
            from somd.calls.unmarked import no_option

            raise no_option(name, ("target", "workers", "signatures", "fastmath"))
        if target is not None:
            check_target(target, "`@somd(target=...)`")
        if workers is not None:
            check_workers(workers, "`@somd(workers=...)`")
        if fastmath is not None:
            check_fastmath(fastmath, "`@somd(fastmath=...)`")
        options = (target, workers, fastmath)
        if function is None:
            return lambda f: _marked(f, options, signatures)
        return _marked(function, options, signatures)  # type: ignore[no-any-return]

    @property
    def __signature__(self) -> inspect.Signature:
        """What it takes; `others` are refused."""
        whole = inspect.signature(self.__call__)
        return whole.replace(parameters=[each for name, each in whole.parameters.items() if name != "others"])

    def __repr__(self) -> str:
        return "<the decorator somd>"

    def __reduce__(self) -> str:
        return "somd"


def _marked(function: Any, options: Options, signatures: Sequence[str]) -> Any:
    """The SOMD method of a function; that of a static or class method stays one."""
    plain = getattr(function, "__func__", function)
    if not isinstance(plain, FunctionType):
        from somd.calls.unmarked import cannot_mark

        raise cannot_mark(plain)
    method = SomdMethod(plain, options, signatures)
    if isinstance(function, staticmethod):
        return staticmethod(method)
    if isinstance(function, classmethod):
        method.binding = "class"
    return method


somd = Decorator()
