"""Arrays that a fence combines, on every device; the simulator among them finds races between copies."""

from __future__ import annotations

import numpy as np
import pytest

from somd.language.markers import dist, shared, sync
from somd.runtime.opencl import Device
from tests.devices import has_few
from tests.transforms.opencl.running import check, method_from
from tests.usual import ALL

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
#: what has all operators: words that are narrower than those of atomic operations, and the widest
WHOLE = ("int8", "uint64")
#: an addition, one of floats, and a test, all in words of different lengths
SOME = (("+", "int32"), ("+", "float32"), ("max", "int64"))


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint32", "int64", "uint64", "float32"])
@pytest.mark.usual(3)
def test_operators(device: Device, dtype: str) -> None:
    """Each operator at a fence of its own, of one method: a driver takes long to begin with a program."""
    chosen = [op for op in OPERATORS if not (dtype.startswith("float") and op in "&|^")]
    if has_few(device):
        chosen = [op for op in chosen if (op, dtype) in SOME]
    elif dtype not in WHOLE and not ALL:
        chosen = [op for op in chosen if op in ("+", "max")]
    if not chosen:
        pytest.skip("another device does all combinations")
    arrays = [f"h{k}" for k in range(len(chosen))]
    combined = ", ".join(f"{array}: shared[np.ndarray]" for array in arrays)
    text = f"def method(k: dist[np.ndarray], v: dist[np.ndarray], {combined}):\n"
    for array, op in zip(arrays, chosen, strict=True):
        text += f'    with sync({array}, reduce="{op}"):\n        for i in range(len(k)):\n            '
        text += f"{OPERATORS[op].replace('h[', f'{array}[')}\n"
    method = method_from(text)
    trips = 40 if "grind" in str(device).lower() else 400
    for elements in (1, 6, 100):
        keys = random.integers(-elements, elements, trips)
        values = random.integers(1, 3, trips).astype(dtype)
        before = [random.integers(0, 100, elements).astype(dtype) for _ in arrays]
        check(method, device, keys, values, *before)  # whole numbers, exact in any order


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


@pytest.mark.usual(3)
def test_two_dimensions_several_arrays_and_scalars(device: Device) -> None:
    for n in (1, 5, 70):
        x, y = random.integers(0, 3, n), random.integers(0, 4, n)
        check(weights, device, x, y, random.random(n), random.random((3, 4)), 3, rtol=1e-12)
