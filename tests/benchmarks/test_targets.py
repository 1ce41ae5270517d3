"""The kernels on every target and number of workers: the sequential version's results, bit for bit but for Series."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import somd
from benchmarks.javagrande import crypt, lufact, series, sor, sparsematmult
from tests.differential import harness

WORKERS = (1, 2, 3, 7)

SMALL_INPUTS: dict[str, tuple[ModuleType, Callable[[], tuple[Any, ...]]]] = {
    "Crypt": (crypt, lambda: crypt.inputs(8 * 301)),
    "LUFact": (lufact, lambda: lufact.inputs(61)),
    "Series": (series, lambda: series.inputs(23)),
    "SOR": (sor, lambda: sor.inputs(33, 4)),
    "SparseMatmult": (sparsematmult, lambda: sparsematmult.inputs(120, 700, 3)),
}


@pytest.mark.parametrize("target", harness.TARGETS)
@pytest.mark.parametrize("name", SMALL_INPUTS)
@pytest.mark.usual(3)
def test_results_are_the_sequential_ones(name: str, target: str) -> None:
    reason = harness.unavailable(target)
    if reason is not None:
        pytest.skip(reason)
    benchmark, inputs = SMALL_INPUTS[name]
    expected_args = inputs()
    expected = benchmark.sequential(*expected_args)
    for workers in WORKERS:
        args = inputs()
        with somd.use(target=target, workers=workers):
            result = benchmark.kernel(*args)
        where = f"{name}, {target}, {workers} workers"
        if name == "Series":
            np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12, err_msg=where)
            continue
        if name == "SOR":  # its sum is a sum of doubles, in an order of its own; the grid is there bit for bit
            np.testing.assert_allclose(result, expected, rtol=1e-12, err_msg=where)
        else:
            harness.assert_same(result, expected, 0.0, f"result ({where})")
        for k, (mine, theirs) in enumerate(zip(args, expected_args, strict=True)):
            harness.assert_same(mine, theirs, 0.0, f"argument {k} ({where})")
