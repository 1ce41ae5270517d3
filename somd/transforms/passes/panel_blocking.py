"""Loops whose trips update all that is behind them, a panel of trips at a time: what comes next alone in each trip, the
rest behind them, when it is in the cache.

    >>> before_and_after(panel_blocking, '''
    ... def eliminate(a: A):
    ...     for k in range(a.shape[0] - 1):
    ...         factor = a[k, 0] * 0.5
    ...         for j in range(k + 1, a.shape[0]):
    ...             for i in range(a.shape[1]):
    ...                 a[j, i] -= a[k, i] * factor
    ... ''', master=True, a="float64[:, :]")
    for k from 0 to length(a, 0) - 1, margin 0
        factor: float64 = a[test k, 0] * 0.5
        region 1, line 4
            takes a, factor, k
            writes a
            free j from k + 1 to length(a, 0)
                free i from 0 to length(a, 1)
                    a[j, i] = a[j, i] - (a[k, i] * factor)
    ->
    for k from 0 to length(a, 0) - 1, margin 0
        in panels: region 1 waits, keeping factor
        factor: float64 = a[test k, 0] * 0.5
        region 1, line 4
            takes a, factor, k
            writes a
            free j from k + 1 to length(a, 0)
                free i from 0 to length(a, 1)
                    a[j, i] = a[j, i] - (a[k, i] * factor)

In are loops with a `margin`. The operations and their operands stay, in another order, which the margin says keeps
every dependence: the bits are the same. How many trips a panel has is asked of the machine when the loop runs.
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.loops.panels import last_region
from somd.transforms.loops.program import Loop, Panels, Program
from somd.transforms.loops.rewriting import each_loop_around_regions
from somd.transforms.loops.scopes import variables_set
from somd.transforms.loops.walking import statements_in


def panel_blocking(program: Program) -> Program:
    """The program with such loops in panels."""

    def blocked(loop: Loop) -> Loop | None:
        if loop.time_tiles is not None or loop.panels is not None:
            return loop
        return None if loop.margin is None else _blocked(loop)

    return each_loop_around_regions(program, blocked)


def _blocked(loop: Loop) -> Loop:
    region = last_region(loop.body)
    if region is None or not region.written:
        return loop
    changed = {variable.name: variable for node in statements_in(loop.body) for variable in variables_set(node)}
    kept = tuple(changed[name] for name in region.scalars if name in changed)
    return replace(loop, panels=Panels(region.number, kept))
