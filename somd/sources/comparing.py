"""Whether two results are one: values, types, dtypes, shapes, elements.

In: what was found and what the plain function gives. Out: the first difference, or None. Floats agree bit for bit (nan
with nan, -0.0 not with 0.0), or within a tolerance.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Tolerance:
    """How far floats may be apart: `units` last places, or `relative`, of the greatest value or of `floor`."""

    units: float = 0.0
    relative: float = 0.0
    floor: float = 0.0

    @property
    def exact(self) -> bool:
        return not self.units and not self.relative

    def of(self, dtype: Any) -> float:
        """The relative tolerance for a dtype."""
        return max(self.relative, self.units * float(np.finfo(dtype).eps))


EXACT = Tolerance()
_NUMBERS = (bool, int, float, complex, np.generic)


@dataclass(frozen=True)
class Difference:
    """The first element that differs: in which value (`result`, `argument a`), where, how; and how many do."""

    what: str
    index: tuple[int, ...] | None
    found: object
    expected: object
    count: int = 1
    total: int = 1

    def __str__(self) -> str:
        place = self.what + (f", element {list(self.index)}" if self.index is not None else "")
        many = f" ({self.count} of {self.total} elements differ)" if self.index is not None else ""
        return f"{place}: {_shown(self.found)} instead of {_shown(self.expected)}{many}"


def difference(found: Any, expected: Any, what: str, tolerance: Tolerance = EXACT) -> Difference | None:
    """The first difference of two values. Python's and NumPy's scalars of a kind are one type: which of them a sum is
    may depend on whether its loop had an iteration."""
    if isinstance(found, _NUMBERS) and isinstance(expected, _NUMBERS):
        kinds = np.asarray(found).dtype.kind.replace("u", "i"), np.asarray(expected).dtype.kind.replace("u", "i")
        if kinds[0] != kinds[1]:
            return Difference(f"type of {what}", None, type(found).__name__, type(expected).__name__)
        made = _elements(np.asarray(found), np.asarray(expected), what, tolerance)
        return made and replace(made, index=None, found=found, expected=expected)
    if type(found) is not type(expected):
        return Difference(f"type of {what}", None, type(found).__name__, type(expected).__name__)
    if isinstance(expected, tuple | list):
        if len(found) != len(expected):
            return Difference(f"length of {what}", None, len(found), len(expected))
        parts = (
            difference(f, e, f"{what}[{k}]", tolerance) for k, (f, e) in enumerate(zip(found, expected, strict=True))
        )
        return next((part for part in parts if part is not None), None)
    if isinstance(expected, dict):
        if list(found) != list(expected):
            return Difference(f"keys of {what}", None, list(found), list(expected))
        parts = (difference(found[key], value, f"{what}[{key!r}]", tolerance) for key, value in expected.items())
        return next((part for part in parts if part is not None), None)
    if isinstance(expected, np.ndarray):
        if found.dtype != expected.dtype:
            return Difference(f"dtype of {what}", None, found.dtype, expected.dtype)
        if found.shape != expected.shape:
            return Difference(f"shape of {what}", None, found.shape, expected.shape)
        return _elements(found, expected, what, tolerance)
    if expected is None or isinstance(expected, str):
        return None if found == expected else Difference(what, None, found, expected)
    return _attributes(found, expected, what, tolerance)


def _attributes(found: Any, expected: Any, what: str, tolerance: Tolerance = EXACT) -> Difference | None:
    for name, value in attributes(expected).items():
        if isinstance(value, np.ndarray | np.generic | bool | int | float | complex | tuple | list | dict):
            made = difference(getattr(found, name, None), value, f"{what}.{name}", tolerance)
            if made is not None:
                return made
    return None


def attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object, those in slots too."""
    slots = [name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())]
    return {**{n: getattr(value, n) for n in slots if hasattr(value, n)}, **getattr(value, "__dict__", {})}


def _elements(found: Any, expected: Any, what: str, tolerance: Tolerance) -> Difference | None:
    if expected.dtype.kind in "fc":
        rtol, scale = tolerance.of(expected.dtype), 0.0
        if rtol:
            scale = max(tolerance.floor, float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)))
        equal = _agree(found.real, expected.real, rtol, scale) & _agree(found.imag, expected.imag, rtol, scale)
    else:
        equal = np.asarray(found == expected)
    if equal.all():
        return None
    index = tuple(int(k) for k in np.argwhere(~equal)[0])
    return Difference(what, index, found[index], expected[index], int((~equal).sum()), equal.size)


def _agree(found: Any, expected: Any, rtol: float, scale: float) -> Any:
    with np.errstate(all="ignore"):
        if rtol:
            return np.isclose(found, expected, rtol=rtol, atol=rtol * scale, equal_nan=True)
        same = (found == expected) & (np.signbit(found) == np.signbit(expected))
        return same | (np.isnan(found) & np.isnan(expected))


def duplicated(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies of arguments, of arrays with their layout, in tuples, lists and dicts too; one object twice stays one."""
    memo: dict[int, Any] = {}
    return tuple(_duplicated(argument, memo) for argument in arguments)


def _duplicated(value: Any, memo: dict[int, Any]) -> Any:
    if id(value) not in memo:
        if isinstance(value, np.ndarray):
            memo[id(value)] = _array(value)
        elif isinstance(value, bool | int | float | complex | str | np.generic | type) or value is None:
            memo[id(value)] = value
        elif isinstance(value, tuple):
            memo[id(value)] = tuple.__new__(type(value), [_duplicated(part, memo) for part in value])
        elif isinstance(value, list):
            memo[id(value)] = [_duplicated(part, memo) for part in value]
        elif isinstance(value, dict):
            memo[id(value)] = {key: _duplicated(part, memo) for key, part in value.items()}
        else:
            made = memo[id(value)] = copy.copy(value)
            for name, inner in attributes(value).items():
                object.__setattr__(made, name, _duplicated(inner, memo))
    return memo[id(value)]


def _array(array: Any) -> Any:
    if array.base is None or not isinstance(array.base, np.ndarray) or array.flags.forc:
        return array.copy(order="K")
    memory = array.base.copy(order="K")
    if memory.strides != array.base.strides:
        return array.copy(order="K")
    offset = array.__array_interface__["data"][0] - array.base.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, memory, offset, array.strides)


def described(names: Iterator[str] | tuple[str, ...], arguments: tuple[Any, ...]) -> str:
    """Arguments on one line: arrays by dtype and shape."""
    return ", ".join(f"{name} = {_shown(argument)}" for name, argument in zip(names, arguments, strict=False))


def _shown(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return str(value) if isinstance(value, np.generic | np.dtype | str) else repr(value)
