"""From the list of partial results to the result of a call, as `reduce(...)` on the return annotation says.

In: one partial result of each MI, in rank order, and the arguments of the call. Out: the result of the method. It is
the same for all targets. Reductions by an operator are no matter of this module: the compiler derives them from loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, get_args, get_origin

import numpy as np

from somd.capture.annotations import annotation_of, namespace_of
from somd.errors import SomdRuntimeError
from somd.language.library import LibraryCall, Row, library_call
from somd.language.markers import Dist, Reduce, markers_of

#: what a reduction is declared as: for the whole result, or for each entry of a tuple
Declared = Reduce | tuple[Reduce | None, ...]

KINDS = "bifc"


def declared_reduction(annotation: object) -> Declared | None:
    """The `reduce` marker of an evaluated return annotation; of a `tuple[...]`, those of its entries.

    >>> from typing import Annotated
    >>> from somd import reduce
    >>> declared_reduction(Annotated[float, reduce("+")])
    Reduce('+')
    >>> declared_reduction(tuple[Annotated[float, reduce("+")], int])
    (Reduce('+'), None)
    """
    plain, found = markers_of(annotation)
    whole = next((marker for marker in found if isinstance(marker, Reduce)), None)
    if whole is not None or get_origin(plain) is not tuple:
        return whole
    entries = tuple(declared_reduction(entry) for entry in get_args(plain))
    flat = tuple(entry if isinstance(entry, Reduce) else None for entry in entries)
    return flat if any(flat) else None


def by_function(declared: Declared | None) -> bool:
    """Whether MIs hand partial results to a function, or to the method itself."""
    entries = declared if isinstance(declared, tuple) else (declared,)
    return any(each is not None and not each.by_operator for each in entries)


@dataclass(frozen=True)
class Combine:
    """Makes the result of `function`, a method, of its partial results."""

    function: FunctionType
    declared: Reduce | tuple[Reduce, ...]

    def __call__(self, partials: Sequence[Any], arguments: Sequence[Any]) -> Any:
        """The result for these partial results (at least one) of a call with these arguments.

        Raises:
            SomdRuntimeError: SOMD607, the function gives something else than the method returns.
        """
        if isinstance(self.declared, tuple):
            columns = zip(*partials, strict=True)
            pairs = zip(self.declared, columns, strict=True)
            return tuple([self._reduced(each, list(column), arguments) for each, column in pairs])
        return self._reduced(self.declared, list(partials), arguments)

    def _reduced(self, by: Reduce, partials: list[Any], arguments: Sequence[Any]) -> Any:
        if by.operation == "self":
            position = distributed_positions(self.function)[0]
            given = list(arguments)
            given[position] = np.array(partials, dtype=given[position].dtype)
            with np.errstate(all="ignore"):
                found: Any = self.function(*given)
        else:
            function: Callable[..., Any] = by.operation  # type: ignore[assignment]
            found = function(partials, *by.arguments)
        return _as_result(found, partials[0], by.text, self.function.__name__)


@dataclass(frozen=True)
class Join:
    """What makes one value of the MIs' copies of a scalar at a fence: `function`, which `text` names in `method`."""

    function: Callable[..., object]
    text: str
    method: str
    dtype: np.dtype[Any]
    #: whether the scalar is a Python number
    weak: bool

    def __call__(self, partials: np.ndarray[Any, Any]) -> Any:
        """The value for these partials (1-D, not empty).

        Raises:
            SomdRuntimeError: SOMD607, the function gives something else than the scalar is.
        """
        return joined(self.function, partials.tolist() if self.weak else list(partials), self.text, self.method)


def joined(function: Callable[..., object], partials: list[Any], text: str, method: str) -> Any:
    """`function(partials)` in the type of the partials."""
    return _as_result(function(partials), partials[0], f"`{text}`", f"sync` in `{method}")


def joins_of(function: FunctionType, rows: Sequence[tuple[str, str, bool] | Row]) -> tuple[Join | LibraryCall, ...]:
    """The functions that the fences of a method name, for the rows (text, dtype, weak) of its generated module, and
    those of libraries that it calls."""
    names = namespace_of(function)
    made: list[Join | LibraryCall] = []
    for row in rows:
        if len(row) == 3:
            text, dtype, weak = row
            made.append(Join(eval(text, names), text, function.__name__, np.dtype(dtype), weak))  # as in the method
        else:
            made.append(library_call(row, function.__code__.co_filename))
    return tuple(made)


def combine_of(function: FunctionType) -> Combine | None:
    """What combines the partial results of `function`; None where operators do, or nothing."""
    declared = declared_reduction(annotation_of(function, "return"))
    if declared is None or not by_function(declared):
        return None
    return Combine(function, declared)  # type: ignore[arg-type]  # the compiler refuses tuples that mix the two


def distributed_positions(function: FunctionType) -> tuple[int, ...]:
    """The positions of the distributed parameters."""
    count = function.__code__.co_argcount + function.__code__.co_kwonlyargcount
    names = function.__code__.co_varnames[:count]
    marked = [any(isinstance(m, Dist) for m in markers_of(annotation_of(function, n))[1]) for n in names]
    return tuple(k for k, distributed in enumerate(marked) if distributed)


def _as_result(found: Any, like: Any, by: str, method: str) -> Any:
    """`found` with the type of the partial result `like`, which is that of the method's result."""
    if isinstance(like, tuple):
        if isinstance(found, tuple | list) and len(found) == len(like):
            return tuple([_as_result(f, part, by, method) for f, part in zip(found, like, strict=True)])
    elif _kind(found) is not None and _converts(found, like):
        return type(like)(found)
    wanted = f"a tuple of {len(like)}" if isinstance(like, tuple) else f"`{type(like).__name__}`"
    given = f"a tuple of {len(found)}" if isinstance(found, tuple) else f"`{found!r}` of type `{type(found).__name__}`"
    raise SomdRuntimeError(f"{by} gives {given} where `{method}` has {wanted}", "SOMD607")


def _kind(value: Any) -> str | None:
    if isinstance(value, np.generic):
        kind = value.dtype.kind.replace("u", "i")
        return kind if kind in KINDS else None
    return {bool: "b", int: "i", float: "f", complex: "c"}.get(type(value))


def _converts(found: Any, like: Any) -> bool:
    """Whether a number keeps its meaning in the type of `like`: no bool for a number, no fraction or overflow lost."""
    kinds = (_kind(found) or "?", _kind(like) or "?")
    if "b" in kinds or "?" in kinds:
        return kinds[0] == kinds[1]
    if KINDS.index(kinds[0]) > KINDS.index(kinds[1]):
        return False
    if kinds[1] == "i" and isinstance(like, np.integer):
        limits = np.iinfo(like.dtype)
        return bool(limits.min <= int(found) <= limits.max)
    return True
