"""Strips that are not full: lanes beyond the last repeat it, so that loops over lanes have whole vectors.

    for k in range(n):                       for k in range(n):
        for lane in range(count):     ->         for lane in range(whole):
            x = x_lanes[lane]                        x = x_lanes[lane]
            x = x * x + c[k]                         x = x * x + c[k]
            x_lanes[lane] = x                        x_lanes[lane] = x

What LLVM leaves over from its vectors it does lane by lane: six lanes of 62 took as long as the other 56. Lanes that
take all that differs from where scalars are kept can be more than there are trips. Behind each other loop over lanes
what it leaves is copied from the last lane to those beyond it, so these do what the last one does: they index nothing
and divide by nothing that it does not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from somd.transforms.loops.program import Element, Lanes, Loop, Proved, Region, Statement, Store, Strips, Variable
from somd.transforms.loops.varying import of_lanes
from somd.transforms.loops.walking import expressions_in, statements_in

#: bytes of the widest vectors
VECTORS = 64


def repeated_lanes(strips: Strips, region: Region) -> tuple[int, frozenset[str]]:
    """The number of which strips are to have a multiple of lanes, and the scalars that lanes beyond the last repeat; 1
    where that does not pay: no inner loop has such lanes, or others leave something there in each trip."""
    variable = region.loops[-1].variable
    inner = list(_in_loops(strips.body))
    again = [node for node in inner if repeats(node, variable)]
    others = [node for node in inner if not repeats(node, variable)]
    kept = {each for node in again for each in (*node.loaded, *node.stored)}
    if not kept or region.carried or region.handed_on or any(node.stored for node in others):
        return 1, frozenset()
    narrowest = min(np.dtype(each.type.dtype).itemsize for each in kept)
    every = [node for node in statements_in(strips.body) if isinstance(node, Lanes) and repeats(node, variable)]
    taken = {each.name for node in every for each in node.loaded}
    return min(VECTORS // narrowest, strips.length), frozenset(taken)


def repeats(node: Lanes, variable: Variable) -> bool:
    """Whether a lane takes all that differs from where scalars are kept, and leaves all there: it stores no element,
    and one that repeats it reads those that it reads."""
    if any(isinstance(each, Store) for each in statements_in(node.body)):
        return False
    if of_lanes(node.body[0]):
        return True
    return not any(
        (isinstance(each, Variable) and each.name == variable.name)
        or (isinstance(each, Element) and not isinstance(each.access, Proved))
        for each in expressions_in(node.body)
    )


def _in_loops(body: tuple[Statement, ...]) -> Iterator[Lanes]:
    loops = (node for node in statements_in(body) if isinstance(node, Loop))
    return (each for loop in loops for each in statements_in(loop.body) if isinstance(each, Lanes))
