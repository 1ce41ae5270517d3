"""The kernels as an expert writes them in DaCe: programs with maps, which DaCe compiles to C++ with OpenMP.

What DaCe compiles is kept in the cache folder of somd, by this source. It is compiled without DaCe's options that let
the C++ compiler contract and reorder: LUFact does not validate with them. Needs a C++ compiler. Threads are those of
`OMP_NUM_THREADS`. DaCe reads the annotations of a program itself: no `from __future__ import annotations` here.
"""

import hashlib
import math
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import dace
import numpy as np

from benchmarks.hand_written.crypt import in_words
from benchmarks.hand_written.lufact import solve
from benchmarks.hand_written.series import table
from benchmarks.hand_written.sparsematmult import cuts
from benchmarks.javagrande.series import PLAIN, STEP, trapezoid
from somd.runtime.folders import cache_folder

if shutil.which(os.environ.get("CXX", "g++")) is None:
    raise ImportError("DaCe needs a C++ compiler, and there is no g++ (set CXX)")

_MADE_OF = Path(__file__).read_bytes() + f"{dace.__version__} {sys.version}".encode()
dace.Config.set("default_build_folder", value=str(cache_folder("dace", hashlib.sha256(_MADE_OF).hexdigest()[:16])))
dace.Config.set("compiler", "use_cache", value=True)
dace.Config.set("compiler", "cpu", "args", value="-Wall -O3 -march=native -fno-math-errno -ffp-contract=off")
dace.Config.set("compiler", "allow_view_arguments", value=True)

B, K, N, R, W = (dace.symbol(name) for name in "BKNRW")


@dace.program
def _crypt(source: dace.uint16[B, 4], target: dace.uint16[B, 4], key: dace.uint32[52]):
    for block in dace.map[0:B]:
        x1 = dace.uint32(source[block, 0])
        x2 = dace.uint32(source[block, 1])
        x3 = dace.uint32(source[block, 2])
        x4 = dace.uint32(source[block, 3])
        for k in range(8):
            x1 = dace.uint32((x1 * key[6 * k]) % 0x10001) & 0xFFFF
            x2 = (x2 + key[6 * k + 1]) & 0xFFFF
            x3 = (x3 + key[6 * k + 2]) & 0xFFFF
            x4 = dace.uint32((x4 * key[6 * k + 3]) % 0x10001) & 0xFFFF
            left = (((x1 ^ x3) * key[6 * k + 4]) % 0x10001) & 0xFFFF
            right = ((((left + (x2 ^ x4)) & 0xFFFF) * key[6 * k + 5]) % 0x10001) & 0xFFFF
            left2 = (left + right) & 0xFFFF
            inner = x2 ^ left2
            x1 = x1 ^ right
            x4 = x4 ^ left2
            x2 = x3 ^ right
            x3 = inner
        target[block, 0] = ((x1 * key[48]) % 0x10001) & 0xFFFF
        target[block, 1] = (x3 + key[49]) & 0xFFFF
        target[block, 2] = (x2 + key[50]) & 0xFFFF
        target[block, 3] = ((x4 * key[51]) % 0x10001) & 0xFFFF


def crypt(plain: Any, cipher: Any, decrypted: Any, key: Any, inverse_key: Any) -> Any:
    """32-bit words."""
    return in_words(_crypt, plain, cipher, decrypted, key, inverse_key)


@dace.program
def _lufact(columns: dace.float64[N, N], b: dace.float64[N], pivots: dace.int64[N]):
    for k in range(N - 1):
        pivot: dace.int64 = k
        for i in range(k + 1, N):
            if abs(columns[k, i]) > abs(columns[k, pivot]):
                pivot = i
        pivots[k] = pivot
        if columns[k, pivot] != 0.0:
            element = columns[k, pivot]
            columns[k, pivot] = columns[k, k]
            columns[k, k] = element
            scale = -1.0 / element
            for i in range(k + 1, N):
                columns[k, i] = columns[k, i] * scale
            for j in dace.map[k + 1 : N]:
                factor = columns[j, pivot]
                columns[j, pivot] = columns[j, k]
                columns[j, k] = factor
                for i in range(k + 1, N):
                    columns[j, i] = columns[j, i] + factor * columns[k, i]
    pivots[N - 1] = N - 1


