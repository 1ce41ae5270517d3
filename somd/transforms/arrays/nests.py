"""Loops over the elements of array values: stores into parts of arrays, and new arrays for values that are read before.

In: views and values. Out: statements of libcst. `goes_in_place` asks isl whether a nest may write what it reads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst

from somd.transforms.analysis.aliases import Aliases
from somd.transforms.arrays.expressions import Expressions
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.overlaps import Place, in_place
from somd.transforms.arrays.values import ONE, Axis, Value, View
from somd.transforms.tree.rewriting import code_of
from somd.transforms.types.scalars import ArrayType, ScalarType


@dataclass(frozen=True)
class Nest:
    """Loops that were made for a statement: variables and limits, outermost first, and what an iteration does."""

    statement: cst.CSTNode
    loops: Sequence[tuple[str, Linear, Linear]]
    body: Sequence[cst.BaseStatement]


class Nests:
    """Makes loops for the statements of a method; those around elements of one view are in `made`."""

    def __init__(self, expressions: Expressions, aliases: Mapping[cst.CSTNode, Aliases]) -> None:
        self.expressions, self.names, self.types = expressions, expressions.names, expressions.types
        self.aliases = aliases
        self.made: dict[cst.CSTNode, Nest] = {}
        names = self.types.names
        self.arrays: Collection[str] = {name for name, kind in names.items() if isinstance(kind, ArrayType)}
        self.inexact = {n for n, t in names.items() if not (isinstance(t, ScalarType) and t.dtype == "int64")}

    def goes_in_place(self, nest: Sequence[cst.BaseStatement], small: cst.CSTNode) -> bool:
        aliases = self.aliases.get(small, Aliases())
        place = Place(self.arrays, self.inexact, aliases, self.expressions.naturals)
        return all(in_place(node, self.names.so_far(), place) for node in nest if isinstance(node, cst.For))

    def read_before(self, value: Value, node: cst.BaseExpression) -> View:
        """A value that is computed whole before the statement."""
        name = self.computed(value, node)
        return self.target(name, value.shape, node)

    def computed(self, value: Value, node: cst.BaseExpression, at: cst.CSTNode | None = None) -> str:
        """The name of a new array with a value, made before the statement."""
        kind = cast(ArrayType, self.types.nodes[node])
        name = self.names.new("value__whole", code_of(node))
        self.expressions.before.append(self.names.line(f"{name} = {self.allocation(value.shape, kind)}", at or node))
        self.expressions.before.extend(self.nest(self.target(name, value.shape, node), value, at or node))
        return name

    def target(self, name: str, shape: tuple[Linear, ...], node: cst.BaseExpression) -> View:
        """The whole of a new array."""
        axes = tuple(Axis(Linear(), 1, axis) for axis in range(len(shape)))
        return self.expressions.view(name, axes, shape, node, whole=True)

    def allocation(self, shape: tuple[Linear, ...], kind: ArrayType) -> str:
        lengths = [self.expressions.clamped(length).text for length in shape]
        inner = lengths[0] if len(lengths) == 1 else f"({', '.join(lengths)})"
        return f"{self.names.numpy('empty')}({inner}, dtype={self.names.dtype(kind.dtype)})"

    def nest(self, view: View, value: Value, small: cst.CSTNode, mask: Value | None = None) -> list[cst.BaseStatement]:
        """Loops over the elements of a view, which take those of a value, where a mask is true."""
        starts = view.starts()
        loops: list[tuple[str, Linear, Linear]] = []
        at: list[Linear] = []
        for axis, length in enumerate(view.shape):
            if length == ONE:
                at.append(Linear())
                continue
            start = starts.get(axis, Linear())
            name = self.names.new(f"at__{axis}")
            loops.append((name, start, start + length))
            at.append(Linear.of(name) - start)
        with self.expressions.setting() as lines:
            element = value.at(at, view.shape)
            test = None if mask is None else mask.at(at, view.shape)
        target = cast(cst.BaseAssignTargetExpression, view.element(tuple(at)))
        if isinstance(small, cst.AugAssign):
            inner: cst.BaseSmallStatement = cst.AugAssign(target, small.operator, element)
        else:
            inner = cst.Assign([cst.AssignTarget(target)], element)
        made: cst.BaseStatement = cst.SimpleStatementLine([inner])
        if test is not None:
            made = cst.If(test, cst.IndentedBlock([made]))
        self.names.place(made, small)
        body = [*lines, made]
        if not loops:
            return body
        nest = self.around(loops, body, small)
        self.made[nest] = Nest(small, loops, body)
        return [nest]

    def around(
        self, loops: Sequence[tuple[str, Linear, Linear]], body: Sequence[cst.BaseStatement], small: cst.CSTNode
    ) -> cst.BaseStatement:
        """Loops around a body, the outermost first."""
        for name, start, stop in reversed(loops):
            body = [self.names.loop(name, start, stop, body, small)]
        return body[0]
