"""Calls that are checked: each runs on its target and as plain Python, and both must do the same.

Small arrays are cut all the same: a phase too small to gain is otherwise run by one method instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import SkipTest
from unittest.mock import patch
from weakref import WeakKeyDictionary

import numpy as np

import somd
from somd.calls.method import SomdMethod
from somd.calls.specialisations import TargetUnavailable
from somd.checking.differences import difference, duplicate
from somd.settings.config import settings_for
from somd.settings.targets import SEQUENTIAL

#: for each method the one that is tested in its place, with nothing compiled for other calls
_twins: WeakKeyDictionary[SomdMethod[..., Any], SomdMethod[..., Any]] = WeakKeyDictionary()


class FellBack(SkipTest):
    """The target lacks something that the method needs, so a call would run elsewhere: the test is skipped."""


@contextmanager
def checked_calls(target: str, workers: int, rtol: float | None = None) -> Iterator[None]:
    """A block in which every call of a SOMD method runs on `target` and is compared with the function as written.

    Args:
        rtol: see `difference`.

    Raises:
        AssertionError: in the block, where result, arguments or exception differ.
        FellBack: in the block, where a method cannot run on `target`.
    """
    plain_call = SomdMethod.__call__

    def checked_call(self: SomdMethod[..., Any], *args: Any, **kwargs: Any) -> Any:
        if settings_for(self.somd_function.__qualname__, self.__module__).target == SEQUENTIAL:
            return plain_call(self, *args, **kwargs)
        values = self.arguments(args, kwargs)
        expected_values = duplicate(values)
        expected, expected_error = _outcome(self.sequential, expected_values, sequential=True)
        found, error = _outcome(lambda *given: plain_call(_twin(self), *given), values)
        told = _told(found, error, expected, expected_error, rtol)
        for name, mine, theirs in zip(self.parameters, values, expected_values, strict=True):
            if told is None and expected_error is None:
                told = difference(mine, theirs, rtol)
                told = None if told is None else f"argument `{name}`{told}"
        if told is not None:
            where = f"`{self.somd_function.__qualname__}` on {target} with {workers} workers"
            raise AssertionError(f"{where} differs from the function as written: {told}") from error
        if error is not None:
            raise error
        return found

    with (
        patch.object(SomdMethod, "__call__", checked_call),
        patch.object(SomdMethod, "_warn", _fall_back),
        somd.use(target=target, workers=workers, small_work=0),
    ):
        yield


def _twin(method: SomdMethod[..., Any]) -> SomdMethod[..., Any]:
    if method not in _twins:
        _twins[method] = method.twin()
    return _twins[method]


def _outcome(
    function: Callable[..., Any], values: tuple[Any, ...], sequential: bool = False
) -> tuple[Any, Exception | None]:
    """What a call returns, or raises."""
    try:
        if not sequential:
            return function(*values), None
        with somd.use(target=SEQUENTIAL), np.errstate(all="ignore"):
            return function(*values), None
    except (FellBack, somd.SomdError):
        raise
    except Exception as error:
        return None, error


def _told(found: Any, error: Any, expected: Any, expected_error: Any, rtol: float | None) -> str | None:
    if type(error) is not type(expected_error):
        raised = [f"raises {type(e).__name__}" if e is not None else "returns" for e in (error, expected_error)]
        return f"it {raised[0]} where plain Python {raised[1]}"
    told = difference(found, expected, rtol)
    return None if told is None else f"result{told}"


def _fall_back(
    self: SomdMethod[..., Any], target: str, device: str | None, instead: str, reason: TargetUnavailable
) -> None:
    raise FellBack(f"`{self.somd_function.__qualname__}` cannot run on {target}: {reason} [{reason.code}]")
