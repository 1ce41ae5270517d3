"""The smallest interval of scalars that holds a loop variable for all iterations of the loops outside it."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from somd.transforms.access import LoopDomain
from somd.transforms.analysis.python_text import value_text
from somd.transforms.analysis.sets import Sets, TooComplex


def hull(domains: Sequence[LoopDomain], sets: Sets) -> tuple[str, str]:
    """Python text of the lowest and the highest value of the last domain's variable, for domains outermost first.

    The text is meaningful where the nest has an iteration.

    Raises:
        TooComplex: a bound is not affine, or isl gave up.
    """
    if not all(domain.bounded for domain in domains):
        raise TooComplex("the bounds of the loop are not affine")
    variables = [domain.variable for domain in domains]
    try:
        sets.isl.reset_operations()
        whole = sets.make(variables, [c for domain in domains for c in domain.constraints])
        last = len(variables) - 1
        alone = whole.project_out(isl.dim_type.set, 0, last) if last else whole
        return value_text(alone.dim_min(0), alone), value_text(alone.dim_max(0), alone)
    except isl.Error as error:
        raise TooComplex(str(error)) from error
