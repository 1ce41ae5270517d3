"""Functions of integers give compiled what they give in Python."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numba import types

from somd.runtime.multicore import combining, partition, relaxed, sweeps, tables  # noqa: F401 - they hold the functions
from somd.runtime.multicore.integers import _known, exactly, of_integers
from somd.runtime.multicore.numba_internals.native import native

CHOICES = np.array([-61, -7, -3, -2, -1, 0, 1, 2, 3, 5, 8, 31, 32, 33, 1000, 4096, 20_011])


def same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and left == right


@of_integers
def forms(a: int, b: int, c: int) -> tuple[int, int, int, int]:
    """Every form that the text may have."""
    rest, sign = a % b, -1 if a < 0 else 1
    while rest > 100 and not (rest % 3 == 0 and rest < 200):
        rest //= 2
        rest -= 1
    if a < b <= c or a == c:
        sign *= 2
    elif b != 0:
        sign += (a & 6) | (c ^ b) & 15
    return rest, sign, abs(min(a, b, c)) - max(a, 3), (a << 2) + (b >> 1) + (a > b)


@pytest.mark.parametrize("function", _known, ids=lambda function: str(function.__name__))
def test_as_in_python(function: Callable[..., Any]) -> None:
    count = len(inspect.signature(function).parameters)
    names = ", ".join(f"a{k}" for k in range(count))
    scope: dict[str, Any] = {"function": function}
    exec(f"def call({names}): return function({names})", scope)
    call = numba.njit(tuple([types.int64] * count), error_model="numpy")(scope["call"])
    random = np.random.default_rng(3)
    for values in random.choice(CHOICES, (400, count)).tolist():
        try:
            expected = function(*values)
        except ZeroDivisionError:
            continue
        assert same(call(*values), expected), values


def test_a_quotient_by_zero_is_zero() -> None:
    @of_integers
    def divided(a: int, b: int) -> tuple[int, int]:
        return a // b, a % b

    @native
    def call(a: int, b: int) -> Any:
        return divided(a, b)

    assert call(5, 0) == (0, 0)


def test_what_the_text_may_not_hold() -> None:
    @of_integers
    def power(a: int) -> int:
        result: int = a**2
        return result

    with pytest.raises(NotImplementedError):
        numba.njit((types.int64,))(lambda a: power(a))


@exactly
def exact_forms(a: int, b: int, c: int) -> bool:
    """What conditions are made of."""
    far = 3 * a - 7 * b + 1 >= (c + 1 if b > 0 else -c) or (a + b) // 7 < 5 * c + 3
    return (far and (5 * a - b) % 8 == 3) or min(a, b + c) > max(-a, 1073741823 * c) // 1073741823


def test_exact_tests_do_not_wrap() -> None:
    compiled = native(lambda a, b, c: exact_forms(a, b, c))
    most = 2**63 - 1
    values = (most, -most - 1, most - 1, -most, most // 2, 2**62, -(2**62) - 3, 12, -5, 0, 1)

    @numba.njit  # type: ignore[misc,untyped-decorator,unused-ignore]
    def asked(a: int, b: int, c: int) -> bool:
        return bool(compiled(a, b, c))

    for triple in itertools.product(values, repeat=3):
        assert asked(*triple) == exact_forms(*triple), triple
