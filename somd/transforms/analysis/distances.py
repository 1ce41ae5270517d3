"""How far an index lies from a loop variable."""

from __future__ import annotations

import re

import islpy as isl

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.dependences import domain_formulas
from somd.transforms.analysis.sets import Sets, TooComplex


def distance(access: Access, index: Affine, name: str, sets: Sets) -> tuple[int | None, int | None]:
    """The least and the greatest `index` - `name` (an isl variable) over all iterations that make the access.

    None is a side without a bound, or one that isl gave up on; (0, 0) is what an access that never happens has.
    """
    loops = [domain.variable for domain in access.loops]
    constant = _constant(index, name)
    if constant is not None:
        try:
            return (0, 0) if sets.empty(loops, domain_formulas(access)) else (constant, constant)
        except TooComplex:
            return None, None
    equal = Affine(f"d = {index.text} - {name}", index.names | {"d", name})
    if sets.impossible():
        return 0, 0
    try:
        sets.isl.reset_operations()
        found = sets.near(["d", *loops], [*domain_formulas(access), equal])
        found = found.project_out(isl.dim_type.set, 1, len(loops))
        found = found.project_out(isl.dim_type.param, 0, found.dim(isl.dim_type.param))
        if found.is_empty():
            return 0, 0
        low, high = found.dim_min_val(0), found.dim_max_val(0)
    except isl.Error:
        return None, None
    return low.to_python() if low.is_int() else None, high.to_python() if high.is_int() else None


def _constant(index: Affine, name: str) -> int | None:
    """What is added to a variable, where the index is that and nothing else."""
    found = re.fullmatch(rf"\(?{re.escape(name)}(?: ([+-]) (\d+)\)|)", index.text)
    return None if found is None else int(f"{found.group(1) or ''}{found.group(2) or 0}")
