"""The parts of a profile of each kernel of the suite are the time that it took, and a phase is told what bounds it.

`tests/calls/test_profile.py` holds this for small methods; with SOMD_ALL_CASES=1 the kernels are taken at class A.
"""

from __future__ import annotations

import json
import os
import time

import pytest

import somd
from benchmarks.javagrande.registry import BENCHMARKS, Entry

pytestmark = pytest.mark.skipif("SOMD_ALL_CASES" not in os.environ, reason="compiles: SOMD_ALL_CASES=1")


@pytest.mark.parametrize("entry", BENCHMARKS, ids=lambda entry: entry.module)
def test_parts_add_up(entry: Entry) -> None:
    benchmark = entry.load()
    given = benchmark.prepare("A")
    with somd.use(target="multicore", workers=2):
        begun = time.perf_counter()
        with somd.profile() as profile:
            found = benchmark.kernel(*given)
        taken = time.perf_counter() - begun
    benchmark.validate("A", given, found)
    figures = json.loads(profile.json())
    parts = [part for method in (*figures["methods"], figures["outside"]) for part in method["parts"]]
    assert abs(sum(part["seconds"] for part in parts) - taken) <= 0.05 * taken
    assert "neither is near" in profile.table() or "of memory" in profile.table() or "of arithmetic" in profile.table()
