"""The ways to run a kernel beside somd, the *peers*: NumPy, and Numba's `prange` with and without `fastmath`.

In: a kernel, the number of threads, a folder for generated text. Out: by name a function that makes the version; making
it and calling it once is what its first call costs. A version keeps to the threads it is given, somd's to those of the
`somd.use` around.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.loops.kernel import Function, Kernel

SOMD, NUMPY, PRANGE, FASTMATH = "somd", "numpy", "prange", "fastmath"
PEERS = (NUMPY, PRANGE, FASTMATH)

Maker = Callable[[], Function]


def makers(kernel: Kernel, names: list[str], threads: int, folder: Path) -> dict[str, Maker]:
    """What makes each version, somd's first."""
    ways: dict[str, Maker] = {
        SOMD: kernel.somd,
        NUMPY: lambda: kernel.numpy,
        PRANGE: lambda: _on_threads(kernel.prange(folder, fastmath=False), threads),
        FASTMATH: lambda: _on_threads(kernel.prange(folder, fastmath=True), threads),
    }
    return {name: ways[name] for name in (SOMD, *names)}


def _on_threads(function: Function, threads: int) -> Function:
    import numba

    def run(*args: Any) -> Any:
        numba.set_num_threads(threads)
        return function(*args)

    return run
