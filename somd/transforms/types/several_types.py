"""Which names stand for values of several types, one after the other.

In: the types of the values that each name is set to. Out: the names that should be several names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from somd.transforms.types.scalars import ArrayType, ScalarType, Type


def names_of_several_types(values: Mapping[str, Sequence[Type]], unclear: bool) -> frozenset[str]:
    """The names that are set to values of several kinds, or of several of NumPy's types; and where that leaves types
    `unclear`, also those that are set to Python's numbers and to NumPy's.

    >>> integer, number = ScalarType("int64", True), ScalarType("float64", True)
    >>> sorted(names_of_several_types({"s": [integer, number], "k": [integer, integer]}, False))
    ['s']
    """
    found: set[str] = set()
    for name, kinds in values.items():
        scalars = [kind for kind in kinds if isinstance(kind, ScalarType)]
        dtypes = {"" if kind.weak else kind.dtype for kind in scalars if unclear or not kind.weak}
        arrays = {kind for kind in kinds if isinstance(kind, ArrayType)}
        if len({kind.kind for kind in scalars}) > 1 or len(dtypes) > 1 or len(arrays) > 1:
            found.add(name)
    return frozenset(found)
