"""Runs a method on a target and compares it with the function as written.

In: a SOMD method, arguments, a target. Out: nothing, or an AssertionError that names workers, argument and element.
Results and arguments must agree: bit for bit (nan equal to nan, -0.0 different from 0.0), or within a relative
tolerance; types and dtypes always. What lies around a strided view must stay untouched.
"""

from __future__ import annotations

import copy
import importlib.util
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import somd
from somd.settings.targets import target_of

WORKERS = (1, 2, 3, 7, 50)
TARGETS = ("multicore", "opencl")
NUMPY = str(Path(np.__file__).parent)
PLAIN = str(Path(__file__).parents[1] / "property" / "plain.py")


def unavailable(target: str) -> str | None:
    """Why `target` cannot be tested here, or None if it can."""
    if target == "opencl" and importlib.util.find_spec("somd.runtime.opencl.execute") is None:
        return "this version does not generate OpenCL"
    return somd.targets()[target]


def check(
    method: Any, args: tuple[Any, ...], target: str, *, rtol: float = 0.0, workers: Iterable[int] = WORKERS
) -> None:
    """Assert that `method(*args)` on `target` does what `method.sequential(*args)` does; `args` stay as they are.

    Where the number of workers changes nothing, two calls are made: the second finds what the first leaves.
    Where plain Python raises, so must the target; what the arguments hold then is not asked.
    """
    if not target_of(target).uses_workers:
        workers = tuple(workers)[:2]
    expected_args = duplicate(args)
    with np.errstate(all="ignore"), warnings.catch_warnings(), somd.use(target="sequential"):
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            expected = method.sequential(*expected_args)
        except Exception as error:
            raised = error
        else:
            raised = None
    if raised is not None:
        for number in workers:
            _check_raises(method, args, target, number, raised)
        return
    for number in workers:
        found_args = duplicate(args)
        with somd.use(target=target, workers=number, small_work=0), warnings.catch_warnings():
            warnings.simplefilter("error", somd.SomdFallbackWarning)
            found = method(*found_args)
        where = f"{target}, {number} workers, arguments {describe(args)}"
        assert_same(found, expected, rtol, f"result ({where})")
        for k, (mine, theirs) in enumerate(zip(found_args, expected_args, strict=True)):
            assert_same(mine, theirs, rtol, f"argument {k} ({where})")
            assert_same(whole(mine), whole(theirs), rtol, f"memory around argument {k} ({where})")
            assert (found is mine) == (expected is theirs), f"result is argument {k} ({where})"


def _check_raises(method: Any, args: tuple[Any, ...], target: str, workers: int, expected: Exception) -> None:
    where = f"{target}, {workers} workers, arguments {describe(args)}"
    try:
        with somd.use(target=target, workers=workers), warnings.catch_warnings():
            warnings.simplefilter("error", somd.SomdFallbackWarning)
            found = method(*duplicate(args))
    except Exception as error:
        assert_same_exception(error, expected, where)
    else:
        raise AssertionError(f"result ({where}): {found!r} instead of {expected!r}")


def assert_same_exception(found: BaseException, expected: BaseException, where: str) -> None:
    """Assert that two exceptions are of one type with the same arguments, cause and last line; of an index out of
    bounds, where NumPy's text is another, the type; of a negative length, that its text begins like the expected."""
    assert type(found) is type(expected), f"{where}: {found!r} instead of {expected!r}"
    if type(expected) is IndexError and "out of bounds" in str(expected):
        return
    if type(expected) is ValueError and "negative dimensions" in str(expected) and str(expected) in str(found):
        return
    assert_same(found.args, expected.args, 0.0, f"arguments of the exception ({where})")
    assert str(found) == str(expected), f"{where}: {found} instead of {expected}"
    assert type(found.__cause__) is type(expected.__cause__), where
    assert found.__suppress_context__ == expected.__suppress_context__, where
    assert found.__context__ is None or found.__context__ is found.__cause__, where
    if type(expected) is UnboundLocalError:  # Python 3.11 tells the line before, once the code has run some times
        assert last_line(found)[::2] == last_line(expected)[::2], where
        return
    assert last_line(found) == last_line(expected), where


def last_line(error: BaseException) -> tuple[str, int, str]:
    """File, line and function in which an exception was raised, or NumPy's Python was called that raised it, or what
    stands for it in a plain function of the generators."""
    skipped = NUMPY, PLAIN
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(skipped):
            found = file, trace.tb_lineno, trace.tb_frame.f_code.co_name
        trace = trace.tb_next
    return found


