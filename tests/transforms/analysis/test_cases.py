"""Scalars that are one of a few affine expressions, as indexes."""

import numpy as np
import pytest

from somd import dist, somd
from somd.errors import SomdCompileError
from somd.transforms.pipeline import check
from tests.transforms.analysis.loops import function_of

HEAD = "def f(a: dist[np.ndarray], b: dist[np.ndarray], n: int, k: int):\n    for i in range(n):\n"


def accesses_tested(body: str) -> int:
    """How many accesses of a loop's body are tested where they happen."""
    lines = "".join(f"        {line}\n" for line in body.split("; "))
    (phase,) = check(function_of(HEAD + lines)).phases()
    return len(phase.nest.guarded)


@pytest.mark.parametrize(
    "body",
    [
        "e = i + 1 if i < n - 1 else 0; b[i] = a[e]",
        "e = 0; w = max(i - k, e); b[i] = a[w] + a[w + 1]",
        "e = i if i < k else (k if k > 0 else 0); b[i] = a[e]",
        "e = min(i, k); e = max(e, 0); b[i] = a[e]",
    ],
)
def test_an_index_that_is_one_of_several_is_checked_before(body: str) -> None:
    assert accesses_tested(body) == 0


@pytest.mark.parametrize(
    "body",
    [
        "e = i + 1 if a[i] < 0.5 else 0; b[i] = a[e]",
        "e = min(i, k); e = e * e; b[i] = a[e]",
        "e = min(i, k, 3); b[i] = a[e]",
        "e = min(max(i, 0), 8) + min(max(i, 0), 9) + max(i, k); b[i] = a[e]",
    ],
)
def test_what_is_not_known_is_tested(body: str) -> None:
    assert accesses_tested(body) > 0


def test_both_branches_of_an_if_tell_a_scalar() -> None:
    text = (
        HEAD + "        if i < n - 1:\n            e = i + 1\n        else:\n            e = 0\n        b[i] = a[e]\n"
    )
    (phase,) = check(function_of(text)).phases()
    assert not phase.nest.guarded


@pytest.mark.parametrize("body", ["b[min(i, 3)] = a[i]", "e = i if i < 5 else 2; b[e] = a[i]"])
def test_two_iterations_that_meet_in_one_case_are_found(body: str) -> None:
    with pytest.raises(SomdCompileError, match="SOMD302"):
        accesses_tested(body)


@somd
def around(a: dist[np.ndarray], out: dist[np.ndarray], n: int) -> None:
    for i in range(a.shape[0]):
        for j in range(n):
            east = j + 1 if j < n - 1 else 0
            west = j - 1 if j > 0 else n - 1
            south = min(i + 1, a.shape[0] - 1)
            if i > 0:
                north = i - 1
            else:
                north = 0
            out[i, j] = a[i, east] - 2.0 * a[i, west] + a[south, j] * a[north, -1 - j]


def test_borders_of_both_kinds() -> None:
    a = np.random.default_rng(1).random((7, 9))
    found, expected = np.zeros_like(a), np.zeros_like(a)
    around(a, found, 9)
    around.sequential(a, expected, 9)
    assert (found == expected).all()
    for width in (0, 1):
        around(a[:, :width].copy(), found, width)
    with pytest.raises(IndexError):
        around(a, found, 10)
    assert "wrapped" not in around.source("multicore")
