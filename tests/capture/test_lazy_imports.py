"""Modules that a program imports lazily: known when a method is called, not when it is defined (Python 3.15)."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import somd

LAZY = sys.version_info >= (3, 15)
PROGRAM = """
lazy import math
lazy import numpy as np
lazy from math import sqrt
lazy import missing_constants

from somd import dist, somd


@somd
def roots(a: dist[np.ndarray], k: float) -> np.ndarray:
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = sqrt(a[i]) + math.floor(k)
    return out


@somd
def filled(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = missing_constants.ONE
"""


@pytest.mark.skipif(not LAZY, reason="Python 3.15 has `lazy import`")
def test_what_is_imported_lazily_is_imported_at_the_first_call(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    names = runpy.run_path(str(path))
    roots, filled = names["roots"], names["filled"]
    given = np.arange(5.0)
    with somd.use(target="multicore", workers=2, small_work=0):
        for _ in range(2):
            assert np.array_equal(roots(given, 2.5), roots.sequential(given, 2.5))
        with pytest.raises(ModuleNotFoundError, match="missing_constants"):
            filled(given)
