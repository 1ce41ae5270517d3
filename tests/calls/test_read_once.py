"""The text of a method is read once for its check, for all targets and for all signatures, as long as names mean the
same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms import pipeline

FACTOR = 2.0


def helper(x: float) -> float:
    return x * FACTOR


def scaled(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        a[i] = helper(a[i])


def made(number: int) -> Callable[..., None]:
    def shifted(a: dist[np.ndarray]) -> None:
        for i in range(len(a)):
            a[i] = a[i] + number

    return shifted


def factored(a: dist[np.ndarray]) -> None:
    for i in range(len(a)):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])


def clipped(a: dist[np.ndarray], limit: Any) -> None:
    for i in range(len(a)):
        if i < limit:
            a[i] = a[i] + 1


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the methods that are read, in order, with an empty cache."""
    monkeypatch.setenv("SOMD_CACHE_DIR", str(tmp_path))
    found: list[str] = []
    read = pipeline.read_method

    def noting(function: Any) -> Any:
        found.append(function.__name__)
        return read(function)

    monkeypatch.setattr(pipeline, "read_method", noting)
    return found


def text(method: Any, target: str, dtype: str = "float64") -> str:
    """The module for a call, which is not compiled."""
    entry, _ = method._entries.find(target, (np.ones(4, dtype),), None)
    return str(entry.text)


def test_targets_and_signatures(reads: list[str]) -> None:
    method: Any = somd.somd(scaled)
    assert reads == ["scaled"]
    first = text(method, "multicore")
    assert text(method, "multicore", "float32") != first
    if somd.targets()["opencl"] is None:
        assert "KERNELS" in text(method, "opencl")
    assert method.source("multicore")
    assert reads == ["scaled"]


def test_a_name_that_means_something_else(reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    method: Any = somd.somd(scaled)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert "3.0" in text(method, "multicore") and len(reads) == 2
    monkeypatch.setitem(globals(), "FACTOR", 4.0)
    assert "4.0" in text(method, "multicore") and len(reads) == 3


def test_a_helper_with_another_default(reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    method: Any = somd.somd(scaled)
    monkeypatch.setattr(helper, "__defaults__", (1.0,))
    text(method, "multicore")
    assert len(reads) == 2


def test_methods_are_kept_for_a_while(reads: list[str]) -> None:
    methods: list[Any] = [somd.somd(made(number)) for number in range(pipeline._MOST_READ + 1)]
    reads.clear()
    last, first = text(methods[-1], "multicore"), text(methods[0], "multicore")
    assert f" {pipeline._MOST_READ}" in last and " 0" in first
    assert reads == ["shifted"]


@pytest.fixture
def plans(reads: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the methods that are planned, in order."""
    found: list[str] = []
    plan = pipeline.method_to_plan

    def noting(method: Any, kinds: Any = None) -> Any:
        found.append(method.name)
        return plan(method, kinds)

    monkeypatch.setattr(pipeline, "method_to_plan", noting)
    return found


def test_types_that_tell_the_planner_nothing_new(plans: list[str]) -> None:
    method: Any = somd.somd(factored)
    assert plans == ["factored"] * 2  # as written, and in panels of rows
    entry, _ = method._entries.find("multicore", (np.ones((4, 4)),), None)
    assert "i__panel" in entry.text
    entry, _ = method._entries.find("multicore", (np.ones((4, 4), "float32"),), None)
    assert len(plans) == 2


def test_a_limit_that_is_no_integer(plans: list[str]) -> None:
    method: Any = somd.somd(clipped)
    text_of = {kind: method._entries.find("multicore", (np.ones(4), kind(2)), None)[0].text for kind in (float, int)}
    assert plans == ["clipped"] * 2  # the check knows as much as the call with an int
    assert text_of[float] != text_of[int]
