"""Sets of row numbers as sorted, disjoint, non-empty ranges [low, high)."""

from __future__ import annotations

Range = tuple[int, int]
Intervals = tuple[Range, ...]


def within(rows: Intervals, low: int, high: int) -> Intervals:
    """What of `rows` lies in [low, high).

    >>> within(((0, 4), (6, 9)), 2, 8)
    ((2, 4), (6, 8))
    """
    return tuple([(max(a, low), min(b, high)) for a, b in rows if max(a, low) < min(b, high)])


def without(rows: Intervals, low: int, high: int) -> Intervals:
    """What of `rows` lies outside of [low, high).

    >>> without(((0, 4), (6, 9)), 2, 8)
    ((0, 2), (8, 9))
    """
    if low >= high:
        return rows
    found: list[Range] = []
    for a, b in rows:
        found += [part for part in ((a, min(b, low)), (max(a, high), b)) if part[0] < part[1]]
    return tuple(found)


def joined(rows: Intervals, low: int, high: int) -> Intervals:
    """`rows` and [low, high).

    >>> joined(((0, 2), (6, 9)), 2, 4)
    ((0, 4), (6, 9))
    """
    if low >= high:
        return rows
    apart: list[Range] = []
    for a, b in rows:
        if b < low or a > high:
            apart.append((a, b))
        else:
            low, high = min(a, low), max(b, high)
    return tuple(sorted([*apart, (low, high)]))


def missing(rows: Intervals, low: int, high: int) -> Intervals:
    """What of [low, high) is not in `rows`.

    >>> missing(((0, 4), (6, 9)), 2, 8)
    ((4, 6),)
    """
    rest: Intervals = ((low, high),) if low < high else ()
    for a, b in rows:
        rest = without(rest, a, b)
    return rest
