"""The command line: measure the kernels beside their peers, show the table, write the record and the plot.

    python -m benchmarks.loops --size S --kernels gemm,atax --threads 2 --peers numpy,prange,fastmath --repeat 7

All versions of a kernel run in turn in one process. Nothing that was compiled before is used, unless `--warm` says so.
Exit status: 0 if every result was valid, 1 if one was not or failed, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import somd
from benchmarks.command_line import count, one_of
from benchmarks.javagrande import record
from benchmarks.loops import summary
from benchmarks.loops.kernel import Array, Kernel
from benchmarks.loops.measure import measure
from benchmarks.loops.registry import by_name
from benchmarks.loops.summary import Row
from benchmarks.loops.versions import NUMPY, PEERS, PRANGE, makers
from benchmarks.timed_run import CLOCKS

RESULTS = Path(__file__).parents[1] / "results"
SIZES = ("S", "M", "L", "tiny")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return the exit status."""
    options = parser().parse_args(arguments)
    console = Console() if sys.stdout.isatty() else Console(width=120)
    json_file: Path = options.json or RESULTS / f"loops-{options.size}.json"
    plot_file: Path = options.plot or RESULTS / f"loops-{options.size}.png"
    found: list[Row] = []
    with _caches(options.warm) as folder, somd.use(target="multicore", workers=options.threads):
        for row in _rows(options, folder):
            found.append(row)
            record.write(json_file, _content(options, found))  # after each kernel, so that a run cut short is not lost
    threads, clock = "1 thread" if options.threads == 1 else f"{options.threads} threads", options.clock
    clock = "processor time" if clock == "cpu" else f"{clock} time"
    title = f"Size {options.size}, {threads}, {clock}, medians of {options.repeat}"
    console.print(summary.results_table(found, title))
    errors = [m for row in found for m in row.versions.values() if m.error is not None]
    for m in errors:
        console.print(f"[red]{m.kernel}, {m.version}:[/] {escape(m.error or '')}", soft_wrap=True)
    console.print(f"record: {json_file}", soft_wrap=True)
    if summary.plot(plot_file, found, title):
        console.print(f"plot: {plot_file}", soft_wrap=True)
    return 1 if errors else 0


def _content(options: argparse.Namespace, found: Sequence[Row]) -> dict[str, Any]:
    """Everything that a later reader needs to judge the figures; times in seconds."""
    return {
        "suite": "loops",
        "size": options.size,
        "threads": options.threads,
        "clock": options.clock,
        "repetitions": options.repeat,
        "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": record.machine(),
        "versions": record.versions(),
        "best_peer_over_somd": summary.mean(row.ratio() for row in found),
        "numpy_over_somd": summary.mean(row.ratio(NUMPY) for row in found),
        "results": summary.as_json(found),
    }


def _rows(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Measure one kernel after the other, with a progress bar and a line for each."""
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*bar, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("the compilers start", total=len(options.kernels))
        _start_compilers(options.threads, folder)
        for kernel in options.kernels:

            def show(what: str, name: str = kernel.name) -> None:
                progress.update(task, description=f"{name}: {what}")

            versions = makers(kernel, options.peers, options.threads, folder)
            (row,) = summary.rows(measure(kernel, versions, options, folder, show))
            progress.console.print(f"{kernel.name}: best peer / somd {summary.figures(row.ratio()) or 'none'}")
            progress.advance(task)
            yield row


def _twice(a: Array) -> None:
    for i in range(len(a)):  # prange
        a[i] = 2.0 * a[i]


def _start_compilers(threads: int, folder: Path) -> None:
    """Compile something, so that no kernel's first call pays for imports."""
    small = Kernel(_twice, _twice, lambda random, n: (random.random(n),), tiny=(9,), S=(9,), M=(9,), L=(9,))
    for make in makers(small, [PRANGE], threads, folder).values():
        make()(np.ones(9))


@contextlib.contextmanager
def _caches(warm: bool) -> Iterator[Path]:
    """A block with empty caches, or with those of earlier runs; gives the folder of generated ports."""
    if warm:
        folder = RESULTS / "ports"
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        os.environ["SOMD_CACHE_DIR"] = os.environ["NUMBA_CACHE_DIR"] = name
        yield Path(name)


def parser() -> argparse.ArgumentParser:
    """The options, with their defaults."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.loops", description=(__doc__ or "").splitlines()[0])
    add = made.add_argument
    every = by_name()
    add("--kernels", type=_kernels, default=list(every.values()), metavar="NAME,...", help=f"of {', '.join(every)}")
    add("--size", choices=SIZES, default="S", help="default: S")
    add("--threads", type=count, default=2, metavar="N", help="of every version (default: 2)")
    add("--peers", type=_peers, default=list(PEERS), metavar="NAME,...", help=f"of {', '.join(PEERS)}")
    add("--repeat", type=count, default=7, metavar="N", help="timed runs of each version (default: 7)")
    add("--clock", choices=CLOCKS, default="wall", help="cpu: of all threads; wants OMP_WAIT_POLICY=passive")
    add("--warm", action="store_true", help="use what earlier runs have compiled; first calls are then not comparable")
    add("--json", type=Path, metavar="FILE", help="the record (default: in benchmarks/results)")
    add("--plot", type=Path, metavar="FILE", help="the plot (default: in benchmarks/results)")
    return made


def _kernels(text: str) -> list[Kernel]:
    every = by_name()
    return [every[one_of(name, every)] for name in text.split(",")]


def _peers(text: str) -> list[str]:
    return [one_of(name, PEERS) for name in text.split(",") if name]
