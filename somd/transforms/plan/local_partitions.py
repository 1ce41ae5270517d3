"""Partitioners of locals: the parameter on which each is asked for its ranges, before anything runs.

A master is given its partitions when it is called, so what cuts a local must follow from its length alone (`Cyclic`,
`Chunked`), and a parameter must be as long.
"""

from __future__ import annotations

from dataclasses import replace

from somd.diagnostics.model import Diagnostic, Label
from somd.transforms.access import Affine
from somd.transforms.analysis.affine import size
from somd.transforms.analysis.sets import Sets
from somd.transforms.plan.context import Context
from somd.transforms.stages import Method
from somd.transforms.tree.names import annotated_places

BY_LENGTH = ("Cyclic", "Chunked")


def with_stand_ins(context: Context) -> Method:
    """The method of `context` with `as_long_as` set on each local that has a partitioner; failures are reported."""
    method = context.method
    if not any(local.partitioner for local in method.marked_locals):
        return method
    return replace(
        method,
        marked_locals=tuple(
            replace(local, as_long_as=_stand_in(local.name, local.partitioner, context)) if local.partitioner else local
            for local in method.marked_locals
        ),
    )


def _stand_in(name: str, partitioner: str, context: Context) -> str | None:
    where = annotated_places(context.method.function)[name]
    labels = (Label(context.method.position(where), "this local", True),)
    if partitioner not in BY_LENGTH:
        message = (
            f"`partition({partitioner})` on the local `{name}` is not supported: the partition is made before the call"
        )
        helps = (f"put the partition on a parameter and `like` of it on `{name}`",)
        context.collector.add(Diagnostic("SOMD103", message, labels, helps))
        return None
    sets = Sets(tuple(fact.formula for fact in context.all_facts))
    for param in context.method.param_names:
        if param in context.kinds.ranks:
            mine, theirs = size(name, 0), size(param, 0)
            if sets.empty([], [Affine(f"{mine} != {theirs}", frozenset({mine, theirs}))]):
                return param
    message = f"no parameter is known to be as long as the local `{name}`, which `{partitioner}` is to cut"
    helps = (f"make it like a parameter (`np.empty_like(a)`), or leave the partition of `{name}` to be derived",)
    context.collector.add(Diagnostic("SOMD103", message, labels, helps))
    return None
