"""How many copies of an iteration a kernel asks for: many of a short one, none of a long one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from somd import dist, somd
from tests.differential.features import text_of

A = dist[np.ndarray]


@somd
def short(a: A) -> float:
    s = 0.0
    for i in range(len(a)):
        s += a[i] * a[i]
    return s


@somd
def of_a_logarithm(a: A) -> float:
    s = 0.0
    for i in range(len(a)):
        s += math.log(a[i] + 2.0)
    return s


@somd
def of_many_quotients(a: A) -> float:
    s = 0.0
    for i in range(len(a)):
        x = a[i]
        s += x // 3.0 + x % 5.0 + x // 7.0 + x % 9.0 + x // 11.0 + x % 13.0 + x // 17.0 + x % 19.0
    return s


def quotients(x: float) -> float:
    y = x // 3.0 + x % 5.0 + x // 7.0 + x % 9.0 + x // 11.0 + x % 13.0 + x // 17.0 + x % 19.0
    return y + y // 3.0 + y % 5.0 + y // 7.0 + y % 9.0 + y // 11.0 + y % 13.0 + y // 17.0 + y % 19.0


@somd
def of_a_helper(a: A) -> float:
    s = 0.0
    for i in range(len(a)):
        s += quotients(a[i]) + quotients(a[i] + 1.0)
    return s


@pytest.mark.parametrize(
    ("method", "ahead", "unrolled"),
    [(short, 8, 8), (of_a_logarithm, 32, 8), (of_many_quotients, None, 2), (of_a_helper, None, None)],
)
def test_copies_of_an_iteration(method: object, ahead: int | None, unrolled: int | None) -> None:
    text = text_of(method, (np.arange(1.0, 6.0),), "opencl")
    assert (f"a_next[AHEAD / {ahead}]" in text) is (ahead is not None), text
    assert ("a_next" in text) is (ahead is not None)
    assert (f"#pragma unroll {unrolled}\n" in text) is (unrolled is not None)
    assert ("#pragma unroll\n" in text) is (ahead is not None)
    value = method(np.arange(1.0, 6.0))  # type: ignore[operator]
    assert value == pytest.approx(method.__wrapped__(np.arange(1.0, 6.0)), rel=1e-12)  # type: ignore[attr-defined]
