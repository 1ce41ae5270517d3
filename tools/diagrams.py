"""The drawings of the docs: how arrays are cut, what threads and ranks read of their neighbours', what a fence is, how
ranks scale, and the way of a function.

    python tools/diagrams.py

Out: SVG files in docs/pictures, in colours that can be seen on white and on black; texts are dark or light as the page
is. A test compares them with what is drawn here.
"""

from __future__ import annotations

import re
from pathlib import Path

from somd.sources.scaling_plot import Point, plot

CLUSTER = Path(__file__).parents[1] / "docs" / "cluster.md"
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
LINES, FRAME = "#768390", "#8b949e"
#: of texts on a light page and on a dark one, as in `charts.py`
TEXTS = (
    "<style>svg{fill:#59636e;color:#59636e}@media (prefers-color-scheme:dark){svg{fill:#9198a1;color:#9198a1}}</style>"
)
#: of workers 0, 1 and 2
WORKERS = ("#539bf5", "#e0913a", "#3a9d5d")
CELL = 34


def picture(width: int, height: int, label: str, *parts: str) -> str:
    """A whole file."""
    size = f"width='{width}' height='{height}' viewBox='0 0 {width} {height}'"
    style = "font-family='system-ui, sans-serif' font-size='14'"
    head = f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img' aria-label='{label}' {style}>"
    return "\n".join((head, TEXTS, *parts, "</svg>\n"))


def text(x: float, y: float, words: str, anchor: str = "start", more: str = "") -> str:
    """A line of text."""
    return f"<text x='{x:g}' y='{y:g}' text-anchor='{anchor}'{more}>{words}</text>"


def box(x: float, y: float, width: float, height: float, fill: str = "none", more: str = "") -> str:
    """A rectangle."""
    return f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' fill='{fill}' stroke='{FRAME}'{more}/>"


def cells(x: float, y: float, colours: list[str], more: str = "") -> list[str]:
    """A row of an array's elements."""
    return [box(x + k * CELL, y, CELL, CELL, colour, more) for k, colour in enumerate(colours)]


def partition() -> str:
    """Blocks, and what the other partitioners make of them."""
    rows = (
        ("Block", [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], "equal parts, one after the other"),
        ("Cyclic", [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2], "dealt out, for work that grows"),
        ("Weighted", [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2], "equal work, by a cost for each"),
        ("ByKey", [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2], "equal keys stay together"),
    )
    parts = []
    for k, (name, owners, words) in enumerate(rows):
        y = 8 + k * 66
        parts.append(text(0, y + 22, name, more=" font-weight='bold'"))
        parts += cells(80, y, [WORKERS[owner] for owner in owners])
        parts.append(text(80, y + CELL + 16, words))
    legend = 8 + len(rows) * 66 + 10
    for k, colour in enumerate(WORKERS):
        parts += [box(80 + k * 110, legend, 14, 14, colour), text(100 + k * 110, legend + 12, f"worker {k}")]
    return picture(500, legend + 24, "an array cut among three workers by four partitioners", *parts)


