"""The plot of a run: speed-ups over the sequential version, grouped by benchmark (after the paper's Figures 10 and 11).

In: a record (see `record`). Out: an image file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUP_WIDTH = 0.84
HUES = {"multicore": "Blues", "prange": "Greys", "opencl": "Oranges"}

Results = Sequence[dict[str, Any]]


def plot(path: Path, content: dict[str, Any]) -> bool:
    """Draw the speed-ups of a record; False, and no file, where there are none to draw.

    One panel with one axis: bars go up and down from 1, the sequential version; its milliseconds stand with the names.
    """
    from matplotlib.figure import Figure

    results = [r for r in content["results"] if r["target"] != "sequential" and r["speed_up"] is not None]
    if not results:
        return False
    took = {r["benchmark"]: r["seconds"] for r in content["results"] if r["target"] == "sequential"}
    figure = Figure(figsize=(max(6.4, 2.0 + 0.42 * len(results)), 4.2), layout="constrained")
    axes = figure.subplots()
    _draw(axes, results, took, _colours(results))
    machine = content["machine"]
    axes.set_title(f"JavaGrande, class {content['class']}, {machine['cpu']}, {machine['cores']} cores", fontsize=11)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return True


def _draw(axes: Axes, results: Results, took: dict[str, float | None], colours: dict[str, Any]) -> None:
    """A group of bars for each benchmark, a bar for each column."""
    benchmarks = list(dict.fromkeys(r["benchmark"] for r in results))
    columns = list(dict.fromkeys(r["column"] for r in results))
    speed_ups = {(r["benchmark"], r["column"]): r["speed_up"] for r in results}
    bar = GROUP_WIDTH / len(columns)
    axes.set_yscale("log")
    for position, column in enumerate(columns):
        drawn = [(g, speed_ups[b, column]) for g, b in enumerate(benchmarks) if (b, column) in speed_ups]
        places = [group + (position - (len(columns) - 1) / 2) * bar for group, _ in drawn]
        heights = [height - 1.0 for _, height in drawn]
        bars = axes.bar(places, heights, bar * 0.94, bottom=1.0, color=colours[column], label=column, zorder=2)
        axes.bar_label(bars, labels=[_value(speed_up) for _, speed_up in drawn], padding=2, fontsize=8)
    axes.axhline(1.0, color="0.25", linewidth=1.0, zorder=3)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylim(min(0.5, *speed_ups.values()) / 1.5, max(2.0, *speed_ups.values()) * 1.5)
    axes.set_ylabel("times as fast as sequential Numba")
    axes.set_xticks(range(len(benchmarks)), [_with_time(name, took.get(name)) for name in benchmarks])
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", zorder=0)
    axes.set_axisbelow(True)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=len(columns), frameon=False, fontsize=8)


def _with_time(benchmark: str, seconds: float | None) -> str:
    return benchmark if seconds is None else f"{benchmark}\n{1e3 * seconds:.3g} ms"


def _colours(results: Results) -> dict[str, Any]:
    """A hue for each target, darker from column to column."""
    from matplotlib import colormaps

    target = {r["column"]: r["target"] for r in results}
    colours = {}
    for column in target:
        same = [other for other in target if target[other] == target[column]]
        shade = 0.4 + 0.4 * (same.index(column) + 1) / len(same)
        colours[column] = colormaps[HUES.get(target[column], "Greys")](shade)
    return colours


def _value(speed_up: float) -> str:
    """Three figures, no exponent."""
    return f"{speed_up:.0f}" if speed_up >= 100 else f"{speed_up:.1f}" if speed_up >= 10 else f"{speed_up:.2f}"
