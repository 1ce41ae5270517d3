"""Expressions with array values -> `Value`.

In: expressions of a method and their types. Out: values; and what has to be computed or tested before the statement,
once: scalars that stand among arrays, limits of slices, shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

import libcst as cst

from somd.language.shapes import INDEX
from somd.transforms.analysis.parts import ELLIPSIS, NEW_AXIS, Item, Mark, is_none, items_of
from somd.transforms.arrays.array_functions import value_of
from somd.transforms.arrays.fitting import test_call, test_operands
from somd.transforms.arrays.indexed import filtered, gathered, mask_of, masked, places
from somd.transforms.arrays.integers import Integers, NotTaken
from somd.transforms.arrays.library import library_value
from somd.transforms.arrays.linear import Linear
from somd.transforms.arrays.plain import plain
from somd.transforms.arrays.products import product
from somd.transforms.arrays.reductions import reduction
from somd.transforms.arrays.values import ONE, At, Axis, Value, View
from somd.transforms.tree.loops import integer_constant
from somd.transforms.tree.rewriting import code_of
from somd.transforms.types.scalars import ArrayType, ScalarType, TupleType

__all__ = ["Expressions", "NotTaken"]


class Expressions(Integers):
    """Makes values of the expressions of a statement."""

    # --- values --------------------------------------------------------------------------------------------------

    def value(self, node: cst.BaseExpression) -> Value:
        """The value of an expression.

        Raises:
            NotTaken: it has a part that is not lowered, which has been reported.
        """
        kind = self.type_of(node)
        if isinstance(kind, ScalarType):
            return self.scalar(node)
        if self.reduces(node):
            return self.reduced(node) if self.mask is None else self.unmasked(node)
        if isinstance(kind, TupleType) and isinstance(node, cst.Name):
            return self.triangle(node)
        if isinstance(node, cst.Subscript) and isinstance(self.type_of(node.value), TupleType):
            return places(self, node)
        under = mask_of(self, node)
        if under is not None and isinstance(node, cst.Subscript):
            return self.under_mask(node, under)
        if self.mask is not None and isinstance(node, cst.Name | cst.Subscript | cst.Call) and not self.of_parts(node):
            return self.unmasked(node)
        if isinstance(node, cst.Name) and isinstance(kind, ArrayType):
            return self.parts.contracted.get(node.value) or self.whole(node, kind)
        if isinstance(node, cst.Subscript):
            items = items_of(node, self.names.method)
            base = self.value(node.value)
            kinds = [self.type_of(i) for i in items if isinstance(i, cst.BaseExpression)]
            if any(isinstance(each, ArrayType | TupleType) for each in kinds):
                return gathered(self, node, base, items)
            return self.part(node, base, items)
        if isinstance(node, cst.Attribute):
            return self.attribute(node)
        if isinstance(node, cst.BinaryOperation):
            return self.operation(node, {"left": node.left, "right": node.right})
        if isinstance(node, cst.UnaryOperation):
            return self.operation(node, {"expression": node.expression})
        if isinstance(node, cst.Comparison):
            return self.comparison(node)
        if isinstance(node, cst.Call):
            return self.call(node)
        if isinstance(node, cst.IfExp) and isinstance(kind, ArrayType):
            return self.chosen(node, kind)
        raise self.refuse("SOMD202", "this is not supported among arrays", node, "write the loop out")

    def reduces(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a reduction, a product, or a function of whole arrays."""
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        if callee is not None:
            return callee.kind in ("reduce", "product", "array", "library")
        if isinstance(node, cst.Subscript):
            return self.is_called(node.value) and isinstance(self.type_of(node.value), TupleType)
        return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.MatrixMultiply)

    def is_called(self, node: cst.CSTNode) -> bool:
        """Whether an expression is a call of a library."""
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        return callee is not None and callee.kind == "library"

    def plain_number(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """A number with names for what is reduced in it, and elements of arrays for those of their named parts."""
        return cast(cst.BaseExpression, plain(self, node))

    def reduced(self, node: cst.BaseExpression) -> Value:
        """The value of a reduction or a product: what it takes stands under no mask of the statement."""
        mask, self.mask = self.mask, None
        try:
            return self.made_whole(node)
        finally:
            self.mask = mask

    def made_whole(self, node: cst.BaseExpression) -> Value:
        if isinstance(node, cst.BinaryOperation):
            return product(self, node, node.left, node.right)
        if isinstance(node, cst.Subscript):
            return library_value(self, cst.ensure_type(node.value, cst.Call), node)
        call = cst.ensure_type(node, cst.Call)
        callee = self.types.calls[call]
        owner = call.func.value if isinstance(call.func, cst.Attribute) else None
        of_array = owner is not None and isinstance(self.type_of(owner), ArrayType)
        operands = [*([owner] if of_array and owner is not None else []), *(a.value for a in call.args)]
        if callee.kind == "library":
            return library_value(self, call, call)
        if callee.given is not None:
            return value_of(self, call)
        if callee.reducing is not None:
            return reduction(self, call, callee.reducing, operands[0])
        return product(self, call, operands[0], operands[1])

    def computed_before(self, value: Value, node: cst.BaseExpression) -> View:
        """The value of an expression, computed whole before the statement."""
        kind = self.type_of(node)
        assert isinstance(kind, ArrayType)
        return self.materialised(value, kind.dtype, node)

    def materialised(self, value: Value, dtype: str, node: cst.CSTNode) -> View:
        """A value that is computed whole before the statement."""
        name = self.names.new("value__whole", code_of(node))
        return self.whole_of(name, value, dtype, node)

    def whole_of(self, name: str, value: Value, dtype: str, node: cst.CSTNode) -> View:
        """A new array of this name with the elements of a value."""
        lengths = [self.clamped(length) for length in value.shape]
        shape = ", ".join(length.text for length in lengths)
        inner = shape if len(lengths) == 1 else f"({shape})"
        allocation = f"{self.names.numpy('empty')}({inner}, dtype={self.names.dtype(dtype)})"
        self.before.append(self.names.line(f"{name} = {allocation}", node))
        indexes = [self.names.new(f"at__{axis}") for axis in range(len(lengths))]
        at = tuple(Linear() if n == ONE else Linear.of(i) for i, n in zip(indexes, lengths, strict=True))
        with self.setting() as lines:
            text = f"{name}[{', '.join(each.text for each in at)}] = {code_of(value.element(at))}"
        body = [*lines, self.names.line(text, node)]
        for index, length in reversed(list(zip(indexes, lengths, strict=True))):
            body = body if length == ONE else [self.names.loop(index, Linear(), length, body, node)]
        self.before.extend(body)
        target = cst.Name(name)
        self.names.place(target, node)
        return self.view(name, tuple(Axis(Linear(), 1, k) for k in range(len(lengths))), value.shape, target, True)

    def scalar(self, node: cst.BaseExpression) -> Value:
        """A number among arrays, computed once: what the statement writes may hold it."""
        kind = self.type_of(node)
        node = self.plain_number(node)
        if not simple(node):
            text = code_of(node)
            if text not in self.kept:
                name = self.names.new("value__once", text)
                if isinstance(kind, ScalarType) and not kind.literals:
                    self.names.number(name, kind)
                line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], self.names.copy(node))])
                self.names.place(line, node)
                self.before.append(line)
                self.kept[text] = name
            name = self.kept[text]
            return Value((), lambda at: self.names.expression(name, node))
        return Value((), lambda at: self.names.copy(node))

    def kept_number(self, node: cst.BaseExpression) -> Value:
        """A number under a name, whatever it is made of."""
        text = code_of(self.plain_number(node))
        name = self.names.new("value__once", code_of(node))
        self.before.append(self.names.line(f"{name} = {text}", node))
        return Value((), lambda at: self.names.expression(name, node))

    def row(self, base: Value, number: int, node: cst.BaseExpression) -> Value:
        """An entry of an array along its first axis, which has so many."""
        gone = (Axis(Linear(number)), *(Axis(Linear(), 1, axis) for axis in range(len(base.shape) - 1)))
        return self.composed(base, gone, base.shape[1:], node)

    def of_parts(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is an operation, whose operands are looked at one by one."""
        callee = self.types.calls.get(node) if isinstance(node, cst.Call) else None
        return callee is not None and callee.kind in ("numpy", "builtin", "cast", "astype", "method")

    def triangle(self, node: cst.Name) -> Value:
        """Where the triangle lies that a name stands for."""
        found = self.triangles.get(node.value)
        if found is None:
            message = f"`{node.value}` is a tuple of arrays, which is not known here"
            helps = "give the array a name of its own; the indexes of a triangle get one at the top of the method"
            raise self.refuse("SOMD202", message, node, helps)
        return found

    def unmasked(self, node: cst.BaseExpression) -> Value:
        message = "an array that is not under the mask of the statement"
        way = "read a whole array under the same mask, as in `a[mask] = b[mask]`, or write the loops with an `if`"
        raise self.refuse("SOMD202", message, node, way)

    def under_mask(self, node: cst.Subscript, mask: cst.BaseExpression) -> Value:
        if self.mask is None:
            return filtered(self, node, mask)
        if code_of(mask) != self.mask:
            message = "values under another mask than that of the statement"
            helps = "write the same mask on both sides, or loops with an `if`"
            raise self.refuse("SOMD202", message, node, helps)
        return masked(self, node, mask)

    def attribute(self, node: cst.Attribute) -> Value:
        """`a.T`, `a.real`, `a.imag`"""
        base = self.value(node.value)
        if node.attr.value != "T":
            return Value(base.shape, lambda at: self.names.changed(node, value=base.element(at)))
        shape, last = base.shape[::-1], len(base.shape) - 1
        if isinstance(base, View):
            return self.composed(base, tuple(Axis(Linear(), 1, last - k) for k in range(last + 1)), shape, node)
        return Value(shape, lambda at: base.element(at[::-1]))

    def whole(self, node: cst.Name, kind: ArrayType) -> View:
        part = self.parts.standing.get(node.value)
        if part is not None:
            return replace(self.like(part, part.axes, part.shape, node), whole=part.whole)
        if self.parts.is_unclear(node.value):
            raise self.unclear(node)
        axes = tuple(Axis(Linear(), 1, axis) for axis in range(kind.ndim))
        shape = tuple(self.length(node.value, axis) for axis in range(kind.ndim))
        return self.view(node.value, axes, shape, node, whole=True)

    def unclear(self, node: cst.CSTNode) -> NotTaken:
        name = node.value if isinstance(node, cst.Name) else code_of(node)
        message = f"`{name}` may stand for a part of an array here, or for another one than where it was bound"
        return self.refuse("SOMD202", message, node, "bind it where it is used, or copy the part: `.copy()` behind it")

    def lasting(self, view: View, node: cst.BaseExpression) -> View:
        """A view that stays what it is when the numbers change of which its limits were made."""
        axes = tuple(replace(axis, start=self.frozen(axis.start)) for axis in view.axes)
        return replace(self.like(view, axes, tuple(map(self.frozen, view.shape)), node), whole=view.whole)

    def view(
        self,
        array: str,
        axes: tuple[Axis, ...],
        shape: tuple[Linear, ...],
        node: cst.BaseExpression,
        whole: bool = False,
    ) -> View:
        place = self.names.position(node)
        asked = {(array, number, axis.start.text, place) for number, axis in enumerate(axes) if axis.asked}
        self.names.asked |= asked

        def element(at: At) -> cst.BaseExpression:
            indexes = ", ".join(axis.index(at).text for axis in axes)
            return self.names.expression(f"{array}[{indexes}]", node)

        return View(shape, element, array=array, axes=axes, whole=whole)

    def like(self, base: View, axes: tuple[Axis, ...], shape: tuple[Linear, ...], node: cst.BaseExpression) -> View:
        """A part of the array of another one, which is for reading alone where that is."""
        return replace(self.view(base.array, axes, shape, node), written=base.written)

    # --- arrays that are not made --------------------------------------------------------------------------------

    @contextmanager
    def setting(self) -> Iterator[list[cst.BaseStatement]]:
        """A block in which the elements of such get names; gives the statements that set them."""
        outside, self.elements = self.elements, ({}, [])
        try:
            yield self.elements[1]
        finally:
            self.elements = outside

    def operation(self, node: cst.BaseExpression, parts: Mapping[str, cst.BaseExpression]) -> Value:
        """A node of which some parts are values."""
        test_operands(self, node, tuple(parts.values()))
        values = {name: self.value(part) for name, part in parts.items()}
        shape = self.shapes.together([each.shape for each in values.values()], node)

        def element(at: At) -> cst.BaseExpression:
            return self.names.changed(node, **{name: value.at(at, shape) for name, value in values.items()})

        return Value(shape, element)

    def chosen(self, node: cst.IfExp, kind: ArrayType) -> Value:
        """One of two arrays, as a new one: what is computed for one of them is computed under the condition."""
        test, name = code_of(self.plain_number(node.test)), self.names.new("value__whole", code_of(node))
        branches: list[list[cst.BaseStatement]] = []
        for each in (node.body, node.orelse):
            with self.branch() as lines:
                self.whole_of(name, self.value(each), kind.dtype, each)
            branches.append(lines)
        made = cst.ensure_type(self.names.line(f"if {test}:\n    pass\nelse:\n    pass", node), cst.If)
        other = cst.Else(cst.IndentedBlock(branches[1]))
        made = made.with_changes(body=cst.IndentedBlock(branches[0]), orelse=other)
        self.names.place(made, node)
        self.before.append(made)
        shape = tuple(Linear.of(f"{name}.shape[{axis}]") for axis in range(kind.ndim))
        whole = self.view(name, tuple(Axis(Linear(), 1, k) for k in range(kind.ndim)), shape, node)
        return Value(whole.shape, whole.element)

    def comparison(self, node: cst.Comparison) -> Value:
        target = node.comparisons[0]
        left, right = self.value(node.left), self.value(target.comparator)
        shape = self.shapes.together([left.shape, right.shape], node)

        def element(at: At) -> cst.BaseExpression:
            other = self.names.changed(target, comparator=right.at(at, shape))
            return self.names.changed(node, left=left.at(at, shape), comparisons=[other])

        return Value(shape, element)

    def call(self, node: cst.Call) -> Value:
        callee = self.types.calls.get(node)
        if callee is not None and callee.kind == "copy" and isinstance(node.func, cst.Attribute):
            return self.copied(self.value(node.func.value))
        if callee is not None and callee.kind == "astype" and isinstance(node.func, cst.Attribute):
            return self.converted(node, self.value(node.func.value), callee.name)
        if callee is not None and callee.kind == "method" and isinstance(node.func, cst.Attribute):
            method, inner = node.func, self.value(node.func.value)
            return Value(
                inner.shape,
                lambda at: self.names.changed(node, func=self.names.changed(method, value=inner.element(at))),
            )
        if callee is not None and callee.kind in ("allocate", "like"):
            name = self.names.new("value__once", code_of(node))
            line = cst.SimpleStatementLine(
                [cst.Assign([cst.AssignTarget(cst.Name(name))], self.names.copy(self.plain_number(node)))]
            )
            self.names.place(line, node)
            self.before.append(line)
            kind = self.type_of(node)
            assert isinstance(kind, ArrayType)
            self.types.names[name] = kind
            return self.whole(cst.Name(name), kind)
        if callee is not None and callee.kind == "numpy":
            test_call(self, node, callee.name)
        values = [self.value(argument.value) for argument in node.args]
        shape = self.shapes.together([each.shape for each in values], node)

        def element(at: At) -> cst.BaseExpression:
            arguments = [
                self.names.changed(argument, value=value.at(at, shape))
                for argument, value in zip(node.args, values, strict=True)
            ]
            return self.names.changed(node, args=arguments)

        return Value(shape, element)

    def copied(self, value: Value) -> Value:
        """A value that is no view."""
        return Value(value.shape, value.element)

    def converted(self, node: cst.Call, value: Value, dtype: str) -> Value:
        """The elements as numbers of a dtype."""
        assert isinstance(node.func, cst.Attribute)
        kind = self.type_of(node.func.value)
        if isinstance(kind, ArrayType) and kind.dtype == dtype:
            return self.copied(value)
        function = self.names.dtype(dtype)

        def element(at: At) -> cst.BaseExpression:
            made = cst.Call(cst.Name(function), [cst.Arg(value.element(at))])
            self.names.place(made, node)
            return made

        return Value(value.shape, element)

    # --- parts of arrays -----------------------------------------------------------------------------------------

    def part(self, node: cst.Subscript, base: Value, items: Sequence[Item]) -> Value:
        """`base[items]`"""
        consumed = sum(1 for item in items if item is not NEW_AXIS and item is not ELLIPSIS)
        rest = [cst.Slice(None, None)] * (len(base.shape) - consumed)
        filled: list[Item] = []
        for item in items:
            filled += rest if item is ELLIPSIS else [item]
        filled += [] if ELLIPSIS in items else rest
        shape: list[Linear] = []
        gone: list[Axis] = []
        for item in filled:
            if isinstance(item, Mark):
                shape.append(ONE)
                continue
            length = base.shape[len(gone)]
            if isinstance(item, cst.Slice):
                limits = [
                    None if each is None or is_none(each, self.names.method) else each
                    for each in (item.lower, item.upper, item.step)
                ]
                step = 1 if limits[2] is None else integer_constant(limits[2], self.names.method)
                assert step is not None
                span = self.slices.span(limits[0], limits[1], step, length)
                gone.append(Axis(span.start, span.step, len(shape)))
                shape.append(span.length)
            else:
                axis = len(gone)
                asked = self.goes_along(base, axis) is not None
                gone.append(Axis(self.index(item, base, axis, node), asked=asked))
        return self.composed(base, tuple(gone), tuple(shape), node)

    def index(self, item: cst.BaseExpression, base: Value, axis: int, node: cst.Subscript) -> Linear:
        """An index that makes an axis go: it is tested where the element is read."""
        if self.goes_along(base, axis) is not None:
            return self.linear(item)
        return self.inside(self.linear(item), self.clamped(base.shape[axis]), axis, node)

    def goes_along(self, base: Value, axis: int) -> int | None:
        """The axis of an array along which, from end to end, an axis of a part of it goes."""
        for number, each in enumerate(base.axes if isinstance(base, View) else ()):
            if isinstance(base, View) and each == Axis(Linear(), 1, axis):
                return number if base.whole or base.shape[axis] == self.length(base.array, number) else None
        return None

    def inside(self, index: Linear, length: Linear, axis: int, node: cst.CSTNode) -> Linear:
        """An index into a part of an array, from its beginning: what lies outside of the part may lie in the array."""
        if index.is_constant and length.is_constant and -length.constant <= index.constant < length.constant:
            return index + (length if index.constant < 0 else 0)
        if self.is_below(index, length) and self.natural(index):
            return index
        if not index.is_constant:
            index = self.named(index.text, self.natural(index))
        below = "" if self.natural(index) else f" or {index.text} < {(length * -1).text}"
        raising = self.names.raising(INDEX, [(index, Linear(axis)), (length,)], node)
        self.before.append(self.names.line(f"if {index.text} >= {length.text}{below}:\n    {raising}", node))
        if self.natural(index):
            return index
        if index.is_constant:
            return index + length
        return self.named(f"{index.text} if {index.text} >= 0 else {(index + length).text}", True)

    def composed(
        self, base: Value, gone: tuple[Axis, ...], shape: tuple[Linear, ...], node: cst.BaseExpression
    ) -> Value:
        """`base` with its axes gone along so."""
        if isinstance(base, View):
            return self.like(base, tuple(axis.through(gone) for axis in base.axes), shape, node)
        return Value(shape, lambda at: base.element(tuple(axis.index(at) for axis in gone)))


def simple(node: cst.BaseExpression) -> bool:
    """Whether a number may stand in a loop as it is: a literal or a name."""
    if isinstance(node, cst.UnaryOperation):
        return simple(node.expression)
    return isinstance(node, cst.BaseNumber | cst.Name | cst.Attribute)
