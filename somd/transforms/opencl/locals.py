"""Which variables of a C function are declared where: loop variables in their loops if they matter nowhere else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import libcst as cst
import numpy as np

from somd.transforms.opencl.c_types import CTYPES
from somd.transforms.opencl.scope import Scope
from somd.transforms.stages import Nest
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.walking import Reader
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType
from somd.transforms.types.typing_table import Types

#: bytes of arrays that an iteration may have in private memory: a work-item's share of it is small on every device
MOST_PRIVATE = 4096


def loop_scoped(statements: Sequence[cst.CSTNode]) -> frozenset[str]:
    """Loop variables that are read only inside loops of theirs, and assigned nowhere."""
    found = _LoopVariables()
    for statement in statements:
        statement.visit(found)
    return frozenset(found.targets - found.loose)


class _LoopVariables(Reader):
    def __init__(self) -> None:
        super().__init__()
        self.around: list[str] = []
        self.targets: set[str] = set()
        self.loose: set[str] = set()

    def visit_For(self, node: cst.For) -> bool:
        assert isinstance(node.target, cst.Name)
        name = node.target.value
        node.iter.visit(self)
        self.targets.add(name)
        if name in assigned_names(node.body):
            self.loose.add(name)
        self.around.append(name)
        node.body.visit(self)
        self.around.pop()
        return False

    def visit_Name(self, node: cst.Name) -> None:
        if node.value not in self.around:
            self.loose.add(node.value)


def declarations(names: Iterable[str], scope: Scope) -> list[str]:
    """Declarations of scalar and tuple variables, one line a type."""
    by_type: dict[str, list[str]] = {}
    for name in sorted(names):
        found = scope.types.names.get(name)
        if isinstance(found, ScalarType):
            by_type.setdefault(CTYPES[found.dtype], []).append(scope.names.of(name))
        elif isinstance(found, TupleType):
            for k, part in enumerate(found.elements):
                by_type.setdefault(CTYPES[part.dtype], []).append(scope.names.of(name, k))
    scalars = [f"{kind} {', '.join(texts)};" for kind, texts in by_type.items()]
    return [*scalars, *_arrays(scope)]


def _arrays(scope: Scope) -> list[str]:
    """Declarations of the arrays in private memory, each one row after the other; C knows none without elements."""
    found = []
    for name, lengths in scope.own.items():
        array = scope.array_type(name)
        assert array is not None
        found.append(f"{CTYPES[array.dtype]} {scope.array(name)}[{max(1, math.prod(lengths))}];")
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
