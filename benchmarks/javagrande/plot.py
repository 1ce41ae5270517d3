"""The plot of a run: speed-ups over the sequential version, grouped by benchmark (the paper's Figures 10 and 11).

In: a record (see `record`). Out: an image file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEST = "multicore, fastest"
GROUP_WIDTH = 0.84
LOGARITHMIC_FROM = 8.0
HUES = {"multicore": "Blues", "opencl": "Oranges"}

Results = Sequence[dict[str, Any]]


def plot(path: Path, content: dict[str, Any]) -> bool:
    """Draw the speed-ups of a record; False, and no file, where there are none to draw.

    One panel compares the numbers of workers (Figure 10), the other the fastest of them with the devices (Figure 11); a
    record with one target alone has one panel.
    """
    from matplotlib.figure import Figure

    results = [r for r in content["results"] if r["target"] != "sequential" and r["speed_up"] is not None]
    if not results:
        return False
    panels = _panels(results)
    widths = [2.0 + 0.5 * len(panel) for panel in panels.values()]
    figure = Figure(figsize=(max(6.4, sum(widths)), 4.2), layout="constrained")
    all_axes = figure.subplots(1, len(panels), width_ratios=widths, squeeze=False)[0]
    for axes, (title, panel) in zip(all_axes, panels.items(), strict=True):
        _draw(axes, panel, _colours(results))
        axes.set_title(title, fontsize=10)
    all_axes[0].set_ylabel("speed-up over the sequential version")
    machine = content["machine"]
    figure.suptitle(f"JavaGrande, class {content['class']}, {machine['cpu']}, {machine['cores']} cores", fontsize=11)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return True


def _panels(results: Results) -> dict[str, Results]:
    """The results of each panel, by its title."""
    shared_memory = [r for r in results if r["target"] == "multicore"]
    devices = [r for r in results if r["target"] != "multicore"]
    if not (shared_memory and devices):
        return {"shared memory" if shared_memory else "OpenCL devices": results}
    fastest: dict[str, dict[str, Any]] = {}
    for r in shared_memory:
        if r["benchmark"] not in fastest or r["speed_up"] > fastest[r["benchmark"]]["speed_up"]:
            fastest[r["benchmark"]] = {**r, "column": BEST}
    return {"shared memory": shared_memory, "shared memory and OpenCL devices": [*fastest.values(), *devices]}


def _draw(axes: Axes, results: Results, colours: dict[str, Any]) -> None:
    """A group of bars for each benchmark, a bar for each column."""
    benchmarks = list(dict.fromkeys(r["benchmark"] for r in results))
    columns = list(dict.fromkeys(r["column"] for r in results))
    speed_ups = {(r["benchmark"], r["column"]): r["speed_up"] for r in results}
    bar = GROUP_WIDTH / len(columns)
    for position, column in enumerate(columns):
        drawn = [(g, speed_ups[b, column]) for g, b in enumerate(benchmarks) if (b, column) in speed_ups]
        places = [group + (position - (len(columns) - 1) / 2) * bar for group, _ in drawn]
        heights = [height for _, height in drawn]
        bars = axes.bar(places, heights, bar * 0.94, color=colours[column], label=column, zorder=2)
        for text in axes.bar_label(bars, labels=[_value(height) for height in heights], padding=2, fontsize=8):
            text.set_zorder(4)
            text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.6})
    axes.axhline(1.0, color="0.25", linewidth=1.0, linestyle="--", zorder=3, label="sequential (Numba)")
    if max(speed_ups.values()) > LOGARITHMIC_FROM:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.margins(y=0.2)
        axes.set_ylim(bottom=min(0.5, *speed_ups.values()) / 1.6)
    else:
        axes.margins(y=0.14)
    axes.set_xticks(range(len(benchmarks)), benchmarks)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", zorder=0)
    axes.set_axisbelow(True)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=len(columns) + 1, frameon=False, fontsize=8)


def _colours(results: Results) -> dict[str, Any]:
    """A hue for each target, darker from column to column; `BEST` is the darkest of multicore."""
    from matplotlib import colormaps

    target = {r["column"]: r["target"] for r in results}
    colours = {BEST: colormaps[HUES["multicore"]](0.95)}
    for column in target:
        same = [other for other in target if target[other] == target[column]]
        shade = 0.4 + 0.4 * (same.index(column) + 1) / len(same)
        colours[column] = colormaps[HUES.get(target[column], "Greys")](shade)
    return colours


def _value(speed_up: float) -> str:
    """Three figures, no exponent."""
    return f"{speed_up:.0f}" if speed_up >= 100 else f"{speed_up:.1f}" if speed_up >= 10 else f"{speed_up:.2f}"
