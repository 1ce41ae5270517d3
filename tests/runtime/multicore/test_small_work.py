"""The bound on small work: read by machine code at each call, and set by the settings of a call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.multicore.numba_internals.layer import layer
from somd.runtime.multicore.numba_internals.native import native
from somd.runtime.multicore.small_work import MEASURED, small_work

bound: Any = small_work


@native
def seen() -> int:
    return int(bound())


@somd.somd
def increased(a: dist[np.ndarray]) -> np.ndarray:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + 1.0
    return c


def test_machine_code_reads_the_word() -> None:
    for operations in (0, 5, None):
        layer().divide(operations)
        assert seen() == (MEASURED[layer().name] if operations is None else operations)


@pytest.mark.parametrize("operations", [0, 7, 1 << 62])
def test_a_call_sets_it(operations: int) -> None:
    with somd.use(target="multicore", workers=3, small_work=operations):
        assert increased(np.zeros(5)).tolist() == [1.0] * 5
    assert seen() == operations
