"""The loops of a slave whose reads are relaxed: near the ends of the MI's part they ask whose an element is.

for i in range(lo, hi):               first, last = inner_range(lo, hi, 1, 1, 0)
    a[i] = 0.5 * a[i - 1]       ->    for i in range(lo, first):
                                          a[i] = 0.5 * (a_before[i - 1] if elsewhere(i - 1, ...) else a[i - 1])
                                      for i in range(first, last):
                                          a[i] = 0.5 * a[i - 1]
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from somd.transforms.access import RelaxedRead
from somd.transforms.emit.python_text import shifted
from somd.transforms.multicore.names import Fresh
from somd.transforms.stages import Nest
from somd.transforms.tree.verbatim import verbatim

Ends = tuple[str, str]


def elsewhere_text(nest: Nest, limits: str, ends: Ends, fresh: Fresh) -> str:
    """The condition under which another part may write the element at a place, which is left open as `{}`: `limits` is
    the text of the outermost range, `ends` those of the MI's part."""
    if nest.partition is None:
        return f"elsewhere({{}}, {limits}, {ends[0]}, {ends[1]})"
    parts, owners = fresh.name(f"{nest.partition}_parts"), fresh.name(f"{nest.partition}_owners")
    return f"elsewhere_in({{}}, {limits}, {parts}, {owners}, {fresh.name('rank')})"


def relaxed_loops(
    nest: Nest, ends: Ends, fresh: Fresh, loops: Callable[[Ends, bool], list[cst.BaseStatement]]
) -> list[cst.BaseStatement]:
    """The loop from `ends[0]` to `ends[1]` in up to three pieces; `loops(ends, edge)` makes one."""
    relaxed, step = nest.relaxed, nest.dims[0].step
    assert relaxed is not None
    margins = relaxed.margins(step)
    if margins is None:
        return loops(ends, True)
    first, last = fresh.name("first_inside"), fresh.name("last_inside")
    limits = ", ".join((*ends, str(step), *map(str, margins)))
    found = [*verbatim(f"{first}, {last} = inner_range({limits})")]
    if margins[0]:
        found += loops((ends[0], first), True)
    found += loops((first, last), False)
    if margins[1]:
        found += loops((last, ends[1]), True)
    return found


def halo_text(nest: Nest, name: str, lo: str, hi: str, fresh: Fresh) -> str | None:
    """The function that copies what a part's MI may read of its neighbours; None where that may be anything."""
    relaxed, step = nest.relaxed, nest.dims[0].step
    assert relaxed is not None
    if not relaxed.fresh or nest.partition is not None or relaxed.margins(step) is None:
        return None
    if any(node in nest.wrapping for node in relaxed.reads):
        return None
    near = fresh.name("near")
    begin, end = (lo, hi) if step > 0 else (f"{hi} + 1", f"{lo} + 1")
    lines = []
    for array, snapshot in relaxed.snapshots.items():
        reads = [read for read in relaxed.reads.values() if read.array == array]
        axes = {read.axis for read in reads}
        if len(axes) > 1:
            return None
        before = ":, " * axes.pop()
        for place, least, greatest in (*_below(reads, begin), *_above(reads, end)):
            lines.append(f"    {near} = slice({_clamped(place, least)}, {_clamped(place, greatest)})\n")
            lines.append(f"    copy_elements({fresh.name(snapshot)}[{before}{near}], {array}[{before}{near}])\n")
    arrays = ", ".join((*relaxed.snapshots, *(fresh.name(s) for s in relaxed.snapshots.values())))
    return f"@slave\ndef {name}({lo}, {hi}, {arrays}):\n{''.join(lines)}"


def _below(reads: list[RelaxedRead], begin: str) -> list[tuple[str, int, int]]:
    least = min(read.reach[0] for read in reads if read.reach is not None)
    greatest = max(max(read.writes) for read in reads)
    return [(begin, least, greatest)] if least < greatest else []


def _above(reads: list[RelaxedRead], end: str) -> list[tuple[str, int, int]]:
    least = min(min(read.writes) for read in reads)
    greatest = max(read.reach[1] for read in reads if read.reach is not None)
    return [(end, least, greatest)] if least < greatest else []


def _clamped(place: str, offset: int) -> str:
    return f"max({shifted(place, -offset)}, 0)"
