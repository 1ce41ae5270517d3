"""What statements mean that make no array (`contraction` tells which): values, of which loops behind compute elements.

In: such statements, in order. Out: nothing but tests of lengths; the values are in `NamedParts.contracted`. In loops an
element is set once, under a name of its own.
"""

from __future__ import annotations

from typing import cast

import libcst as cst

from somd.transforms.arrays.broadcasting import INPUT, MASK, OUTPUT
from somd.transforms.arrays.contraction import Contraction
from somd.transforms.arrays.expressions import Expressions
from somd.transforms.arrays.indexed import mask_of
from somd.transforms.arrays.values import ONE, At, Value, View
from somd.transforms.types.scalars import AUGMENTED, ArrayType


class Contracted:
    """Gives values to the names of arrays that are not made."""

    def __init__(self, expressions: Expressions, contraction: Contraction) -> None:
        self.expressions, self.names, self.shapes = expressions, expressions.names, expressions.shapes
        self.contraction = contraction

    def binds(self, small: cst.BaseSmallStatement, name: str, value: Value, node: cst.BaseExpression) -> bool:
        """Whether `name = value` makes no array; `name` is the value then. Along an axis of length 1, which may be
        stretched, elements would be computed over and over."""
        if small not in self.contraction.bound or isinstance(value, View) or ONE in value.shape:
            return False
        self.expressions.parts.bind(name, None)
        self.expressions.parts.contracted[name] = self.value(name, value, node)
        self.expressions.parts.made_of[name] = self.contraction.inputs[small]
        return True

    def updates(self, small: cst.Assign | cst.AugAssign, target: cst.BaseExpression) -> bool:
        """Whether a statement changes such an array: its name is another value then."""
        name = target.value if isinstance(target, cst.Subscript) else target
        old = self.expressions.parts.contracted.get(name.value) if isinstance(name, cst.Name) else None
        if small not in self.contraction.updates or old is None or not isinstance(name, cst.Name):
            return False
        mask = mask_of(self.expressions, target)
        test = None if mask is None else self.expressions.value(mask)
        value = self.expressions.value(small.value)
        if test is not None:
            self.shapes.test(MASK, old.shape, test.shape, target)
        elif isinstance(small, cst.AugAssign):
            self.shapes.into(OUTPUT, old.shape, value.shape, small)
        else:
            self.shapes.into(INPUT, old.shape, value.shape, small)

        def element(at: At) -> cst.BaseExpression:
            new = value.at(at, old.shape)
            if isinstance(small, cst.AugAssign):
                operator = AUGMENTED[type(small.operator)]()
                right = new.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
                new = cst.BinaryOperation(old.element(at), operator, right)
            return new if test is None else cst.IfExp(test.at(at, old.shape), self.typed(name, new), old.element(at))

        self.expressions.parts.contracted[name.value] = self.value(name.value, Value(old.shape, element), name)
        return True

    def typed(self, array: cst.BaseExpression, element: cst.BaseExpression) -> cst.Call:
        """An element of the type that the array would have."""
        kind = cast(ArrayType, self.expressions.type_of(array))
        return cst.Call(cst.Name(self.names.dtype(kind.dtype)), [cst.Arg(element)])

    def value(self, name: str, value: Value, node: cst.BaseExpression) -> Value:
        """The value of `name`, an array of the type of `node`."""

        def computed(at: At) -> cst.BaseExpression:
            made = self.typed(node, value.element(at))
            self.names.place(made, node)
            return made

        def element(at: At) -> cst.BaseExpression:
            if self.expressions.elements is None:
                return computed(at)
            known, lines = self.expressions.elements
            if (made, at) not in known:
                element = computed(at)
                scalar = self.names.new(f"{name}__element", name)
                line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(scalar))], element)])
                self.names.place(line, node)
                lines.append(line)
                known[made, at] = scalar
            return self.names.expression(known[made, at], node)

        made = Value(value.shape, element)
        return made
