"""The columns of the measurement: a target, with its number of workers or its device.

In: target names and worker counts from the command line. Out: the columns that this machine can run, and the reasons
for those that it cannot. Everything that the runner knows about the `somd` package stands here.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.javagrande.registry import Benchmark

SEQUENTIAL = "sequential"
MULTICORE = "multicore"
OPENCL = "opencl"
TARGETS = (SEQUENTIAL, MULTICORE, OPENCL)

SIMULATOR = "oclgrind"
PLATFORMS = {"Portable Computing": "pocl", "Intel": "intel", "NVIDIA": "nvidia", "Oclgrind": SIMULATOR}
"""Short names of OpenCL platforms, by a part of their own."""


@dataclass(frozen=True)
class Column:
    """One way to run a benchmark; `workers` on multicore only, `device` on OpenCL only."""

    target: str
    workers: int | None = None
    device: str | None = None

    @property
    def label(self) -> str:
        """What tables, plots and JSON files call the column."""
        if self.workers is not None:
            return f"{self.target} {self.workers}"
        return f"{self.target} {self.device}" if self.device is not None else self.target

    def function(self, benchmark: Benchmark) -> Callable[..., Any]:
        """What is timed."""
        return benchmark.sequential if self.target == SEQUENTIAL else benchmark.kernel

    @contextlib.contextmanager
    def in_force(self) -> Iterator[None]:
        """A block in which SOMD methods run on this column's target, or raise where they would fall back to another."""
        if self.target == SEQUENTIAL:
            yield
            return
        import somd

        with warnings.catch_warnings():
            warnings.simplefilter("error", somd.SomdFallbackWarning)
            with somd.use(target=self.target, workers=self.workers, device=self.device):
                yield


def available_columns(targets: Sequence[str], workers: Sequence[int]) -> tuple[list[Column], list[str]]:
    """The columns of `targets` that can run here, in that order, and a note for each target that cannot."""
    columns: list[Column] = []
    notes: list[str] = []
    for target in targets:
        reason = _unavailable(target)
        if reason is not None:
            notes.append(f"{target} is left out: {reason}")
        elif target == MULTICORE:
            columns += [Column(target, workers=count) for count in workers]
        elif target == OPENCL:
            columns += [Column(target, device=device) for device in opencl_devices()]
        else:
            columns.append(Column(target))
    return columns, notes


def opencl_devices() -> list[str]:
    """One selector for each OpenCL device here, as `somd.use(device=...)` takes it; simulators are left out."""
    import pyopencl

    selectors: list[str] = []
    for platform in pyopencl.get_platforms():
        name = next((short for part, short in PLATFORMS.items() if part in platform.name), platform.name)
        devices = platform.get_devices() if name != SIMULATOR else []
        selectors += [name] if len(devices) == 1 else [f"{name}:{device.name}" for device in devices]
    return selectors


def _unavailable(target: str) -> str | None:
    """Why `target` cannot run here, None if it can."""
    if target == SEQUENTIAL:
        return None
    import somd

    return somd.targets().get(target, "no such target")
