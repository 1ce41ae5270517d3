"""Nested methods on a device and with a partitioner: one distribution, one upload, one copy back (Listing 10)."""

from __future__ import annotations

import itertools
import math
from typing import Annotated

import numpy as np
import pytest

import somd
from somd import dist, partition, reduce
from tests.differential import harness

cuts: list[int] = []


def counted(array: np.ndarray, parts: int) -> list[tuple[int, int]]:
    cuts.append(parts)
    ends = np.linspace(0, len(array), parts + 1).astype(int).tolist()
    return list(itertools.pairwise(ends))


@somd.somd
def sum_prod(a: dist[np.ndarray]) -> Annotated[float, reduce("+")]:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * a[i]
    return total


@somd.somd
def halved(x: dist[np.ndarray]) -> None:
    for i in range(len(x)):
        x[i] = x[i] * 0.5


@somd.somd
def norm(a: dist[np.ndarray]) -> np.ndarray:
    length = math.sqrt(sum_prod(a))
    for i in range(len(a)):
        a[i] = a[i] / length
    return a


@somd.somd
def several(a: Annotated[np.ndarray, dist, partition(counted)], steps: int) -> float:
    for _ in range(steps):
        halved(a)
        length = math.sqrt(sum_prod(a))
        for i in range(len(a)):
            a[i] = a[i] / length
    return sum_prod(a)


def test_one_upload_and_one_copy_back() -> None:
    reason = harness.unavailable("opencl")
    if reason is not None:
        pytest.skip(reason)
    from somd.runtime.opencl import count_transfers

    a = np.linspace(1.0, 2.0, 5000)
    with somd.use(target="opencl"), count_transfers() as seen:
        found = norm(a)
    assert found is a
    assert (seen.uploads, seen.uploaded_bytes) == (1, a.nbytes)
    assert seen.downloads == 2, "the array, and the partial results of the sum"
    with somd.use(target="opencl"), count_transfers() as seen:
        several(a, 5)
    assert (seen.uploads, seen.uploaded_bytes) == (1, a.nbytes)
    assert seen.downloads == 1 + 5 + 1, "the array, and the partial results of each sum"


def test_one_distribution() -> None:
    a = np.linspace(1.0, 2.0, 5000)
    cuts.clear()
    with somd.use(target="multicore", workers=3):
        several(a, 5)
    assert cuts == [3]


def test_nothing_is_copied_between_the_phases() -> None:
    assert "phase 2" in norm.explain()
    text = norm.source("multicore")
    assert "copy" not in text and "np.empty_like" not in text
