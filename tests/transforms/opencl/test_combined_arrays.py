"""Arrays that a fence combines, on every device; the simulator among them finds races between copies."""

from __future__ import annotations

import numpy as np
import pytest

from somd.language.markers import dist, shared, sync
from somd.runtime.opencl import Device
from tests.devices import has_few
from tests.transforms.opencl.running import check, method_from

Array = np.ndarray
random = np.random.default_rng(5)
OPERATORS = {
    "+": "h[k[i]] += v[i]",
    "-": "h[k[i]] = h[k[i]] - v[i]",
    "*": "h[k[i]] *= v[i]",
    "min": "h[k[i]] = min(h[k[i]], v[i])",
    "max": "\n            if v[i] > h[k[i]]:\n                h[k[i]] = v[i]",
    "&": "h[k[i]] &= v[i]",
    "|": "h[k[i]] |= v[i]",
    "^": "h[k[i]] ^= v[i]",
}
#: an addition, one of floats, and a test, all in words of different lengths
SOME = (("+", "int32"), ("+", "float32"), ("max", "int64"))
TEXT = """def method(k: dist[np.ndarray], v: dist[np.ndarray], h: shared[np.ndarray]):
    with sync(h, reduce="{}"):
        for i in range(len(k)):
            {}
"""


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint32", "int64", "uint64", "float32"])
def test_operators(device: Device, op: str, dtype: str) -> None:
    if dtype.startswith("float") and op in "&|^":
        return
    if has_few(device) and (op, dtype) not in SOME:
        pytest.skip("another device does all combinations")
    method = method_from(TEXT.format(op, OPERATORS[op]))
    rtol = 1e-4 if dtype == "float32" and op in "+-*" else 0.0
    trips = 40 if "grind" in str(device).lower() else 400
    for elements in (1, 6, 100):
        keys = random.integers(-elements, elements, trips)
        values = random.integers(1, 3, trips).astype(dtype)
        check(method, device, keys, values, random.integers(0, 100, elements).astype(dtype), rtol=rtol)


def weights(x: dist[Array], y: dist[Array], w: dist[Array], h: shared[Array], m: int):
    seen: shared[Array] = np.zeros(h.shape[1], dtype=np.int32)
    best = w[0]
    at = -1
    total = 0.0
    with sync(h, seen, total, reduce="+"):
        for i in range(len(x) - 1, -1, -1):
            for j in range(m):
                h[x[i], (y[i] + j) % h.shape[1]] += w[i]
                seen[(x[i] * j) % seen.shape[0]] += 1
            total += w[i]
            if w[i] > best:
                best = w[i]
                at = i
    return total, best, at, seen


def test_two_dimensions_several_arrays_and_scalars(device: Device) -> None:
    for n in (1, 5, 70):
        x, y = random.integers(0, 3, n), random.integers(0, 4, n)
        check(weights, device, x, y, random.random(n), random.random((3, 4)), 3, rtol=1e-12)
