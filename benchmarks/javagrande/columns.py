"""The columns of the measurement: a target, with its number of workers or its device.

In: target names and worker counts from the command line. Out: the columns that this machine can run, and the reasons
for those that it cannot. Everything that the runner knows about the `somd` package stands here, and about the ports to
Numba's `prange` (`benchmarks.hand_written`), which are a column beside the targets.
"""

from __future__ import annotations

import contextlib
import importlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.javagrande.registry import Benchmark

SEQUENTIAL = "sequential"
MULTICORE = "multicore"
PRANGE = "prange"
OPENCL = "opencl"
TARGETS = (SEQUENTIAL, MULTICORE, PRANGE, OPENCL)

PLATFORMS = {"Portable Computing": "pocl", "Intel": "intel", "NVIDIA": "nvidia"}
"""Short names of OpenCL platforms, by a part of their own."""


@dataclass(frozen=True)
class Column:
    """One way to run a benchmark; `workers` on multicore and of `prange` (its threads), `device` on OpenCL only."""

    target: str
    workers: int | None = None
    device: str | None = None

    @property
    def label(self) -> str:
        """What tables, plots and JSON files call the column."""
        if self.workers is not None:
            return f"{'Numba prange' if self.target == PRANGE else self.target} {self.workers}"
        return f"{self.target} {self.device}" if self.device is not None else self.target

    def function(self, benchmark: Benchmark) -> Callable[..., Any]:
        """What is timed."""
        if self.target == PRANGE:
            name = benchmark.__name__.rpartition(".")[2]
            port: Callable[..., Any] = importlib.import_module(f"benchmarks.hand_written.{name}").PEERS["prange_port"]
            return port
        return benchmark.sequential if self.target == SEQUENTIAL else benchmark.kernel

    @contextlib.contextmanager
    def in_force(self) -> Iterator[None]:
        """A block in which SOMD methods run on this column's target, or raise where they would fall back to another.

        Of `prange`: a block in which Numba has as many threads as the column.
        """
        if self.target == SEQUENTIAL:
            yield
            return
        if self.target == PRANGE:
            import numba

            assert self.workers is not None
            before = numba.get_num_threads()
            numba.set_num_threads(self.workers)
            try:
                yield
            finally:
                numba.set_num_threads(before)
            return
        import somd

        with warnings.catch_warnings():
            warnings.simplefilter("error", somd.SomdFallbackWarning)
            with somd.use(target=self.target, workers=self.workers, device=self.device):
                yield


def available_columns(targets: Sequence[str], workers: Sequence[int]) -> tuple[list[Column], list[str]]:
    """The columns of `targets` that can run here, in that order, and a note for each target that cannot.

    `prange` is one column, with the largest number of workers, or what Numba has of threads where that is less.
    """
    columns: list[Column] = []
    notes: list[str] = []
    for target in targets:
        reason = _unavailable(target)
        if reason is not None:
            notes.append(f"{target} is left out: {reason}")
        elif target == MULTICORE:
            columns += [Column(target, workers=count) for count in workers]
        elif target == PRANGE:
            most = numba_threads()
            columns.append(Column(target, workers=min(most, max(workers))))
            if max(workers) > most:
                notes.append(f"{PRANGE} has {most} threads, not {max(workers)}: Numba has no more here")
        elif target == OPENCL:
            selectors, unusable = opencl_devices()
            columns += [Column(target, device=selector) for selector in selectors]
            notes += unusable
        else:
            columns.append(Column(target))
    return columns, notes


def opencl_devices() -> tuple[list[str], list[str]]:
    """A selector for each usable OpenCL device, as `somd.use(device=...)` takes it, and a note for each that is not.

    Simulators are left out.
    """
    from somd.runtime.opencl.devices import devices, problem

    selectors: list[str] = []
    notes: list[str] = []
    found = [info for info in devices() if info.kind != "simulator"]
    for info in found:
        name = next((short for part, short in PLATFORMS.items() if part in info.platform), info.platform)
        alone = sum(other.platform == info.platform for other in found) == 1
        selector, reason = name if alone else f"{name}:{info.name}", problem(info)
        if reason is None:
            selectors.append(selector)
        else:
            notes.append(f"{OPENCL} {selector} is left out: {reason}")
    return selectors, notes


def numba_threads() -> int:
    """The largest number of threads that Numba takes in this process."""
    import numba

    config: Any = numba.config
    return int(config.NUMBA_NUM_THREADS)


def _unavailable(target: str) -> str | None:
    """Why `target` cannot run here, None if it can."""
    if target in (SEQUENTIAL, PRANGE):
        return None
    import somd

    return somd.targets().get(target, "no such target")
