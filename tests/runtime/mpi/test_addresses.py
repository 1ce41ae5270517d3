"""Arrays that have addresses before they have memory do not lie a power of two apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from somd.runtime.mpi.addresses import LARGE, PAGE, reserved, span
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
