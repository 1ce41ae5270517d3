"""What the runner shows: the table of a run, the comparison with an earlier one, and the paper's Table 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table

from benchmarks.javagrande.adequacy import adequacy
from benchmarks.javagrande.measure import Measurement
from benchmarks.javagrande.registry import Entry


def results_table(size: str, measurements: Sequence[Measurement]) -> Table:
    """A row a benchmark and column; times in milliseconds."""
    table = Table(title=f"JavaGrande, class {size} (times in ms)", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("benchmark", no_wrap=True)
    table.add_column("column", no_wrap=True)
    for heading in ("kernel", "min", "max", "speed-\nup", "first\ncall", "warm\nstart"):
        table.add_column(heading, justify="right", no_wrap=True)
    previous = None
    for m in measurements:
        if previous not in (None, m.benchmark):
            table.add_section()
        name = m.benchmark if m.benchmark != previous else ""
        previous = m.benchmark
        if m.error is not None:
            table.add_row(name, m.column.label, "[red]no time[/]", *[""] * 5)
            continue
        table.add_row(
            name,
            m.column.label,
            milliseconds(m.seconds),
            milliseconds(min(m.samples)),
            milliseconds(max(m.samples)),
            f"{m.speed_up:.2f}" if m.speed_up is not None else "",
            milliseconds(m.first_call),
            milliseconds(m.warm_start),
        )
    return table


def comparison_table(measurements: Sequence[Measurement], earlier: Mapping[tuple[str, str], float]) -> Table:
    """The times of this run beside an earlier one's; the ratio is above 1 where this run is faster."""
    table = Table(title="Compared with the earlier run (times in ms)")
    table.add_column("benchmark", no_wrap=True)
    table.add_column("column", no_wrap=True)
    for heading in ("earlier", "now", "earlier / now"):
        table.add_column(heading, justify="right")
    for m in measurements:
        before = earlier.get((m.benchmark, m.column.label))
        ratio = f"{before / m.seconds:.2f}" if before is not None and m.seconds is not None else ""
        table.add_row(m.benchmark, m.column.label, milliseconds(before), milliseconds(m.seconds), ratio)
    return table


def adequacy_table(entries: Sequence[Entry]) -> Table:
    """The paper's Table 2, and the same counted for our ports."""
    table = Table(title="Adequacy (Table 2 of the paper)", caption="extra lines: with the decorator and block heads")
    table.add_column("benchmark")
    for heading in ("annotations", "the paper's", "extra lines", "the paper's"):
        table.add_column(heading, justify="right")
    for entry in entries:
        ours = adequacy(entry)
        annotations, lines = (str(ours.annotations), str(ours.lines)) if ours is not None else ("-", "-")
        table.add_row(entry.name, annotations, str(entry.paper_annotations), lines, str(entry.paper_lines))
    return table


def milliseconds(seconds: float | None) -> str:
    """Seconds as milliseconds of three figures or more; nothing for None."""
    if seconds is None:
        return ""
    value = seconds * 1e3
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
