"""Large arrays that masters make lie in memory for which huge pages are asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import somd

SMAPS = Path("/proc/self/smaps")


@somd.somd
def shifted(a: somd.dist[np.ndarray]) -> np.ndarray:
    return a + 1.0


def flags_of(address: int) -> list[str]:
    """What the system notes of the memory at an address."""
    inside = False
    for line in SMAPS.read_text(encoding="utf-8").splitlines():
        first = line.split()[0]
        if "-" in first:
            start, end = (int(part, 16) for part in first.split("-"))
            inside = start <= address < end
        elif inside and first == "VmFlags:":
            return line.split()[1:]
    return []


def test_large_new_arrays_ask_for_huge_pages() -> None:
    a = np.arange(2.0**20)
    if not SMAPS.exists() or not flags_of(a.ctypes.data):
        pytest.skip("the system does not tell")
    with somd.use(target="multicore", workers=1):
        found = shifted(a)
    assert np.array_equal(found, a + 1.0)
    assert "hg" in flags_of(found.ctypes.data + found.nbytes // 2)
