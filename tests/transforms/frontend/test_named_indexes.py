"""Names for the indexes of an element are names for each of them; what is used otherwise stays a tuple."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from somd import dist, somd, use
from somd.transforms.frontend.named_indexes import without_named_indexes
from somd.transforms.frontend.source_to_method import method_of
from somd.transforms.tree.rewriting import code_of

CORNER = (1, 2)


def clamped(a: np.ndarray, i: int, j: int) -> float:
    at = max(i, 0), min(j, a.shape[1] - 1)
    return a[at]


def neighbours(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            here = (i, j)
            east = i, (j + 1) % a.shape[1]
            b[here] = 2.0 * a[here] - a[east] + clamped(a, i - 1, j + 1) + east[-1]


def swapped(a: dist[np.ndarray], k: int) -> tuple[np.ndarray, int]:
    at = k, 1
    if k > 2:
        at = at[1], at[0]
    row, _ = at
    a[at] = 7.0
    return a * a[CORNER], row


def one_number(a: dist[np.ndarray], k: int) -> np.ndarray:
    at = (k,)
    b = a.copy()
    b[0] = b[-1] = 1, 2, 3, 4
    return b + a[at]


@pytest.mark.parametrize("workers", [1, 3])
def test_elements_at_named_indexes(workers: int) -> None:
    a = np.random.default_rng(1).random((5, 4))
    cases: list[tuple[Any, tuple[Any, ...]]] = [
        (neighbours, (a, np.zeros_like(a))),
        *((swapped, (a, k)) for k in (1, 3)),
        *((one_number, (a, k)) for k in (0, 4, 5)),
    ]
    for function, args in cases:
        own, expected = ([each.copy() if isinstance(each, np.ndarray) else each for each in args] for _ in range(2))
        with use(target="multicore", workers=workers, small_work=0):
            try:
                result = function(*expected)
            except IndexError:
                with pytest.raises(IndexError):
                    somd(function)(*own)
                continue
            np.testing.assert_equal(somd(function)(*own), result)
        np.testing.assert_equal(own, expected)


def as_it_is(a, k):
    at = k, 1
    other = k, 1
    other = k, 1, 2
    for x, y in (at,):
        a[x, y] = 1
    a[other] = at[2]
    p = k, k
    a[p, 0] = 2


def written_out(a, k):
    at = (k, 1)
    a[at] = at[0]
    at = at[1], k
    x, y = at
    return a[at][x] * y


def test_what_is_written_out() -> None:
    method = method_of(as_it_is)
    assert without_named_indexes(method) is method
    made = code_of(without_named_indexes(method_of(written_out)).function.body)
    assert " ".join(made.split()) == (
        "at__0 = k; at__1 = 1 a[at__0, at__1] = at__0 at__0, at__1 = at__1, k x, y = at__0, at__1"
        " return a[at__0, at__1][x] * y"
    )
