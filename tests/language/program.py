"""The corpus: programs with their cases, registered by `@program`, and the arguments that they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import Any

import numpy as np

from somd.calls.bound import BoundMethod

Case = tuple[Any, ...]
#: empty, one element, fewer than workers, odd, more than workers
SIZES = (0, 1, 2, 7, 131)
SHAPES = ((0, 0), (1, 1), (1, 5), (5, 1), (2, 3), (23, 14))
SQUARES = (0, 1, 2, 5, 17)


@dataclass(frozen=True)
class Program:
    """A method, what makes its cases, the relative tolerance (0: bit for bit), why a target is not there yet, and from
    which NumPy on plain Python can run it, or has that meaning."""

    method: Any
    cases: Callable[[], Sequence[Case]]
    rtol: float
    xfail: Mapping[str, str]
    numpy: str

    @property
    def unavailable(self) -> str | None:
        """Why it cannot be run here, or None if it can."""
        older = np.lib.NumpyVersion(np.__version__) < f"{self.numpy}.0"
        return f"plain Python refuses it, or does something else, before NumPy {self.numpy}" if older else None

    @property
    def name(self) -> str:
        return f"{self.method.__module__.rpartition('.')[2]}.{self.method.__qualname__}"


PROGRAMS: list[Program] = []


def program(
    cases: Callable[[], Sequence[Case]], rtol: float = 0.0, xfail: Mapping[str, str] | None = None, numpy: str = "2.0"
) -> Callable[[Any], Any]:
    """Enter a method into the corpus."""

    def enter(method: Any) -> Any:
        if isinstance(method, MethodType):  # what `classmethod` makes of a SOMD method from Python 3.13 on
            method = BoundMethod(method.__func__, method.__self__)
        PROGRAMS.append(Program(method, cases, rtol, xfail or {}, numpy))
        return method

    return enter


def numbers(*shape: int, dtype: Any = float, low: float = -9, high: float = 9, seed: int = 0) -> np.ndarray:
    """Random numbers of a dtype, the same at every call with these arguments."""
    generator = np.random.default_rng([seed, *shape])
    wanted = np.dtype(dtype)
    if wanted.kind == "f":
        return generator.uniform(low, high, shape).astype(wanted)
    if wanted.kind == "c":
        parts = generator.uniform(low, high, (2, *shape))
        return (parts[0] + 1j * parts[1]).astype(wanted)
    if wanted.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    limits = np.iinfo(wanted)
    lowest, highest = max(int(low), limits.min), min(int(high), limits.max)
    return generator.integers(lowest, highest, shape, dtype=wanted, endpoint=True)


def spaced(array: np.ndarray) -> np.ndarray:
    """The same values in a view that takes every second element of its memory along each axis."""
    memory = np.full(tuple(2 * n + 1 for n in array.shape), 77, array.dtype)
    view = memory[tuple(slice(0, 2 * n, 2) for n in array.shape)]
    view[...] = array
    return view


def reverse(array: np.ndarray) -> np.ndarray:
    """The same values in a view that runs backwards through its memory."""
    turned = tuple(slice(None, None, -1) for _ in array.shape)
    return np.ascontiguousarray(array[turned])[turned]


def fortran(array: np.ndarray) -> np.ndarray:
    """The same values, columns first."""
    return np.asfortranarray(array)
