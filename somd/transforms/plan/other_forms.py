"""The forms that loops may have besides that in which they are written, and when a plan of one is the better one.

In: a method, and what planning found of its loops (`Anew`). Out: the method with some of them in another form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from somd.errors import SomdCompileError
from somd.transforms.frontend.chains import Chain, with_chains
from somd.transforms.frontend.distribution import DISTRIBUTED, with_distributed_loops
from somd.transforms.frontend.handed_elements import with_handed_elements
from somd.transforms.frontend.held_elements import with_held_elements
from somd.transforms.frontend.index_set_splitting import with_split_loops
from somd.transforms.frontend.old_values import RENAMED, with_old_values
from somd.transforms.frontend.panels import IN_PANELS, with_panels
from somd.transforms.frontend.row_panels import with_row_panels
from somd.transforms.frontend.searches import with_searches
from somd.transforms.frontend.sums_in_place import with_sums_in_place
from somd.transforms.plan.claimed_scans import by_strips, for_many
from somd.transforms.plan.distribution import turns
from somd.transforms.plan.planned import Anew, Planned
from somd.transforms.plan.sums_in_place import of_elements
from somd.transforms.stages import Method, Plan
from somd.transforms.types.scalars import Type

Made = TypeVar("Made")


@dataclass(frozen=True)
class Form:
    """A form of loops: `loops` of a plan that may have it, what gives it them, and whether the plan of the result is
    better than that from before. Where it is not, the loops are noted as `tried`: the next time others are found.
    What a form gives depends on types where it is `typed`."""

    loops: Callable[[Anew, Mapping[Any, Type]], Any]
    given: Callable[[Method, Any, Mapping[Any, Type]], Method]
    is_better: Callable[[Plan, Plan], bool]
    tried: str | None = None
    typed: bool = False


def in_another_form(
    method: Method,
    planned: Planned,
    types: Mapping[Any, Type],
    again: Callable[[Method], Made],
    plan_of: Callable[[Made], Plan | None],
) -> Made | Method:
    """What `again` makes of the first form that is better; the method with its marks, if there is none.

    `plan_of` gives nothing for what may not be taken.
    """
    for form in FORMS:
        loops = form.loops(planned.anew, types)
        if not loops:
            continue
        with suppress(SomdCompileError):
            made = again(_given(form, method, planned, types))
            plan = plan_of(made)
            if plan is not None and form.is_better(plan, planned.plan):
                return made
        if form.tried is not None:
            method = method.with_form(form.tried, loops)
    return method


def _given(form: Form, method: Method, planned: Planned, types: Mapping[Any, Type]) -> Method:
    """The method with its loops in a form; the same one each time that the method is planned as it was."""
    if form.typed:
        return form.given(method, form.loops(planned.anew, types), types)
    key = FORMS.index(form), method.forms
    if key not in planned.given:
        planned.given[key] = form.given(method, form.loops(planned.anew, types), types)
    return replace(planned.given[key], fitted=method.fitted)


def _has_fewer_turns(plan: Plan, before: Plan) -> bool:
    return turns(plan) < turns(before)


def _has_more_phases(plan: Plan, before: Plan) -> bool:
    return len(plan.phases()) > len(before.phases())


def _distributes_more(plan: Plan, before: Plan) -> bool:
    made, found = (sum(len(phase.nest.dims) for phase in each.phases()) for each in (plan, before))
    return made > found


def _searches(plan: Plan, before: Plan) -> bool:
    """Whether more is distributed, and no search fails: it comes to iterations that the loop does not come to."""
    searching = [p.nest for p in plan.phases() if {r.name for r in p.nest.reductions} & plan.method.searches]
    can_fail = any(nest.checks or nest.tests or nest.in_order_if for nest in searching)
    return bool(searching) and not can_fail and _has_more_phases(plan, before)


def _has_chains_apart(plan: Plan, before: Plan) -> bool:
    """Whether what chains are made of is computed side by side, and nothing in it fails while others wait."""
    made = [p.nest for p in plan.phases() if plan.method.chained & set(p.nest.arrays_written)]
    new = len(plan.method.chained) - len(before.method.chained)
    found = {name for nest in made for name in nest.arrays_written} & plan.method.chained
    return new > 0 and found == plan.method.chained and not any(nest.tests or nest.in_order_if for nest in made)


def _has_chains_in_pipelines(plan: Plan, before: Plan) -> bool:
    """Whether chains are apart both where they go through a pipeline and where they do not."""
    return all(_has_chains_apart(each, before) for each in (by_strips(plan), for_many(plan)))


def _sums(chains: Mapping[Any, Chain]) -> Mapping[Any, Chain]:
    return chains if any(chain.sums for chain in chains.values()) else {}


#: in the order in which they are tried
FORMS = (
    Form(lambda anew, _: anew.points, lambda method, loops, _: with_split_loops(method, loops), lambda *_: True),
    Form(
        lambda anew, _: anew.parts,
        lambda method, loops, _: with_distributed_loops(method, loops),
        _has_fewer_turns,
        DISTRIBUTED,
    ),
    Form(lambda anew, _: anew.old, lambda method, loops, _: with_old_values(method, loops), _has_fewer_turns, RENAMED),
    Form(
        lambda anew, _: anew.updates,
        lambda method, loops, _: with_panels(method, loops),
        _has_more_phases,
        IN_PANELS,
    ),
    Form(
        lambda anew, types: of_elements(anew.sums, types),
        lambda method, loops, _: with_sums_in_place(method, loops),
        _distributes_more,
        IN_PANELS,
        typed=True,
    ),
    Form(
        lambda anew, _: anew.rows,
        lambda method, loops, _: with_row_panels(method, loops),
        _distributes_more,
        IN_PANELS,
    ),
    Form(lambda anew, _: anew.elements, lambda method, loops, _: with_held_elements(method, loops), _has_more_phases),
    Form(lambda anew, _: anew.handed, lambda method, loops, _: with_handed_elements(method, loops), _has_more_phases),
    Form(lambda anew, _: anew.searches, lambda method, loops, _: with_searches(method, loops), _searches),
    Form(
        lambda anew, _: _sums(anew.chains),
        lambda method, loops, types: with_chains(method, loops, types, pipelined=True),
        _has_chains_in_pipelines,
        typed=True,
    ),
    Form(lambda anew, _: anew.chains, with_chains, _has_chains_apart, typed=True),
)
