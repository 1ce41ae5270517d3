"""The charts of README and docs, drawn from the tables of docs/results.md.

    python tools/charts.py

In: the tables, by heading and first line of their section. Out: SVG files in docs/pictures. A test compares them with
what is drawn here. Bars have colours that can be seen on white and on black; texts are dark or light as the page is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from math import log10
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTH, LINE, BAR = 560, 26, 18
GREY, ORANGE, BROWN, BLUE, DARK_BLUE, GREEN, VIOLET = (
    *("#8b949e", "#e0913a", "#b5651d", "#539bf5", "#2f6fd0", "#3a9d5d", "#a371d9"),
)
LINES = "#768390"
#: of texts on a light page and on a dark one; a browser tells a picture the colour scheme of the page that shows it
TEXTS = "svg{fill:#59636e}@media (prefers-color-scheme:dark){svg{fill:#9198a1}}"


class Bar(NamedTuple):
    """A bar: what it is, its value, its colour, and what stands behind it."""

    label: str
    value: float
    colour: str
    text: str


class Panel(NamedTuple):
    """Bars below a title; `from_one` draws them from 1 on a logarithmic scale, to both sides."""

    title: str
    bars: Sequence[Bar]
    from_one: bool = False


def table(text: str, heading: str, after: str = "") -> dict[str, dict[str, str]]:
    """The first table behind a heading, and behind a line `after` in its section: rows by name, cells by column."""
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if re.fullmatch(rf"#+ {re.escape(heading)}", line))
    if after:
        start = next(k for k in range(start, len(lines)) if lines[k] == after)
    first = next(k for k in range(start, len(lines)) if lines[k].startswith("|"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in _while_table(lines[first:])]
    return {row[0]: dict(zip(rows[0][1:], row[1:], strict=False)) for row in rows[2:]}


def _while_table(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("|"):
            return
        yield line


def number(cell: str) -> float | None:
    """The number that a cell begins with, or None."""
    found = re.match(r"[\d.]+(e[+-]?\d+)?", cell.replace(",", ""))
    return float(found[0]) if found else None


def milliseconds(value: float) -> str:
    """A time with three figures."""
    return f"{value:.0f} ms" if value >= 100 else f"{value:.3g} ms"


def drawn(panels: Sequence[Panel], label: str) -> str:
    """The picture of some panels, one below the other."""
    powers = [0.0, *(log10(bar.value) for panel in panels if panel.from_one for bar in panel.bars)]
    low, high = min(powers), max(powers)
    parts: list[str] = []
    top = 0
    for panel in panels:
        parts.append(f"<text x='0' y='{top + 18}' font-weight='bold'>{escape(panel.title)}</text>")
        top += LINE + 4
        parts += _from_one(panel.bars, top, low, high) if panel.from_one else _from_zero(panel.bars, top)
        top += LINE * len(panel.bars) + 14
    style = "font-family='system-ui, sans-serif' font-size='14'"
    size = f"width='{WIDTH}' height='{top}' viewBox='0 0 {WIDTH} {top}'"
    inside = "\n".join(parts)
    head = f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img' aria-label='{escape(label)}' {style}>"
    return f"{head}\n<style>{TEXTS}</style>\n{inside}\n</svg>\n"


LEFT, RIGHT = 190, 75


def _row(bar: Bar, top: int, at: float, width: float) -> Iterator[str]:
    yield f"<text x='{LEFT - 8}' y='{top + 14}' text-anchor='end'>{escape(bar.label)}</text>"
    box = f"x='{at:.1f}' y='{top}' width='{max(width, 1.5):.1f}' height='{BAR}' rx='2'"
    yield f"<rect {box} fill='{bar.colour}'/>"


def _from_zero(bars: Sequence[Bar], top: int) -> Iterator[str]:
    most = max(bar.value for bar in bars)
    for k, bar in enumerate(bars):
        width = bar.value / most * (WIDTH - LEFT - RIGHT)
        yield from _row(bar, top + k * LINE, LEFT, width)
        yield f"<text x='{LEFT + max(width, 1.5) + 6:.1f}' y='{top + k * LINE + 14}'>{escape(bar.text)}</text>"


def _from_one(bars: Sequence[Bar], top: int, low: float, high: float) -> Iterator[str]:
    room = 50 if low < 0 else 0
    scale = (WIDTH - LEFT - RIGHT - room) / (high - low)
    one = LEFT + room - low * scale
    for k, bar in enumerate(bars):
        end = one + log10(bar.value) * scale
        yield from _row(bar, top + k * LINE, min(one, end), abs(end - one))
        at, anchor = (end + 6, "start") if bar.value >= 1 else (end - 6, "end")
        yield f"<text x='{at:.1f}' y='{top + k * LINE + 14}' text-anchor='{anchor}'>{escape(bar.text)}</text>"
    bottom = top + len(bars) * LINE - 4
    yield f"<line x1='{one:.1f}' x2='{one:.1f}' y1='{top - 4}' y2='{bottom}' stroke='{LINES}'/>"


def speed(text: str) -> str:
    """The README's picture: the program at its top, and a kernel that was run on a GPU, too."""
    colours = {"NumPy": GREY, "Numba": ORANGE, "somd": BLUE}
    heat = []
    for name, cells in table(text, "Heat in a plate").items():
        colour = next(colour for who, colour in colours.items() if name.startswith(who))
        value = number(cells["ms"]) or 0.0
        heat.append(Bar(name.replace("`", ""), value, colour, milliseconds(value)))
    plain = table(text, "Class B")["SOR"]
    by_hand = table(text, "Against kernels written by hand", "Class B:")["SOR"]
    rows = (
        ("Numba, one thread", plain["sequential"], ORANGE),
        ("Numba prange, 2 threads", by_hand["Numba `prange` port"], ORANGE),
        ("an expert's Numba, 2", by_hand["an expert's Numba"], BROWN),
        ("somd, 2 workers", by_hand["somd"], BLUE),
        ("somd, NVIDIA H200", table(text, "An NVIDIA H200")["SOR"]["B"], GREEN),
    )
    sor = [Bar(name, number(cell) or 0.0, colour, milliseconds(number(cell) or 0.0)) for name, cell, colour in rows]
    panels = (
        Panel("Heat in a plate, 1000 \u00d7 1000 points, 100 steps, two cores", heat),
        Panel("Red-black SOR of JavaGrande, class B, two cores and a GPU", sor),
    )
    return drawn(panels, "times of NumPy, Numba and somd")


