"""An IndexError says the length of the axis, where the name stands for the same array all along."""

from __future__ import annotations

import numpy as np
import pytest

import somd
from somd import dist


@somd.somd
def picked(x: dist[np.ndarray], index: dist[np.ndarray], y: dist[np.ndarray]) -> None:
    for i in range(len(index)):
        y[i] = x[index[i]]


@somd.somd
def exchanged(u: dist[np.ndarray], v: dist[np.ndarray], steps: int) -> None:
    for _ in range(steps):
        for i in range(len(u)):
            v[i] = u[i]
        u, v = v, u


@pytest.mark.parametrize("target", ["multicore", "opencl"])
@pytest.mark.usual(2)
def test_length(target: str) -> None:
    if somd.targets()[target] is not None:
        pytest.skip(str(somd.targets()[target]))
    with somd.use(target=target):
        with pytest.raises(IndexError, match=r"index 9 of `x\[index\[i\]\]` .* for axis 0 of `x` with size 3 \("):
            picked(np.ones(3), np.array([0, 9]), np.zeros(2))
        with pytest.raises(IndexError, match=r"index 1 of `y\[i\]` is out of bounds for axis 0 of `y` with size 1 \("):
            picked(np.ones(3), np.array([0, 1]), np.zeros(1))
        with pytest.raises(IndexError, match=r"an index of `v\[i\]` is out of bounds for axis 0 of `v` \("):
            exchanged(np.ones(5), np.ones(4), 3)
