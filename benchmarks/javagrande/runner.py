"""The command line: measure the benchmarks, show the table, write the record and the plot.

    python -m benchmarks.javagrande --class A --targets sequential,multicore --workers 1,2 --repeat 15

Exit status: 0 if every run was valid, 1 if one was not or failed, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.command_line import count, one_of
from benchmarks.javagrande import record, tables
from benchmarks.javagrande.columns import PRANGE, TARGETS, Column, available_columns
from benchmarks.javagrande.measure import Measurement, measure
from benchmarks.javagrande.plot import plot
from benchmarks.javagrande.registry import BENCHMARKS, BY_NAME, Entry
from benchmarks.javagrande.start_up import first_calls

RESULTS = Path(__file__).parents[1] / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return the exit status."""
    options = parser().parse_args(arguments)
    console = Console()
    if options.adequacy:
        console.print(tables.adequacy_table(BENCHMARKS))
        return 0
    size: str = options.size
    earlier = record.earlier_seconds(options.compare, size) if options.compare is not None else None
    columns, notes = available_columns(options.targets, options.workers)
    measurements = _run(options.benchmarks, size, columns, options, notes)
    console.print(tables.results_table(size, measurements))
    if earlier is not None:
        console.print(tables.comparison_table(measurements, earlier))
    failures = [m for m in measurements if m.error is not None]
    for m in failures:
        console.print(f"[red]{m.benchmark}, {escape(m.column.label)}:[/] {escape(str(m.error))}")
    for note in notes:
        console.print(f"[yellow]note:[/] {escape(note)}")
    content = record.record(size, options.repeat, measurements, notes)
    json_file: Path = options.json or RESULTS / f"class-{size}.json"
    plot_file: Path = options.plot or RESULTS / f"class-{size}.png"
    record.write(json_file, content)
    console.print(f"record: {json_file}", soft_wrap=True)
    if plot(plot_file, content):
        console.print(f"plot: {plot_file}", soft_wrap=True)
    return 1 if failures else 0


def _run(
    entries: Sequence[Entry], size: str, columns: Sequence[Column], options: argparse.Namespace, notes: list[str]
) -> list[Measurement]:
    """Measure all benchmarks, with a progress bar, or a line each where there is no terminal; `notes` is added to."""
    measurements: list[Measurement] = []
    console, start = Console(stderr=True), time.monotonic()
    bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*bar, console=console, transient=True) as progress:
        for number, entry in enumerate(entries, 1):
            if not console.is_terminal:
                passed = time.monotonic() - start
                console.print(f"{passed:4.0f} s: {entry.name} ({number} of {len(entries)})", highlight=False)
            benchmark = entry.load()
            runs = list(columns)
            task = progress.add_task(entry.name, total=len(runs) * (options.repeat + 1))

            def show(column: Column, name: str = entry.name) -> None:
                progress.update(task, advance=1, description=f"{name}: {column.label}")  # noqa: B023

            found = measure(entry.name, benchmark, size, runs, options.repeat, show)
            for m in found if options.start_up else ():
                progress.update(task, description=f"{entry.name}: start-up of {m.column.label}")
                _add_start_up(m, size, notes)
            measurements += found
    return measurements


def _add_start_up(measurement: Measurement, size: str, notes: list[str]) -> None:
    """Fill in the times of the first calls in new processes; a failure there is a failure of the column.

    The ports to `prange`, which each process compiles anew, have none.
    """
    if measurement.error is not None or measurement.column.target == PRANGE:
        return
    try:
        measurement.first_call, measurement.warm_start = first_calls(measurement.benchmark, size, measurement.column)
    except subprocess.CalledProcessError as failure:
        last = (failure.stderr or "").strip().splitlines()[-1:] or [f"exit status {failure.returncode}"]
        measurement.error = f"in a new process: {last[0]}"
        measurement.samples.clear()


def parser() -> argparse.ArgumentParser:
    """The options, with their defaults."""
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.javagrande",
        description="Measure the SOMD methods of the JavaGrande suite, and ports to prange, against sequential Numba.",
    )
    add = made.add_argument
    add("--class", dest="size", choices=("A", "B", "C"), default="A", help="problem sizes (default: A)")
    names = ", ".join(entry.name for entry in BENCHMARKS)
    add("--benchmarks", type=_entries, default=list(BENCHMARKS), metavar="NAME,...", help=f"of {names}")
    add("--targets", type=_targets, default=list(TARGETS), metavar="NAME,...", help=f"of {', '.join(TARGETS)}")
    add(
        "--workers",
        type=_counts,
        default=[1, 2],
        metavar="N,...",
        help="for multicore; prange: the most (default: 1,2)",
    )
    add("--repeat", type=count, default=15, metavar="N", help="timed runs of each column (default: 15)")
    add("--json", type=Path, metavar="FILE", help="the record (default: in benchmarks/results)")
    add("--plot", type=Path, metavar="FILE", help="the plot (default: in benchmarks/results)")
    add("--compare", type=Path, metavar="OLD.json", help="show the times of an earlier record beside this run's")
    add("--adequacy", action="store_true", help="count annotations and extra lines, measure nothing")
    add("--no-start-up", dest="start_up", action="store_false", help="leave out the first calls in new processes")
    return made


def _entries(text: str) -> list[Entry]:
    return [BY_NAME[one_of(name.lower(), BY_NAME)] for name in text.split(",")]


def _targets(text: str) -> list[str]:
    return [one_of(name, TARGETS) for name in text.split(",")]


def _counts(text: str) -> list[int]:
    return [count(part) for part in text.split(",")]
