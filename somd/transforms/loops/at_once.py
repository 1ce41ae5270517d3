"""Targets that get values at once, tuples in tuples among them: all values are taken before the first target changes.

(p, q), o[i] = f(x), p     ->     part, part_1 = f(x); value = p; p = part; q = part_1; o[i] = value
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from somd.transforms.loops.making import cast, variable
from somd.transforms.loops.program import Assign, Evaluate, Expression, Origin, Rebind, Statement, Unpack, Variable
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType

if TYPE_CHECKING:
    from somd.transforms.loops.statements_to_loops import Statements


@dataclass(frozen=True)
class Part:
    """A part of a tuple that has a name: a variable, or the name of an array."""

    name: str
    kind: ScalarType | ArrayType


Target = cst.BaseExpression | Part
Source = cst.BaseExpression | Part | Expression


class AtOnce:
    """Takes values, then sets targets."""

    def __init__(self, builder: Statements, origin: Origin) -> None:
        self.builder, self.origin = builder, origin
        self.before: list[Statement] = []
        self.arrays: list[tuple[str, str]] = []
        self.stores: list[Statement] = []
        self.held: list[Variable] = []

    def statements(self) -> list[Statement]:
        names = tuple(target for target, _ in self.arrays), tuple(source for _, source in self.arrays)
        bound = [Rebind(*names, self.origin)] if self.arrays else []
        return [*self.before, *self.stores, *bound]  # an element is reached through the names as they were

    def take(self, target: Target, value: Source) -> None:
        """A target of any form gets a value."""
        targets: Sequence[Target] | None = self._parts_of_name(target)
        if isinstance(target, cst.Tuple):
            targets = [element.value for element in target.elements]
        if targets is not None:
            for each, part in zip(targets, self._values(value), strict=True):
                self.take(each, part)
        elif isinstance(value, Part) and isinstance(value.kind, ArrayType):
            self.arrays.append((self._name(target), value.name))
        elif isinstance(value, Part) and isinstance(value.kind, ScalarType):
            self._number(target, variable(value.name, value.kind))
        elif isinstance(value, cst.BaseExpression):
            if isinstance(self.builder.expressions.types.nodes.get(value), ArrayType):
                self._new_array(self._name(target), value)
            else:
                self._number(target, self.builder.expressions.expression(value))
        elif not isinstance(value, Part):
            self._number(target, value)

    def compute(self, value: Source) -> None:
        """A tuple is computed, and nothing gets it."""
        for part in self._values(value):
            if isinstance(part, cst.BaseExpression):
                self.before += self.builder.computed(part, self.origin)
            elif not isinstance(part, Part) and part not in self.held:
                self.before.append(Evaluate(part, self.origin))

    def _parts_of_name(self, node: Source) -> list[Part] | None:
        """The parts, if it is the name of a tuple."""
        kind = self.builder.expressions.types.names.get(node.value) if isinstance(node, cst.Name) else None
        if not isinstance(node, cst.Name) or not isinstance(kind, TupleType):
            return None
        names = (self.builder.expressions.part_name(node.value, k) for k in range(len(kind.elements)))
        return [Part(name, each) for name, each in zip(names, kind.elements, strict=True)]

    def _values(self, value: Source) -> Sequence[Source]:
        """The parts of a tuple."""
        expressions = self.builder.expressions
        assert isinstance(value, cst.BaseExpression)
        named = self._parts_of_name(value)
        if named is not None:
            return named
        if isinstance(value, cst.Tuple):
            return [element.value for element in value.elements]
        if isinstance(value, cst.Call) and expressions.types.calls[value].helper is not None:
            return self._returned(value)
        return expressions.parts(value)

    def _returned(self, value: cst.Call) -> list[Variable]:
        """The parts of what a helper returns, in variables of their own."""
        helper = self.builder.expressions.types.calls[value].helper
        assert helper is not None and isinstance(helper.types.result, TupleType)
        result = helper.types.result
        function, operands = self.builder.expressions.helper(value)
        kinds = [self.builder.expressions.part_type(result, k) for k in range(len(result.elements))]
        parts = [variable(self.builder.names.fresh("part"), kind) for kind in kinds]
        self.before.append(Unpack(tuple(parts), function, operands, self.origin))
        self.held += parts
        return parts

    def _number(self, target: Target, value: Expression) -> None:
        """A scalar, or an element."""
        place = None
        if isinstance(target, Part):
            assert isinstance(target.kind, ScalarType)
            place = variable(target.name, target.kind)
        value = value if place is None else cast(value, place.type)
        held = value
        if value not in self.held:
            held, before = self.builder.kept(value, self.origin)
            self.before += before
        if place is not None:
            self.stores.append(Assign(place, held, self.origin))
        else:
            assert isinstance(target, cst.BaseExpression)
            self.stores.append(self.builder.store(target, held, self.origin))

    def _new_array(self, target: str, value: cst.BaseExpression) -> None:
        """An array that is written out, or one that has a name."""
        source = value.value if isinstance(value, cst.Name) else self.builder.names.fresh(target)
        self.before += [] if isinstance(value, cst.Name) else self.builder.array(source, value, self.origin)
        self.arrays.append((target, source))

    def _name(self, target: Target) -> str:
        """The name that an array gets."""
        if isinstance(target, Part):
            return target.name
        if not isinstance(target, cst.Name):
            raise self.builder.expressions.lacks("this target", target)
        return target.value
