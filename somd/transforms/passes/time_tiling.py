"""Loops around regions in tiles of time: several trips from fence to fence, in rows that stay in the cache.

    >>> before_and_after(time_tiling, '''
    ... def smooth(u: A, v: A, steps: int):
    ...     for t in range(steps):
    ...         for i in range(1, len(u) - 1):
    ...             v[i] = u[i - 1] + u[i + 1]
    ...         u, v = v, u
    ... ''', master=True, u="float64[:]", v="float64[:]", steps="int64")
    for t from 0 to steps, reach 1
        region 1, line 3
            takes u, v
            writes v
            fails at `v[i]`, line 4, if (length(u, 0) >= 3) and (length(u, 0) >= (length(v, 0) + 2))
            free i from 1 to length(u, 0) - 1
                v[i] = u[i - 1] + u[i + 1]
        u, v = v, u
    ->
    for t from 0 to steps, reach 1
        in tiles of time: 1 sweep a trip, rows from 1 to length(u, 0) - 1, where u, v are of one shape
            behind them, for each trip
                u, v = v, u
        region 1, line 3
            takes u, v
            writes v
            fails at `v[i]`, line 4, if (length(u, 0) >= 3) and (length(u, 0) >= (length(v, 0) + 2))
            free i from 1 to length(u, 0) - 1
                v[i] = u[i - 1] + u[i + 1]
        u, v = v, u

In are loops with a `reach`. The operations and their operands stay, in another order, which the reach says keeps every
dependence. How many trips a tile has, and how wide a block of rows is, is asked of the machine when the loop runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from somd.transforms.loops.making import operation, whole_number
from somd.transforms.loops.program import (
    Constant,
    Expression,
    Loop,
    Operation,
    Program,
    Rebind,
    Region,
    Statement,
    TimeTiles,
)
from somd.transforms.loops.rewriting import each_loop_around_regions
from somd.transforms.loops.scopes import read_beside
from somd.transforms.loops.time_tiles import regions_in, sweeps_in
from somd.transforms.loops.walking import statements_in

Block = tuple[Statement, ...]
#: where a range begins, and where it ends
Limits = tuple[Expression, Expression]
#: so many rows more are no matter
SMALL = 1024


def time_tiling(program: Program) -> Program:
    """The program with such loops in tiles."""

    def tiled(loop: Loop) -> Loop | None:
        if loop.reach is None:
            return None
        return _tiled(loop, program) if loop.time_tiles is None else loop

    return each_loop_around_regions(program, tiled)


def _tiled(loop: Loop, program: Program) -> Loop:
    sweeps, regions = sweeps_in(loop.body), regions_in(loop.body)
    if not sweeps:
        return loop
    starts = dict.fromkeys(region.loop.start for region in regions)
    stops = dict.fromkeys(region.loop.stop for region in regions)
    rows: Limits = (
        reduce(lambda one, other: operation("min", one, other), starts),
        reduce(lambda one, other: operation("max", one, other), stops),
    )
    alike = {name for node in statements_in(loop.body) if isinstance(node, Rebind) for name in node.targets}
    ranges = tuple(dict.fromkeys((region.loop.start, region.loop.stop) for region in regions))
    sparse = _sparse(rows, ranges) if _may_lie_apart(ranges) else None
    tiles = TimeTiles(sweeps, rows, tuple(sorted(alike)), _without_regions(loop.body, program), sparse)
    return replace(loop, time_tiles=tiles)


def _sparse(rows: Limits, ranges: Sequence[Limits]) -> Expression:
    """Whether all rows are more than twice the rows of the ranges together."""
    zero, (first, last) = whole_number(0), rows
    sizes = [operation("max", zero, operation("-", stop, start)) for start, stop in ranges]
    together = reduce(lambda one, other: operation("+", one, other), sizes)
    return operation(">", operation("-", last, first), operation("*", whole_number(2), together))


def _may_lie_apart(ranges: Sequence[Limits]) -> bool:
    """Whether a range that holds all of these may have many more rows than they: not where all begin, or all end, at
    one expression, but for small constants."""
    return all(len({_without_constant(each[end]) for each in ranges}) > 1 for end in (0, 1))


def _without_constant(limit: Expression) -> Expression | None:
    """What a small constant is added to, or subtracted from; None for such a constant."""
    if _is_small(limit):
        return None
    if isinstance(limit, Operation) and limit.operator in ("+", "-") and _is_small(limit.operands[1]):
        return _without_constant(limit.operands[0])
    return limit


def _is_small(node: Expression) -> bool:
    return isinstance(node, Constant) and abs(node.value) <= SMALL


def _without_regions(body: Block, program: Program) -> Block:
    """What a trip does to scalars and to the names of arrays; loops in it as far as they leave something behind."""
    made: list[Statement] = []
    for node in body:
        if isinstance(node, Loop):
            inner = _without_regions(node.body, program)
            if inner or node.variable.name in read_beside(program.body, node):
                made.append(replace(node, body=inner))
        elif not isinstance(node, Region):
            made.append(node)
    return tuple(made)
