"""The argument types that are taken where no call has shown any: generated text must be there for every port."""

from __future__ import annotations

import importlib

import pytest

from benchmarks.javagrande.registry import BENCHMARKS, Entry
from somd.calls.method import SomdMethod


@pytest.mark.parametrize("entry", BENCHMARKS, ids=lambda entry: entry.module)
def test_source_without_a_call(entry: Entry) -> None:
    module = importlib.import_module(entry.qualified_module)
    for method in [value for value in vars(module).values() if isinstance(value, SomdMethod)]:
        assert "def " in method.source("multicore")
