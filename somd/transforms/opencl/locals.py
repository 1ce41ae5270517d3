"""Which arrays of an iteration lie in private memory."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from somd.transforms.stages import Nest
from somd.transforms.types.scalars import ArrayType, Type

#: bytes of arrays that an iteration may have in private memory: a work-item's share of it is small on every device
MOST_PRIVATE = 4096


def own_arrays(nest: Nest, types: Mapping[str, Type]) -> dict[str, tuple[int, ...]]:
    """The lengths of the arrays that each iteration of a nest has in private memory: those of constant lengths, as long
    as there is room."""
    found: dict[str, tuple[int, ...]] = {}
    size = 0
    for local in nest.local_arrays:
        lengths = tuple(length for length in local.extents if length is not None)
        if len(lengths) < len(local.extents) or local.sites:
            continue
        kind = types[local.name]
        assert isinstance(kind, ArrayType)
        wanted = math.prod(lengths) * np.dtype(kind.dtype).itemsize
        if size + wanted <= MOST_PRIVATE:
            found[local.name] = lengths
            size += wanted
    return found
