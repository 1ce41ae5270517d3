"""Long chains of additions, added up by blocks as multiples of a unit: the bits of one addition after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import somd
from somd import dist
from somd.runtime.opencl import Device, watch_launches, workgroups
from tests.devices import has_few
from tests.differential import harness
from tests.usual import ALL

pytestmark = pytest.mark.usefixtures("one_at_a_time")
A = dist[np.ndarray]


@somd.somd
def spread(x: np.ndarray) -> np.ndarray:
    return x.std(axis=0)


@somd.somd
def rest(a: np.ndarray, v: np.ndarray, y: A) -> None:
    for i in range(len(y)):
        s = y[i]
        for k in range(1, a.shape[1]):
            s -= a[i, k] * v[k]
        y[i] = s * 2.0


@pytest.fixture
def with_chains(quick_device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device for whose groups no chain is too short, and none are too many."""
    monkeypatch.setattr(workgroups, "KINDS_WITH_TILES", ("gpu", "cpu"))
    monkeypatch.setattr(workgroups, "LONG_CHAIN", 0)
    monkeypatch.setattr(workgroups, "FILLED", 1 << 20)
    return quick_device


def terms(kind: int, *shape: int) -> np.ndarray:
    """Numbers whose sums grow, walk around 0, meet middles of two floats, overflow, or are no numbers, or too small."""
    random = np.random.default_rng(kind)
    found = random.normal(size=shape) if kind == 1 else random.random(shape)
    if kind == 2:
        found = random.integers(-4, 5, shape) * 0.25 + (found < 0.1) * 2.0 ** -random.integers(1, 60, shape)
    elif kind == 3:
        found[random.random(shape) < 0.02], found[random.random(shape) < 0.0004] = -0.0, np.inf
        found[random.random(shape) < 0.0004] = np.nan
    elif kind > 3:
        found *= {4: 1e-320, 5: -1e305, 6: -0.0}[kind]
    return found


@pytest.mark.parametrize("dtype", (np.float64, np.float32))
@pytest.mark.usual(3)
def test_the_bits_are_those_of_one_addition_after_the_other(with_chains: Device, dtype: type) -> None:
    if has_few(with_chains) and dtype is np.float32:
        pytest.skip("the kernels are those of another device, where they run")
    sizes: list[tuple[int, int]] = [(1, 1), (511, 3), (1300, 9)]
    device = f"{with_chains.info.platform}:{with_chains.index}"
    with somd.use(device=device), np.errstate(all="ignore"), watch_launches() as seen:
        for kind in range(7):
            for n, m in [*sizes, (0, 2), (9000, 5)] if ALL else sizes[kind % 3 :]:
                given = terms(kind, n, m).astype(dtype)
                if not has_few(with_chains):
                    check(spread, given)
                check(rest, given.T.copy(), terms(1, n).astype(dtype), np.ones(m, dtype))
    found = {name for name, _ in seen if name.endswith("_chains")}
    assert found == {"rest_1_chains", *([] if has_few(with_chains) else ["spread_1_chains", "spread_3_chains"])}


def check(method: Any, *given: np.ndarray) -> None:
    harness.check(method, given, "opencl", workers=(1,))


def test_short_chains_are_for_other_kernels(with_chains: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if has_few(with_chains):
        pytest.skip("the kernels are those of another device, where they run")
    monkeypatch.setattr(workgroups, "LONG_CHAIN", 2048)
    with somd.use(device=f"{with_chains.info.platform}:{with_chains.index}"), watch_launches() as seen:
        check(spread, terms(0, 300, 40))
    assert not {name for name, _ in seen if name.endswith("_chains")}
