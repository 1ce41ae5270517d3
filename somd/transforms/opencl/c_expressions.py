"""libcst expressions -> C, with the types that inference found."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import numpy as np

from somd.settings.targets import TargetLacks
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.frontend.number_texts import number_of_text
from somd.transforms.opencl import c_calls, c_complex
from somd.transforms.opencl.c_operators import binary, comparison, truth, unary
from somd.transforms.opencl.c_tree import C, call, conditional, infix
from somd.transforms.opencl.c_types import converted, literal
from somd.transforms.opencl.scope import Scope
from somd.transforms.opencl.unit import Unit
from somd.transforms.tree.names import evaluate
from somd.transforms.types.long_literals import is_long
from somd.transforms.types.scalars import INT, ArrayType, ScalarType, TupleType, type_of_value

CALLS: dict[str, Callable[[str, list[C], ScalarType, Unit], C]] = {
    "builtin": c_calls.builtin,
    "math": c_calls.math_call,
    "numpy": c_calls.numpy_call,
    "cmath": c_calls.cmath_call,
}


class Expressions:
    """Translates expressions of one function."""

    def __init__(self, scope: Scope, unit: Unit) -> None:
        self.scope = scope
        self.unit = unit

    def lacks(self, what: str, node: cst.CSTNode) -> TargetLacks:
        return TargetLacks(f"{what} has no form in OpenCL C yet", self.scope.method.positions.get(node))

    def type_of(self, node: cst.CSTNode) -> ScalarType:
        found = self.scope.types.nodes.get(node)
        if isinstance(found, ScalarType):
            return found
        if isinstance(node, cst.Integer):
            return INT
        raise self.lacks("a value that is no scalar", node)

    def of_type(self, node: cst.BaseExpression, dtype: str) -> C:
        return converted(self.expression(node), dtype)

    def test(self, node: cst.BaseExpression) -> C:
        return truth(self.expression(node))

    def operation(self, node: cst.CSTNode, operator: type[cst.CSTNode], left: C, right: C) -> C:
        """What the operator of an expression, or of an update, makes of two values."""
        result = self.type_of(node)
        if node in self.scope.joining:
            return c_complex.joined(converted(left, result.dtype), converted(right, result.dtype), self.unit)
        return binary(operator, left, right, result, self.unit)

    def expression(self, node: cst.BaseExpression) -> C:
        """The value of a scalar expression."""
        if isinstance(node, cst.Integer | cst.Float):
            whole = "uint64" if is_long(node) else "int64"
            return literal(node.evaluated_value, whole if isinstance(node, cst.Integer) else "float64")
        if isinstance(node, cst.Imaginary):
            return literal(node.evaluated_value, "complex128")
        if isinstance(node, cst.Name | cst.Attribute):
            return self._named(node)
        if isinstance(node, cst.Subscript):
            return self._subscript(node)
        if isinstance(node, cst.BinaryOperation):
            sides = self.expression(node.left), self.expression(node.right)
            return self.operation(node, type(node.operator), *sides)
        if isinstance(node, cst.UnaryOperation):
            return unary(node.operator, self.expression(node.expression), self.type_of(node))
        if isinstance(node, cst.Comparison):
            return self._comparison(node)
        if isinstance(node, cst.BooleanOperation):
            symbol = "&&" if isinstance(node.operator, cst.And) else "||"
            return infix(symbol, self.test(node.left), self.test(node.right), "bool")
        if isinstance(node, cst.IfExp):
            dtype = self.type_of(node).dtype
            return conditional(
                self.test(node.test), self.of_type(node.body, dtype), self.of_type(node.orelse, dtype), dtype
            )
        if isinstance(node, cst.Call):
            return self._call(node)
        raise self.lacks("this expression", node)

    def elements(self, node: cst.BaseExpression) -> list[C]:
        """The parts of a tuple."""
        if isinstance(node, cst.Tuple):
            return [self.expression(element.value) for element in node.elements]
        found = self.scope.types.nodes.get(node)
        if isinstance(found, TupleType):
            count = range(len(found.elements))
            if isinstance(node, cst.Name):
                return [self.scope.element(node.value, k) for k in count]
            if isinstance(node, cst.Call) and self.scope.types.calls[node].name == "divmod":
                left, right = (self.expression(a.value) for a in node.args)
                whole, rest = (part for part in found.elements if isinstance(part, ScalarType))
                quotient = binary(cst.FloorDivide, left, right, whole, self.unit)
                return [quotient, binary(cst.Modulo, left, right, rest, self.unit)]
            if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name):
                return [self.scope.length(node.value.value, k) for k in count]
        raise self.lacks("this tuple", node)

    def _named(self, node: cst.Name | cst.Attribute) -> C:
        method = self.scope.method
        if isinstance(node, cst.Name):
            if node.value in method.local_names:
                return self.scope.variable(node)
            if node.value in ("True", "False"):
                return literal(node.value == "True", "bool")
        elif isinstance(node.value, cst.Name) and node.value.value in method.local_names:
            array = self.scope.array_type(node.value.value)
            if array is not None and node.attr.value == "ndim":
                return literal(array.ndim, "int64")
            if array is not None and node.attr.value == "size":
                lengths = [self.scope.length(node.value.value, k) for k in range(array.ndim)]
                product = lengths[0]
                for length in lengths[1:]:
                    product = infix("*", product, length, "int64")
                return product
        if isinstance(node, cst.Attribute) and isinstance(self.scope.types.nodes.get(node.value), ScalarType):
            return self._part(node)
        value = evaluate(node, method.namespace, method.local_names)
        if isinstance(value, int | float | complex | np.generic):
            number = value.item() if isinstance(value, np.generic) else value
            return literal(number, type_of_value(value).dtype)
        raise self.lacks("this name", node)

    def _part(self, node: cst.Attribute) -> C:
        """`x.real` and `x.imag`"""
        value = self.expression(node.value)
        if c_complex.is_complex(value):
            return c_complex.part(value, node.attr.value)
        if node.attr.value == "real":
            return value
        return call(self.unit.function("imag", value.dtype), value.dtype, value)

    def _comparison(self, node: cst.Comparison) -> C:
        parts: list[C] = []
        left = node.left
        for target in node.comparisons:
            right = target.comparator
            sides = (self.expression(left), self.type_of(left), self.expression(right), self.type_of(right))
            parts.append(comparison(target.operator, *sides, self.unit))
            left = right
        result = parts[0]
        for part in parts[1:]:
            result = infix("&&", result, part, "bool")
        return result

    def _call(self, node: cst.Call) -> C:
        callee = self.scope.types.calls.get(node)
        if callee is None:
            raise self.lacks("this call", node)
        reference = shape_reference(node)
        if reference is not None:
            return self.scope.length(*reference)
        number = number_of_text(node, self.scope.method)
        if number is not None:
            return literal(number, "float64")
        result = self.type_of(node)
        if callee.kind == "helper":
            return self.helper_call(node, result.dtype)
        if callee.kind == "method" and isinstance(node.func, cst.Attribute):
            value = self.expression(node.func.value)
            return c_complex.conjugate(value, self.unit) if c_complex.is_complex(value) else value
        arguments = [self.expression(a.value) for a in node.args]
        if callee.kind == "numpy" and callee.name == "clip":
            return c_calls.clipped(arguments, [self.type_of(a.value) for a in node.args], result, self.unit)
        if callee.kind in CALLS:
            return CALLS[callee.kind](callee.name, arguments, result, self.unit)
        if callee.kind == "cast" and len(arguments) == 2:
            return c_complex.made(arguments, result)
        if callee.kind == "cast":
            return converted(arguments[0], result.dtype)
        raise self.lacks(f"`{callee.name}` inside a distributed loop", node)

    def helper_call(self, node: cst.Call, dtype: str) -> C:
        """The call of a helper; `dtype` is that of its result, which means nothing for a tuple."""
        callee = self.scope.types.calls[node]
        assert callee.helper is not None
        wanted = [t.dtype for t in callee.helper.arguments if isinstance(t, ScalarType)]
        arguments = [self.expression(a.value) for a in node.args]
        values = [converted(a, kind) for a, kind in zip(arguments, wanted, strict=True)]
        return call(self.unit.helper(callee.helper), dtype, *values)

    def tuple_of_call(self, node: cst.BaseExpression) -> TupleType | None:
        """The type of a tuple that a helper returns here; None for everything else."""
        found = self.scope.types.nodes.get(node)
        callee = self.scope.types.calls.get(node) if isinstance(node, cst.Call) else None
        return found if callee is not None and callee.kind == "helper" and isinstance(found, TupleType) else None

    # --- accesses ------------------------------------------------------------------------------------------------

    def _subscript(self, node: cst.Subscript) -> C:
        reference = shape_reference(node)
        if reference is not None:
            array = self.scope.array_type(reference[0])
            return self.scope.length(reference[0], reference[1] % array.ndim if array else reference[1])
        if isinstance(node.value, cst.Name) and isinstance(self.scope.types.names.get(node.value.value), TupleType):
            position = self.expression(index_expressions(node)[0]).value
            assert isinstance(position, int)
            return self.scope.element(node.value.value, position)
        parts = self.tuple_of_call(node.value)
        if parts is not None and isinstance(node.value, cst.Call):
            position = self.expression(index_expressions(node)[0]).value
            assert isinstance(position, int)
            position %= len(parts.elements)
            made = self.helper_call(node.value, parts.elements[position].dtype)
            return C(f"{made.text}.part_{position}", made.dtype)
        if isinstance(self.scope.types.nodes.get(node.value), TupleType):
            position = self.expression(index_expressions(node)[0]).value
            assert isinstance(position, int)
            return self.elements(node.value)[position]
        array_type, name = self.accessed(node)
        if node in self.scope.staged:
            found = C(self.scope.staged[node], array_type.dtype)
        elif node in self.scope.guarded:
            found = call(*self.tested(node, store=False), *self.test_arguments(node))
        else:
            found = C(f"{self.source(node, name)}[{self.flat_index(node)}]", array_type.dtype)
        # A bool whose memory is seen as bytes elsewhere may be any byte.
        return infix("!=", found, literal(0, "uint8"), "bool") if array_type.dtype == "bool" else found

    def source(self, node: cst.Subscript, name: str) -> str:
        """What a read takes its element from: the array, or its snapshot where another MI may write it."""
        relaxed = self.scope.relaxed
        read = None if relaxed is None else relaxed.relaxed.reads.get(node)
        if relaxed is None or read is None:
            return name
        snapshot = self.scope.array(relaxed.relaxed.snapshots[read.array])
        if relaxed.always(read):
            return snapshot
        index = self.of_type(index_expressions(node)[read.axis], "int64")
        if node in self.scope.wrapping or node in self.scope.guarded:
            index = self._from_end(index, read.array, read.axis)
        self.unit.another()
        return f"({relaxed.test(read, index)} ? {snapshot} : {name})"

    def accessed(self, node: cst.Subscript) -> tuple[ArrayType, str]:
        """Type and C name of the array that `node` indexes."""
        if isinstance(node.value, cst.Name):
            found = self.scope.array_type(node.value.value)
            if found is not None:
                return found, self.scope.array(node.value.value)
        raise self.lacks("indexing this", node)

    def tested(self, node: cst.Subscript, store: bool) -> tuple[str, str]:
        """The C function for an access that is tested where it happens, and the element type."""
        array, _ = self.accessed(node)
        assert isinstance(node.value, cst.Name)
        self.scope.tests_accesses = True
        name = node.value.value
        where = "own" if name in self.scope.own else "apart" if name in self.scope.apart else ""
        return self.unit.tested_access(store, array.dtype, array.ndim, where, bool(self.scope.noted)), array.dtype

    def test_arguments(self, node: cst.Subscript) -> list[C]:
        _, name = self.accessed(node)
        assert isinstance(node.value, cst.Name)
        arguments = [C(self.source(node, name), "int64")]
        step = self.scope.apart.get(node.value.value)
        arguments += [] if step is None else [C(step, "int64")]
        for axis, index in enumerate(index_expressions(node)):
            arguments += [self.of_type(index, "int64"), self.scope.length(node.value.value, axis)]
        site = self.scope.guarded[node][0].number
        noted = self.scope.noted
        number = self.scope.iteration()
        record = [C(name, "int64") for name in ([f"&{noted}", number] if noted else ["faults", number, "turn"])]
        return [*arguments, *record, literal(site, "int64")]

    def flat_index(self, node: cst.Subscript) -> str:
        """The place of an element in the flat array, in C order."""
        assert isinstance(node.value, cst.Name)
        array, wraps = node.value.value, node in self.scope.wrapping
        flat: C | None = None
        for axis, index_node in enumerate(index_expressions(node)):
            index = self.of_type(index_node, "int64")
            if wraps:
                index = self._from_end(index, array, axis)
            if flat is None:
                flat = index
            else:
                row = infix("*", flat, self.scope.length(array, axis), "int64")
                flat = infix("+", row, index, "int64")
        assert flat is not None
        step = self.scope.apart.get(array)
        return flat.loose if step is None else infix("*", flat, C(step, "int64"), "int64").text

    def _from_end(self, index: C, array: str, axis: int) -> C:
        if isinstance(index.value, int):
            return index if index.value >= 0 else infix("+", self.scope.length(array, axis), index, "int64")
        return call(self.unit.from_end(), "int64", index, self.scope.length(array, axis))
