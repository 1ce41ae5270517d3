"""A signature and a meaning are all that a function of whole arrays needs: one that only this test knows works on targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from somd import SomdCompileError, somd
from somd.language import array_functions
from somd.transforms.arrays.arguments import Arguments
from somd.transforms.arrays.array_functions import TABLE
from somd.transforms.arrays.values import Value
from tests.differential import harness


def matrix_transpose(given: Arguments) -> Value:
    """A matrix, its rows as columns."""
    m = given.value("m")
    rows, columns = m.shape
    return Value((columns, rows), lambda at: m.element((at[1], at[0])))


def turned(m: Any) -> Any:
    found = np.matrix_transpose(m + 1.0)
    m[:] = 0.0
    return found * 2.0


@pytest.mark.parametrize("target", ["multicore", "opencl"])
def test_one_entry_and_a_meaning(target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))  # in another run's stands that the function is taken
    if harness.unavailable(target) is not None:
        pytest.skip(harness.unavailable(target))
    with pytest.raises(SomdCompileError, match="SOMD203"), somd.use(target=target):
        somd(turned)(np.ones((2, 3)))
    monkeypatch.setitem(
        array_functions._table(), np.matrix_transpose, array_functions._parsed("def matrix_transpose(m: array)")
    )
    monkeypatch.setitem(TABLE, "matrix_transpose", matrix_transpose)  # type: ignore[arg-type]
    for shape in ((2, 3), (5, 1), (0, 4)):
        harness.check(somd(turned), (np.arange(float(np.prod(shape))).reshape(shape),), target)
