"""Methods of random text that are compiled once and called with many random arguments, against plain Python.

In: a class of random methods. Out: how many calls agree, and what is told of those that do not.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import somd
from tests.differential.harness import check

WORKERS = (1, 2, 3, 7)
Case = tuple[Any, ...]


class Random(Protocol):
    """A method, with the text of its program, and arguments for it."""

    text: str
    method: Any

    def cases(self, count: int) -> Iterator[Case]:
        """So many arguments."""


@dataclass
class Tally:
    """What became of the calls; `wrong` tells of the first one of each method that differs."""

    agree: int = 0
    refused: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def take(self, program: Random, count: int, target: str, rtol: float = 0.0) -> None:
        """Call a method so many times; what is refused is asked no further."""
        for case in program.cases(count):
            try:
                check(program.method, case, target, workers=WORKERS, rtol=rtol)
            except somd.SomdInternalError as error:
                self.wrong.append(f"{program.text}{error}")
                return
            except somd.SomdCompileError as error:
                self.refused.append(f"{error.diagnostics[0].message}\n{program.text}")
                return
            except AssertionError as error:
                self.wrong.append(f"{program.text}{error}")
                return
            self.agree += 1


def run(make: Callable[[int, Path], Random], numbers: range, count: int, target: str, folder: Path) -> Tally:
    """Make the methods of these numbers and call each so many times."""
    tally = Tally()
    for number in numbers:
        try:
            program = make(number, folder)
        except somd.SomdCompileError as error:
            tally.refused.append(f"{number}: {error.diagnostics[0].message}")
            continue
        tally.take(program, count, target, getattr(program, "rtol", 0.0))
    return tally


def main(purpose: str, make: Callable[[int, Path], Random]) -> None:
    """What the modules do as programs."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--count", type=int, default=10000, help="how many calls in all")
    parser.add_argument("--methods", type=int, default=80)
    parser.add_argument("--first", type=int, default=0, help="the number of the first method")
    parser.add_argument("--target", default="multicore", choices=("multicore", "opencl"))
    given = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)  # of what is empty
    with TemporaryDirectory() as folder:
        numbers = range(given.first, given.first + given.methods)
        tally = run(make, numbers, -(-given.count // given.methods), given.target, Path(folder))
    for each in (*tally.refused, *tally.wrong):
        print(f"---\n{each}")
    told = f"{tally.agree} calls agree, {len(tally.wrong)} methods wrong, {len(tally.refused)} refused"
    print(f"{given.target}: {given.methods} methods, {told}")
    sys.exit(1 if tally.wrong else 0)
