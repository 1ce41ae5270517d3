"""A framework's kernels in a process of their own, which runs one when it is told to, and waits.

For a framework that spoils others: PyOMP changes how Numba lowers, and `parallel=True` fails beside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import IO

from benchmarks.frameworks import Missing, kernels
from benchmarks.javagrande.invalid import InvalidResult
from benchmarks.javagrande.registry import BY_NAME
from benchmarks.timed_run import seconds


@dataclass(frozen=True)
class Apart:
    """The process of one framework."""

    process: subprocess.Popen[str]

    @staticmethod
    def start(framework: str) -> Apart:
        """Start it.

        Raises:
            Missing: the framework cannot run here.
        """
        command = [sys.executable, "-m", __name__, framework]
        apart = Apart(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        ready = apart._answer()
        if ready != "ready":
            raise Missing(ready or f"{framework} is left out: its process has ended")
        return apart

    def seconds(self, benchmark: str, size: str, pause: float, clock: str) -> float:
        """The time of one validated run there, after a pause, by one of `CLOCKS`.

        Raises:
            InvalidResult: the run did not validate.
        """
        assert self.process.stdin is not None
        print(benchmark, size, pause, clock, file=self.process.stdin, flush=True)
        answer = self._answer()
        try:
            return float(answer)
        except ValueError:
            raise InvalidResult(answer or "its process has ended") from None

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip()


def serve(framework: str, answers: IO[str]) -> None:
    """Run what standard input names, one line at a time: the benchmark, the class, the pause and the clock."""
    try:
        found = kernels(framework)
    except Missing as reason:
        print(reason, file=answers, flush=True)
        return
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        benchmark, size, pause, clock = line.split()
        entry = BY_NAME[benchmark.lower()]
        try:
            answer = str(seconds(entry.load(), found[entry.module], size, float(pause), clock))
        except InvalidResult as error:
            answer = str(error)
        print(answer, file=answers, flush=True)


if __name__ == "__main__":
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a framework prints is no answer
    serve(sys.argv[1], channel)
