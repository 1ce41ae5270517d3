"""A profile as a page of its own: table, the phases under the limits of the machine, and a timeline. No scripts.

In: a `Profile`. Out: HTML with SVG, for browsers and notebooks.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from somd.calls.machine_limits import Limits, integer_limit, limits
from somd.calls.profile_views import HEAD, Row, duration, near, rows
from somd.diagnostics.colours import as_around

if TYPE_CHECKING:
    from somd.calls.profile import Profile

#: colours that people who do not tell red from green tell apart (Okabe and Ito)
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
WIDTH, LANE = 640, 26
#: single runs that a timeline shows
SHOWN = 4000
STYLE = """
.somd-profile { font: 14px/1.45 system-ui, sans-serif; max-width: 960px; margin: 1rem auto; padding: 0 .75rem;
  color: light-dark(#222, #ddd); background: light-dark(#fff, #1a1a1a); }
.somd-profile h2 { font-size: 1.1rem; margin: 1.4rem 0 .4rem; }
.somd-profile .wide { overflow-x: auto; }
.somd-profile table { border-collapse: collapse; width: 100%; table-layout: auto; font-size: 13px; }
.somd-profile td, .somd-profile th { padding: .15rem .5rem; text-align: right; white-space: nowrap; }
.somd-profile td:first-child, .somd-profile th:first-child { text-align: left; white-space: normal;
  min-width: min(14rem, 40vw); overflow-wrap: anywhere; }
.somd-profile tr.method { font-weight: 600; border-top: 1px solid #8886; }
.somd-profile tr.part td:first-child { padding-left: 1.4rem; }
.somd-profile svg { width: 100%; max-width: 760px; height: auto; min-width: 560px; display: block; }
.somd-profile svg text { fill: currentColor; font: 12px system-ui, sans-serif;
  paint-order: stroke; stroke: light-dark(#fff, #1a1a1a); stroke-width: 3px; }
""" + as_around(".somd-profile")


def as_html(profile: Profile) -> str:
    """A whole page."""
    head = "<meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'>"
    dark = "<style>html { color-scheme: light dark; background: light-dark(#fff, #1a1a1a); }</style>"
    head += f"<title>somd profile</title>{dark}"
    return f"<!doctype html>\n<html lang='en'><head>{head}</head>\n<body>{body(profile)}</body></html>\n"


def body(profile: Profile) -> str:
    """What a notebook shows."""
    limit = limits()
    found = list(rows(profile, limit))
    colours = _colours(profile)
    return (
        f"<div class='somd-profile'><style>{STYLE}</style>"
        f"<h2>Where {duration(profile.wall)} went</h2><div class='wide'>{_table(found, profile.wall)}</div>"
        f"<h2>Under the limits of this machine</h2><div class='wide'>{_roofline(found, limit)}</div>"
        f"<h2>In the course of time</h2><div class='wide'>{_timeline(profile, colours)}</div></div>"
    )


def _table(found: list[Row], wall: float) -> str:
    head = "".join(f"<th>{each}</th>" for each in HEAD)
    lines = [f"<tr>{head}</tr>"]
    for row in found:
        place = f"line {row.line}, " if row.depth and row.line is not None else ""
        cells = (
            escape(place + row.name),
            "" if row.runs is None else str(row.runs),
            duration(row.seconds),
            f"{row.seconds / wall:.1%}" if wall else "",
            "" if row.gflops is None else f"{row.gflops:.2f}",
            "" if row.gintops is None else f"{row.gintops:.2f}",
            "" if row.gbytes is None else f"{row.gbytes:.2f}",
            near(row),
            "" if row.busy is None else f"{row.busy:.0%}",
        )
        kind = "part" if row.depth else "method"
        lines.append(f"<tr class='{kind}'>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _roofline(found: list[Row], limit: Limits) -> str:
    """Operations a second over operations a byte, both as powers of ten, under what the machine reaches; those of
    floats, or of integers where there are more of them, under a limit of their own."""
    points = [(row, rate) for row in found if (rate := row.gintops or row.gflops) and row.gbytes]
    if not points:
        return "<p>There is no phase whose operations are counted.</p>"
    most = integer_limit() if any(row.gintops for row, _ in points) else None
    low, high = -3.0, 3.0
    top = log10(max(limit.gflops, most or 0.0, *(rate for _, rate in points))) + 0.3
    bottom = min([top - 4, *(log10(rate) - 0.3 for _, rate in points)])
    height, left = 280, 44

    def x(intensity: float) -> float:
        return left + (min(max(log10(intensity), low), high) - low) / (high - low) * (WIDTH - left - 20)

    def y(gflops: float) -> float:
        return 10 + (top - min(max(log10(gflops), bottom), top)) / (top - bottom) * (height - 40)

    def text(at: float, height: float, content: str, anchor: str = "start") -> str:
        return f"<text x='{at:.1f}' y='{height:.1f}' text-anchor='{anchor}'>{content}</text>"

    def power_of_ten(power: int) -> str:
        return f"10<tspan dy='-4' font-size='9'>{power}</tspan>"

    knee = limit.gflops / limit.gbytes
    first = 10**bottom / limit.gbytes
    corners = ((first, first * limit.gbytes), (knee, limit.gflops), (10**high, limit.gflops))
    roof = " ".join(f"{x(at):.1f},{y(gflops):.1f}" for at, gflops in corners)
    drawn = [f"<polyline points='{roof}' fill='none' stroke='currentColor' stroke-width='2'/>"]
    said = f"{limit.gflops:.0f} GFLOP/s, {limit.gbytes:.0f} GB/s"
    level = y(limit.gflops)
    above = bool(most and y(most) < level)  # then the words of the lower line stand below it
    beside = level + 14 if above else level - 4
    drawn.append(text(WIDTH - 20, beside, said, "end"))
    taken = [(WIDTH - 140.0, beside)]  # where words stand: their left ends and lines
    if most:
        begin, ends = x(most / limit.gbytes), y(most)
        path = f"x1='{begin:.1f}' x2='{WIDTH - 20}' y1='{ends:.1f}' y2='{ends:.1f}'"
        drawn.append(f"<line {path} stroke='currentColor' stroke-width='2' stroke-dasharray='6 4'/>")
        line = ends - 4 if above else ends + 14
        drawn.append(text(WIDTH - 20, line, f"{most:.0f} Gintop/s (dashed)", "end"))
        taken.append((WIDTH - 150.0, line))
    drawn += [text(x(10.0**power), height - 6, power_of_ten(power), "middle") for power in range(-3, 4)]
    powers = range(ceil(bottom), floor(top) + 1)
    drawn += [text(left - 8, y(10.0**power) + 4, power_of_ten(power), "end") for power in powers]
    drawn.append(text(WIDTH - 20, height - 24, "operations a byte", "end"))
    drawn.append(text(left + 6, 14, "GFLOP/s, Gintop/s" if most else "GFLOP/s"))
    words: list[str] = []
    for number, (row, rate) in enumerate(points):
        place, unit = rate / (row.gbytes or 1), "Gintop/s" if row.gintops else "GFLOP/s"
        title = escape(f"line {row.line}, {row.name}: {rate:.2f} {unit}, {row.gbytes:.2f} GB/s")
        colour = COLOURS[number % len(COLOURS)]
        px, py = x(place), y(rate)
        side = ("end", -9) if px > WIDTH - 160 else ("start", 9)
        drawn.append(f"<circle cx='{px:.1f}' cy='{py:.1f}' r='6' fill='{colour}'><title>{title}</title></circle>")
        begin, line = px + side[1] - (54 if side[0] == "end" else 0), py + 4
        while any(abs(begin - other) < 60 and abs(line - height) < 12 for other, height in taken):
            line += 12
        taken.append((begin, line))
        mark = f"<tspan fill='{colour}'>&#9632;</tspan> " if line != py + 4 else ""  # away from its point
        words.append(text(px + side[1], line, f"{mark}line {row.line}", side[0]))
    drawn += words
    return f"<svg viewBox='0 0 {WIDTH} {height}' role='img' aria-label='roofline'>{''.join(drawn)}</svg>"


def _colours(profile: Profile) -> dict[str, str]:
    names = dict.fromkeys(part.name for method in profile.methods for part in method.parts.values())
    return {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}


def _timeline(profile: Profile, colours: dict[str, str]) -> str:
    methods = [method for method in profile.methods if method.timeline]
    if not methods:
        return "<p>No method was called.</p>"
    whole = max(profile.wall * 1e9, 1.0)
    drawn = []
    for lane, method in enumerate(methods):
        top = lane * 2 * LANE
        drawn.append(f"<text x='0' y='{top + 12}'>{escape(method.name)} on {method.target}</text>")
        boxes = [(call.begun, call.ended, "#8884", method.name) for call in method.timeline]
        runs = [run for call in method.timeline for run in call.runs][:SHOWN]
        boxes += [(first, last, colours[name], name) for name, first, last in runs]
        drawn += _boxes(boxes, profile.begun, whole, top + 18)
    height = len(methods) * 2 * LANE + 20
    for part in range(5):
        anchor = ("start", "middle", "middle", "middle", "end")[part]
        place = f"x='{part * WIDTH / 4:.0f}' y='{height - 4}'"
        drawn.append(f"<text {place} text-anchor='{anchor}'>{duration(whole / 4e9 * part)}</text>")
    legend = " ".join(
        f"<span><span style='color:{colour}'>&#9632;</span> {escape(name)}</span>&ensp;"
        for name, colour in (*colours.items(), ("the rest of a call: compiling, loading, between the phases", "#8888"))
    )
    return f"<svg viewBox='0 0 {WIDTH} {height}' role='img' aria-label='timeline'>{''.join(drawn)}</svg><p>{legend}</p>"


def _boxes(boxes: list[tuple[int, int, str, str]], begun: int, whole: float, top: int) -> Iterator[str]:
    for first, last, colour, name in boxes:
        left, width = (first - begun) / whole * WIDTH, max((last - first) / whole * WIDTH, 0.5)
        title = escape(f"{name}: {duration((last - first) / 1e9)}")
        box = f"x='{left:.2f}' y='{top}' width='{width:.2f}' height='{LANE}'"
        yield f"<rect {box} fill='{colour}'><title>{title}</title></rect>"
