"""The record of a run: a JSON object with the machine, the versions and every sample; read back for comparisons."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.javagrande.measure import Measurement

PACKAGES = ("somd", "numpy", "numba", "llvmlite", "pyopencl")


def record(size: str, repetitions: int, measurements: Sequence[Measurement], notes: Sequence[str]) -> dict[str, Any]:
    """Everything that a later reader needs to judge the figures; times in seconds."""
    return {
        "suite": "javagrande",
        "class": size,
        "repetitions": repetitions,
        "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(),
        "notes": list(notes),
        "results": [_result(measurement) for measurement in measurements],
    }


def machine() -> dict[str, Any]:
    """The processor's name, the number of cores that this process may use, the operating system."""
    return {"cpu": _cpu_name(), "cores": usable_cores(), "os": platform.platform()}


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def versions() -> dict[str, str | None]:
    """Python's version and those of the packages that matter, None for one that is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return found


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a record, its folder made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def earlier_seconds(path: Path, size: str) -> dict[tuple[str, str], float]:
    """The valid times of an earlier record by benchmark and column; empty if it is of another class."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if content["class"] != size:
        return {}
    return {(r["benchmark"], r["column"]): r["seconds"] for r in content["results"] if r["seconds"] is not None}


def _result(measurement: Measurement) -> dict[str, Any]:
    column = measurement.column
    return {
        "benchmark": measurement.benchmark,
        "column": column.label,
        "target": column.target,
        "workers": column.workers,
        "device": column.device,
        "valid": measurement.error is None,
        "error": measurement.error,
        "seconds": measurement.seconds,
        "speed_up": measurement.speed_up,
        "first_call": measurement.first_call,
        "warm_start": measurement.warm_start,
        "samples": measurement.samples,
    }


def _cpu_name() -> str:
    """The processor's own name where Linux tells it, else what the platform module knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