def javagrande(text: str) -> str:
    """Speed-ups over the sequential version at class A."""
    gpu = table(text, "An NVIDIA H200")
    panels = []
    for name, cells in table(text, "Class A").items():
        one = number(cells["sequential"]) or 0.0
        rows = (
            ("1 worker", cells["multicore, 1 worker"], BLUE),
            ("2 workers", cells["multicore, 2 workers"], DARK_BLUE),
            ("OpenCL, Intel's CPU", cells["OpenCL, Intel's CPU runtime"], VIOLET),
            ("OpenCL, NVIDIA H200", gpu[name]["A"], GREEN),
        )
        bars = [Bar(what, *_ratio(cell, one / (number(cell) or one), colour)) for what, cell, colour in rows]
        panels.append(Panel(f"{name}, {milliseconds(one)} sequentially", bars, from_one=True))
    return drawn(panels, "speed-ups of JavaGrande, class A")


def frameworks(text: str) -> str:
    """How many times as long as somd others take, at class A."""
    colours = {"Numba `prange` port": ORANGE, "an expert's Numba": BROWN}
    panels = []
    for name, cells in table(text, "Against other frameworks", "Class A:").items():
        ours = number(cells["somd"]) or 0.0
        bars = [
            Bar(other.replace("`", ""), *_ratio(cell, value / ours, colours.get(other, GREY)))
            for other, cell in cells.items()
            if other != "somd" and (value := number(cell)) is not None
        ]
        panels.append(Panel(f"{name}: somd {milliseconds(ours)}, others", bars, from_one=True))
    return drawn(panels, "times of other frameworks over somd's, JavaGrande, class A")


def loops(text: str) -> str:
    """How many times as long as somd the best peer takes, loop kernels at size M."""
    colours = {"numpy": GREY, "prange": ORANGE, "fastmath": BROWN}
    panels = []
    for peer, name in zip(colours, ("NumPy", "Numba prange", "Numba prange with fastmath"), strict=True):
        bars = [
            Bar(kernel, value, colours[peer], f"{value:.3g} \u00d7")
            for kernel, cells in table(text, "Loop kernels").items()
            if f"({peer})" in (cell := cells["best peer over somd"]) and (value := number(cell))
        ]
        bars.sort(key=lambda bar: -bar.value)
        panels.append(Panel(f"{name} is the best peer", bars, from_one=True))
    return drawn(panels, "times of the best peer over somd's, loop kernels, size M")


def _ratio(cell: str, reckoned: float, colour: str) -> tuple[float, str, str]:
    """The ratio in parentheses behind a time, which was reckoned before times were rounded; else `reckoned`."""
    found = re.search(r"\(([\d.]+)\)", cell)
    said = found[1] if found else f"{reckoned:.3g}" if reckoned >= 1 else f"{reckoned:.2f}"
    return float(said), colour, f"{said} \u00d7"


CHARTS = {"speed.svg": speed, "javagrande.svg": javagrande, "frameworks.svg": frameworks, "loops.svg": loops}


def main() -> None:
    """Draw all of them."""
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    PICTURES.mkdir(exist_ok=True)
    for name, draw in CHARTS.items():
        (PICTURES / name).write_text(draw(text), encoding="utf-8")


if __name__ == "__main__":
    main()
