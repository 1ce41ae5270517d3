"""How long a program takes beside copies of itself that share nothing with it: what the machine leaves of linear gain.

A process for each copy, on a CPU of its own and with one worker, on arguments of its own, which it has written itself.
All copies begin together. What they take longer than one alone is due to what cores share: memory, caches, clock.

The process that asks forks copies, so it must not have run compiled code that starts threads: `in_child` runs such.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import somd
from benchmarks.loops.kernel import duplicate

Program = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""

LEAST, MOST_RUNS = 0.05, 8
"""Short runs are taken in a row, until they have taken so many seconds, but no more than so many."""
LONG = 1.0
"""Seconds from which on a run is not taken twice to see how long it is."""
_FORK: Any = multiprocessing.get_context("fork")


def runs_in_a_row(program: Program) -> int:
    """How many runs are taken in a row; it compiles the program, or loads what is compiled."""
    if (seconds := _first(program)) < LONG:
        seconds = seconds_of_runs(program, 1)()
    return max(1, min(MOST_RUNS, round(LEAST / max(seconds, 1e-9))))


def seconds_of_runs(program: Program, runs: int) -> Callable[[], float]:
    """What runs the program so often in a row, on copies of the arguments made now; the median time of a run."""
    function, args = program
    every = [duplicate(args) for _ in range(runs)]

    def run() -> float:
        taken = []
        for own in every:
            start = time.perf_counter()
            function(*own)
            taken.append(time.perf_counter() - start)
        return statistics.median(taken)

    return run


def beside_copies(program: Program, cpus: list[int], repeat: int) -> float:
    """Seconds of a run while a copy runs on each of the CPUs: the median over the repetitions of the mean over copies.

    Raises:
        SystemExit: a copy failed.
    """
    barrier = _FORK.Barrier(len(cpus))
    answers = [_FORK.SimpleQueue() for _ in cpus]
    given = [(cpu, program, barrier, repeat, answer) for cpu, answer in zip(cpus, answers, strict=True)]
    copies = [_FORK.Process(target=_copy, args=each) for each in given]
    _run(copies)
    means: list[float] = [statistics.mean(seconds) for seconds in zip(*(each.get() for each in answers), strict=True)]
    return statistics.median(means)


def in_child(function: Callable[..., Any], *args: Any) -> Any:
    """What a function gives that runs in a process of its own.

    Raises:
        SystemExit: it failed.
    """
    answer = _FORK.SimpleQueue()
    _run([_FORK.Process(target=lambda: answer.put(function(*args)))])
    return answer.get()


def _first(program: Program) -> float:
    start = time.perf_counter()
    seconds_of_runs(program, 1)()
    return time.perf_counter() - start


def _copy(cpu: int, program: Program, barrier: Any, repeat: int, answer: Any) -> None:
    """Run the program on one CPU beside the other copies; send the seconds of its runs."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {cpu})
    with somd.use(target="multicore", workers=1):
        runs = runs_in_a_row(program)
        taken = []
        for _ in range(repeat):
            run = seconds_of_runs(program, runs)
            barrier.wait()
            taken.append(run())
    answer.put(taken)


def _run(processes: list[Any]) -> None:
    for each in processes:
        each.start()
    for each in processes:
        each.join()
        if each.exitcode:
            for other in processes:
                other.terminate()
            raise SystemExit(f"a process of the measurement ended with {each.exitcode}")
