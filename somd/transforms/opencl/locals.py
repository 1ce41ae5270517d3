"""Which variables of a C function are declared where: loop variables in their loops if they matter nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from somd.transforms.frontend.names import assigned_names
from somd.transforms.opencl.c_types import CTYPES
from somd.transforms.opencl.scope import Scope
from somd.transforms.types.scalars import ScalarType, TupleType


def loop_scoped(statements: Sequence[cst.CSTNode]) -> frozenset[str]:
    """Loop variables that are read only inside loops of theirs, and assigned nowhere."""
    found = _LoopVariables()
    for statement in statements:
        statement.visit(found)
    return frozenset(found.targets - found.loose)


class _LoopVariables(cst.CSTVisitor):
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
                by_type.setdefault(CTYPES[part.dtype], []).append(scope.names.of(f"{name}_{k}"))
    return [f"{kind} {', '.join(texts)};" for kind, texts in by_type.items()]
