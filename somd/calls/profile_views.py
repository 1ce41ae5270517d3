"""A profile as a table and as JSON.

In: a `Profile`. Out: text. A row is a method or a part of one: runs, time, share of the block, operations and bytes a
second by what the plan counts, which share of the machine's limits that is, and how busy the workers were.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any

from somd.calls.machine_limits import Limits, integer_limit, limits
from somd.diagnostics.render import shown_path

if TYPE_CHECKING:
    from somd.calls.profile import MethodProfile, Profile


#: the columns
HEAD = ("", "runs", "time", "share", "GFLOP/s", "Gintop/s", "GB/s", "of the limit", "workers busy")
#: letters of a name in a line of the table
WIDEST = 44
#: below this share of both limits something else bounds a phase
NEAR = 0.1


@dataclass(frozen=True)
class Row:
    """A line of the table; `depth` is 0 for methods. What is not known, or makes no sense, is None."""

    depth: int
    kind: str
    name: str
    line: int | None
    runs: int | None
    seconds: float
    gflops: float | None = None
    gbytes: float | None = None
    #: the share of the limit that is nearer, and its name: "memory", "arithmetic" or "integers", or "neither" where
    #: neither is near
    reached: float | None = None
    bound: str | None = None
    #: the share of their time for which the workers were at work
    busy: float | None = None
    #: operations of integers, where there are more of them than of floats
    gintops: float | None = None


def rows(profile: Profile, limit: Limits) -> Iterator[Row]:
    """All rows, methods with their parts behind them."""
    for method in profile.methods:
        where = f"{method.name} ({shown_path(method.file)}:{method.line}) on {method.target}"
        yield Row(0, "method", where, method.line, method.calls, method.time / 1e9)
        yield from _parts(method, limit)
    outside = profile.outside
    yield Row(0, "outside", outside.name, None, None, outside.time / 1e9)
    yield from _parts(outside, limit)


def _parts(method: MethodProfile, limit: Limits) -> Iterator[Row]:
    for part in sorted(method.parts.values(), key=lambda each: -each.time):
        seconds = part.time / 1e9
        gflops = part.operations / part.time if part.operations and part.time else None
        gbytes = part.bytes / part.time if part.bytes and part.time else None
        whole = part.integers is not None and part.integers > (part.operations or 0)
        gintops = part.integers / part.time if whole and part.integers and part.time else None
        reached, bound = None, None
        if part.kind == "phase":
            shares = [((gbytes or 0.0) / limit.gbytes, "memory"), ((gflops or 0.0) / limit.gflops, "arithmetic")]
            most = integer_limit() if gintops else None
            if gintops and most:
                shares.append((gintops / most, "integers"))
            reached, bound = max(shares)
            if not reached:
                reached = bound = None
            elif reached < NEAR:
                bound = "neither"
        busy = part.busy / (part.time * part.workers) if part.workers and part.time else None
        yield Row(1, part.kind, part.name, part.line, part.runs, seconds, gflops, gbytes, reached, bound, busy, gintops)
    for what, time in sorted(method.making.items()):
        yield Row(1, "making", what, None, None, time / 1e9)
    if method.calls:
        yield Row(1, "rest", "between the phases", None, None, method.between / 1e9)
        yield Row(1, "rest", "the call itself", None, None, method.call / 1e9)
    else:
        yield Row(1, "rest", "the program's own Python", None, None, method.between / 1e9)


def as_table(profile: Profile) -> str:
    """See `Profile.table`."""
    limit, wall = limits(), profile.wall
    table: list[tuple[str, ...]] = [HEAD]
    for row in rows(profile, limit):
        place = f"line {row.line}, " if row.depth and row.line is not None else ""
        reached = near(row)
        pad = "  " * row.depth
        names = TextWrapper(
            WIDEST, pad, pad + "  ", replace_whitespace=False, break_long_words=False, break_on_hyphens=False
        )
        first, *more = names.wrap(place + row.name)
        table.append(
            (
                first,
                "" if row.runs is None else str(row.runs),
                duration(row.seconds),
                f"{row.seconds / wall:.1%}" if wall else "",
                _figure(row.gflops),
                _figure(row.gintops),
                _figure(row.gbytes),
                reached,
                "" if row.busy is None else f"{row.busy:.0%}",
            )
        )
        table.extend((each, *[""] * 8) for each in more)
    table.append(("all", "", duration(wall), "100.0%", *[""] * 5))
    widths = [max(len(row[k]) for row in table) for k in range(len(HEAD))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip()
        for row in table
    ]
    lines.insert(1, "-" * max(map(len, lines)))
    most = integer_limit() if any(row[5] for row in table[1:]) else None
    said = (
        f"limits measured here: {limit.gbytes:.1f} GB/s of memory, {limit.gflops:.1f} GFLOP/s of matrix products"
        + (f", {most:.1f} Gintop/s of additions; " if most else "; ")
        + "above 100% of memory, caches hold the data"
    )
    return "\n".join([*lines, said])


def as_json(profile: Profile) -> str:
    """See `Profile.json`."""
    limit = limits()
    methods: list[dict[str, Any]] = []
    for method in profile.methods:
        parts = [vars(row) for row in _parts(method, limit)]
        methods.append(
            {
                "name": method.name,
                "file": method.file,
                "line": method.line,
                "target": method.target,
                "calls": method.calls,
                "seconds": method.time / 1e9,
                "parts": parts,
            }
        )
    outside = {"seconds": profile.outside.time / 1e9, "parts": [vars(row) for row in _parts(profile.outside, limit)]}
    counted = any(part["gintops"] for method in methods for part in method["parts"])
    reached = limit._asdict() | ({"gintops": integer_limit()} if counted else {})
    whole = {"wall": profile.wall, "limits": reached, "methods": methods, "outside": outside}
    return json.dumps(whole, indent=2, ensure_ascii=False)


def near(row: Row) -> str:
    """How near a row is to which limit."""
    if row.reached is None:
        return ""
    return "neither is near" if row.bound == "neither" else f"{row.reached:.0%} of {row.bound}"


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(0.0123), duration(0.0009999)
    ('12.3 ms', '1 ms')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if abs(seconds) >= 0.9995 * size:  # what three digits make one of the unit
            return f"{seconds / size:.3g} {unit}" if seconds / size < 1000 else f"{seconds:.0f} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if value < 10 else f"{value:.1f}"