def assert_same(found: Any, expected: Any, rtol: float, what: str) -> None:
    """Assert that two values have one type and agree."""
    assert type(found) is type(expected), f"{what}: {found!r} is not of {type(expected)}"
    if isinstance(expected, tuple):
        assert len(found) == len(expected), what
        for k, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
            assert_same(mine, theirs, rtol, f"{what}, part {k}")
    elif isinstance(expected, np.ndarray | np.generic):
        assert found.dtype == expected.dtype, f"{what}: {found.dtype} instead of {expected.dtype}"
        assert found.shape == expected.shape, f"{what}: shape {found.shape} instead of {expected.shape}"
        _assert_elements(np.asarray(found), np.asarray(expected), rtol, what)
    elif is_object(expected):
        for name, value in attributes(expected).items():
            assert_same(getattr(found, name), value, rtol, f"{what}, attribute {name}")
    elif isinstance(expected, float | complex):
        _assert_elements(np.asarray(found), np.asarray(expected), rtol, what)
    else:
        assert found == expected, f"{what}: {found!r} instead of {expected!r}"


def _assert_elements(found: np.ndarray, expected: np.ndarray, rtol: float, what: str) -> None:
    if expected.dtype.kind not in "fc":
        equal = found == expected
    else:
        scale = np.abs(expected).max(initial=0.0, where=np.isfinite(expected)) if rtol else 0.0
        equal = _agree(found.real, expected.real, rtol, scale)
        if expected.dtype.kind == "c":
            equal &= _agree(found.imag, expected.imag, rtol, scale)
    if not equal.all():
        place = tuple(int(k) for k in np.argwhere(~equal)[0])
        count = int((~equal).sum())
        values = f"{found[place]!r} instead of {expected[place]!r}"
        raise AssertionError(f"{what}: {count} of {equal.size} differ, the first at {place}: {values}")


def _agree(found: np.ndarray, expected: np.ndarray, rtol: float, scale: float) -> np.ndarray:
    """Where two arrays of floats agree."""
    if rtol:
        return np.isclose(found, expected, rtol=rtol, atol=rtol * scale, equal_nan=True)
    both_nan = np.isnan(found) & np.isnan(expected)
    return both_nan | ((found == expected) & (np.signbit(found) == np.signbit(expected)))


def chosen(cases: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The cases to run: those of the first signature, as each costs tenths of a second to seconds of compile time; with
    SOMD_ALL_CASES set, all."""
    cases = list(cases)
    if os.environ.get("SOMD_ALL_CASES"):
        return cases
    first = _kinds(cases[0]) if cases else ()
    return [case for case in cases if _kinds(case) == first]


def _kinds(case: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(f"{v.dtype}{v.ndim}" if isinstance(v, np.ndarray) else type(v).__name__ for v in case)


def duplicate(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies of the arguments, of arrays in tuples too, with the layout of each; what was one array twice stays so."""
    made: dict[int, Any] = {}
    return tuple(_duplicate(arg, made) for arg in args)


def _duplicate(arg: Any, made: dict[int, Any]) -> Any:
    if id(arg) not in made:
        made[id(arg)] = _array(arg) if isinstance(arg, np.ndarray) else arg
        if isinstance(arg, tuple):
            parts = [_duplicate(part, made) for part in arg]
            made[id(arg)] = tuple.__new__(type(arg), parts)
        elif is_object(arg):
            made[id(arg)] = copied = copy.copy(arg)
            for name, value in attributes(arg).items():
                object.__setattr__(copied, name, _duplicate(value, made))
    return made[id(arg)]


def is_object(arg: Any) -> bool:
    """Whether an argument is an object of a class of the tests or the examples."""
    return not isinstance(arg, type) and type(arg).__module__.startswith(("tests.", "examples."))


def attributes(arg: Any) -> dict[str, Any]:
    """The attributes of an object, those in slots too."""
    slots = [name for kind in type(arg).__mro__ for name in vars(kind).get("__slots__", ())]
    return {**{name: getattr(arg, name) for name in slots if hasattr(arg, name)}, **getattr(arg, "__dict__", {})}


def _array(arg: np.ndarray) -> np.ndarray:
    if arg.base is None or arg.flags.c_contiguous or arg.flags.f_contiguous:
        copied = arg.copy(order="K")
    else:
        memory = arg.base.copy(order="K")
        offset = arg.__array_interface__["data"][0] - arg.base.__array_interface__["data"][0]
        copied = np.ndarray(arg.shape, arg.dtype, memory, offset, arg.strides)
    copied.flags.writeable = arg.flags.writeable
    return copied


def whole(arg: Any) -> Any:
    """The memory that a view was cut from; anything else as it is."""
    return arg.base if isinstance(arg, np.ndarray) and isinstance(arg.base, np.ndarray) else arg


def describe(args: tuple[Any, ...]) -> str:
    """Shapes and dtypes of arguments, for messages."""
    parts = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            contiguous = arg.flags.c_contiguous or arg.flags.f_contiguous
            parts.append(f"{arg.dtype}{list(arg.shape)}{'' if contiguous else ' strided'}")
        else:
            parts.append(repr(arg))
    return ", ".join(parts)