def lufact(columns: Any, b: Any, pivots: Any) -> Any:
    """The source, its columns a map."""
    _lufact(columns, b, pivots)
    solve(columns, b, pivots)
    return b


@dace.program
def _series(
    coefficients: dace.float64[2, N],
    frequencies: dace.float64[N],
    places: dace.float64[K],
    powers: dace.float64[K],
    step: dace.float64,
):
    for n in dace.map[1:N]:
        a = 0.0
        b = 0.0
        for k in range(K):
            angle = frequencies[n] * places[k]
            a += powers[k] * math.cos(angle)
            b += powers[k] * math.sin(angle)
        coefficients[0, n] = a * step
        coefficients[1, n] = b * step


def series(coefficients: Any) -> Any:
    """The powers in a table; the frequencies, too, since DaCe would reorder their products."""
    coefficients[0, 0], coefficients[1, 0] = 0.5 * trapezoid(0.0, PLAIN), 0.0
    _series(coefficients, math.pi * np.arange(coefficients.shape[1]), *table(), STEP)
    return coefficients


@dace.program
def _sor(G: dace.float64[2 * R, 2 * W], omega: dace.float64, iterations: dace.int64):
    r0 = np.empty((R, W), dtype=np.float64)
    r1 = np.empty((R, W), dtype=np.float64)
    b0 = np.empty((R, W), dtype=np.float64)
    b1 = np.empty((R, W), dtype=np.float64)
    near = 0.25 * omega
    own = 1.0 - omega
    for i, t in dace.map[0:R, 0:W]:
        r0[i, t] = G[2 * i, 2 * t]
        b0[i, t] = G[2 * i, 2 * t + 1]
        r1[i, t] = G[2 * i + 1, 2 * t + 1]
        b1[i, t] = G[2 * i + 1, 2 * t]
    for _ in range(iterations):
        for i, t in dace.map[1:R, 1:W]:
            r0[i, t] = near * (b1[i - 1, t] + b1[i, t] + b0[i, t - 1] + b0[i, t]) + own * r0[i, t]
        for i, t in dace.map[0 : R - 1, 0 : W - 1]:
            r1[i, t] = near * (b0[i, t] + b0[i + 1, t] + b1[i, t] + b1[i, t + 1]) + own * r1[i, t]
        for i, t in dace.map[1:R, 0 : W - 1]:
            b0[i, t] = near * (r1[i - 1, t] + r1[i, t] + r0[i, t] + r0[i, t + 1]) + own * b0[i, t]
        for i, t in dace.map[0 : R - 1, 1:W]:
            b1[i, t] = near * (r0[i, t] + r0[i + 1, t] + r1[i, t - 1] + r1[i, t]) + own * b1[i, t]
    for i, t in dace.map[0:R, 0:W]:
        G[2 * i, 2 * t] = r0[i, t]
        G[2 * i, 2 * t + 1] = b0[i, t]
        G[2 * i + 1, 2 * t + 1] = r1[i, t]
        G[2 * i + 1, 2 * t] = b1[i, t]


def sor(G: Any, omega: Any, iterations: Any) -> float:
    """Red and black packed apart, as maps; for grids of an even edge."""
    _sor(G, omega, iterations)
    return float(G[1:-1, 1:-1].sum())


@dace.program
def _sparsematmult(
    y: dace.float64[N],
    values: dace.float64[K],
    row: dace.int32[K],
    column: dace.int32[K],
    x: dace.float64[N],
    iterations: dace.int64,
    blocks: dace.int64[R + 1],
):
    for _ in range(iterations):
        for part in dace.map[0:R]:
            for k in range(blocks[part], blocks[part + 1]):
                y[row[k]] = y[row[k]] + x[column[k]] * values[k]


def sparsematmult(y: Any, values: Any, row: Any, column: Any, x: Any, iterations: Any) -> Any:
    """A block of rows for each thread; with the sums of the short rows in registers it is slower."""
    _sparsematmult(y, values, row, column, x, iterations, cuts(row, int(os.environ["OMP_NUM_THREADS"])))
    return y


KERNELS = {"crypt": crypt, "lufact": lufact, "series": series, "sor": sor, "sparsematmult": sparsematmult}
