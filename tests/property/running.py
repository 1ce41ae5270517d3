"""Running a generated program: its function, arguments of a size, and comparison of two outcomes."""

from __future__ import annotations

import copy
import linecache
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from somd.arguments.signatures import describe
from somd.transforms.signature_text import parse_type
from somd.transforms.types.scalars import Type
from tests.property.programs import Program

#: (length of a and b, extent of g and h, m, k): some loops run out of their arrays on purpose
SIZES = (
    (5, (5, 5), 5, 1),
    (6, (4, 7), 4, 0),
    (7, (8, 3), 6, 2),
    (3, (3, 3), 5, -1),
    (1, (1, 2), 1, 1),
    (0, (0, 0), 0, 0),
)
#: the length of the index array, where it should not limit the loops
LONG = 20


def function_of(program: Program) -> FunctionType:
    """The program's method, its source known to `inspect`."""
    name = f"<program {program.number}>"
    lines = program.text.splitlines(keepends=True)
    linecache.cache[name] = (len(program.text), None, lines, name)
    names: dict[str, Any] = {"__name__": "generated"}
    exec(compile(program.text, name, "exec"), names)
    function = names["method"]
    assert isinstance(function, FunctionType)
    return function


def arguments_of(program: Program, size: int, fill: int = 0) -> dict[str, Any]:
    """Fresh arguments of size number `size`, with data number `fill`."""
    length, extent, m, k = SIZES[size]
    pick = np.random.default_rng((program.number, size, fill))
    shapes = {n: (length + (n == "b" and size % 2),) if r == 1 else extent for n, (_, r) in program.arrays.items()}
    return {**_filled(program, shapes, max(1, length), pick), "m": m, "k": k}


def random_arguments(program: Program, trial: int) -> dict[str, Any]:
    """Arguments with a shape of its own for each array: small ones often, since most conflicts show there."""
    pick = np.random.default_rng((program.number, trial, 99))
    high = 5 if trial % 3 else 9
    if trial % 2:
        extents = pick.integers(0, high + 1, 2)
        shapes = {n: tuple(int(e) for e in extents[:r]) for n, (_, r) in program.arrays.items()}
    else:
        shapes = {n: tuple(int(e) for e in pick.integers(0, high + 1, r)) for n, (_, r) in program.arrays.items()}
    m, k = int(pick.integers(-1, high + 1)), int(pick.choice((0, 1, 1, 2, -1, 3, -2)))
    return {**_filled(program, shapes, high, pick), "m": m, "k": k}


def arguments_like(program: Program, example: Mapping[str, int], fill: int) -> dict[str, Any]:
    """Arguments with the lengths `s_a_0` and the numbers `v_m` of `example`; what it does not mention is small."""
    pick = np.random.default_rng((program.number, fill, 7))
    shapes = {
        n: tuple(max(0, example.get(f"s_{n}_{axis}", example.get(f"s_c_{axis}", 3 + fill))) for axis in range(r))
        for n, (_, r) in program.arrays.items()
    }
    if "at" in shapes:
        shapes["at"] = (LONG,)
    m = example.get("v_m", example.get("v_n", 3 + fill % 5))
    return {**_filled(program, shapes, 5, pick), "m": m, "k": example.get("v_k", fill % 4 - 1)}


def _filled(
    program: Program, shapes: Mapping[str, tuple[int, ...]], length: int, pick: np.random.Generator
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (dtype, _) in program.arrays.items():
        low, high = (0, length) if name == "at" else (-4, 9)
        found[name] = pick.integers(low, high, shapes[name]).astype(dtype)
    return found


def types_of(program: Program) -> dict[str, Type]:
    return {name: parse_type(describe(value)) for name, value in arguments_of(program, 0).items()}


@dataclass(frozen=True)
class Outcome:
    """What a call did: its result and the arguments afterwards, or the error."""

    result: Any
    arguments: Mapping[str, Any]
    error: BaseException | None


def outcome(call: Callable[..., Any], arguments: Mapping[str, Any]) -> Outcome:
    """Call with a copy of `arguments`; only errors that a method may raise are caught."""
    own = copy.deepcopy(dict(arguments))
    try:
        with np.errstate(all="ignore"):
            return Outcome(call(own), own, None)
    except (IndexError, ZeroDivisionError, OverflowError) as error:
        return Outcome(None, own, error)


def differences(wanted: Outcome, found: Outcome, inexact: bool) -> Iterator[str]:
    """In what `found` differs from `wanted`."""
    if wanted.error is not None or found.error is not None:
        if type(wanted.error) is not type(found.error):
            yield f"raised {found.error!r} instead of {wanted.error!r}"
        return
    if not same(wanted.result, found.result, inexact):
        yield f"result {found.result!r} instead of {wanted.result!r}"
    for name, value in wanted.arguments.items():
        if not same(value, found.arguments[name], inexact):
            yield f"{name} is {found.arguments[name]!r} instead of {value!r}"


def same(wanted: Any, found: Any, inexact: bool) -> bool:
    if isinstance(wanted, tuple):
        return len(wanted) == len(found) and all(same(w, f, inexact) for w, f in zip(wanted, found, strict=True))
    if wanted is None or found is None:
        return wanted is found
    left, right = np.asarray(wanted), np.asarray(found)
    if left.shape != right.shape:
        return False
    if inexact and left.dtype.kind == "f":
        return bool(np.allclose(left, right, rtol=1e-9 if left.dtype.itemsize == 8 else 1e-4, equal_nan=True))
    return bool(np.array_equal(left, right, equal_nan=left.dtype.kind == "f"))
