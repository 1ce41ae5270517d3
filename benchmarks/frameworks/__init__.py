"""The kernels of `benchmarks.javagrande` in other frameworks, one module a framework: `pip install somd[peers]`.

Each module has `KERNELS`: by the port's module a function that takes the arguments of the port's `kernel` and returns
what that returns. Importing one imports its framework; nothing else here does.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

#: by name, what says that the framework is installed
FRAMEWORKS = {"jax": "jax", "pythran": "pythran", "pyomp": "numba.openmp", "dace": "dace"}

#: those after whose import Numba cannot lower `parallel=True` any more
SPOILS_NUMBA = ("pyomp",)


class Missing(Exception):
    """A framework cannot run here; the text says why in one line."""


def kernels(framework: str) -> dict[str, Callable[..., Any]]:
    """The framework's kernels by the port's module.

    Raises:
        Missing: it is not installed, or lacks what it needs.
    """
    try:
        importlib.import_module(FRAMEWORKS[framework])
    except ImportError as error:
        raise Missing(f"{framework} is left out: not installed ({error}); pip install 'somd[peers]'") from error
    try:
        return importlib.import_module(f"benchmarks.frameworks.with_{framework}").KERNELS
    except ImportError as error:
        raise Missing(f"{framework} is left out: {error}") from error


def set_threads(workers: int) -> None:
    """Tell the frameworks that are imported from now on how many threads to use."""
    os.environ["OMP_NUM_THREADS"] = str(workers)
    os.environ["NPROC"] = str(workers)  # XLA's thread pool
