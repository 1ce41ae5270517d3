"""The time of one run of a kernel, validated."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.javagrande.registry import Benchmark


def seconds(port: Benchmark, kernel: Callable[..., Any], size: str, pause: float = 0.0) -> float:
    """The time of one validated run on fresh arguments, after a pause of so many seconds.

    Raises:
        InvalidResult: the run did not validate.
    """
    args = port.prepare(size)
    time.sleep(pause)
    start = time.perf_counter()
    result = kernel(*args)
    elapsed = time.perf_counter() - start
    port.validate(size, args, result)
    return elapsed
