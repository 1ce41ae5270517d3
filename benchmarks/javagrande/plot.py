"""The plot of a run: speed-ups over the sequential version, grouped by benchmark (the paper's Figures 10 and 11).

In: a record (see `record`). Out: an image file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

GROUP_WIDTH = 0.84
LOGARITHMIC_FROM = 30.0
HUES = {"multicore": "Blues", "opencl": "Oranges"}


def plot(path: Path, content: dict[str, Any]) -> bool:
    """Draw the speed-ups of a record; False, and no file, where there are none to draw."""
    from matplotlib.figure import Figure

    results = [r for r in content["results"] if r["target"] != "sequential" and r["speed_up"] is not None]
    if not results:
        return False
    benchmarks = list(dict.fromkeys(r["benchmark"] for r in results))
    columns = list(dict.fromkeys(r["column"] for r in results))
    speed_ups = {(r["benchmark"], r["column"]): r["speed_up"] for r in results}
    bar = GROUP_WIDTH / len(columns)

    figure = Figure(figsize=(max(6.4, 1.6 + 0.55 * len(benchmarks) * len(columns)), 4.8), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(1.0, color="0.25", linewidth=1.0, linestyle="--", zorder=1, label="sequential (Numba)")
    for position, (column, colour) in enumerate(zip(columns, _colours(results, columns), strict=True)):
        drawn = [(g, speed_ups[b, column]) for g, b in enumerate(benchmarks) if (b, column) in speed_ups]
        places = [group + (position - (len(columns) - 1) / 2) * bar for group, _ in drawn]
        bars = axes.bar(places, [height for _, height in drawn], bar * 0.94, color=colour, label=column, zorder=2)
        axes.bar_label(bars, labels=[_value(height) for _, height in drawn], padding=2, fontsize=9)
    if max(speed_ups.values()) > LOGARITHMIC_FROM:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    axes.margins(y=0.12)
    axes.set_xticks(range(len(benchmarks)), benchmarks)
    axes.set_ylabel("speed-up over sequential")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", zorder=0)
    axes.set_axisbelow(True)
    machine = content["machine"]
    axes.set_title(f"JavaGrande, class {content['class']}\n{machine['cpu']}, {machine['cores']} cores", fontsize=11)
    figure.legend(loc="outside lower center", ncols=min(4, len(columns) + 1), frameon=False, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return True


def _colours(results: Sequence[dict[str, Any]], columns: Sequence[str]) -> list[Any]:
    """A hue for each target, darker from column to column."""
    from matplotlib import colormaps

    target = {r["column"]: r["target"] for r in results}
    colours = []
    for column in columns:
        same = [other for other in columns if target[other] == target[column]]
        shade = 0.45 + 0.4 * (same.index(column) + 1) / len(same)
        colours.append(colormaps[HUES.get(target[column], "Greys")](shade))
    return colours


def _value(speed_up: float) -> str:
    """Three figures, no exponent."""
    return f"{speed_up:.0f}" if speed_up >= 100 else f"{speed_up:.1f}" if speed_up >= 10 else f"{speed_up:.2f}"
