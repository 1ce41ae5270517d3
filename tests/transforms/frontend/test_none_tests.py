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


def test_what_is_raised_holds_the_text() -> None:
    @somd
    def checked(a: np.ndarray, mode: str, order: object = None) -> np.ndarray:
        if mode not in ("edge", "wrap"):
            raise ValueError(f"{mode!r} of {len(a)} is no 'mode'")
        return a[:2] * (2.0 if order == "twice" else 1.0)

    for mode in ("edge", 'odd "one"'):
        for order in ("twice", 2, None):
            outcomes = []
            for run in (checked, checked.sequential):
                try:
                    outcomes.append(run(np.ones(3), mode, order).tolist())
                except ValueError as error:
                    outcomes.append([str(error)])
            assert outcomes[0] == outcomes[1]
