"""Copies of elements, for each number of axes that has a loop of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from somd.runtime.multicore.copies import copy_elements


@njit
def copied(into: Any, source: Any) -> None:
    copy_elements(into, source)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4), (2, 0, 3)], ids=str)
def test_each_element_is_that_of_the_source(shape: tuple[int, ...]) -> None:
    source = np.arange(24.0)[: np.prod(shape, dtype=int)].reshape(shape[::-1]).T
    into = np.full(shape, -1.0)
    copied(into, source)
    assert np.array_equal(into, source)
