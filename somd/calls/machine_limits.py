"""What this machine reaches: bytes a second from and to memory, operations of float64 a second.

Measured when first asked for, in some tenths of a second: copies of blocks beyond the caches by as many threads as
there are cores, and products of matrices by NumPy's library. That library multiplies and adds in one instruction, so
generated code, which does not, reaches half of it at best on most processors.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple

import numpy as np

#: elements that a thread copies, and the side of the matrices
ELEMENTS, SIDE = 4_000_000, 1000
REPEATED = 3


class Limits(NamedTuple):
    """Giga a second."""

    gbytes: float
    gflops: float


@cache
def limits() -> Limits:
    """The limits of this machine."""
    affinity = getattr(os, "sched_getaffinity", None)
    threads = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    pairs = [(np.ones(ELEMENTS), np.zeros(ELEMENTS)) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        seconds = []
        for _ in range(REPEATED):
            begun = time.perf_counter()
            list(pool.map(lambda pair: np.copyto(pair[1], pair[0]), pairs))
            seconds.append(time.perf_counter() - begun)
    gbytes = threads * 16 * ELEMENTS / min(seconds) / 1e9
    a = np.ones((SIDE, SIDE))
    a @ a
    seconds = []
    for _ in range(REPEATED):
        begun = time.perf_counter()
        a @ a
        seconds.append(time.perf_counter() - begun)
    return Limits(gbytes, 2 * SIDE**3 / min(seconds) / 1e9)
