"""Types of expressions: names, indexing, operators; `calls` has those of calls.

Every typed node is entered in `Types.nodes`. A sub-expression whose type is not known yet, or was reported, is None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cached_property

import libcst as cst

from somd.arguments.instead import instead_of
from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.parts import Mark, items_of
from somd.transforms.frontend.number_texts import number_of_text
from somd.transforms.frontend.reached import Function
from somd.transforms.stages import Method
from somd.transforms.tree.literals import number_of
from somd.transforms.tree.names import MISSING, evaluate
from somd.transforms.tree.walking import nodes_in
from somd.transforms.types import functions
from somd.transforms.types.array_functions import ArrayFunctions
from somd.transforms.types.array_values import applied
from somd.transforms.types.calls import Calls
from somd.transforms.types.library_calls import LibraryCalls
from somd.transforms.types.literals import PathDependent, plain, result_of
from somd.transforms.types.naturals import Naturals
from somd.transforms.types.parts import Parts
from somd.transforms.types.reducing import Reductions
from somd.transforms.types.scalars import (
    BINARY,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    UNARY,
    ArrayType,
    Literal,
    NotTyped,
    ScalarType,
    TupleType,
    Type,
    apply,
    joined,
    type_of_value,
)
from somd.transforms.types.shape_tuples import chosen_entries, is_shape
from somd.transforms.types.typing_table import HelperInstance, Types

COMPARISONS = {
    cst.LessThan: operator.lt,
    cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge,
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
}
#: places behind the point to which integers may be rounded, which changes nothing
MOST_PLACES = 400
ARRAY = ArrayType
#: attributes of arrays that are arrays
OF_ARRAYS = ("T", *functions.PARTS)
HelperFinder = Callable[[Function, tuple[Type, ...], cst.Call], "HelperInstance | None"]


class Expressions:
    """Types expressions of one method, with the name types found so far."""

    def __init__(self, method: Method, types: Types, collector: Collector, helper: HelperFinder) -> None:
        self.method = method
        self.types = types
        self.collector = collector
        self.helper = helper
        self.calls = Calls(self)
        self.parts = Parts(self)
        self.reductions = Reductions(self)
        self.array_functions = ArrayFunctions(self)
        self.library_calls = LibraryCalls(self)

    @cached_property
    def naturals(self) -> Naturals:
        """Asked of exponents alone."""
        return Naturals(self.method)

    def report(self, code: str, message: str, node: cst.CSTNode, *helps: str) -> None:
        """Report what is wrong with an expression; one that was made here stands where the first of its parts does."""
        written = next(each for each in nodes_in(node) if each in self.method.positions)
        label = Label(self.method.position(written), "here", True)
        self.collector.add(Diagnostic(code, message, (label,), helps))

    def scalar(self, node: cst.BaseExpression) -> ScalarType | None:
        """The type of an expression that must be a scalar."""
        return self.as_scalar(self.any(node), node)

    def test(self, node: cst.BaseExpression) -> ScalarType | None:
        """The type of a test, of which only the truth counts: `and` and `or` take any numbers there."""
        if isinstance(node, cst.BooleanOperation):
            found = [self.test(node.left), self.test(node.right)]
            if None in found:
                return None
            strong = any(each is not None and each.kind == "b" and not each.weak for each in found)
            made = ScalarType("bool") if strong else BOOL
            self.types.nodes[node] = made
            return made
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            inner = self.test(node.expression)
            if inner is None:
                return None
            self.types.nodes[node] = BOOL
            return BOOL
        return self.scalar(node)

    def as_scalar(self, found: Type | None, node: cst.BaseExpression) -> ScalarType | None:
        """The type of an expression, `found`, that must be a scalar."""
        if found is None or isinstance(found, ScalarType):
            return found
        instead = "index the array: write the loop out"
        if isinstance(found, TupleType):
            instead = "name the entries, `x, y = ...`, and write out what is meant for each"
        self.report("SOMD402", f"a scalar is expected here, this is {found}", node, instead)
        return None

    def any(self, node: cst.BaseExpression) -> Type | None:
        found = self._any(node)
        if found is not None:
            self.types.nodes[node] = found
        return found

    def literal(self, node: cst.BaseExpression) -> Literal:
        """The value of a literal (with sign), else None."""
        if isinstance(node, cst.Integer | cst.Float | cst.Imaginary):
            return number_of(node)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            inner = self.literal(node.expression)
            return None if inner is None else -inner
        if isinstance(node, cst.Name) and node.value in ("True", "False"):
            return node.value == "True"
        if isinstance(node, cst.Name | cst.Attribute):
            value = evaluate(node, self.method.namespace, self.method.local_names)
            return value if type(value) in (int, float, complex) else None  # type: ignore[return-value]
        return number_of_text(node, self.method)

    def _any(self, node: cst.BaseExpression) -> Type | None:
        if isinstance(node, cst.Integer):
            return INT
        if isinstance(node, cst.Float):
            return FLOAT
        if isinstance(node, cst.Imaginary):
            return COMPLEX
        if isinstance(node, cst.Name):
            return self._name(node)
        if isinstance(node, cst.Attribute):
            return self._attribute(node)
        if isinstance(node, cst.Subscript):
            return self._subscript(node)
        if isinstance(node, cst.BinaryOperation):
            return self._operation(node)
        if isinstance(node, cst.UnaryOperation):
            return self._unary(node)
        if isinstance(node, cst.Comparison):
            return self._comparison(node)
        if isinstance(node, cst.BooleanOperation):
            return self._boolean(node)
        if isinstance(node, cst.IfExp):
            self.test(node.test)
            return self.chosen(node)
        if isinstance(node, cst.Call):
            return self.calls.call(node)
        if isinstance(node, cst.Tuple):
            parts = [self.any(element.value) for element in node.elements]
            plain = tuple(p for p in parts if isinstance(p, ScalarType | ArrayType))
            if any(isinstance(part, TupleType) for part in parts):
                self.report("SOMD402", "a tuple in a tuple is not made here", node, "let one tuple have all entries")
            return TupleType(plain) if len(plain) == len(parts) else None
        message, helps = "this expression is not supported in a SOMD method", "use numbers and array elements"
        if isinstance(node, cst.List):
            message, helps = "a list is no array here", "make one: `np.array([x, y])`, with rows of one length"
        self.report("SOMD202", message, node, helps)
        return None

    def _operation(self, node: cst.BinaryOperation) -> Type | None:
        sides = self.any(node.left), self.any(node.right)
        if isinstance(node.operator, cst.MatrixMultiply):
            return self.reductions.product(node, *sides, operator.matmul)
        if ARRAY in map(type, sides) and type(node.operator) in BINARY:
            return self.whole(BINARY[type(node.operator)], sides, (node.left, node.right), node)
        if isinstance(node.operator, cst.Add) and all(map(is_shape, sides)):
            self.types.whole = True
            return TupleType((INT,) * sum(len(side.elements) for side in sides if isinstance(side, TupleType)))
        left, right = self.as_scalar(sides[0], node.left), self.as_scalar(sides[1], node.right)
        if left is None or right is None:
            return None
        return self.binary(type(node.operator), left, right, (node.left, node.right), node)

    def whole(
        self,
        function: Callable[..., object],
        found: Sequence[Type | None],
        operands: Sequence[cst.BaseExpression],
        node: cst.BaseExpression,
    ) -> Type | None:
        """The type of an operation on arrays, element by element."""
        known = tuple(each for each in found if each is not None)
        if len(known) < len(found):
            return None
        self.types.whole = True
        try:
            return applied(function, known, tuple(map(self.literal, operands)))
        except NotTyped as error:
            names = " and ".join(f"`{each}`" for each in known)
            self.report("SOMD402", f"NumPy does not do this with {names}: {error}", node, "convert one of them")
            return None

    def _name(self, node: cst.Name) -> Type | None:
        name = node.value
        if name in self.method.local_names:
            return self.types.names.get(name)
        if name in ("True", "False"):
            return BOOL
        return self._captured(node)

    def _captured(self, node: cst.Name | cst.Attribute) -> Type | None:
        value = evaluate(node, self.method.namespace, self.method.local_names)
        text = cst.Module([]).code_for_node(node)
        if value is MISSING:
            self.report("SOMD204", f"`{text}` is not defined", node, "define it before the method, or pass it in")
            return None
        if value is None:
            self.report("SOMD204", f"`{text}` is None here, and used as a value", node, f"test it: `{text} is None`")
            return None
        try:
            return type_of_value(value)
        except NotTyped as error:
            message = f"`{text}` is {error}: only numbers and arrays of numbers are captured"
            instead = instead_of(value) or "take the numbers out of it before the call, and pass them"
            self.report("SOMD204", message, node, instead)
            return None

    def _attribute(self, node: cst.Attribute) -> Type | None:
        if isinstance(node.value, cst.Name) and node.value.value in self.method.local_names:
            base = self.types.names.get(node.value.value)
            if isinstance(base, ArrayType):
                if node.attr.value == "shape":
                    return TupleType((INT,) * base.ndim)
                if node.attr.value in ("size", "ndim"):
                    return INT
            if isinstance(base, ArrayType) and node.attr.value in OF_ARRAYS:
                return self._of_array(node)
            if base is not None and not isinstance(base, ScalarType):
                text = f"`.{node.attr.value}` of {base} is not supported"
                helps = "`shape`, `size` and `ndim` of arrays are"
                if isinstance(base, ArrayType) and node.attr.value == "flat":
                    helps = _loops_over(node.value.value, base.ndim)
                self.report("SOMD202", text, node, helps)
                return None
        if evaluate(node.value, self.method.namespace, self.method.local_names) is not MISSING:
            return self._captured(node)
        return self._part(node)

    def _of_array(self, node: cst.Attribute) -> Type | None:
        """`a.T`, `a.real` and `a.imag`"""
        return self.whole(operator.attrgetter(node.attr.value), (self.any(node.value),), (node.value,), node)

    def _part(self, node: cst.Attribute) -> Type | None:
        """`z.real` and `z.imag`, and what an array that has no name is asked for."""
        found, name = self.any(node.value), node.attr.value
        if isinstance(found, ArrayType) and name in OF_ARRAYS:
            return self._of_array(node)
        if isinstance(found, ArrayType) and name in ("shape", "size", "ndim"):
            self.types.whole = True
            return TupleType((INT,) * found.ndim) if name == "shape" else INT
        base = self.as_scalar(found, node.value)
        if base is None:
            return None
        if name not in functions.PARTS or base.kind == "b":
            text = f"`.{name}` of `{base}` is not supported"
            self.report("SOMD202", text, node, "numbers have `real` and `imag` here")
            return None
        return apply(operator.attrgetter(name), plain(base))

    def _subscript(self, node: cst.Subscript) -> Type | None:
        base = self.any(node.value)
        if isinstance(base, ArrayType) and self._is_part(node, base):
            return self.parts.part(node, base)
        indexes = index_expressions(node)
        if isinstance(base, TupleType):
            entries = chosen_entries(node, len(base.elements), self.method)
            if entries is not None and is_shape(base):
                self.types.whole = True
                return TupleType((INT,) * len(entries))
            position = self.literal(indexes[0]) if len(indexes) == 1 else None
            if isinstance(position, int) and -len(base.elements) <= position < len(base.elements):
                self.scalar(indexes[0])
                return base.elements[position]
            text = f"a tuple that the method makes is indexed with a constant inside it: {base}"
            self.report(
                "SOMD403",
                text,
                node,
                "make it outside of the method, where a variable may index it, and loops run over it",
            )
            return None
        for index in indexes:
            found = self.scalar(index)
            if found is not None and found.kind not in "iu":
                self.report("SOMD402", f"an index is an integer, this is `{found}`", index, "convert it with `int()`")
        if base is None:
            return None
        if not isinstance(base, ArrayType):
            self.report("SOMD402", f"`{base}` cannot be indexed", node, "pass an array")
            return None
        if not isinstance(node.value, cst.Name):
            self.types.whole = True
        if len(indexes) != base.ndim:
            message = f"an array of {base.ndim} dimensions is indexed with {len(indexes)}"
            self.report("SOMD403", message, node, "give one index for each dimension")
            return None
        return base.element

    def _is_part(self, node: cst.Subscript, base: ArrayType) -> bool:
        """Whether a subscript of such an array is an array, too."""
        items = items_of(node, self.method)
        if len(items) < base.ndim or any(isinstance(item, cst.Slice | Mark) for item in items):
            return True
        whole = ArrayType | TupleType
        return any(isinstance(item, cst.BaseExpression) and isinstance(self.any(item), whole) for item in items)

    def binary(
        self,
        kind: type[cst.CSTNode],
        left: ScalarType,
        right: ScalarType,
        operands: tuple[cst.BaseExpression, cst.BaseExpression],
        node: cst.CSTNode,
    ) -> ScalarType | None:
        """The type of an arithmetic operation."""
        left_node, right_node = operands
        if kind not in BINARY:
            self.report("SOMD202", "this operator is not supported", node, "use + - * / // % ** & | ^ << >>")
            return None
        if kind is cst.Power and left.kind in "biu" and right.kind in "iu":
            exponent = self.literal(right_node)
            known = isinstance(exponent, int) and exponent >= 0
            if right.kind != "u" and not known and not self.naturals.natural(right_node):
                message, helps = "an integer power with this exponent may be a fraction", "use a float base"
                if not (left.weak and right.weak):
                    message = "an integer power with this exponent may have no value: NumPy raises ValueError below 0"
                    helps = "let the exponent be one that cannot be negative, `np.uint8(n)`, or the base a float"
                if isinstance(right_node, cst.Name) and self.naturals.set_once(right_node.value):
                    said = f"`assert {right_node.value} >= 0`"
                    helps = f"say before that the exponent is not negative, {said}, or let the base be a float"
                self.report("SOMD405", message, node, helps)
                return None
        bools = left.kind == right.kind == "b" and not (left.weak and right.weak)
        if bools and kind not in (cst.BitAnd, cst.BitOr, cst.BitXor):
            helps = "write `|` or `&` for truth values, `int()` around them to count"
            self.report("SOMD402", "arithmetic on two NumPy bools gives a bool, not a number", node, helps)
            return None
        values = [self.literal(n) for n in (left_node, right_node)]
        try:
            return result_of(BINARY[kind], (left, right), values)
        except PathDependent as error:
            self.path_dependent(error, node)
            return None
        except NotTyped as error:
            self.report(
                "SOMD402", f"`{left}` and `{right}` do not go together here: {error}", node, "convert one of them"
            )
            return None

    def path_dependent(self, error: PathDependent, node: cst.CSTNode) -> None:
        kind = plain(error.strong)
        message = f"a `{kind}` that may be a Python number: NumPy's result depends on the path"
        helps = f"let each of its values be one: `np.{kind.dtype}(...)`"
        if kind.weak:
            message = f"a Python `{kind}` that is of another kind on some paths: NumPy's result depends on the path"
            helps = f"give it one type: `{kind}(...)`, or write `0.0` for `0` where it is a float else"
        self.report("SOMD401", message, node, helps)

    def _unary(self, node: cst.UnaryOperation) -> Type | None:
        if isinstance(node.operator, cst.Not):
            return None if self.test(node.expression) is None else BOOL
        found = self.any(node.expression)
        if isinstance(found, ArrayType) and type(node.operator) in UNARY:
            return self.whole(UNARY[type(node.operator)], (found,), (node.expression,), node)
        inner = self.as_scalar(found, node.expression)
        if inner is None:
            return None
        try:
            return result_of(UNARY[type(node.operator)], (inner,), (None,))
        except PathDependent as path:
            self.path_dependent(path, node)
            return None
        except NotTyped as error:
            self.report("SOMD402", f"this operator is not defined on `{inner}`: {error}", node, "convert the operand")
            return None

    def _comparison(self, node: cst.Comparison) -> Type | None:
        if len(node.comparisons) == 1:
            sides = node.left, node.comparisons[0].comparator
            found = self.any(sides[0]), self.any(sides[1])
            if ARRAY in map(type, found):
                return self.whole(COMPARISONS[type(node.comparisons[0].operator)], found, sides, node)
        left, left_node = self.scalar(node.left), node.left
        parts: list[ScalarType] = []
        for target in node.comparisons:
            right = self.scalar(target.comparator)
            if left is None or right is None:
                return None
            if "c" in (left.kind, right.kind) and not self._compared(node, target):
                return None
            function = COMPARISONS[type(target.operator)]
            values = self.literal(left_node), self.literal(target.comparator)
            try:
                parts.append(result_of(function, (left, right), values, compares=True))
            except PathDependent as path:
                self.path_dependent(path, node)
                return None
            left, left_node = right, target.comparator
        return BOOL if all(p.weak for p in parts) else joined((p, None) for p in parts if not p.weak)

    def _compared(self, node: cst.Comparison, target: cst.ComparisonTarget) -> bool:
        """Whether complex numbers may be compared so; what may not is reported."""
        if not isinstance(target.operator, cst.Equal | cst.NotEqual):
            self.report("SOMD402", "complex numbers have no order", node, "compare `abs(z)`, `z.real` or `z.imag`")
            return False
        if len(node.comparisons) > 1:
            message = "a chained comparison of complex numbers is not supported"
            self.report("SOMD402", message, node, "write two, with `and` between")
            return False
        return True

    def _boolean(self, node: cst.BooleanOperation) -> ScalarType | None:
        parts = [self.scalar(node.left), self.scalar(node.right)]
        for part, side in zip(parts, (node.left, node.right), strict=True):
            if part is not None and part.kind != "b":
                self.report(
                    "SOMD402", f"`and` and `or` take truth values, this is `{part}`", side, "compare it: `x != 0`"
                )
                return None
        known = [(part, self.literal(side)) for part, side in zip(parts, (node.left, node.right), strict=True) if part]
        return joined(known) if len(known) == len(parts) else None

    def chosen(self, node: cst.IfExp) -> Type | None:
        """The type of `x if test else y`."""
        found = [self.any(node.body), self.any(node.orelse)]
        if not any(isinstance(each, ArrayType) for each in found):
            return self.one_of([node.body, node.orelse], node)
        self.types.whole = True
        if found[0] != found[1] and None not in found:
            message = f"the value is `{found[0]}` or `{found[1]}`"
            self.report("SOMD401", message, node, "let both be arrays of one dtype and number of dimensions")
            return None
        return found[0]

    def one_of(self, nodes: list[cst.BaseExpression], node: cst.BaseExpression) -> ScalarType | None:
        """The type of a value that is one of several expressions."""
        found = [(self.scalar(each), self.literal(each)) for each in nodes]
        known = [(each, literal) for each, literal in found if each is not None]
        if len(known) != len(found):
            return None
        try:
            return joined(known)
        except NotTyped as error:
            strong = next((each.dtype for each, _ in known if not each.weak), None)
            helps = "convert them to one type"
            if strong is not None and any(each.weak for each, _ in known):
                named = next(
                    (n.value for n, (t, _) in zip(nodes, known, strict=True) if t.weak and isinstance(n, cst.Name)), ""
                )
                number = f"`{named}`" if named else "the Python number"
                where = " where it is set" if named else ""
                helps += f": let {number} be one of NumPy's{where}, `np.{strong}(...)`"
            self.report("SOMD401", f"the value has one of several types: {error}", node, helps)
            return None


def _loops_over(array: str, rank: int) -> str:
    """What goes through all elements of an array in C order, instead of `flat`."""
    names = [f"i{axis}" for axis in range(rank)] if rank > 3 else list("ijk"[:rank])
    loops = [f"for {name} in range({array}.shape[{axis}]):" for axis, name in enumerate(names)]
    return f"write `{' '.join(loops)}` with `{array}[{', '.join(names)}]`, or for all at once `{array}[...] = e`"
