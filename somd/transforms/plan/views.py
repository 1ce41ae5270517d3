"""Views: how far beyond its own partition an MI reads, derived from the accesses and compared with what is declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from somd.diagnostics.model import Collector, Position
from somd.transforms.access import Access, Affine
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.dependences import domain_formulas
from somd.transforms.analysis.distances import distance
from somd.transforms.analysis.sets import Sets
from somd.transforms.plan import messages
from somd.transforms.plan.context import Context
from somd.transforms.stages import Method, Phase

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
    low, high = distance(access, index, own[0], sets)
    return EVERYTHING if low is None else max(0, -low), EVERYTHING if high is None else max(0, high)


def corner_reads(accesses: Sequence[Access], context: Context, sets: Sets) -> Mapping[str, Position]:
    """For each array with a polyview, the first read that leaves the place of its loop variables along two axes."""
    poly = {p.name: p.dims for p in context.method.marked if p.polyview}
    found: dict[str, Position] = {}
    for access in accesses:
        if access.write or access.array not in poly or access.array in found:
            continue
        dims = poly[access.array]
        moved = [m for axis in range(len(access.indices)) if dims is None or axis in dims for m in _moved(access, axis)]
        loops = [domain.variable for domain in access.loops]
        if any(
            not sets.empty(loops, [*domain_formulas(access), first, second])
            for k, first in enumerate(moved)
            for second in moved[:k]
        ):
            found[access.array] = access.position
    return found


def _moved(access: Access, axis: int) -> Iterator[Affine]:
    """The formula of: the index along `axis` is not its loop variable."""
    index = access.indices[axis]
    names = [] if index is None else [d.variable for d in access.loops if d.variable in index.names]
    if index is not None and len(names) == 1:
        yield Affine(f"{index.text} != {names[0]}", index.names)


def check_views(method: Method, phases: Sequence[Phase], collector: Collector) -> None:
    """A declared view must have a pair for each axis and cover every read of the array, a polyview without corners."""
    for param in method.marked:
        if param.view is None:
            continue
        for phase in phases:
            needed = phase.nest.views.get(param.name)
            if needed is None:
                continue
            if len(needed) != len(param.view):
                collector.add(messages.view_of_other_rank(method, param.name, len(param.view), len(needed)))
                break
            if any(n[0] > d[0] or n[1] > d[1] for n, d in zip(needed, param.view, strict=True)):
                collector.add(messages.narrow_view(method, param.name, _text(needed), _text(param.view)))
                break
            corner = phase.nest.corners.get(param.name)
            if corner is not None:
                collector.add(messages.corner(param.name, corner))
                break


def _text(pairs: Pairs) -> str:
    return ", ".join("everything" if EVERYTHING in pair else f"({pair[0]}, {pair[1]})" for pair in pairs)
