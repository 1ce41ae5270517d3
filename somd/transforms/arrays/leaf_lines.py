"""Leaves of pairwise sums: how long they are, and the sum of one that is a whole row, in NumPy's order.

Eight accumulators, four for complex numbers, and what is left over behind them. They are a small array, so that the
text of an element stands there four times.
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import numpy as np

from somd.elementary.functions import OF_NUMPY
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.values import Value
from somd.transforms.tree.walking import nodes_of

#: accumulators, and the most numbers that are added without halving; half as many where they are complex
LANES, LEAF = 8, 128
#: no array has more elements
FARTHEST = 2**44
#: elements that are summed as one up to NumPy 2.2; all of them later
CHUNK = 8192 if np.lib.NumpyVersion(np.__version__) < "2.3.0" else None


def is_dear(value: Value) -> bool:
    """Whether an element of a value calls an elementary function."""
    element = value.element(tuple(Linear() for _ in value.shape))
    called = [node.func for node in nodes_of(element, cst.Call)]
    names = [each.attr.value if isinstance(each, cst.Attribute) else getattr(each, "value", "") for each in called]
    return any(name.removeprefix("np_") in OF_NUMPY for name in names)


def lanes_and_leaf(dtype: str) -> tuple[int, int]:
    parts = 2 if np.dtype(dtype).kind == "c" else 1
    return LANES // parts, LEAF // parts


def leaf_lines(
    element: Callable[[Linear], str], size: str, total: str, names: tuple[str, ...], wide: int, zeros: tuple[str, str]
) -> list[str]:
    """Lines that set `total` to the sum of `size` elements; `names` are for the accumulators, one of them, and a step,
    `zeros` make `wide` accumulators and one."""
    lanes, lane, step = names
    sums = [f"{lanes}[{k}]" for k in range(wide)]
    while len(sums) > 1:
        sums = [f"({a} + {b})" for a, b in zip(sums[::2], sums[1::2], strict=True)]
    return [
        f"{lanes} = {zeros[0]}",
        f"{total} = {zeros[1]}",
        f"if {size} >= {wide}:",
        f"    for {lane} in range({wide}):",
        f"        {lanes}[{lane}] = {element(Linear.of(lane))}",
        f"    for {step} in range(1, {size} // {wide}):",
        f"        for {lane} in range({wide}):",
        f"            {lanes}[{lane}] += {element(Linear.of(step) * wide + Linear.of(lane))}",
        f"    {total} = {sums[0]}",
        f"    for {step} in range({size} - ({size}) % {wide}, {size}):",
        f"        {total} += {element(Linear.of(step))}",
        "else:",
        f"    for {step} in range({size}):",
        f"        {total} += {element(Linear.of(step))}",
    ]
