"""The time of one run of a kernel, validated."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.javagrande.registry import Benchmark

#: by name; `cpu` adds up the process's threads
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}


def seconds(port: Benchmark, kernel: Callable[..., Any], size: str, pause: float = 0.0, clock: str = "wall") -> float:
    """The time of one validated run on fresh arguments, after a pause of so many seconds, by one of `CLOCKS`.

    Raises:
        InvalidResult: the run did not validate.
    """
    args = port.prepare(size)
    time.sleep(pause)
    start = CLOCKS[clock]()
    result = kernel(*args)
    elapsed = CLOCKS[clock]() - start
    port.validate(size, args, result)
    return elapsed
