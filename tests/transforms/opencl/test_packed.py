"""Tiles of sums in registers, by work-groups: the bits of plain Python, whatever the operands' layout and the edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.opencl import Device, watch_launches, workgroups
from tests.devices import has_few
from tests.differential import harness
from tests.usual import ALL

A = dist[np.ndarray]


@somd.somd
def product(a: np.ndarray, b: np.ndarray, c: A) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


@somd.somd
def transposed(a: np.ndarray, b: np.ndarray, c: A, alpha: float, beta: float) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] *= beta
            for k in range(a.shape[0]):
                c[i, j] += alpha * a[k, i] * b[j, k]


@somd.somd
def weighted(a: np.ndarray, w: np.ndarray, c: A, n: int) -> None:
    for i in range(1, c.shape[0]):
        for j in range(2, c.shape[1]):
            s = c[i, j]
            if n > 3:
                for k in range(1, n):
                    s -= w[k] * (a[k, i] + a[k + 1, j - 1])
            c[i, j] = s * 0.5


@somd.somd
def two_terms(a: np.ndarray, b: np.ndarray, c: A) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[j, k] + b[i, k] * a[j, k]


@somd.somd
def below(a: np.ndarray, b: np.ndarray, c: A) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(i):
                c[i, j] += a[i, k] * b[k, j]


@somd.somd
def overlap(a: np.ndarray, w: np.ndarray, c: A) -> None:
    """The same numbers above the diagonal and below it, but for what is made of them."""
    for i in range(1, len(a)):
        for j in range(1, len(a)):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * a[j, k]
            s *= w[i]
            c[i, j] = s - w[j]


@somd.somd
def scaled_overlap(a: np.ndarray, b: np.ndarray, c: A) -> None:
    """Other numbers: the products are rounded in another order."""
    for i in range(len(a)):
        for j in range(len(a)):
            s = 0.0
            for k in range(a.shape[1]):
                s += (b[0, k] * a[i, k]) * a[j, k]
            c[i, j] = s


@dataclass(frozen=True)
class Case:
    method: Any
    arguments: Callable[[int, int, int], tuple[Any, ...]]


def numbers(*shape: int, dtype: type = np.float64) -> np.ndarray:
    generator = np.random.default_rng(shape[0])
    found = generator.normal(size=shape) * 10.0 ** generator.integers(-6, 6, shape)
    found[generator.random(shape) < 0.05] = -0.0
    return found.astype(dtype)


single = np.float32
CASES = (
    Case(product, lambda m, n, k: (numbers(m, k), numbers(k, n), np.ones((m, n)))),
    Case(product, lambda m, n, k: (numbers(m, k, dtype=single), numbers(k, n, dtype=single), np.ones((m, n), single))),
    Case(transposed, lambda m, n, k: (numbers(k, m), numbers(n, k), numbers(m, n), 1.5, 0.25)),
    Case(weighted, lambda m, n, k: (numbers(k + 1, m + n), numbers(k), numbers(m, n), k)),
    Case(two_terms, lambda m, n, k: (numbers(m, k), numbers(m, k), numbers(m, m))),
    Case(overlap, lambda m, n, k: (numbers(m, k), numbers(m), np.ones((m, m)))),
    *([Case(scaled_overlap, lambda m, n, k: (numbers(m, k), numbers(1, k), np.ones((m, m))))] if ALL else []),
)


@pytest.fixture
def with_tiles(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose groups bring in tiles, however few."""
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    monkeypatch.setattr(workgroups, "QUICKER", 1 << 20)
    monkeypatch.setattr(workgroups, "FILLED", 0.0)
    return quick_device


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_bits_are_those_of_plain_python(with_tiles: Device, number: int) -> None:
    case = CASES[number]
    if has_few(with_tiles) and number != 4:
        pytest.skip("the kernels are those of another device, where they run")
    sizes = ((1, 1, 1), (3, 5, 0), (131, 140, 9), (130, 260, 17)) if ALL else ((3, 5, 0), (131, 136, 9))
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for size in sizes:
            harness.check(case.method, case.arguments(*size), "opencl", workers=(1,))
    assert {name for name, _ in seen} == {f"{case.method.__name__}_1_packed"}


@pytest.mark.usual(2)
def test_where_few_tiles_would_fill_the_device_they_are_finer(
    with_tiles: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workgroups, "FILLED", 1 << 20)
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"), watch_launches() as seen:
        for case in CASES if ALL else CASES[3:4] if has_few(with_tiles) else (*CASES[1:4], CASES[5]):
            for size in ((3, 5, 0), (34, 67, 21)):
                harness.check(case.method, case.arguments(*size), "opencl", workers=(1,))
    assert {name.rpartition("_")[2] for name, _ in seen} == {"finer"}


@pytest.mark.usual(2)
def test_no_number_of_a_row_beside_reaches_a_sum(with_tiles: Device) -> None:
    """What lies outside of the operands is not a zero that is added: -0.0 stays, and so does infinity."""
    a, b, c = np.full((2, 3), -0.0), np.full((3, 2), 5.0), np.full((2, 2), -0.0)
    a[1], b[0, 0] = 1.0, np.inf
    with somd.use(device=f"{with_tiles.info.platform}:{with_tiles.index}"):
        harness.check(two_terms, (a[:, :2].copy(), b[:2].copy(), c), "opencl", workers=(1,))
        harness.check(product, (a, b, c), "opencl", workers=(1,))


@pytest.mark.usual(2)
def test_few_tiles_are_left_to_work_items(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    monkeypatch.setattr(workgroups, "QUICKER", 1)
    monkeypatch.setattr(type(quick_device.info), "compute_units", 10_000, raising=False)
    with somd.use(device=f"{quick_device.info.platform}:{quick_device.index}"), watch_launches() as seen:
        product(*CASES[0].arguments(3, 4, 5))
    assert {name for name, _ in seen} <= {"product_1", "product_1_packed"}


def test_sums_with_trips_of_their_own_are_left_to_work_items(quick_device: Device) -> None:
    with somd.use(device=f"{quick_device.info.platform}:{quick_device.index}"), watch_launches() as seen:
        harness.check(below, (numbers(7, 7), numbers(7, 5), numbers(7, 5)), "opencl", workers=(1,))
    assert {name for name, _ in seen} == {"below_1"}
