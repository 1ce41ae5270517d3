"""Loops beside libraries of arrays find the same numbers, here with NumPy as the library."""

from __future__ import annotations

import os

import numpy as np
import pyopencl as cl
import pytest

import somd
from benchmarks.gpu_libraries.__main__ import _row
from benchmarks.gpu_libraries.cases import cases
from benchmarks.gpu_libraries.libraries import Library
from somd.runtime.opencl import select

NUMPY = Library("NumPy", np, np.asarray, np.asarray, lambda function: function, lambda call, calls: 1.0)
CASES = {each.name: each for each in cases(64)}
NAMES = list(CASES) if os.environ.get("SOMD_ALL_CASES") else ["CSR", "transpose", "k-means labels"]


@pytest.mark.parametrize("name", NAMES)
def test_same_numbers(name: str) -> None:
    context = cl.Context([select(None).handle])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    with somd.use(target="opencl"):
        assert _row(CASES[name], queue, [NUMPY], repeat=1, calls=1).startswith(name)
