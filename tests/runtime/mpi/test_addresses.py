"""Arrays that have addresses before they have memory do not lie a power of two apart; rows ask for huge pages."""

from __future__ import annotations

import itertools
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from somd.runtime.mpi.addresses import HUGE, LARGE, PAGE, in_huge_pages, reserved, span
from somd.runtime.mpi.session import address_of
from somd.runtime.multicore.far_arrays import far_zeros
from somd.runtime.multicore.numba_internals.native import native


@native
def made_in_native_code(shape: Any, dtype: Any) -> Any:
    return far_zeros(shape, np.float64)


def test_how_far_arrays_extend() -> None:
    assert span(LARGE) == 2 * LARGE and span(LARGE - 8) == LARGE - 8 + PAGE


@pytest.mark.parametrize("make", [reserved, made_in_native_code])
@pytest.mark.parametrize(("rows", "gap"), [(16, PAGE), (1024, LARGE)])
def test_what_lies_between_arrays(make: Callable[..., np.ndarray], rows: int, gap: int) -> None:
    arrays = sorted((make((rows, 1024), np.float64) for _ in range(4)), key=address_of)
    for array in arrays:
        assert array.shape == (rows, 1024) and not array.any()
        array[...] = 1.0
    for lower, upper in itertools.pairwise(arrays):
        assert address_of(upper) - address_of(lower) >= lower.nbytes + gap


def asked_for(array: np.ndarray) -> list[tuple[int, int]]:
    """Where in an array, by bytes, huge pages are asked for."""
    begin, found, kept = address_of(array), [], (0, 0)
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first = line.split()[0]
        if "-" in first and not first.endswith(":"):
            kept = tuple(int(end, 16) - begin for end in first.split("-"))  # type: ignore[assignment]
        elif first == "VmFlags:" and " hg" in line and 0 <= kept[0] < array.nbytes:
            found.append(kept)
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux") or platform.machine() != "x86_64", reason="asks Linux")
@pytest.mark.skipif(not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="has no huge pages")
def test_huge_pages_lie_in_the_rows_that_are_written() -> None:
    array = reserved((2, 2048, 1024), np.float64)
    in_huge_pages(array, 1, 0, 511)  # too few
    assert not asked_for(array)
    in_huge_pages(array, 1, 900, 1900)
    row, plane = 8192, 2048 * 8192
    found = asked_for(array)
    assert len(found) == 2
    for k, (low, high) in enumerate(found):
        assert 0 <= low - (k * plane + 900 * row) < HUGE and 0 <= k * plane + 1900 * row - high < HUGE
    columns = reserved((1024, 4096), np.float64)
    in_huge_pages(columns, 1, 1024, 4096)  # in 1024 pieces
    assert not asked_for(columns)
