"""Where the elements of arrays lie: what NumPy tells."""

from __future__ import annotations

import numpy as np

from somd.runtime.multicore.numba_internals.owned_memory import _read, address_of


def test_the_address_is_what_numpy_tells() -> None:
    matrix = np.arange(12.0).reshape(3, 4)
    for array in (matrix, matrix[1:, ::-2], matrix.T, np.zeros(0, np.int8), np.array(5)):
        assert address_of(array) == array.__array_interface__["data"][0]
    assert address_of is _read
