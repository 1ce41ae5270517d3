"""Whether a nest may write in place: no element is written in one iteration and read or written in another one.

In: a nest as a loop of libcst, and what is known at its place. Out: yes or no; what isl cannot tell is no.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.analysis.accesses import accesses_of_loop
from somd.transforms.analysis.affine import Scope, variable
from somd.transforms.analysis.aliases import Aliases
from somd.transforms.analysis.dependences import find_conflict
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.stages import Method
from somd.transforms.tree.walking import nodes_of


@dataclass(frozen=True)
class Place:
    """What is known where a statement stands: arrays and which of them may be one, scalars that are no integers, and
    integers that are not negative."""

    arrays: Collection[str]
    inexact: Collection[str]
    aliases: Aliases
    natural: Iterable[str]


def in_place(nest: cst.For, method: Method, place: Place) -> bool:
    """Whether the iterations of all loops of a nest are independent of each other."""
    scope = Scope(method, frozenset(place.arrays), {}, frozenset(place.inexact))
    accesses = accesses_of_loop(nest, scope)
    names = [variable(name) for name in place.natural if name.isidentifier()]
    sets = Sets([Affine(f"{name} >= 0", frozenset({name})) for name in names])
    loops = list(nodes_of(nest, cst.For))
    try:
        return all(find_conflict(accesses, loop, place.aliases, sets) is None for loop in loops)
    except TooComplex:
        return False
