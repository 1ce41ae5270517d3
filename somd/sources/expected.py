"""What the function as written makes of inputs: the oracle of a verification."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from somd.calls.convention import calling_of
from somd.capture.paths import parameters_of
from somd.capture.reaching import reach
from somd.runtime.cutting import cut
from somd.settings.config import use
from somd.settings.targets import SEQUENTIAL
from somd.sources.comparing import duplicated
from somd.sources.load import Method, function_of

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Expected:
    """An input with what the plain function makes of it: result and arguments afterwards, or the error it raises."""

    arguments: Arguments
    after: Arguments
    result: Any
    error: Exception | None = None


def expectations(
    method: Method, tries: Iterable[Sequence[Arguments]], suits: Callable[[Arguments], bool] | None = None
) -> tuple[list[Expected], list[str]]:
    """For each input the first try that suits, and that the plain function can run; and why others cannot, in words."""
    found, failed = [], []
    for group in tries:
        errors: list[Exception] = []
        for arguments in group:
            if suits is not None and not suits(arguments):
                continue
            made = expected_of(method, arguments)
            if made.error is None:
                found.append(made)
                break
            errors.append(made.error)
            if isinstance(made.error, IndexError) and arguments is group[-1]:
                found.append(expected_of(method, group[0]))
        else:
            said = dict.fromkeys(f"{type(error).__name__}: {error}" for error in errors)
            failed.append(next(iter(said), "nothing, but a partitioner refuses it"))
    return found, failed


def partitioners_take(method: Method, arguments: Arguments) -> bool:
    """Whether arguments keep what the user has promised: every partitioner can cut its array."""
    function = function_of(method)
    names = parameters_of(function)
    found = reach(function, dict(zip(names, arguments, strict=False)))
    calling = calling_of(found, found.structure(), names)
    values = calling.values(arguments, found)
    try:
        for position, partitioner in calling.partitioners.items():
            cut(partitioner, values[position], 3)
    except Exception:  # a partitioner of the user's says no in a way of its own
        return False
    return True


def expected_of(method: Method, arguments: Arguments) -> Expected:
    """What the plain function makes of arguments, an error included."""
    after = duplicated(arguments)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(), use(target=SEQUENTIAL):
            warnings.simplefilter("ignore", RuntimeWarning)
            return Expected(arguments, after, method.sequential(*after))
    except Exception as error:
        return Expected(arguments, after, None, error)
