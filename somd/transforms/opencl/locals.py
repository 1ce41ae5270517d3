"""Declarations of what a C function has for itself: scalars, and arrays in private memory."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from somd.transforms.opencl.c_types import CTYPES
from somd.transforms.opencl.scope import Scope
from somd.transforms.stages import Nest
from somd.transforms.types.scalars import ArrayType
from somd.transforms.types.typing_table import Types

#: bytes of arrays that an iteration may have in private memory: a work-item's share of it is small on every device
MOST_PRIVATE = 4096


def declarations(private: Mapping[str, str], scope: Scope) -> list[str]:
    """Declarations of variables, given with their dtypes, one line a type."""
    by_type: dict[str, list[str]] = {}
    for name, dtype in sorted(private.items()):
        by_type.setdefault(CTYPES[dtype], []).append(scope.text_of(name))
    scalars = [f"{kind} {', '.join(texts)};" for kind, texts in by_type.items()]
    return [*scalars, *_arrays(scope)]


def _arrays(scope: Scope) -> list[str]:
    """Declarations of the arrays in private memory, each one row after the other; C knows none without elements."""
    found = []
    for name, lengths in scope.own.items():
        found.append(f"{CTYPES[scope.array_type(name).dtype]} {scope.array(name)}[{max(1, math.prod(lengths))}];")
    return found


def own_arrays(nest: Nest, types: Types) -> dict[str, tuple[int, ...]]:
    """The lengths of the arrays that each iteration of a nest has in private memory: those of constant lengths, as long
    as there is room."""
    found: dict[str, tuple[int, ...]] = {}
    size = 0
    for local in nest.local_arrays:
        lengths = tuple(length for length in local.extents if length is not None)
        if len(lengths) < len(local.extents) or local.sites:
            continue
        kind = types.names[local.name]
        assert isinstance(kind, ArrayType)
        wanted = math.prod(lengths) * np.dtype(kind.dtype).itemsize
        if size + wanted <= MOST_PRIVATE:
            found[local.name] = lengths
            size += wanted
    return found
