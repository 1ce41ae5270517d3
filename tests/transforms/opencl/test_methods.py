"""Whole methods on every device against plain Python."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
import pytest

from somd.language.markers import dist, reduce, shared, single, sync
from somd.runtime.opencl import Device, count_transfers, to_device
from tests.devices import has_few
from tests.transforms.opencl.running import check, on_device

Array = np.ndarray
random = np.random.default_rng(7)


def vector_add(a: dist[Array], b: dist[Array]) -> Array:
    c = np.empty_like(a)
    for i in range(len(a)):
        c[i] = a[i] + b[i]
    return c


def stencil(G: dist[Array], steps: int):
    for p in range(steps):
        with sync:
            for i in range(1, G.shape[0] - 1):
                for j in range(1 + (i + p) % 2, G.shape[1] - 1, 2):
                    G[i, j] = 0.25 * (G[i - 1, j] + G[i + 1, j] + G[i, j - 1] + G[i, j + 1])


def strides(a: dist[Array], b: dist[Array], n: int, m: int):
    for i in range(n - 1, -1, -1):
        a[i] = b[i] + i
    for i in range(m, n, 3):
        a[i] = -a[i]
    for i in range(n - 2, m, -2):
        b[i] = a[i + 1] * i
    for i in range(n, m):
        a[i] = 99.0


def three_dimensions(a: dist[Array], b: dist[Array]):
    for i in range(a.shape[0]):
        for j in range(a.shape[1] - 1, -1, -1):
            for k in range(1, a.shape[2], 2):
                b[i, j, k] = a[i, j, k - 1] + 100 * i + 10 * j + k


def matrix_vector(A: dist[Array], x: Array, y: dist[Array]):
    n, m = A.shape
    for i in range(n):
        s = 0.0
        for j in range(m):
            s += A[i, j] * x[j]
        y[i] = s


def eliminate(A: dist[Array], n: int):
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]


def triangle(a: dist[Array]):
    for i in range(a.shape[0]):
        for j in range(i, a.shape[1]):
            a[i, j] = i - 2.0 * j + a[i, j]


def collatz_steps(n: int) -> int:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def mix(x: float, double: float) -> float:
    if x < 0:
        return -mix_more(-x)
    elif x < 0.5:
        double = x * 2
    for k in range(3):
        if k == 2:
            break
        double += k
    return double


def mix_more(x: float) -> float:
    return x * math.sin(x)


def helpers(a: dist[Array], counts: dist[Array]):
    for i in range(len(a)):
        counts[i] = collatz_steps(i)
        a[i] = mix(a[i], 1.0) + mix(a[i] - 2, 0.5)


def control(a: dist[Array], n: int):
    for i in range(len(a)):
        """Control flow that C has in another form."""
        x, y = a[i], 2.0
        x, y = y, x
        last = 0
        for k in range(i, n, 2):
            n_k = k * k
            if n_k % 3 == 0:
                continue
            last = k
            k = 100
            if last > 6:
                break
        step = -2
        for k in range(n, last, step):
            y += k
        while x < 50:
            x = x * 1.5
            if x > 20 and i % 2 == 1:
                break
        if i % 7 == 3:
            a[i] = -1.0
            continue
        int, double = 3, 0.5
        a[i] = x + y * double if last > 2 else y - int


def until(a: dist[Array], tolerance: float) -> int:
    error = tolerance + 1
    turns = 0
    while error > tolerance:
        error = 0.0
        with sync(error, reduce="max"):
            for i in range(len(a)):
                a[i] = a[i] * 0.5
                error = max(error, abs(a[i]))
        turns += 1
        if turns > 40:
            break
    return turns


def normalize(a: dist[Array]) -> Array:
    norm: shared[float] = 0.0
    with sync(norm, reduce="+"):
        for i in range(len(a)):
            norm += a[i] * a[i]
    norm = np.sqrt(norm)
    for i in range(len(a)):
        a[i] = a[i] / norm
    return a


def serial(a: dist[Array], k: int) -> tuple[float, float]:
    scale = a[k] + len(a)
    b = a.copy()
    c = np.full(len(a), 2.5)
    d = np.ones_like(a)
    for i in range(len(a)):
        b[i] = b[i] / scale + c[i] * d[i]
    with single:
        b[0] = mix(b[k], 1.0)
        b[-1] += 1.0
        for i in range(2):
            a[i] = b[i]
    for i in range(len(a)):
        a[i] = a[i] + b[i]
    return scale, b[k]


def swapping(a: dist[Array], b: dist[Array], steps: int) -> Array:
    for _s in range(steps):
        for i in range(1, len(a) - 1):
            b[i] = a[i - 1] + a[i + 1]
        a, b = b, a
    return a


def negative(a: dist[Array], b: dist[Array]):
    for i in range(len(a)):
        a[i] = b[-1 - i] + b[-1] * b[i - 3]


def clashing(run: dist[Array], global_: Array, faults: float, trips: int):
    iteration, lane, half = 0.0, 0, 2
    SITES = faults + half
    for kernel in range(len(run)):
        float4 = run[kernel] * SITES
        sqrt = np.sqrt(abs(float4)) + half
        for uchar in range(trips):
            sqrt += global_[uchar]
        run[kernel] = sqrt
        iteration += 1
        lane = max(lane, kernel)
    blocks = 0
    for trip in range(len(run)):
        if run[trip] > 1:
            blocks += 1
    return iteration, lane, blocks


def cube(a: dist[Array], b: dist[Array]):
    s = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1] - 1, i, -1):
            for k in range(j, a.shape[2], 3):
                s += a[i, j, k]
                b[i, j, k] = a[i, j, k] // 3
    return s


def unpacked(a: dist[Array], b: dist[Array]):
    shape = b.shape
    rows, columns = a.shape
    for i in range(rows):
        for j in range(columns):
            n, m = shape
            pair = (i * 2, j + 1)
            k, l = pair  # noqa: E741
            a[i, j] = n * m + shape[1] + pair[0] + k - l + b.size + a.ndim


CASES: dict[str, tuple[Any, ...]] = {
    "vector_add": (vector_add, random.random(100), random.random(100)),
    "vector_add_float32": (vector_add, random.random(7).astype("f4"), random.random(9).astype("f4")),
    "vector_add_mixed": (vector_add, np.arange(40, dtype="u1"), random.random(40).astype("f4") * 5),
    "vector_add_empty": (vector_add, np.empty(0), np.empty(0)),
    "stencil": (stencil, random.random((9, 12)), 5),
    "stencil_small": (stencil, random.random((2, 12)), 5),
    "stencil_thin": (stencil, random.random((3, 3)), 3),
    "strides": (strides, random.random(20), random.random(21), 20, 4),
    "strides_empty": (strides, random.random(20), random.random(20), 0, 4),
    "three_dimensions": (three_dimensions, random.random((3, 4, 5)), random.random((3, 4, 5))),
    "matrix_vector": (matrix_vector, random.random((8, 5)), random.random(5), np.zeros(8)),
    "eliminate": (eliminate, random.random((6, 6)) + 3 * np.eye(6), 6),
    "triangle": (triangle, random.random((7, 9))),
    "triangle_tall": (triangle, random.random((9, 4))),
    "control": (control, random.random(30), 12),
    "swapping": (swapping, random.random(12), random.random(12), 3),
    "negative": (negative, random.random(12), random.random(12)),
    "clashing": (clashing, random.random(40), random.random(3), 0.5, 3),
    "cube": (cube, random.integers(-9, 9, (3, 5, 40)), np.zeros((3, 5, 40), int)),
    "unpacked": (unpacked, random.random((3, 4)), random.random((2, 5))),
    "serial": (serial, random.random(12), 3),
}
NEARLY: dict[str, tuple[Any, ...]] = {
    "helpers": (helpers, random.random(30) * 1.2 - 0.1, np.zeros(30, np.int32)),
    "normalize": (normalize, random.random(100)),
    "until": (until, random.random(40), 0.01),
}


#: those for devices that need not do all: every form of statement is in one of them
SOME = (
    "vector_add_mixed",
    "vector_add_empty",
    "stencil",
    "strides",
    "control",
    "clashing",
    "cube",
    "serial",
    "helpers",
)


@pytest.mark.parametrize("name", CASES)
def test_same_bits(device: Device, name: str) -> None:
    if has_few(device) and name not in SOME:
        pytest.skip("another device does all methods")
    check(CASES[name][0], device, *CASES[name][1:])


@pytest.mark.parametrize("name", NEARLY)
def test_nearly(device: Device, name: str) -> None:
    if has_few(device) and name not in SOME:
        pytest.skip("another device does all methods")
    check(NEARLY[name][0], device, *NEARLY[name][1:], rtol=1e-13)


def test_a_returned_parameter_is_the_caller_s_own(device: Device) -> None:
    a = random.random(10)
    assert on_device(normalize, device, a) is a


def test_data_stays_on_the_device_in_a_uniform_loop(device: Device) -> None:
    grid = random.random((6, 6))
    with count_transfers() as seen:
        on_device(stencil, device, grid, 10)
    assert (seen.uploads, seen.downloads) == (1, 1)


def test_new_arrays_are_not_uploaded(device: Device) -> None:
    with count_transfers() as seen:
        on_device(vector_add, device, np.ones(8), np.ones(8))
    assert (seen.uploads, seen.downloads) == (2, 1)


def test_the_same_array_twice(device: Device) -> None:
    a = random.random(8)
    assert np.array_equal(on_device(vector_add, device, a, a), 2 * a)


def test_sum_declared(device: Device) -> None:
    def total(a: dist[Array]) -> Annotated[float, reduce("+")]:
        result = 0.0
        for i in range(len(a)):
            result += a[i]
        return result

    check(total, device, random.random(50), rtol=1e-14)


def test_device_arrays(any_device: Device) -> None:
    from somd.runtime.opencl.execute import call
    from tests.transforms.opencl.running import code_of

    a = random.random(16)
    code = code_of(vector_add, a, a.copy())
    module: dict[str, Any] = {}
    exec(compile(code.host, "host.py", "exec"), module)
    there = to_device(a, any_device)
    with count_transfers() as seen:
        first = call(module[code.entry], code.kernels, code.kernel_names, (there, there))
        second = call(module[code.entry], code.kernels, code.kernel_names, (first, there))
    assert (seen.uploads, seen.downloads) == (0, 0)
    assert np.array_equal(np.asarray(second), a + a + a)
