"""What a kernel of the suite is: a plain function with loops, its form in NumPy, its inputs and its sizes.

In: the functions that a field's module gives. Out: fresh arguments of a size, and the same function compiled in other
ways: by somd, by Numba for one thread, and as a `prange` port.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from somd import dist

Array = dist[np.ndarray]
Function = Callable[..., Any]
Size = tuple[int, ...]

SEED = 42
MARKED = re.compile(r"\brange\((.*)  # prange$")
MARKER = re.compile(r"\bwith (sync|single)\b.*:$")


@dataclass(frozen=True)
class Kernel:
    """One kernel.

    `inputs(random, *size)` gives the arguments, which the kernel may change; `bits` says that somd gives plain Python's
    bits, as it does wherever no sum is divided; else, and for peers, results agree within `tolerance`, relative to the
    largest of an array. `port`, its loops marked too, is what a Numba user would write instead of the plain function.
    `arrays` is the form in array statements where `numpy` calls a library that does all of it, or lets a name stand for
    an array or a number by turns.
    """

    plain: Function
    numpy: Function
    inputs: Callable[..., tuple[Any, ...]]
    tiny: Size
    S: Size
    M: Size
    L: Size
    bits: bool = True
    tolerance: float = 1e-9
    port: Function | None = None
    arrays: Function | None = None

    @property
    def name(self) -> str:
        """What the command line calls it."""
        return self.plain.__name__

    @property
    def field(self) -> str:
        """The module that it stands in."""
        return self.plain.__module__.rpartition(".")[2]

    def prepare(self, size: str) -> tuple[Any, ...]:
        """The same arguments each time, of size "tiny", "S", "M" or "L"."""
        return self.inputs(np.random.default_rng(SEED), *getattr(self, size))

    def somd(self) -> Function:
        """The plain function as a SOMD method: its definition is part of what a first call costs."""
        import somd

        return somd.somd(self.plain)

    def sequential(self, folder: Path) -> Function:
        """The plain function compiled by Numba for one thread, operation by operation in the order written."""
        import numba

        return self.compiled(self._written(self.plain, "range", folder), numba.njit(error_model="numpy", cache=True))

    def prange(self, folder: Path, *, fastmath: bool) -> Function:
        """The plain function, its marked loops handed to `prange`."""
        import numba

        port = self._written(self.port or self.plain, "prange", folder)
        return self.compiled(port, numba.njit(parallel=True, fastmath=fastmath, error_model="numpy", cache=True))

    def _written(self, function: Function, loop: str, folder: Path) -> Function:
        """A function without somd's markers in its body, its marked loops over another `range`.

        The text is a file in `folder`, where tracebacks and Numba's cache find it.
        """
        lines = [MARKER.sub("if True:", line) for line in inspect.getsource(function).splitlines()]
        text = "\n".join(MARKED.sub(rf"{loop}(\1", line) for line in lines)
        file = folder / f"{self.name}_{loop}.py"
        file.write_text(f"from __future__ import annotations\n\n{text}\n", encoding="utf-8")
        names: dict[str, Any] = {**function.__globals__, "prange": _prange()}
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), names)
        found: Function = names[function.__name__]
        return found

    def compiled(self, function: Function, jit: Callable[[Function], Function]) -> Function:
        """`function` and the helpers that it calls, compiled; the module's own names stay as they are."""
        import numba

        helpers: dict[str, Any] = {}
        for helper in self._helpers():
            helpers[helper.__name__] = numba.njit(error_model="numpy")(_with_globals(helper, helpers))
        return jit(_with_globals(function, helpers))

    def _helpers(self) -> Sequence[Function]:
        """The plain functions of its module that it calls, innermost first."""
        found: dict[str, Function] = {}

        def add(function: Function) -> None:
            for name in function.__code__.co_names:
                called = function.__globals__.get(name)
                if isinstance(called, types.FunctionType) and called.__module__ == self.plain.__module__:
                    add(called)
                    found[name] = called

        add(self.plain)
        return list(found.values())


def duplicate(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with copies of the arrays."""
    return tuple(each.copy() if isinstance(each, np.ndarray) else each for each in args)


def _prange() -> Any:
    import numba

    return numba.prange


def _with_globals(function: Function, replaced: dict[str, Any]) -> Function:
    copy = types.FunctionType(function.__code__, {**function.__globals__, **replaced}, function.__name__)
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
    return copy
