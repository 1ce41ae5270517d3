"""Elements of arrays, ranges and names in the code that is written for them here: what plain Python gives."""

from __future__ import annotations

import operator
from typing import Any

import numba
import numpy as np
import pytest

from somd.runtime.multicore.compilation import master
from somd.runtime.multicore.numba_internals import operators


def plain(function: Any) -> Any:
    """What was compiled, in Python."""
    return function.py_func


@master
def elements(a: Any, counts: Any, flags: Any, narrow: Any, out: Any) -> None:
    """Indexes of several types, negative ones too; values that are cast; names that stay from turn to turn."""
    last = 0.0
    for i in range(-2, a.shape[0]):
        out[i, -1] = a[i, 0] + last
        last = a[i, counts[i] % 3]
    for k in range(narrow.shape[0]):
        out[narrow[k], 0] = k
        flags[narrow[k]] = a[narrow[k], 1] > 0.5
    out[np.uint64(1), np.int8(-2)] += a[1, 2] * 2


@master
def turns(start: int, stop: int, out: Any) -> None:
    """Ranges of all kinds, and what their names stand for behind them."""
    i = j = 7
    for i in range(stop):
        out[0] += i
    for j in range(start, stop):
        out[1] += j
        if j > 5:
            break
    for k in range(stop, start, -1):
        out[2] += k
    for k in range(start, stop, 3):
        for n in range(k):
            if n == 2:
                continue
            out[3] += n
    for k in range(9, -stop, -1 if stop > 4 else -2):
        out[4] += k
    for _ in range(9223372036854775807, -5):
        out[5] += 1
    for k in range(9223372036854775805, 9223372036854775807):
        out[5] += k & 3
    for k in range(-9223372036854775805, -9223372036854775807, -1):
        out[5] += k & 3
    out[6] += i
    out[7] += j


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_elements_are_those_of_python(order: str) -> None:
    random = np.random.default_rng(3)
    given = random.random((4, 6))
    a = given[:, ::2] if order == "A" else np.asarray(given[:, :3], order=order)  # type: ignore[call-overload]
    counts, narrow = np.array([5, 0, 7, 4]), np.array([2, -1, 0], dtype=np.int32)

    def after(run: Any) -> tuple[np.ndarray, np.ndarray]:
        flags, out = np.zeros(4, dtype=bool), np.zeros((4, 3), dtype=np.float32)
        run(a, counts, flags, narrow, out)
        return flags, out

    for found, expected in zip(after(elements), after(plain(elements)), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("start", "stop"), [(0, 9), (-3, 4), (5, 2), (0, 0), (-4, -1)])
def test_ranges_are_those_of_python(start: int, stop: int) -> None:
    found, expected = np.zeros(8, dtype=np.int64), np.zeros(8, dtype=np.int64)
    turns(start, stop, found)
    plain(turns)(start, stop, expected)
    np.testing.assert_array_equal(found, expected)


@master
def compared(x: float, y: float, n: int, single: Any, out: Any) -> None:
    """Operators on reals that may be no numbers, of one width and of two, and on integers that wrap."""
    for place in range(len(out)):
        out[place] = x
    tests = (x < y, x <= y, x > y, x >= y, x == y, x != y, n < x, single[0] != single[1], single[0] < 1)
    for place, test in enumerate(tests):
        out[place] = test
    out[9] = n * n + 3 - (n - 1)
    out[10] = n / 2
    out[11] = single[0] * single[1]
    out[12] = x / y + single[0] / (single[1] - single[1])


@pytest.mark.parametrize("y", [1.5, 0.5, float("nan")])
def test_operators_are_those_of_python(y: float) -> None:
    single = np.array([0.1, y], dtype=np.float32)
    found, expected = np.zeros(13), np.zeros(13)
    compared(1.5, y, 2**20 + 1, single, found)
    with np.errstate(divide="ignore", invalid="ignore"):
        plain(compared)(1.5, y, 2**20 + 1, single, expected)
    np.testing.assert_array_equal(found, expected)


def test_what_is_known_of_two_literals_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    context, zero, word = numba.core.registry.cpu_target.typing_context, numba.types.literal(0), numba.types.int64
    monkeypatch.setattr(operators, "_known", {})
    monkeypatch.setattr(operators, "_own", lambda _, *call: context.resolve_function_type(*call))
    equal = context.resolve_value_type(operator.eq)
    for given in ((zero, zero), (word, word)):
        found = operators._resolve_call(None, equal, given, {})
        assert found.args == given


def test_types_that_are_remembered_are_those_of_numba() -> None:
    def halves(a: Any, out: Any) -> None:
        for k in range(len(a)):
            out[k] = a[k] / 2

    real = np.ones(2, np.float32)
    calls = ((plain(compared), (1.5, 2.5, 3, real, np.zeros(13))), (plain(turns), (0, 3, np.zeros(8, np.int64))))
    for function, given in (*calls, (halves, (real, np.zeros(2)))):
        made: Any = master(function)
        made._cache.disable()  # what comes from the cache asks for no types
        made(*given)
    context = numba.core.registry.cpu_target.typing_context
    names = {name for name, *_ in operators._known}
    assert {operator.getitem, operator.setitem, operator.truediv, bool} <= names
    for (name, *kinds), (_, signature) in operators._known.items():
        found = context.resolve_function_type(context.resolve_value_type(name), tuple(kinds), {})
        assert (found.return_type, found.args) == (signature.return_type, signature.args), name
