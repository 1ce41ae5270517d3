"""Loops in panels: which region waits in them, and what may stand beside it (decision 25)."""

from __future__ import annotations

from collections.abc import Iterator

from somd.transforms.loops.program import Constant, If, Loop, Partials, Region, Return, Snapshot, Statement
from somd.transforms.loops.scopes import assigned
from somd.transforms.loops.walking import statements_in, tests_accesses

Block = tuple[Statement, ...]


def last_region(body: Block) -> Region | None:
    """The region that ends a block, perhaps that of a branch which ends it."""
    last = body[-1] if body else None
    if isinstance(last, If):
        return last_region(last.body)
    return last if isinstance(last, Region) else None


def problems(loop: Loop) -> Iterator[str]:
    """What is wrong with the panels of a loop."""
    panels, over = loop.panels, f"the loop over `{loop.variable.name}`"
    if panels is None:
        return
    if loop.margin is None or loop.by != 1:
        yield f"{over} is in panels, and has no margin or other steps than 1"
    region = last_region(loop.body)
    if region is None or region.number != panels.region:
        yield f"region {panels.region}, which waits, does not end a trip of {over}"
        return
    special = region.reductions or region.combined or region.handed_on or region.relaxed or region.ordered_if
    step = region.loop.step
    if special or tests_accesses(region.body) or not isinstance(step, Constant) or step.value != 1:
        yield f"region {region.number} cannot wait"
    if any(isinstance(node, Return | Partials | Snapshot) for node in statements_in(loop.body)):
        yield f"{over} is in panels, and does more than others may wait for"
    if any(isinstance(node, Loop) and node.panels is not None for node in statements_in(loop.body)):
        yield f"{over} is in panels, and so is a loop in it"
    kept = {variable.name for variable in panels.kept}
    for name in sorted(assigned(loop.body) & set(region.scalars) - kept):
        yield f"region {region.number} waits, and `{name}` is not kept for it"
