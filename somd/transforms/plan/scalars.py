"""The scalars that a nest assigns: private to an iteration, reductions, or carried (which is refused)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import libcst as cst

from somd.diagnostics.model import Diagnostic
from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.analysis.reductions import extremum_of, reduction_of
from somd.transforms.plan import messages
from somd.transforms.plan.context import Context
from somd.transforms.stages import Reduction
from somd.transforms.tree.loops import range_of
from somd.transforms.tree.names import assigned_names


@dataclass(frozen=True)
class Scalars:
    """What `classify` found; with reasons the nest may not be distributed."""

    private: tuple[str, ...]
    reductions: tuple[Reduction, ...]
    #: what make the diagnostics: most of them nobody reads, for the loop around is distributed, or it runs in order
    reasons: tuple[Callable[[], Diagnostic], ...]
    #: of which every MI has its own
    copies: tuple[str, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(reason() for reason in self.reasons)


def classify(loop: cst.For, loops: Sequence[cst.For], body: Sequence[cst.CSTNode], context: Context) -> Scalars:
    """Classify every scalar that the nest of `loops` (outermost `loop`) assigns."""
    live = context.liveness.after.get(loop, frozenset())
    carried = read_from_before(body, context.method)
    variables = {range_of(each).variable for each in loops}  # type: ignore[union-attr]
    private: list[str] = []
    reductions: list[Reduction] = []
    reasons: list[Callable[[], Diagnostic]] = []
    names = sorted(assigned_names(loop) - set(context.kinds.ranks))
    for name in names:
        if name in carried and reduction_of(name, body, context.method) is None:
            extremum = extremum_of(name, body, context.method)
            if extremum is not None:
                reductions.append(extremum)
    settled = {n for r in reductions for n in (r.name, *r.companions)}
    for name in names:
        if name in settled:
            continue
        if name in variables:
            if name in live:
                reasons.append(partial(messages.live_after, context.method, loop, name))
        elif name in carried:
            reduction = reduction_of(name, body, context.method)
            if reduction is None:
                reasons.append(partial(messages.carried, context.method, loop, name))
            else:
                reductions.append(reduction)
        elif name in live:
            reasons.append(partial(messages.live_after, context.method, loop, name))
        else:
            private.append(name)
    return Scalars(tuple(private), tuple(reductions), tuple(reasons))
