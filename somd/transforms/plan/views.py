"""Views: how far beyond its own partition an MI reads, derived from the accesses and compared with what is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl

from somd.diagnostics.model import Collector
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.dependences import domain_formulas
from somd.transforms.analysis.sets import Sets
from somd.transforms.plan import messages
from somd.transforms.plan.context import Context
from somd.transforms.stages import Access, Affine, Method, Phase

EVERYTHING = 1 << 30
Pairs = tuple[tuple[int, int], ...]


def derived_views(
    accesses: Sequence[Access], variables: Sequence[str], context: Context, sets: Sets
) -> Mapping[str, Pairs]:
    """For each distributed array that is read, (below, above) by axis: the reach of its reads around the iteration.

    An axis that no distributed loop indexes has (0, 0); a reach without bound is EVERYTHING.
    """
    reach: dict[str, list[list[int]]] = {}
    for access in accesses:
        if access.write or access.array not in context.distributed:
            continue
        widths = reach.setdefault(access.array, [[0, 0] for _ in access.indices])
        for axis, index in enumerate(access.indices):
            low, high = _offsets(access, index, variables, sets)
            widths[axis][0] = max(widths[axis][0], low)
            widths[axis][1] = max(widths[axis][1], high)
    return {array: tuple((low, high) for low, high in widths) for array, widths in reach.items()}


def _offsets(access: Access, index: Affine | None, variables: Sequence[str], sets: Sets) -> tuple[int, int]:
    if index is None:
        return EVERYTHING, EVERYTHING
    own = [name for name in map(variable, variables) if name in index.names]
    if len(own) != 1:
        return (EVERYTHING, EVERYTHING) if own else (0, 0)
    loops = [domain.variable for domain in access.loops]
    distance = Affine(f"d = {index.text} - {own[0]}", index.names | {"d", own[0]})
    try:
        sets.isl.reset_operations()
        found = sets.make(["d", *loops], [*domain_formulas(access), distance])
        found = found.project_out(isl.dim_type.set, 1, len(loops))
        found = found.project_out(isl.dim_type.param, 0, found.dim(isl.dim_type.param))
        if found.is_empty():
            return 0, 0
        low, high = found.dim_min_val(0), found.dim_max_val(0)
    except isl.Error:
        return EVERYTHING, EVERYTHING
    below = EVERYTHING if not low.is_int() else max(0, -low.to_python())
    above = EVERYTHING if not high.is_int() else max(0, high.to_python())
    return below, above


def check_views(method: Method, phases: Sequence[Phase], collector: Collector) -> None:
    """A declared view must cover every read of the array."""
    for param in method.marked:
        if param.view is None:
            continue
        for phase in phases:
            needed = phase.nest.views.get(param.name)
            if needed is None:
                continue
            pairs = zip(needed, param.view, strict=False)
            if any(n[0] > d[0] or n[1] > d[1] for n, d in pairs):
                collector.add(messages.narrow_view(method, param.name, _text(needed), _text(param.view)))
                break


def _text(pairs: Pairs) -> str:
    return ", ".join("everything" if EVERYTHING in pair else f"({pair[0]}, {pair[1]})" for pair in pairs)
