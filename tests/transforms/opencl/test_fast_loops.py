"""Loops that are run first with their indexes taken for inside: the numbers, the faults, and which loops they are."""

from __future__ import annotations

import numpy as np
import pytest

from somd.language.markers import dist
from somd.runtime.opencl import Device
from tests.transforms.opencl.running import check, code_of, on_device

Array = np.ndarray


def rows(y: dist[Array], start: Array, column: Array, value: Array, x: Array):
    for i in range(len(y)):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k], 1]
        y[i] = total


def conditions(out: dist[Array], index: Array, b: Array):
    for i in range(len(out)):
        last = out[i]
        count = 0
        for k in range(len(index)):
            for m in range(2):
                if b[index[k]] > out[i] and (k == 3 or b[index[k] + m] > 0.1):
                    last = b[index[k]]
                    count += 1
            if count > 5:
                break
        out[i] = last + count


def limits(out: dist[Array], index: Array, b: Array):
    for i in range(len(out)):
        total = 0.0
        for k in range(len(index)):
            for m in range(int(b[index[k]] * 3.0)):
                total += m
        out[i] = total


def stores(out: dist[Array], index: Array, b: Array):
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = b[index[k]] + (out[i, k - 1] if k > 0 else 0.0)


def quotients(out: dist[Array], a: Array, b: Array):
    for i in range(len(out)):
        total = 0.0
        for k in range(len(a)):
            if a[k] != 2.0:
                total += a[k] / b[i]
            total += a[k] / (out[i] * np.sqrt(b[k]))
        out[i] = total


def given(place: int | None) -> tuple[Array, Array, Array]:
    pick = np.random.default_rng(5)
    index, b = pick.integers(0, 50, 30), pick.random(60)
    if place is not None:
        index[17] = place
    return np.linspace(0.0, 1.2, 40), index, b


@pytest.mark.parametrize("place", [None, -1, -2, -50, 49])
def test_rows(device: Device, place: int | None) -> None:
    pick = np.random.default_rng(4)
    start, column, x = np.arange(0, 205, 5), pick.integers(0, 50, 200), pick.random((50, 2))
    if place is not None:
        column[77] = place
    check(rows, device, np.zeros(40), start, column, pick.random(200), x)


def test_faults_of_rows(device: Device) -> None:
    pick = np.random.default_rng(4)
    start, column, value, x = np.arange(0, 205, 5), pick.integers(0, 50, 200), pick.random(200), pick.random((50, 2))
    column[[77, 78, 150]] = 50, -51, 60
    with pytest.raises(IndexError, match=r"index 50 of `x\[column\[k\], 1\]` .* axis 0 of `x`"):
        on_device(rows, device, np.zeros(40), start, column, value, x)
    with pytest.raises(IndexError, match=r"index 1 of `x\[column\[k\], 1\]` .* axis 1 of `x`"):
        on_device(rows, device, np.zeros(10), start, column, value, x[:, :1].copy())
    start[3], column[:] = 999, 0
    with pytest.raises(IndexError, match=r"index 200 of `value\[k\]`"):
        on_device(rows, device, np.zeros(5), start, column, value, x)
    with pytest.raises(IndexError, match=r"index 0 of `x\[column\[k\], 1\]` .* axis 0"):
        on_device(rows, device, np.zeros(1), start, column, value, x[:0].copy())


@pytest.mark.parametrize("place", [None, -1, -2, -60, 58])
def test_conditions(device: Device, place: int | None) -> None:
    check(conditions, device, *given(place))


def test_faults_under_conditions(device: Device) -> None:
    with pytest.raises(IndexError, match=r"index 60 of `b\[index\[k\]\]`"):
        on_device(conditions, device, *given(60))


@pytest.mark.parametrize("rare", [None, 0.0, -0.0, 1e-40, 3e38, np.inf, np.nan])
def test_quotients_and_roots(device: Device, rare: float | None) -> None:
    pick = np.random.default_rng(6)
    out, a, b = (pick.uniform(0.5, 2.0, 70).astype(np.float32) for _ in range(3))
    if rare is not None:
        a[11], b[13], b[14] = rare, abs(rare), 2.0
    with np.errstate(all="ignore"):
        check(quotients, device, out, a, b)
    assert "quotient_near" in (text := code_of(quotients, out, a, b).kernels) and "root_near" in text


def test_which_loops_they_are() -> None:
    for method, fast in ((conditions, True), (limits, False), (stores, False)):
        arguments = given(None) if method is not stores else (np.zeros((4, 30)), *given(None)[1:])
        assert ("place_near" in code_of(method, *arguments).kernels) is fast, method
