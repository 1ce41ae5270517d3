"""The measure: seconds of the kernel, columns taken in turn, the mean of the middle third of the repetitions.

In: a benchmark, its class and the columns. Out: a `Measurement` a column, with every sample. Distribution, kernel and
reduction are timed together; preparation, compilation and validation are not. Every run, the first one too, gets fresh
arguments and is validated; a column that yields one invalid result has no time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from benchmarks.javagrande.columns import SEQUENTIAL, Column
from benchmarks.javagrande.invalid import InvalidResult
from benchmarks.javagrande.registry import Benchmark


@dataclass
class Measurement:
    """What one column did on one benchmark: seconds, in the order they were taken, or why there are none.

    `first_call` and `warm_start`: seconds of the first call in a new process, with empty caches and with filled ones.
    """

    benchmark: str
    column: Column
    samples: list[float] = field(default_factory=list)
    error: str | None = None
    first_call: float | None = None
    warm_start: float | None = None
    speed_up: float | None = None

    @property
    def seconds(self) -> float | None:
        """The mean of the middle third of the samples, None where there is no valid time."""
        return middle_third_mean(self.samples) if self.samples else None


def middle_third_mean(samples: Sequence[float]) -> float:
    """The mean of the samples, sorted, less the lowest third and the highest third (rounded down)."""
    cut = len(samples) // 3
    return fmean(sorted(samples)[cut : len(samples) - cut])


def measure(
    name: str,
    benchmark: Benchmark,
    size: str,
    columns: Sequence[Column],
    repetitions: int,
    on_run: Callable[[Column], None],
) -> list[Measurement]:
    """Run every column once to compile it, then `repetitions` rounds of all columns in turn.

    `on_run` is called before each run. A column that fails or is not valid is dropped, its reason kept.
    """
    measurements = [Measurement(name, column) for column in columns]
    for repetition in range(repetitions + 1):
        for measurement in measurements:
            on_run(measurement.column)
            if measurement.error is None:
                _take_sample(measurement, benchmark, size, keep=repetition > 0)
    _set_speed_ups(measurements)
    return measurements


def timed_call(column: Column, benchmark: Benchmark, size: str) -> float:
    """Seconds of one call with fresh arguments; `InvalidResult` if its result is not valid."""
    args = benchmark.prepare(size)
    function = column.function(benchmark)
    assert function is not None
    with column.in_force():
        start = time.perf_counter()
        result = function(*args)
        seconds = time.perf_counter() - start
    benchmark.validate(size, args, result)
    return seconds


def _take_sample(measurement: Measurement, benchmark: Benchmark, size: str, *, keep: bool) -> None:
    try:
        seconds = timed_call(measurement.column, benchmark, size)
    except InvalidResult as invalid:
        measurement.error = f"invalid: {invalid}"
    except Exception as failure:  # a target may fail in any way; the other columns go on, the exit status tells
        measurement.error = f"{type(failure).__name__}: {failure}"
    else:
        if keep:
            measurement.samples.append(seconds)
        return
    measurement.samples.clear()


def _set_speed_ups(measurements: Sequence[Measurement]) -> None:
    """Relate every column to the sequential one, where both have a time."""
    sequential = next((m.seconds for m in measurements if m.column.target == SEQUENTIAL), None)
    for measurement in measurements:
        if sequential is not None and measurement.seconds is not None:
            measurement.speed_up = sequential / measurement.seconds
