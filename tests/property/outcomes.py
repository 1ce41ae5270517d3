"""What a call of a mixed program should do, and whether it did: plain Python is the judge.

The plain function is that of `tests.property.plain`; what docs/limits.md says of differences from plain Python is left
out of the comparison.
"""

from __future__ import annotations

import re
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.differential.harness import assert_same, assert_same_exception, duplicate
from tests.property.calls import Call
from tests.property.plain import BEYOND, Wrapped, wrapped

#: what NumPy raises where integers of a type do not hold a number: so does a method
UNFIT = re.compile(r"Python integer -?\d+ out of bounds for |Python int too large to convert to C long")
#: what plain Python raises where the documentation says that a method does not
DOCUMENTED = (ZeroDivisionError, OverflowError, FloatingPointError, RecursionError, MemoryError)
TEXTS = (
    "'complex'",
    "Casting complex values",
    "math domain",
    "cannot convert float",
    "negative shift count",
    "out of bounds for",
    "Maximum allowed size",
    "array is too big",
)


@dataclass(frozen=True)
class Outcome:
    """Result and arguments after a call, or what it raised.

    `undefined` where the documentation promises nothing; `beyond` where a float became an integer that has no room for
    it, whose value is the processor's.
    """

    result: Any
    arguments: tuple[Any, ...]
    error: BaseException | None = None
    undefined: str = ""
    beyond: bool = False


@dataclass
class Types:
    """Parts of results that had NumPy's type where plain Python's is its own, or were floats where it has an int, and
    those that are so in plain Python: what is in both is a number that stays as it began (docs/limits.md)."""

    doubtful: dict[str, str] = field(default_factory=dict)
    numpys: set[str] = field(default_factory=set)


class Endless(BaseException):
    """A call took longer than a loop of so few turns can."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """A block of Python code that ends by `Endless` after so many seconds; in the main thread alone."""

    def end(*_: Any) -> None:
        raise Endless

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def outcome(call: Callable[..., Any], given: Call, wide: bool = False, seconds: float = 0) -> Outcome:
    """What `call` does to a copy of the arguments; undefined where it takes more than so many seconds."""
    own = duplicate(given.arguments)
    passed = [wrapped(each) if wide and type(each) is int and abs(each) <= 2**63 else each for each in own]
    BEYOND.clear()
    try:
        with np.errstate(all="ignore", invalid="warn"), warnings.catch_warnings(record=True) as casts:
            warnings.simplefilter("ignore", RuntimeWarning)
            warnings.filterwarnings("always", "invalid value encountered in cast", RuntimeWarning)
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            with limited(seconds) if seconds else nullcontext():
                result = _unwrapped(call(*passed))
        return Outcome(result, own, beyond=_beyond(casts))
    except Endless:
        return Outcome(None, own, None, "endless")
    except Exception as error:
        error.args = _unwrapped(error.args)
        text = str(error)
        if isinstance(error, OverflowError) and UNFIT.match(text):
            return Outcome(None, own, error, beyond=_beyond(casts))
        if isinstance(error, DOCUMENTED) or (not isinstance(error, IndexError) and any(each in text for each in TEXTS)):
            return Outcome(None, own, error, f"{type(error).__name__}: {text}")
        return Outcome(None, own, error, beyond=_beyond(casts))


def _beyond(casts: Sequence[warnings.WarningMessage]) -> bool:
    return bool(BEYOND) or any(issubclass(each.category, RuntimeWarning) for each in casts)


def _unwrapped(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(_unwrapped(each) for each in result)
    return int(result) if isinstance(result, Wrapped) else result


def difference(
    wanted: Outcome, found: Outcome, tolerance: float, planned: bool = False, types: Types | None = None
) -> str:
    """In what `found` differs from `wanted`; empty where it does not. Of what `planned` code raises only class and text
    are compared, or numbers by the tolerance. `types` notes where a number has NumPy's type and plain Python's is its
    own."""
    try:
        if wanted.error is not None or found.error is not None:
            if wanted.error is None or found.error is None:
                results = f"result {found.result!r} instead of {wanted.result!r}"
                return f"raised {found.error!r} instead of {wanted.error!r}, {results}"
            if type(found.error).__qualname__ == "Bad" == type(wanted.error).__qualname__:
                found.error.__class__ = type(wanted.error)  # each text has a class of its own
            told = f"raised {found.error!r} instead of {wanted.error!r}"
            if isinstance(wanted.error, IndexError) and str(wanted.error).startswith("only integers"):
                return "" if isinstance(found.error, IndexError) else told  # NumPy's words for an int beyond 64 bits
            if planned:
                same = type(found.error) is type(wanted.error) and (
                    isinstance(found.error, IndexError)
                    or str(found.error) == str(wanted.error)
                    or (tolerance > 0 and _near(found.error.args, wanted.error.args, tolerance))
                )
                return "" if same else told
            try:
                assert_same_exception(found.error, wanted.error, "exception")
            except AssertionError as error:
                return f"{told}: {error}"
            return ""
        _same(found.result, wanted.result, tolerance, "result", types or Types())
        for k, (mine, theirs) in enumerate(zip(found.arguments, wanted.arguments, strict=True)):
            _same(mine, theirs, tolerance, f"argument {k}", Types())
            if isinstance(mine, np.ndarray):
                assert (found.result is mine) == (wanted.result is theirs), f"result is argument {k}"
    except AssertionError as error:
        return str(error) or "differs"
    return ""


def _near(found: tuple[Any, ...], wanted: tuple[Any, ...], tolerance: float) -> bool:
    """Whether the arguments of two exceptions differ in last places alone."""
    try:
        assert_same(found, wanted, tolerance, "arguments")
    except AssertionError:
        return False
    return True


def _same(found: Any, wanted: Any, tolerance: float, what: str, types: Types) -> None:
    """As the harness, but for numbers that stay what they began as, because no turn changed them (docs/limits.md)."""
    if isinstance(wanted, tuple):
        assert isinstance(found, tuple) and len(found) == len(wanted), f"{what}: {found!r} instead of {wanted!r}"
        for k, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
            _same(mine, theirs, tolerance, f"{what}, part {k}", types)
        return
    if isinstance(wanted, float | np.floating):
        types.numpys.add(f"{what} as a float")
    if type(wanted) in (bool, int, float) and isinstance(found, np.generic):
        kinds = {bool: "b", int: "iu", float: "f"}[type(wanted)]
        assert found.dtype.kind in kinds or (type(wanted) is int and found.dtype.kind == "f"), (
            f"{what}: {found!r} instead of {wanted!r}"
        )
        types.doubtful.setdefault(what, f"{found!r} instead of {wanted!r}")
        wanted = found.dtype.type(wanted)
    elif type(wanted) is int and type(found) is float:
        types.doubtful.setdefault(f"{what} as a float", f"{found!r} instead of {wanted!r}")
        wanted = float(wanted)
    elif isinstance(wanted, np.generic):
        types.numpys.add(what)
    assert_same(found, wanted, tolerance, what)
