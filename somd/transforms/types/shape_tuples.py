"""Shapes that are made of shapes: `a.shape[1:]`, `a.shape + (3,)`, `(n,) + shape`, of as many entries as types tell."""

from __future__ import annotations

import libcst as cst

from somd.transforms.analysis.parts import is_none, items_of
from somd.transforms.stages import Method
from somd.transforms.tree.loops import integer_constant
from somd.transforms.types.scalars import INT, TupleType, Type


def is_shape(kind: Type | None) -> bool:
    """Whether something is a tuple of Python's ints."""
    return isinstance(kind, TupleType) and all(entry == INT for entry in kind.elements)


def chosen_entries(node: cst.Subscript, count: int, method: Method) -> range | None:
    """Which of `count` entries a slice of a tuple with constant limits gives; None for other subscripts."""
    items = items_of(node, method)
    if len(items) != 1 or not isinstance(items[0], cst.Slice):
        return None
    limits: list[int | None] = []
    for limit in (items[0].lower, items[0].upper, items[0].step):
        missing = limit is None or is_none(limit, method)
        known = None if missing or limit is None else integer_constant(limit, method)
        if known is None and not missing:
            return None
        limits.append(known)
    return None if limits[2] == 0 else range(count)[slice(*limits)]
