"""The table of what a generated module raises, for `somd.language.raising`: a row for each `raise` of a plan."""

from __future__ import annotations

import os

from somd.language.raising import Kind, Row
from somd.transforms.stages import Plan, RaiseSite
from somd.transforms.types.scalars import ScalarType, TupleType, Type
from somd.transforms.types.typing_table import Types


def raises_text(plan: Plan, types: Types) -> str:
    """The table from the number of a site to its row."""
    rows = [f"    {site.number}: {_row(site, plan, types)!r}," for site in plan.raises.values()]
    return "\n".join(["{", *rows, "}"])


def _row(site: RaiseSite, plan: Plan, types: Types) -> Row:
    raising, kinds = site.raising, types.raised[site.name]
    place, function = raising.position, raising.function
    values = tuple((text, kind_of(kind)) for text, kind in zip(raising.values, kinds, strict=True))
    number = plan.method.functions.index(function)
    return os.path.basename(place.file), place.line, place.column, function.__name__, raising.text, number, values


def kind_of(found: Type) -> Kind:
    """What a value of the type is in plain Python."""
    if isinstance(found, TupleType):
        return tuple([kind_of(part) for part in found.elements])
    assert isinstance(found, ScalarType)
    return str(found) if found.weak or found.dtype != "bool" else "np.bool"
