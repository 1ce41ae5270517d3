"""Combining partial results: floating-point sums and products in a fixed tree, the rest in order of the blocks.

For each operator of reductions the module has `reduce_...`, made of these texts when it is first asked for: a call in
place of each combination would be one more function for Numba to compile.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from somd.language.operators import join_products, named
from somd.runtime.multicore.intrinsics import FAR, assume
from somd.runtime.multicore.numba_internals.native import native

#: by pairs of neighbours, level by level; `partials` (1-D, not empty) is used up
_TREE = """
def {name}(partials):
    count = len(partials)
    while count > 1:
        half = count >> 1
        for k in range(half):
            assume(0 <= 2 * k, 2 * k < FAR)
            partials[k] = {text}
        if count & 1:
            partials[half] = partials[count - 1]
        count -= half
    return partials[0]
"""
_IN_ORDER = """
def {name}(first, partials):
    result = first
    for k in range(len(partials)):
        result = {text}
    return result
"""


#: what the texts mention
OFFERED = {"math": math, "np": np, "assume": assume, "FAR": FAR, "join_products": join_products}


def __getattr__(name: str) -> Any:
    return _made(name)


@cache
def _made(name: str) -> Any:
    operator = named(name, "reduce_")
    form, sides = (
        (_TREE, ("partials[2 * k]", "partials[2 * k + 1]"))
        if operator.ordered
        else (_IN_ORDER, ("result", "partials[k]"))
    )
    names: dict[str, Any] = {"__name__": __name__, **OFFERED}
    exec(form.format(name=name, text=operator.of(*sides)), names)
    return native(names[name])
