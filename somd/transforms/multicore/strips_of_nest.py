"""Which nests may be run in strips, and what is known of their innermost loops.

In: a nest and the types of its names. Out: a `Loop` to cut into strips. Nests whose iterations are not independent one
by one, that test accesses while they run, or that keep arrays for an iteration are left as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from somd.transforms.multicore.intervals import Interval
from somd.transforms.multicore.names import LANES
from somd.transforms.multicore.strips import Loop, Strips
from somd.transforms.stages import Dim, Nest, Plan, relies_on_partition
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types


def in_strips(nest: Nest, plan: Plan, reductions: bool) -> bool:
    """Whether iterations of a nest may take turns; `reductions` tells whether its reductions allow it."""
    tested = nest.tests or nest.wrapping or nest.local_arrays
    dependent = nest.relaxed is not None or nest.in_order_if or relies_on_partition(plan, nest)
    return reductions and not (tested or dependent or nest.combined or nest.copies)


def loop_of(
    dim: Dim,
    limits: tuple[str, str],
    nest: Nest,
    types: Types,
    new: Mapping[str, str],
    constants: Mapping[str, object],
    laned: bool,
) -> Loop:
    """The innermost loop of a nest; `new` are names beside the user's and their types, `laned` tells whether it has
    reductions with an accumulator for each lane."""
    return Loop(
        variable=dim.variable,
        step=dim.step,
        limits=limits,
        scalars={name: t.dtype for name, t in types.names.items() if isinstance(t, ScalarType)} | dict(new),
        arrays={name: t.dtype for name, t in types.names.items() if isinstance(t, ArrayType)},
        written=frozenset(nest.arrays_written),
        private=frozenset(nest.privates) | frozenset(new),
        carried=frozenset(r.name for r in nest.reductions),
        constants=constants,
        length=LANES if laned else None,
        assuming=not nest.reductions and not new,
    )


def assumed_text(array: str, interval: Interval) -> str:
    """The condition that elements of an array lie in an interval."""
    return f"elements_within({array}, {interval.low}, {interval.high})"


def assumption_words(strips: Strips) -> str:
    """What strips assume, in words."""
    parts = [f"{array} holds {i.low} to {i.high}" for array, i in strips.assumed.items()]
    return " and ".join(parts)
