"""Which benchmarks there are, and what each module offers to the runner.

The one table to edit when a benchmark is added. A module is imported when its benchmark is asked for, not before.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Protocol, cast


class Benchmark(Protocol):
    """A benchmark's module."""

    __name__: str

    def prepare(self, size: str, /) -> tuple[Any, ...]:
        """Fresh arguments of class "A", "B" or "C"."""

    def kernel(self, *args: Any) -> Any:
        """What is timed: the annotated function, where the runtime decides."""

    def sequential(self, *args: Any) -> Any:
        """The plain function, compiled by Numba."""

    def validate(self, size: str, args: Any, result: Any, /) -> None:
        """Raise `InvalidResult` with the figure that is off."""


@dataclass(frozen=True)
class Entry:
    """A benchmark by name, its module, and the paper's Table 2 for it: annotations and extra lines of code."""

    name: str
    module: str
    paper_annotations: int
    paper_lines: int

    @property
    def qualified_module(self) -> str:
        """The module's full name."""
        return f"benchmarks.javagrande.{self.module}"

    def load(self) -> Benchmark:
        """Import the module."""
        return cast(Benchmark, importlib.import_module(self.qualified_module))


BENCHMARKS = (
    Entry("Crypt", "crypt", paper_annotations=2, paper_lines=1),
    Entry("LUFact", "lufact", paper_annotations=1, paper_lines=3),
    Entry("Series", "series", paper_annotations=1, paper_lines=3),
    Entry("SOR", "sor", paper_annotations=2, paper_lines=1),
    Entry("SparseMatmult", "sparsematmult", paper_annotations=3, paper_lines=50),
)
"""All of them, in the order of the paper's figures."""

BY_NAME = {entry.name.lower(): entry for entry in BENCHMARKS}
