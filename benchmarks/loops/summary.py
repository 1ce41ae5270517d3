"""What is read off a run: ratios of peers to somd and their geometric means, the table, and the plot.

A ratio is a peer's time over somd's: above 1, somd is faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from rich import box
from rich.table import Table

from benchmarks.javagrande.tables import milliseconds
from benchmarks.loops.measure import Measurement
from benchmarks.loops.versions import NUMPY, PRANGE, SOMD


@dataclass(frozen=True)
class Row:
    """The measurements of one kernel by version."""

    kernel: str
    versions: dict[str, Measurement]

    @property
    def best_peer(self) -> Measurement | None:
        """The fastest of the valid ones but somd's."""
        valid = [m for name, m in self.versions.items() if name != SOMD and m.seconds is not None]
        return min(valid, key=lambda m: m.seconds or 0.0, default=None)

    def ratio(self, peer: str | None = None) -> float | None:
        """A peer's time over somd's; the best peer's without a name."""
        other = self.best_peer if peer is None else self.versions.get(peer)
        ours = self.versions[SOMD].seconds
        return other.seconds / ours if other is not None and other.seconds is not None and ours else None

    @property
    def first_call_ratio(self) -> float | None:
        """What somd's definition and first call cost, over those of the `prange` port."""
        ours, port = self.versions[SOMD].first_call, self.versions.get(PRANGE)
        return ours / port.first_call if ours is not None and port is not None and port.first_call else None


def rows(measurements: Sequence[Measurement]) -> list[Row]:
    """The measurements by kernel, in their order."""
    found: dict[str, dict[str, Measurement]] = {}
    for m in measurements:
        found.setdefault(m.kernel, {})[m.version] = m
    return [Row(kernel, versions) for kernel, versions in found.items()]


def mean(ratios: Iterable[float | None]) -> float | None:
    """The geometric mean of those that there are."""
    there = [ratio for ratio in ratios if ratio]
    return geometric_mean(there) if there else None


def results_table(found: Sequence[Row], title: str) -> Table:
    """A row a kernel; at the end the geometric means of the ratios."""
    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    table.add_column("kernel", "geometric mean", no_wrap=True)
    table.add_column("somd\nms", justify="right")
    table.add_column("best peer\nms", justify="right")
    table.add_column("which", no_wrap=True)
    table.add_column("best peer\n/ somd", figures(mean(r.ratio() for r in found)), justify="right")
    table.add_column("NumPy\n/ somd", figures(mean(r.ratio(NUMPY) for r in found)), justify="right")
    table.add_column("prange\n/ somd", figures(mean(r.ratio(PRANGE) for r in found)), justify="right")
    table.add_column("first call\ns", justify="right")
    table.add_column("over\nport's", figures(mean(r.first_call_ratio for r in found)), justify="right")
    for row in found:
        ours, best = row.versions[SOMD], row.best_peer
        table.add_row(
            row.kernel,
            milliseconds(ours.seconds) or "[red]none[/]",
            milliseconds(best.seconds) if best is not None else "",
            best.version if best is not None else "",
            figures(row.ratio()),
            figures(row.ratio(NUMPY)),
            figures(row.ratio(PRANGE)),
            figures(ours.first_call),
            figures(row.first_call_ratio),
        )
    return table


def figures(value: float | None) -> str:
    """Three figures; nothing for None."""
    return (
        "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    )


def as_json(found: Sequence[Row]) -> list[dict[str, Any]]:
    """An object a kernel: ratios, and every version with its samples."""
    return [
        {
            "kernel": row.kernel,
            "best_peer": row.best_peer.version if row.best_peer is not None else None,
            "best_peer_over_somd": row.ratio(),
            "numpy_over_somd": row.ratio(NUMPY),
            "first_call_over_port": row.first_call_ratio,
            "versions": {
                name: {"seconds": m.seconds, "first_call": m.first_call, "error": m.error, "samples": m.samples}
                for name, m in row.versions.items()
            },
        }
        for row in found
    ]


def plot(path: Path, found: Sequence[Row], title: str) -> bool:
    """Draw both ratios of each kernel, sorted; False, and no file, where there are none."""
    from matplotlib.figure import Figure

    drawn = sorted(((r.ratio() or 0.0, r) for r in found if r.ratio()), key=lambda pair: pair[0])
    if not drawn:
        return False
    figure = Figure(figsize=(max(6.4, 0.22 * len(drawn) + 2.0), 4.4), layout="constrained")
    axes = figure.subplots()
    places = range(len(drawn))
    heights = [ratio for ratio, _ in drawn]
    axes.bar(
        places, [h - 1.0 for h in heights], bottom=1.0, color=["C0" if h >= 1.0 else "C1" for h in heights], zorder=2
    )
    beside_numpy = [(place, r.ratio(NUMPY)) for place, (_, r) in zip(places, drawn, strict=True) if r.ratio(NUMPY)]
    axes.plot(*zip(*beside_numpy, strict=True), "o", color="0.4", markersize=3, zorder=3, label="over NumPy")
    axes.axhline(1.0, color="0.25", linewidth=1.0, zorder=3, label="somd")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")  # a range of less than ten has no others
    axes.set_xticks(places, [r.kernel for _, r in drawn], rotation=90, fontsize=7)
    axes.set_ylabel("time of the best peer over somd's")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", zorder=0)
    axes.legend(frameon=False, fontsize=8)
    axes.set_title(title, fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return True
