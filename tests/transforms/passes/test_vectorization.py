"""Loops over complex numbers are taken in vectors, where that changes nothing, and give what they gave."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

import somd
from somd import dist
from somd.transforms.loops.program import Loop
from somd.transforms.loops.verify import verify
from somd.transforms.loops.walking import statements_in
from somd.transforms.passes.vectorization import inner_vectorization, vectorization
from tests.transforms.passes.shown import program_of_text

ARRAYS = {"a": "complex128[:, :, :]", "b": "complex64[:, :]", "x": "complex128[:]", "r": "float64[:]"}


def in_vectors(inner: str) -> bool:
    """Whether the loop over `j` is marked that stands in one in order, in one over blocks of an array."""
    text = "def f(a: A, b: np.ndarray, x: np.ndarray, r: np.ndarray, s: complex):\n    for c in range(len(a)):\n"
    text += "        t = s\n        for k in range(a.shape[1] - 1):\n" + textwrap.indent(inner, " " * 12)
    program = inner_vectorization(vectorization(program_of_text(text, **ARRAYS, s="complex128")))
    verify(program)
    loops = {node.variable.name: node.in_vectors for node in statements_in(program.body) if isinstance(node, Loop)}
    return loops["j"]


@pytest.mark.parametrize(
    "inner",
    [
        "for j in range(a.shape[2]):\n    a[c, k, j] += x[k] * a[c, k + 1, j]",
        "for j in range(k, a.shape[2]):\n    t = a[c, k, j] * s\n    a[c, k + 1, j] = t + t",
        "for j in range(a.shape[2]):\n    t = s\n    for q in range(3):\n        t -= s\n    a[c, k, j] = t / s",
    ],
)
def test_in_vectors(inner: str) -> None:
    assert in_vectors(inner)


@pytest.mark.parametrize(
    "inner",
    [
        "for j in range(a.shape[2]):\n    a[c, k, j] = s",  # a copy
        "for j in range(1, a.shape[2]):\n    a[c, k, j] += s * a[c, k, j - 1]",  # a chain
        "for j in range(1, a.shape[2]):\n    a[c, k, j] += a[c, k, 0] * s",  # another element, which none stores
        "for j in range(0, a.shape[2], 2):\n    a[c, k, j] *= s",
        "for j in range(a.shape[1]):\n    a[c, j, k] *= s",  # down a column
        "for j in range(a.shape[2]):\n    t += a[c, k, j]\n    a[c, k, j] = t",
        "for j in range(a.shape[2]):\n    t = a[c, k, j] * s\n    a[c, k, j] = t\na[c, k, 0] = t",
        "for j in range(a.shape[2]):\n    a[c, k, j] *= abs(a[c, k, j])",
        "for j in range(a.shape[2]):\n    a[c, k, j] = s / a[c, k, j]",
        "for j in range(a.shape[2]):\n    if r[j] > 0:\n        a[c, k, j] *= s",
    ],
)
def test_one_by_one(inner: str) -> None:
    assert not in_vectors(inner)


def test_of_a_region() -> None:
    text = """
    def f(a: A, x: np.ndarray, b: np.ndarray):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                t = a[i, j]
                for k in range(len(x)):
                    t += x[k] * b[k, j]
                a[i, j] = t / x[i]
    """
    program = vectorization(program_of_text(text, a="complex128[:, :]", x="complex128[:]", b="complex128[:, :]"))
    loops = {node.variable.name: node.in_vectors for node in statements_in(program.body) if isinstance(node, Loop)}
    assert loops == {"i": False, "j": True, "k": False}


@somd.somd
def eliminate(T: dist[np.ndarray], X: dist[np.ndarray], B: np.ndarray) -> None:
    for c in range(len(T)):
        for k in range(T.shape[1]):
            for i in range(k + 1, T.shape[1]):
                factor = T[c, i, k] / T[c, k, k]
                for j in range(k, T.shape[2]):
                    T[c, i, j] -= factor * T[c, k, j]
                for j in range(X.shape[2]):
                    X[c, i, j] = (X[c, k, j] * factor - B[i, j] * X[c, i, j]) / T[c, k, k]


@somd.somd
def rows(a: dist[np.ndarray], b: np.ndarray, x: np.ndarray) -> None:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            t = a[i, j]
            for k in range(len(b)):
                t += x[k] * b[k, j]
            a[i, j] = t * t - x[i] / x[0]


SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, 5e-324)


def numbers(random: np.random.Generator, dtype: type, special: bool, *shape: int) -> np.ndarray:
    parts = random.normal(size=(*shape, 2))
    if special:
        there = random.random(parts.shape) < 0.1
        parts[there] = random.choice(SPECIAL, there.sum())
    made = np.empty(shape, dtype)
    with np.errstate(over="ignore"):
        made.real, made.imag = parts[..., 0], parts[..., 1]
    return made


def bits(array: np.ndarray) -> bytes:
    parts = np.ascontiguousarray(array).view(array.real.dtype).copy()
    parts[np.isnan(parts)] = np.nan
    return parts.tobytes()


@pytest.mark.parametrize(("dtype", "step"), [(np.complex128, 1), (np.complex64, 1), (np.complex128, -2)])
@pytest.mark.usual(3)
def test_as_plain(dtype: type, step: int) -> None:
    random = np.random.default_rng(step + 5)
    sizes = ((0, 0), (1, 1), (2, 3), (3, 4), (5, 9), (4, 17))
    for (n, m), special in ((each, special) for each in sizes for special in (False, True)):
        shapes = ((2, n, n), (2, n, m), (n, m)), ((n, m), (3, m), (max(n, 3),))
        for method, each in zip((eliminate, rows), shapes, strict=True):
            given = [np.repeat(numbers(random, dtype, special, *shape), abs(step), axis=-1) for shape in each]
            plain, found = ([array.copy()[..., ::step] for array in given] for _ in range(2))
            with np.errstate(all="ignore"):
                method.sequential(*plain)
            with somd.use(target="multicore", workers=3):
                method(*found)
            assert list(map(bits, found)) == list(map(bits, plain)), (n, m)
