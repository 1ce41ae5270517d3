"""How efficiently more and more ranks are reckoned to work, as a picture.

In: numbers of ranks, each with the efficiencies that `scaling` has reckoned. Out: SVG whose text has the colour of the
page around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log2
from typing import NamedTuple

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 280, 44, 120, 14, 40
#: colours that people who do not tell red from green tell apart (Okabe and Ito)
SAME, GROWING = "#E69F00", "#0072B2"
FRAME = "#8b949e"


class Point(NamedTuple):
    """So many ranks, with their efficiency for the same arrays, and for arrays that grow with the ranks; 1 is all."""

    ranks: int
    same: float
    growing: float


def plot(points: Sequence[Point]) -> str:
    """Efficiencies in per cent over numbers of ranks, whose axis is logarithmic."""
    widest = max(1.0, log2(points[-1].ranks))

    def x(ranks: float) -> float:
        return LEFT + log2(ranks) / widest * (WIDTH - LEFT - RIGHT)

    def y(efficiency: float) -> float:
        return TOP + (1.0 - min(efficiency, 1.0)) * (HEIGHT - TOP - BOTTOM)

    drawn = list(_axes(points, x, y))
    lines = (("growing arrays", GROWING, 2), ("the same arrays", SAME, 1))
    levels = [y(points[-1][which]) for _, _, which in lines]
    if abs(levels[0] - levels[1]) < 16:
        levels[1] = levels[0] + 16
    for (name, colour, which), level in zip(lines, levels, strict=True):
        places = [(each.ranks, each[which]) for each in points]
        path = " ".join(f"{x(ranks):.1f},{y(part):.1f}" for ranks, part in places)
        drawn.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
        for ranks, part in places:
            title = f"<title>{ranks} ranks: {100 * part:.1f} %</title>"
            drawn.append(f"<circle cx='{x(ranks):.1f}' cy='{y(part):.1f}' r='4' fill='{colour}'>{title}</circle>")
        drawn.append(_text(x(points[-1].ranks) + 10, level + 4, name))
    size = f"width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}'"
    style = "font-family='system-ui, sans-serif' font-size='13' fill='currentColor' style='max-width:100%;height:auto'"
    head = f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img' aria-label='efficiency of ranks' {style}>"
    return "\n".join((head, *drawn, "</svg>"))


def _axes(points: Sequence[Point], x: Callable[[float], float], y: Callable[[float], float]) -> Iterator[str]:
    for per_cent in (0, 25, 50, 75, 100):
        at = y(per_cent / 100)
        yield f"<path d='M{LEFT} {at:.1f} H{WIDTH - RIGHT}' stroke='{FRAME}' stroke-opacity='0.4'/>"
        yield _text(LEFT - 8, at + 4, f"{per_cent}", "end")
    for each in points:
        yield _text(x(each.ranks), HEIGHT - BOTTOM + 18, f"{each.ranks}", "middle")
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, "ranks; efficiency in per cent", "middle")


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'>{words}</text>"
