"""libcst expressions, with the types that inference found -> typed expressions of the loop program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import libcst as cst
import numpy as np

from somd.settings.targets import TargetLacks
from somd.transforms.access import Relaxed
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.frontend.number_texts import number_of_text
from somd.transforms.loops.calls_to_loops import Call, called, operator_call
from somd.transforms.loops.making import (
    BOOL8,
    FLOAT64,
    INT64,
    UINT64,
    cast,
    choice,
    comparison,
    constant,
    length,
    negated,
    operation,
    strong,
    truth,
    variable,
    whole_number,
)
from somd.transforms.loops.program import (
    FROM_END,
    PROVED,
    Access,
    Constant,
    Element,
    Expression,
    HelperCall,
    Interval,
    Origin,
    RelaxedRead,
    Tested,
)
from somd.transforms.loops.ranges import whole
from somd.transforms.loops.texts import of_text
from somd.transforms.stages import Method, Site
from somd.transforms.tree.literals import number_of
from somd.transforms.tree.names import evaluate
from somd.transforms.types.long_literals import is_long
from somd.transforms.types.scalars import INT, ArrayType, Number, ScalarType, TupleType, Type, type_of_value
from somd.transforms.types.typing_table import Types

COMPARISONS: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Equal: "==",
    cst.NotEqual: "!=",
}


@dataclass(frozen=True)
class Accesses:
    """What is proved of accesses at a place: those `guarded` are tested, those `wrapping` may count from the end, the
    others are inside. Where `all_wrap`, a tested one may count from the end as well."""

    guarded: Mapping[cst.Subscript, tuple[Site, ...]] = field(default_factory=dict)
    wrapping: frozenset[cst.Subscript] = frozenset()
    all_wrap: bool = False
    relaxed: Relaxed | None = None

    def of(self, node: cst.Subscript) -> Access:
        if node in self.guarded:
            return Tested(self.guarded[node], self.all_wrap or node in self.wrapping)
        return FROM_END if node in self.wrapping else PROVED

    def relaxed_read(self, node: cst.Subscript) -> RelaxedRead | None:
        read = None if self.relaxed is None else self.relaxed.reads.get(node)
        if read is None or self.relaxed is None:
            return None
        reach = read.reach if self.relaxed.fresh else None
        apart = reach is not None and not any(reach[0] <= c <= reach[1] for c in read.writes)
        return RelaxedRead(self.relaxed.snapshots[read.array], read.axis, read.writes, apart)


class Expressions:
    """Builds the expressions of one function."""

    def __init__(self, method: Method, types: Types) -> None:
        self.method = method
        self.types = types
        self.accesses = Accesses()
        #: multiplications into accumulators that no number is neutral for
        self.joining: frozenset[cst.CSTNode] = frozenset()
        #: the intervals of names, where more is known than the type
        self.ranges: dict[str, Interval] = {}

    def lacks(self, what: str, node: cst.CSTNode) -> TargetLacks:
        """What is raised where a program has no form for something."""
        return TargetLacks(f"{what} cannot be expressed yet", self.method.positions.get(node))

    def origin(self, node: cst.CSTNode) -> Origin:
        return Origin(self.method.positions.get(node), (), node)

    # --- types ---------------------------------------------------------------------------------------------------

    def type_of(self, node: cst.CSTNode) -> ScalarType:
        """The scalar type that inference found, Python's own numbers told from NumPy's."""
        found = self.types.nodes.get(node)
        if isinstance(found, ScalarType):
            return found
        if isinstance(node, cst.Integer):
            return INT
        raise self.lacks("a value that is no scalar", node)

    def array_type(self, name: str) -> ArrayType | None:
        found = self.types.names.get(name)
        return found if isinstance(found, ArrayType) else None

    # --- values --------------------------------------------------------------------------------------------------

    def of_type(self, node: cst.BaseExpression, type_: ScalarType) -> Expression:
        return cast(self.expression(node), type_)

    def test(self, node: cst.BaseExpression) -> Expression:
        return truth(self.expression(node))

    def limit(self, node: cst.BaseExpression) -> Expression:
        """A bound of a loop, which passes may have made without a type."""
        if node in self.types.nodes:
            return self.of_type(node, INT64)
        return self.text(cst.Module([]).code_for_node(node))

    def text(self, text: str) -> Expression:
        """An expression that the plan has as text."""
        return of_text(text, self.scalar)

    def scalar(self, name: str) -> Expression:
        """The scalar that a name stands for."""
        found = self.types.names.get(name) if name in self.method.local_names else None
        if isinstance(found, ScalarType):
            return variable(name, found, self.ranges.get(name))
        return self._captured(cst.Name(name))

    def expression(self, node: cst.BaseExpression) -> Expression:
        """The value of a scalar expression."""
        if isinstance(node, cst.Integer):
            made = constant(number_of(node), UINT64 if is_long(node) else INT64)
            plain = node.value.isdecimal() or made.type == UINT64
            return made if plain else replace(made, name=node.value)
        if isinstance(node, cst.Float | cst.Imaginary):
            made = constant(number_of(node), strong(self.type_of(node)))
            return replace(made, name=node.value) if isinstance(node, cst.Float) and made.type == FLOAT64 else made
        if isinstance(node, cst.Name | cst.Attribute):
            return self._named(node)
        if isinstance(node, cst.Subscript):
            return self._subscript(node)
        if isinstance(node, cst.BinaryOperation):
            sides = self.expression(node.left), self.expression(node.right)
            return operator_call(type(node.operator), sides, self.type_of(node), node in self.joining)
        if isinstance(node, cst.UnaryOperation):
            return self._unary(node)
        if isinstance(node, cst.Comparison):
            return self._comparison(node)
        if isinstance(node, cst.BooleanOperation):
            name = "and" if isinstance(node.operator, cst.And) else "or"
            return operation(name, self.test(node.left), self.test(node.right))
        if isinstance(node, cst.IfExp):
            type_ = self.type_of(node)
            return choice(self.test(node.test), self.of_type(node.body, type_), self.of_type(node.orelse, type_))
        if isinstance(node, cst.Call):
            return self._call(node)
        raise self.lacks(f"an expression of the form {type(node).__name__}", node)

    def _unary(self, node: cst.UnaryOperation) -> Expression:
        if isinstance(node.operator, cst.Not):
            return operation("not", self.test(node.expression))
        operand = self.of_type(node.expression, self.type_of(node))
        if isinstance(node.operator, cst.Minus):
            return negated(operand)
        return operation("~" if isinstance(node.operator, cst.BitInvert) else "pos", operand)

    def _comparison(self, node: cst.Comparison) -> Expression:
        made: Expression | None = None
        left = node.left
        for target in node.comparisons:
            right = target.comparator
            kinds = self.type_of(left), self.type_of(right)
            part = comparison(COMPARISONS[type(target.operator)], self.expression(left), self.expression(right), kinds)
            made = part if made is None else operation("and", made, part)
            left = right
        assert made is not None
        return made

    # --- names ---------------------------------------------------------------------------------------------------

    def _named(self, node: cst.Name | cst.Attribute) -> Expression:
        local = self.method.local_names
        if isinstance(node, cst.Name):
            if node.value in local:
                return self.scalar(node.value)
            if node.value in ("True", "False"):
                return constant(node.value == "True", BOOL8)
            return self._captured(node)
        array = self.array_type(node.value.value) if isinstance(node.value, cst.Name) else None
        if array is not None and isinstance(node.value, cst.Name) and node.value.value in local:
            return self._size(node.value.value, array, node)
        if isinstance(self.types.nodes.get(node.value), ScalarType):
            value = self.expression(node.value)
            return value if node.attr.value == "real" and value.type.kind != "c" else operation(
                f"np.{node.attr.value}", value
            )  # fmt: skip
        return self._captured(node)

    def _size(self, name: str, array: ArrayType, node: cst.Attribute) -> Expression:
        if node.attr.value == "ndim":
            return whole_number(array.ndim)
        if node.attr.value != "size":
            raise self.lacks("a shape where a number is expected", node)
        made: Expression = length(name, 0)
        for axis in range(1, array.ndim):
            made = operation("*", made, length(name, axis))
        return made

    def _captured(self, node: cst.Name | cst.Attribute) -> Expression:
        value = evaluate(node, self.method.namespace, self.method.local_names)
        if isinstance(value, int | float | complex | np.generic):
            held: Number = value.item() if isinstance(value, np.generic) else value
            made = constant(held, ScalarType(type_of_value(value).dtype))
            return replace(made, name=node.value) if isinstance(node, cst.Name) else made
        raise self.lacks("a name that stands for no number", node)

    # --- tuples --------------------------------------------------------------------------------------------------

    def part_name(self, name: str, part: int) -> str:
        """The variable of a part of a tuple that has a name."""
        return f"{name}.{part}"

    def parts(self, node: cst.BaseExpression) -> list[Expression]:
        """The parts of a tuple."""
        if isinstance(node, cst.Tuple):
            return [self.expression(element.value) for element in node.elements]
        found = self.types.nodes.get(node)
        if not isinstance(found, TupleType):
            raise self.lacks("this tuple", node)
        count = range(len(found.elements))
        if isinstance(node, cst.Name):
            return [variable(self.part_name(node.value, k), self.part_type(found, k)) for k in count]
        if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name):
            return [length(node.value.value, k) for k in count]
        if isinstance(node, cst.Call) and self.types.calls[node].helper is not None:
            return [self.helper_call(node, k) for k in count]
        if isinstance(node, cst.Call) and self.types.calls[node].name == "divmod":
            sides = self.expression(node.args[0].value), self.expression(node.args[1].value)
            whole_part, rest = (self.part_type(found, k) for k in count)
            return [
                operator_call(cst.FloorDivide, sides, whole_part),
                operator_call(cst.Modulo, sides, rest),
            ]
        raise self.lacks("this tuple", node)

    def part(self, node: cst.BaseExpression, k: int) -> Expression:
        """One part of a tuple: others may be arrays."""
        if isinstance(node, cst.Tuple):
            return self.expression(node.elements[k].value)
        found = self.types.nodes.get(node)
        if isinstance(node, cst.Name):
            found = self.types.names.get(node.value, found)
        if isinstance(node, cst.Name) and isinstance(found, TupleType):
            return variable(self.part_name(node.value, k), self.part_type(found, k))
        return self.parts(node)[k]

    def part_type(self, found: TupleType, part: int) -> ScalarType:
        kind = found.elements[part]
        if not isinstance(kind, ScalarType):
            raise TargetLacks("an array in a tuple cannot be expressed here yet")
        return kind

    # --- calls ---------------------------------------------------------------------------------------------------

    def _call(self, node: cst.Call) -> Expression:
        callee = self.types.calls.get(node)
        if callee is None:
            raise self.lacks("this call", node)
        if callee.kind == "builtin" and callee.name == "len":
            return self._len(node.args[0].value)
        text = number_of_text(node, self.method)
        if text is not None:
            return constant(text, FLOAT64)
        if callee.kind == "helper":
            return self.helper_call(node, None)
        given = [node.func.value] if callee.kind == "method" and isinstance(node.func, cst.Attribute) else [
            argument.value for argument in node.args
        ]  # fmt: skip
        values = tuple(self.expression(each) for each in given)
        kinds = tuple(self.type_of(each) for each in given)
        made = called(Call(callee.kind, callee.name, values, kinds, self.type_of(node)))
        if made is None:
            raise self.lacks(f"a call of `{callee.name}`", node)
        return made

    def _len(self, node: cst.BaseExpression) -> Expression:
        """`len(x)` of an array that has a name, and of a tuple: a name, or an array's shape."""
        found = self.types.names.get(node.value) if isinstance(node, cst.Name) else self.types.nodes.get(node)
        if isinstance(found, TupleType) and isinstance(node, cst.Name | cst.Attribute):
            return whole_number(len(found.elements))
        if not isinstance(node, cst.Name):
            raise self.lacks("this length", node)
        return length(node.value, 0)

    def helper_call(self, node: cst.Call, part: int | None) -> HelperCall:
        """The call of a helper, or a part of its result."""
        function, operands = self.helper(node)
        helper = self.types.calls[node].helper
        assert helper is not None
        result: Type | None = helper.types.result
        if part is not None:
            assert isinstance(result, TupleType)
            result = self.part_type(result, part)
        if not isinstance(result, ScalarType):
            raise self.lacks("a function of no number", node)
        type_ = ScalarType(result.dtype)
        return HelperCall(function, operands, part, type_, whole(type_))

    def helper(self, node: cst.Call) -> tuple[str, tuple[Expression, ...]]:
        """The function that a call of a helper means, and its operands in the types of the parameters."""
        helper = self.types.calls[node].helper
        assert helper is not None
        wanted = [kind for kind in helper.arguments if isinstance(kind, ScalarType)]
        pairs = zip(node.args, wanted, strict=True)
        return helper.name, tuple(self.of_type(argument.value, kind) for argument, kind in pairs)

    # --- accesses ------------------------------------------------------------------------------------------------

    def _subscript(self, node: cst.Subscript) -> Expression:
        reference = shape_reference(node)
        if reference is not None:
            array = self.array_type(reference[0])
            return length(reference[0], reference[1] % array.ndim if array else reference[1])
        found = self.types.nodes.get(node.value)
        if isinstance(node.value, cst.Name) and isinstance(self.types.names.get(node.value.value), TupleType):
            found = self.types.names[node.value.value]
        if isinstance(found, TupleType):
            place = self.expression(index_expressions(node)[0])
            if not isinstance(place, Constant) or not isinstance(place.value, int):
                raise self.lacks("an index of a tuple", node)
            return self.part(node.value, place.value % len(found.elements))
        return self.element(node)

    def element(self, node: cst.Subscript) -> Element:
        """The element of an array that is read or written."""
        array = self.array_type(node.value.value) if isinstance(node.value, cst.Name) else None
        if array is None or not isinstance(node.value, cst.Name):
            raise self.lacks("an index of something that is no array", node)
        indices = tuple(cast(self.expression(each), INT64) for each in index_expressions(node))
        type_ = ScalarType(array.dtype)
        access, read = self.accesses.of(node), self.accesses.relaxed_read(node)
        if access == PROVED and any(each.range is not None and each.range.high < 0 for each in indices):
            access = FROM_END  # proved since nothing comes here: `if False`
        return Element(node.value.value, indices, access, type_, whole(type_), read, self.origin(node))