def view() -> str:
    """What worker 1 reads and writes in a loop over neighbours."""
    owners = [WORKERS[k // 4] for k in range(12)]
    left, right = 70 + 3 * CELL, 70 + 8 * CELL
    dashed = " stroke-width='3' stroke-dasharray='5 3'"
    wide = f"<rect x='{left}' y='26' width='{6 * CELL}' height='{CELL + 8}' fill='none' stroke='{WORKERS[1]}'{dashed}/>"
    parts = [
        text(0, 52, "u, read"),
        *cells(70, 30, owners),
        wide,
        text(left + 3 * CELL, 18, "worker 1 reads its part, and its view beyond it", "middle"),
        text(left + CELL / 2, 88, "view", "middle"),
        text(right + CELL / 2, 88, "view", "middle"),
        text(0, 122, "v, written"),
        *cells(70, 100, owners),
        text(70 + 6 * CELL, 156, "and writes its part alone", "middle"),
        text(70 + 6 * CELL, 184, "v[i] = 0.5 * (u[i - 1] + u[i + 1])", "middle", " font-family='monospace'"),
    ]
    return picture(500, 196, "the view of worker 1: its part and an element at each side", *parts)


def fence() -> str:
    """Two phases of three workers, with a fence behind each."""
    lengths = ((120, 96, 138), (110, 132, 90))
    parts = [text(0, 20, "time", more=" font-style='italic'"), f"<path d='M40 15 H470' stroke='{FRAME}'/>"]
    parts.append(f"<path d='M470 15 l-8 -4 v8 z' fill='{FRAME}'/>")
    for k, colour in enumerate(WORKERS):
        y = 36 + k * 34
        parts.append(text(0, y + 18, f"worker {k}"))
        for phase, at in enumerate((80, 260)):
            parts.append(box(at, y, lengths[phase][k], 24, colour))
            parts.append(text(at + 8, y + 17, f"phase {phase + 1}", more=" fill='#1c2128'"))
    for at, name in ((232, "fence"), (412, "fence")):
        parts.append(f"<line x1='{at}' x2='{at}' y1='28' y2='142' stroke='{LINES}' stroke-width='3'/>")
        parts.append(text(at, 160, name, "middle"))
    parts.append(text(250, 186, "behind a fence, all workers see what each has written before it", "middle"))
    return picture(500, 198, "two phases of three workers, a fence behind each", *parts)


#: the rooms that a function goes through: what comes out of each, and where it happens
STAGES = (
    ("frontend", "source text to Method", "markers; array statements become loops"),
    ("analysis", "facts on integer sets", "accesses, domains, dependences, by isl"),
    ("plan", "Plan", "phases and fences, reductions, checks"),
    ("loops", "Program", "typed loops, one for every target"),
    ("passes", "Program to Program", "fusion, tiling, widths, ... by a schedule"),
)


def architecture() -> str:
    """The way of a function from source to result."""
    parts = []
    for k, (room, gives, words) in enumerate(STAGES):
        y = 4 + k * 62
        parts += [box(10, y, 480, 44, more=" rx='6'"), text(24, y + 27, room, more=" font-weight='bold'")]
        parts += [text(110, y + 19, gives), text(110, y + 36, words, more=" font-size='12'"), _arrow(250, y + 46)]
    y = 4 + len(STAGES) * 62
    ends = (
        ("multicore", "a Python module", "Numba, threads", WORKERS[0]),
        ("opencl", "kernels, a master", "the driver, devices", WORKERS[2]),
    )
    for k, (name, gives, by, colour) in enumerate(ends):
        x = 10 + k * 245
        parts.append(
            f"<rect x='{x}' y='{y}' width='235' height='64' rx='6' fill='none' stroke='{colour}' stroke-width='2'/>"
        )
        parts.append(text(x + 14, y + 26, name, more=" font-weight='bold'"))
        parts += [text(x + 105, y + 26, gives), text(x + 105, y + 48, by, more=" font-size='12'")]
        parts.append(_arrow(x + 117, y + 66))
    y += 82
    parts += [box(10, y, 480, 44, more=" rx='6'"), text(24, y + 27, "runtime", more=" font-weight='bold'")]
    parts += [
        text(110, y + 19, "the result"),
        text(110, y + 36, "checks, cuts, runs, combines", more=" font-size='12'"),
    ]
    return picture(
        500, y + 50, "the way of a function: front end, analysis, plan, loops, passes, targets, runtime", *parts
    )


def _arrow(x: float, y: float) -> str:
    return f"<path d='M{x:g} {y:g} v6 h-4 l4 6 l4 -6 h-4' fill='{FRAME}' stroke='{FRAME}'/>"


def ranks() -> str:
    """The memories of three ranks with their rows of an array, and the messages that bring those beside them."""
    top, step, wide, apart = 34, 22, 100, 150
    beside = ((4,), (3, 8), (7,))  # what each rank gets of its neighbours'
    parts = []
    for rank, borders in enumerate(beside):
        x = 60 + rank * apart
        parts.append(text(x + wide / 2, 22, f"rank {rank}", "middle", " font-weight='bold'"))
        for row in range(12):
            colour, here = WORKERS[row // 4], row // 4 == rank
            more = "" if here else " fill-opacity='0.4'" if row in borders else " stroke-dasharray='2 4'"
            parts.append(box(x, top + row * step, wide, step - 4, colour if here or row in borders else "none", more))
        for row in borders:
            sign = 1 if row // 4 < rank else -1  # the message comes from the left, or from the right
            y, end = top + row * step + step / 2 - 2, x - 4 if sign > 0 else x + wide + 4
            parts.append(
                f"<path d='M{end - sign * 42:g} {y:g} H{end - sign * 6:g}' stroke='{LINES}' stroke-width='2'/>"
            )
            parts.append(f"<path d='M{end:g} {y:g} l{-sign * 8} -5 v10 z' fill='{LINES}'/>")
    parts += [text(50, top + row * step + 13, f"{row}", "end", " font-size='12'") for row in range(12)]
    parts.append(text(0, top + 13, "row"))
    legend = top + 12 * step + 14
    rows = (
        (WORKERS[0], "", "computed and written here"),
        (WORKERS[0], " fill-opacity='0.4'", "of a neighbour, read here: brought by a message"),
        ("none", " stroke-dasharray='2 4'", "addresses without memory"),
    )
    for k, (fill, more, words) in enumerate(rows):
        parts += [box(1, legend + k * 22, 22, 14, fill, more), text(32, legend + k * 22 + 12, words)]
    return picture(500, legend + 72, "rows of an array on three ranks, with borders that messages bring", *parts)


def scaling() -> str:
    """What docs/cluster.md says of the efficiency of ranks."""
    said = re.findall(r"^  (\d+) .* ([\d.]+)% .* ([\d.]+)%$", CLUSTER.read_text(encoding="utf-8"), re.MULTILINE)
    points = [Point(int(ranks), float(same) / 100, float(growing) / 100) for ranks, same, growing in said]
    return plot(points).replace(">\n", f">\n{TEXTS}\n", 1) + "\n"


DRAWINGS = {
    "partition.svg": partition,
    "view.svg": view,
    "fence.svg": fence,
    "architecture.svg": architecture,
    "ranks.svg": ranks,
    "scaling.svg": scaling,
}


def main() -> None:
    """Draw all of them."""
    PICTURES.mkdir(exist_ok=True)
    for name, draw in DRAWINGS.items():
        (PICTURES / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
