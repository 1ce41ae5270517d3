"""Which kernels there are: the modules of the fields, in the order in which the runner shows them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from benchmarks.loops.kernel import Kernel

FIELDS = (
    "products",
    "matrix_vector",
    "solvers",
    "stencils",
    "fluids",
    "statistics",
    "graphs",
    "signals",
    "physics",
    "networks",
)


def kernels() -> Iterator[Kernel]:
    """All of them."""
    for field in FIELDS:
        yield from importlib.import_module(f"benchmarks.loops.{field}").KERNELS


def by_name() -> dict[str, Kernel]:
    """All of them by name."""
    return {kernel.name: kernel for kernel in kernels()}
