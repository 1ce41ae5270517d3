"""Each comparison: its arrays, our method, and the same work in words of a library of arrays.

The words are written once, for a namespace `np` that is CuPy's, JAX's or PyTorch's; where libraries differ a case says
so. Sizes fill a large GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

import somd
from benchmarks.gpu_libraries import methods
from benchmarks.opencl_peers.methods import matvec
from examples.papers import black_scholes as options

single, double = numpy.float32, numpy.float64


@dataclass(frozen=True)
class Case:
    """`theirs` is called with a library's namespace and its arrays; `check` is the index of the array that ours
    changes, None for the result. `moved` bytes and `counted` operations are the least that there is to do."""

    name: str
    arrays: Callable[[], Sequence[numpy.ndarray]]
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    check: int | None
    moved: float = 0.0
    counted: float = 0.0
    #: words for one library in place of the common ones
    special: Mapping[str, Callable[..., Any]] | None = None
    rtol: float = 1e-6


def random(*shape: int, dtype: type = double, seed: int = 0) -> numpy.ndarray:
    return numpy.random.default_rng(seed).random(shape).astype(dtype)


def cases(scale: int = 1) -> list[Case]:
    """All comparisons, `scale` times smaller in each dimension."""
    s = scale
    return [
        _matvec(16384 // s, 8192 // s),
        _vecmat(16384 // s, 8192 // s),
        _transpose(8192 // s),
        _sum(2**27 // s),
        _argmax(2**27 // s),
        _softmax(32768 // s, 4096 // s),
        _compressed_rows(2**20 // s, 24),
        _black_scholes(4_000_000 // s),
        _attraction("n-body f32", 16384 // s, single),
        _attraction("n-body f64", 16384 // s, double),
        _labels(2**20 // s, 64, 8),
        _matmul("matmul f64", 2048 // s, double),
        _matmul("matmul f32", 4096 // s, single),
        _matmul("matmul f64 fastmath", 2048 // s, double, fast=True),
        _matmul("matmul f32 fastmath", 4096 // s, single, fast=True),
        _shortest(1024 // s),
    ]


def _matvec(m: int, n: int) -> Case:
    arrays = lambda: [random(m, n), random(n, seed=1), numpy.zeros(m)]  # noqa: E731
    return Case("matvec", arrays, matvec, lambda np, A, x, y: A @ x, 2, 8 * m * n)


def _vecmat(m: int, n: int) -> Case:
    arrays = lambda: [random(m), random(m, n, seed=1), numpy.zeros(n)]  # noqa: E731
    return Case("vecmat", arrays, methods.vecmat, lambda np, x, A, y: x @ A, 2, 8 * m * n)


def _transpose(n: int) -> Case:
    arrays = lambda: [random(n, n), numpy.zeros((n, n))]  # noqa: E731
    special = {
        "PyTorch": lambda np, A, B: A.T.contiguous(),
        "CuPy": lambda np, A, B: np.ascontiguousarray(A.T),
    }
    return Case("transpose", arrays, methods.transpose, lambda np, A, B: A.T + 0.0, 1, 16 * n * n, special=special)


def _sum(n: int) -> Case:
    return Case("sum", lambda: [random(n)], methods.total, lambda np, a: a.sum(), None, 8 * n)


def _argmax(n: int) -> Case:
    return Case("argmax", lambda: [random(n)], methods.argmax, lambda np, a: a.argmax(), None, 8 * n)


def _softmax(m: int, n: int) -> Case:
    def theirs(np: Any, x: Any, out: Any) -> Any:
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    arrays = lambda: [random(m, n, dtype=single), numpy.zeros((m, n), single)]  # noqa: E731
    special = {"PyTorch": lambda np, x, out: np.softmax(x, 1)}
    return Case("softmax", arrays, methods.softmax, theirs, 1, 8 * m * n, special=special, rtol=1e-5)


def _compressed_rows(n: int, each: int) -> Case:
    def arrays() -> list[numpy.ndarray]:
        start = numpy.arange(n + 1, dtype=numpy.int32) * each
        near = numpy.arange(n)[:, None] + numpy.random.default_rng(2).integers(-500, 500, (n, each))
        column = numpy.sort(near % n, axis=1).astype(numpy.int32).ravel()
        return [start, column, random(n * each), random(n, seed=1), numpy.zeros(n)]

    def cupy(np: Any, start: Any, column: Any, value: Any, x: Any, y: Any) -> Any:
        from cupyx.scipy import sparse  # type: ignore[import-not-found]

        return _once("CuPy", lambda: sparse.csr_matrix((value, column, start), shape=(n, n))) @ x

    def torch(np: Any, start: Any, column: Any, value: Any, x: Any, y: Any) -> Any:
        return _once("PyTorch", lambda: np.sparse_csr_tensor(start, column, value, (n, n))) @ x

    def theirs(np: Any, start: Any, column: Any, value: Any, x: Any, y: Any) -> Any:
        return (value * x[column]).reshape(n, each).sum(axis=1)

    made: dict[str, Any] = {}

    def _once(name: str, make: Callable[[], Any]) -> Any:
        if name not in made:
            made[name] = make()
        return made[name]

    return Case("CSR", arrays, methods.rows, theirs, 4, n * each * 12, special={"CuPy": cupy, "PyTorch": torch})


def _black_scholes(n: int) -> Case:
    market = 50.0, 2.0, 0.03, 0.3

    def theirs(np: Any, price: Any, call: Any) -> Any:
        strike, years, rate, volatility = market
        root = volatility * years**0.5
        discounted = strike * numpy.exp(-rate * years).item()

        def normal(x: Any) -> Any:
            k = 1.0 / (1.0 + 0.2316419 * abs(x))
            poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
            tail = 0.39894228040143267794 * np.exp(-0.5 * x * x) * poly
            return np.where(x > 0.0, 1.0 - tail, tail)

        d1 = (np.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / root
        d2 = d1 - root
        return (
            price * normal(d1) - discounted * normal(d2),
            discounted * normal(-d2) - price * normal(-d1),
        )

    def ours(price: Any, call: Any) -> Any:
        return options.black_scholes(price, *map(single, market))

    arrays = lambda: [random(n, dtype=single) * 90 + 5, numpy.zeros(1, single)]  # noqa: E731
    return Case("Black-Scholes", arrays, ours, theirs, None, 12 * n, rtol=1e-2)


def _attraction(name: str, n: int, dtype: type) -> Case:
    def theirs(np: Any, position: Any, mass: Any, pull: Any) -> Any:
        apart = position[None, :, :] - position[:, None, :]
        square = (apart * apart).sum(axis=2) + 1e-3
        force = mass[None, :] / (square * np.sqrt(square))
        return (apart * force[:, :, None]).sum(axis=1)

    def ours(position: Any, mass: Any, pull: Any) -> None:
        methods.attraction(position, mass, pull, 1e-3)

    arrays = lambda: [random(n, 3, dtype=dtype), random(n, dtype=dtype, seed=1), numpy.zeros((n, 3), dtype)]  # noqa: E731
    return Case(name, arrays, ours, theirs, 2, counted=20.0 * n * n, rtol=1e-2)


def _labels(n: int, centres: int, axes: int) -> Case:
    def theirs(np: Any, point: Any, centre: Any, label: Any) -> Any:
        apart = point[:, None, :] - centre[None, :, :]
        return (apart * apart).sum(axis=2).argmin(axis=1)

    def arrays() -> list[numpy.ndarray]:
        return [random(n, axes, dtype=single), random(centres, axes, dtype=single, seed=1), numpy.zeros(n, numpy.int32)]

    return Case("k-means labels", arrays, methods.labels, theirs, 2, counted=3.0 * n * centres * axes)


def _matmul(name: str, n: int, dtype: type, fast: bool = False) -> Case:
    def ours(A: Any, B: Any, C: Any) -> None:
        with somd.use(fastmath=fast):
            methods.matmul(A, B, C)

    arrays = lambda: [random(n, n, dtype=dtype), random(n, n, dtype=dtype, seed=1), numpy.zeros((n, n), dtype)]  # noqa: E731
    return Case(name, arrays, ours, lambda np, A, B, C: A @ B, 2, counted=2.0 * n**3, rtol=1e-3)


def _shortest(n: int) -> Case:
    def theirs(np: Any, path: Any) -> Any:
        for k in range(n):
            path = np.minimum(path, path[:, k, None] + path[k])
        return path

    def jax(np: Any, path: Any) -> Any:
        from jax import lax  # type: ignore[import-not-found]

        return lax.fori_loop(0, n, lambda k, path: np.minimum(path, path[:, k, None] + path[k]), path)

    moved = 16.0 * n**3
    return Case("Floyd-Warshall", lambda: [random(n, n)], methods.shortest, theirs, 0, moved, special={"JAX": jax})
