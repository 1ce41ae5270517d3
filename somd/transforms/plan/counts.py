"""What a phase computes and moves, as texts that a master evaluates: operations, and bytes of arrays.

In: a nest with its types. Out: `Counts`. An operation is an operator or a function of floats as written (two or six for
complex numbers), or one of integers, those of indexes left out; both branches of an `if` count. Bytes are those that
must move at least: of each array as many elements as iterations can touch, once where it is read and once where it is
written, whatever the caches do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import libcst as cst
import numpy as np

from somd.transforms.plan.work import uniform, updates_text
from somd.transforms.stages import Method, Nest
from somd.transforms.tree.loops import integer_constant, range_of
from somd.transforms.tree.walking import Reader
from somd.transforms.types.scalars import ArrayType, ScalarType
from somd.transforms.types.typing_table import Types

_ADDED = (cst.Add, cst.Subtract, cst.AddAssign, cst.SubtractAssign)


@dataclass(frozen=True)
class Counts:
    """Texts for a phase; operations, of floats and of integers, are None where loops have bounds that are not known
    before them."""

    operations: str | None
    bytes: str
    integers: str | None = None


def counts_of(nest: Nest, method: Method, types: Types, text: Callable[[cst.BaseExpression], str]) -> Counts:
    """The counts of a nest; `text` writes an expression as the master does."""
    trips = []
    for dim in nest.dims:
        limits = (
            f"{text(dim.start)}, {text(dim.stop)}, {dim.step}" if dim.invariant else f"{dim.low}, {dim.high} + 1, 1"
        )
        trips.append(f"trips({limits})")
    found: list[str | None] = []
    for kinds in ("fc", "iu"):
        body = _Operations(method, types, frozenset((*nest.scalars, *nest.arrays)), text, kinds)
        for statement in nest.body:
            statement.visit(body)
        inner = body.total()
        found.append(None if inner is None else " * ".join([*trips, f"({inner})"]))
    updates = updates_text(nest, method, text)
    moved = [
        f"min({updates}, {name}.size) * {np.dtype(kind.dtype).itemsize}"
        for name in (*nest.arrays_read, *nest.arrays_written)
        if isinstance(kind := types.names.get(name), ArrayType)
    ]
    return Counts(found[0], " + ".join(moved) or "0", found[1])


class _Operations(Reader):
    """The operations on numbers of these kinds in one run of some statements, loops with uniform bounds included."""

    def __init__(
        self,
        method: Method,
        types: Types,
        names: Collection[str],
        text: Callable[[cst.BaseExpression], str],
        kinds: str,
    ) -> None:
        super().__init__()
        self.method, self.types, self.names, self.text, self.kinds = method, types, names, text, kinds
        self.count = 0
        self.loops: list[str] = []
        self.known = True

    def total(self) -> str | None:
        return " + ".join([str(self.count), *self.loops]) if self.known else None

    def weight(self, node: cst.CSTNode, operator: cst.CSTNode | None = None) -> int:
        """What an operation counts for by the type of its result."""
        kind = self.types.nodes.get(node)
        if kind is None and isinstance(node, cst.Name):
            kind = self.types.names.get(node.value)
        if not isinstance(kind, ScalarType) or kind.kind not in self.kinds:
            return 0
        if kind.kind != "c":
            return 1
        return 2 if isinstance(operator, _ADDED) else 6

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self.count += self.weight(node, node.operator)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.count += self.weight(node.target, node.operator)

    def visit_Call(self, node: cst.Call) -> None:
        callee = self.types.calls.get(node)
        if callee is None or callee.kind not in ("helper", "math", "cmath", "numpy"):
            return
        if callee.helper is None:
            self.count += self.weight(node)
            return
        inner = _Operations(callee.helper.method, callee.helper.types, (), self.text, self.kinds)
        callee.helper.method.function.body.visit(inner)
        self.count += inner.count
        self.known = self.known and inner.known and not inner.loops

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        return self.kinds != "iu"  # where something is, is no part of what is computed

    def visit_While(self, node: cst.While) -> None:
        self.known = False

    def visit_For(self, node: cst.For) -> bool:
        header = range_of(node)
        step = integer_constant(header.step, self.method) if header is not None else None
        inner = _Operations(self.method, self.types, self.names, self.text, self.kinds)
        node.body.visit(inner)
        ends = [] if header is None else [integer_constant(each, self.method) for each in header.limits]
        match ends:
            case [int(start), int(stop)] if step and inner.known and not inner.loops:  # in helpers, too
                self.count += len(range(start, stop, step)) * inner.count
                return False
        if header is None or not step or not all(uniform(n, self.method, self.names) for n in header.limits):
            self.known = self.known and inner.known and inner.count == 0 and not inner.loops
            return False
        total = inner.total()
        self.known = self.known and total is not None
        self.loops.append(f"trips({self.text(header.start)}, {self.text(header.stop)}, {step}) * ({total})")
        return False
