"""The argument types that are taken where no call has shown any: generated text must be there for every port."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from benchmarks.javagrande.registry import BENCHMARKS, Entry
from somd import somd
from somd.calls.method import SomdMethod


@pytest.mark.parametrize("entry", BENCHMARKS, ids=lambda entry: entry.module)
def test_source_without_a_call(entry: Entry) -> None:
    module = importlib.import_module(entry.qualified_module)
    for method in [value for value in vars(module).values() if isinstance(value, SomdMethod)]:
        assert "def " in method.source("multicore")


@somd
def rows_of_forces(a, d, m, i: int):
    a[i] = (d * m[:, None]).sum(axis=0)


@somd
def sums_by_label(x, labels, k: int):
    sums = np.zeros((k, x.shape[1]))
    np.add.at(sums, labels, x)
    return sums * 2.0


@pytest.mark.parametrize("method", [rows_of_forces, sums_by_label], ids=lambda method: method.__name__)
def test_explained_without_a_call(method: SomdMethod) -> None:
    assert "phase 1" in str(method.explain())
