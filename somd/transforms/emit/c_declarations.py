"""Declarations of what a C function has for itself: scalars, and arrays in private memory."""

from __future__ import annotations

import math
from collections.abc import Mapping

from somd.transforms.emit.c_scope import Scope
from somd.transforms.emit.c_types import CTYPES


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
