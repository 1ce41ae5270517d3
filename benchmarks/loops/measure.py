"""The measure: seconds of every version of a kernel, taken in turn, on fresh copies of the arguments, validated.

In: a kernel, a size, what makes its versions. Out: a `Measurement` a version. The first call, on tiny arguments, is
measured by itself, in processor time from the definition on, so that other work on the machine matters less. A version
that fails, or gives one invalid result, has no time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.javagrande.invalid import InvalidResult
from benchmarks.loops.kernel import Function, Kernel, duplicate
from benchmarks.loops.versions import SOMD, Maker
from benchmarks.timed_run import CLOCKS

#: seconds between two runs, in which the threads of the one that has ended stop to spin
PAUSE = 0.01
#: a version that takes longer than this, in seconds, and longer than SLOW times somd, is run once
LONG, SLOW = 0.5, 5.0

#: runs of a kernel whose sequential form takes less than this, in seconds, follow another one that is not timed: what
#: the processor has forgotten in the pause would be much of them
SHORT = 0.05

Outcome = tuple[Any, ...]


@dataclass
class Measurement:
    """What one version did on one kernel: seconds, in the order they were taken, or why there are none."""

    kernel: str
    version: str
    first_call: float | None = None
    samples: list[float] = field(default_factory=list)
    error: str | None = None

    @property
    def seconds(self) -> float | None:
        """The median, None where there is no valid time."""
        return median(self.samples) if self.samples else None


def measure(
    kernel: Kernel,
    makers: dict[str, Maker],
    options: argparse.Namespace,
    folder: Path,
    on_run: Callable[[str], None],
    ours: str = SOMD,
) -> list[Measurement]:
    """Make every version and call it once, then rounds of all in turn. `on_run` is told each run before it.

    `ours` is the version beside which others may be too slow. `options` are the size, the number of rounds (`repeat`),
    and the clock.
    """
    found = {name: Measurement(kernel.name, name) for name in makers}
    made: dict[str, Function] = {}

    def first(m: Measurement, make: Maker) -> Function:
        return _first_call(m, kernel, make, CLOCKS[options.clock])

    for name, maker in makers.items():
        on_run(f"{name}, first call")
        _guarded(found[name], lambda m=found[name], make=maker: made.update({m.version: first(m, make)}))
    on_run("sequential")
    args = kernel.prepare(options.size)
    sequential = kernel.sequential(folder)
    sequential(*duplicate(kernel.prepare("tiny")))
    seconds, expected = _outcome(sequential, args, "cpu")
    sample = Sample(kernel, args, expected, options.clock, short=seconds < SHORT)
    for round_ in range(options.repeat):
        for name, function in made.items():
            m = found[name]
            on_run(name)
            if m.error is None and not (round_ and _slow(m, found[ours])):
                _guarded(m, lambda m=m, f=function: m.samples.append(sample.seconds(m.version, f)))
    return list(found.values())


@dataclass(frozen=True)
class Sample:
    """What a timed run of a kernel is given and must give."""

    kernel: Kernel
    args: Outcome
    expected: Outcome
    clock: str
    short: bool

    def seconds(self, version: str, function: Function) -> float:
        """The time of one run.

        Raises:
            InvalidResult: it is not valid.
        """
        time.sleep(PAUSE)
        if self.short:
            function(*duplicate(self.args))
        seconds, found = _outcome(function, self.args, self.clock)
        exact = self.kernel.bits and version == SOMD
        require_same(found, self.expected, exact=exact, tolerance=self.kernel.tolerance)
        return seconds


def _first_call(m: Measurement, kernel: Kernel, make: Maker, clock: Callable[[], float]) -> Function:
    args = duplicate(kernel.prepare("tiny"))
    start = clock()
    function = make()
    function(*args)
    m.first_call = clock() - start
    return function


def _outcome(function: Function, args: Outcome, clock: str) -> tuple[float, Outcome]:
    """Seconds of a call on copies of the arguments; its results, and the arguments afterwards."""
    own = duplicate(args)
    start = CLOCKS[clock]()
    result = function(*own)
    seconds = CLOCKS[clock]() - start
    return seconds, (*(result if isinstance(result, tuple) else (result,)), *own)


def _slow(m: Measurement, ours: Measurement) -> bool:
    return m.seconds is not None and m.seconds > max(LONG, SLOW * (ours.seconds or 0.0))


def _guarded(m: Measurement, run: Callable[[], object]) -> None:
    """Run something; what goes wrong becomes the measurement's error."""
    try:
        run()
    except InvalidResult as invalid:
        m.error = f"invalid: {invalid}"
    except Exception as failure:  # a version may fail in any way; the others go on, the exit status tells
        m.error = f"{type(failure).__name__}: {failure}"
    if m.error is not None:
        m.samples.clear()


def require_same(found: Outcome, expected: Outcome, *, exact: bool, tolerance: float) -> None:
    """Compare results and arguments, bit for bit or within a tolerance relative to the largest of an array.

    Raises:
        InvalidResult: they differ.
    """
    for place, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        if theirs is None or mine is theirs:
            continue
        a, b = np.asarray(mine), np.asarray(theirs)
        if a.shape != b.shape:
            raise InvalidResult(f"value {place} has shape {a.shape}, not {b.shape}")
        if exact or b.dtype.kind not in "fc":
            same = (a == b) | ((a != a) & (b != b))
        else:
            same = np.isclose(a, b, rtol=tolerance, atol=tolerance * float(np.abs(b).max(initial=0.0)), equal_nan=True)
        if not same.all():
            at = tuple(int(k) for k in np.argwhere(~same)[0])
            raise InvalidResult(
                f"value {place}: {int((~same).sum())} of {b.size} differ, {a[at]!r} for {b[at]!r} at {at}"
            )
