"""Tests for None, and other names for it, in methods that are written in one line."""

from __future__ import annotations

import numpy as np

import somd
from somd import dist

A = dist[np.ndarray]


def squared(a: A) -> np.ndarray: return a[:, None] * a[None, :]  # fmt: skip


def scaled(a: A, b: float | None = None) -> np.ndarray: b = 2.0 if b is None else b; return a * b  # noqa: E702  # fmt: skip


def test_methods_in_one_line() -> None:
    a = np.arange(5.0)
    assert np.array_equal(somd.somd(squared)(a), squared(a))
    assert np.array_equal(somd.somd(scaled)(a), scaled(a))
