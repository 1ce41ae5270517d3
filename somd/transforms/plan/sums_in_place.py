"""Sums in scalars that may go to the element that they begin with and end in (`frontend/sums_in_place`).

In: a loop. Out: its sums, if the loop may then go in panels. Between the first read of an element and the store into it
nothing else may read it, which isl is asked; and the scalar has to have the type of the elements, so that each sum is
rounded as before: only a call knows that (`of_elements`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.dependences import OTHER
from somd.transforms.analysis.sets import TooComplex
from somd.transforms.frontend.distribution import leaves_of
from somd.transforms.frontend.panels import IN_PANELS
from somd.transforms.frontend.row_panels import row_panels_in
from somd.transforms.frontend.sums_in_place import Sum, Sums, loop_in_place, sums_in
from somd.transforms.plan.context import Context
from somd.transforms.plan.distribution import Dependences, dependences_in, variable_of
from somd.transforms.tree.loops import statements_of
from somd.transforms.tree.rewriting import inside
from somd.transforms.types.scalars import ScalarType, Type

#: types of elements in which a scalar's operations round as theirs
ROUNDED = frozenset({"float32", "float64", "complex64", "complex128"})


def sums_in_place_of(loop: cst.For, around: Sequence[Affine], context: Context) -> Sums | None:
    """The sums in scalars of `loop`, if elements may stand for all of them, and it may go in panels then."""
    sums = () if context.method.has_form(IN_PANELS, loop) else sums_in(loop)
    if not sums or row_panels_in(loop_in_place(loop, sums, context.method), context.method) is None:
        return None
    try:
        found = dependences_in(loop, leaves_of(loop), around, context, _Meanwhile)
        return sums if found is not None and not any(map(found.is_read, sums)) else None
    except TooComplex:
        return None


def of_elements(found: Mapping[cst.For, Sums], types: Mapping[Any, Type]) -> dict[cst.For, Sums]:
    """The loops whose scalars have the types of the elements that they hold, by the types of names and expressions."""
    return {loop: sums for loop, sums in found.items() if all(_has_type_of_elements(each, types) for each in sums)}


def _has_type_of_elements(each: Sum, types: Mapping[Any, Type]) -> bool:
    [first] = cst.ensure_type(each.first, cst.SimpleStatementLine).body
    dtypes = {
        kind.dtype if isinstance(kind, ScalarType) else ""
        for kind in (types.get(cst.ensure_type(first, cst.Assign).value), types.get(each.scalar))
    }
    return len(dtypes) == 1 and dtypes <= ROUNDED


class _Meanwhile(Dependences):
    """What happens between the first read of an element and the store into it."""

    def is_read(self, each: Sum) -> bool:
        """Whether it may be that the element is read meanwhile."""
        nodes = (*statements_of(each.terms.body), each.last)
        mine = [k for k, (leaf, _) in enumerate(self.leaves) if inside(leaf, nodes)]
        [last] = [k for k, (leaf, _) in enumerate(self.leaves) if leaf is each.last]
        names = [variable(variable_of(loop)) for loop in self.leaves[last][1]]
        alike = Affine(
            " and ".join(f"{name} = {name}{OTHER}" for name in names),
            frozenset(name + suffix for name in names for suffix in ("", OTHER)),
        )
        stored = [access for access in self.accesses[last] if access.write]
        read = [access for k in mine for access in self.accesses[k] if not access.write]
        return self.meet(stored, read, alike)
