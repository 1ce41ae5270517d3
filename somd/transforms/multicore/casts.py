"""Rewrites expressions so that Numba computes them with NumPy's types (NEP 50), and accesses so that they are safe.

Numba promotes by rules of its own: `float32 * 2.0` is a float64 there, `uint8 + 1` an int64. Where that differs,
operands and results are cast; where it does not (float64, int64, Python numbers among themselves) the text stays.

    a[i] * 0.5      ->  a[i] * np.float32(0.5)             for a float32 array
    b[i] + c[i]     ->  np.int32(b[i] + c[i])              for int32 arrays
    x[col[k]]       ->  load(x, (col[k],), 3, faults, rank)  where the index must be tested
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

import libcst as cst
import numpy as np

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.frontend.number_texts import number_of_text
from somd.transforms.frontend.raises import raising_of
from somd.transforms.multicore.comparisons import compared, is_near
from somd.transforms.multicore.complex_calls import complex_call
from somd.transforms.multicore.elementary_calls import elementary_call, elementary_power
from somd.transforms.multicore.numpy_calls import numpy_call, rounded, unsigned
from somd.transforms.reserved import apart
from somd.transforms.stages import Method, RaiseSite, Site
from somd.transforms.tree.names import MISSING, evaluate
from somd.transforms.tree.walking import Transformer
from somd.transforms.types.functions import OPERATORS
from somd.transforms.types.long_literals import is_long
from somd.transforms.types.scalars import AUGMENTED, BOOL, INT, ArrayType, ScalarType, TupleType, Type
from somd.transforms.types.typing_table import Callee, Types

SAME_IN_NUMBA = ("int64", "float64")
FLOAT_MATH = "float64"
#: whether Numba multiplies complex numbers as Python does from 3.14 on, and not as NumPy
PRODUCTS_OF_PYTHON = sys.version_info >= (3, 14)
#: functions of `math` that Numba has elsewhere or not at all, with the type that they are computed in
MATH_ELSEWHERE = {
    "fmod": ("np.fmod", "float64"),
    "gcd": ("math.gcd", "int64"),
    "isqrt": ("python_isqrt", "int64"),
}


@dataclass
class Rewriting:
    """How accesses of a function are rewritten.

    `guarded` ones are tested: by `load` and `store` in a slave, `slave` being the text of fault table, rank and place
    of the iteration; by `index_of` in a master. `renames` replaces names (lanes of reductions).
    """

    method: Method
    types: Types
    guarded: Mapping[cst.Subscript, tuple[Site, ...]] = field(default_factory=dict)
    slave: tuple[str, str, str] | None = None
    #: the sites of `raise` statements, by their names, and the master's name of the fault table
    raises: Mapping[str, RaiseSite] = field(default_factory=dict)
    table: str = "faults"
    renames: Mapping[str, cst.BaseExpression] = field(default_factory=dict)
    constants: dict[str, object] = field(default_factory=dict)
    uses_math: bool = False
    #: products into accumulators that may stand for none; see `products`
    joining: frozenset[cst.CSTNode] = frozenset()

    @property
    def helpers(self) -> set[str]:
        return {instance.name for instance in self.types.helpers.values()}


class Rewriter(Transformer):
    """The transformer over statements and expressions of one function."""

    def __init__(self, rewriting: Rewriting) -> None:
        super().__init__()
        self.how = rewriting
        self.types = rewriting.types
        self.stores: set[cst.Subscript] = set()

    # --- names ---------------------------------------------------------------------------------------------------

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return self._constant(node) is None

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        constant = self._constant(original_node)
        return updated_node.with_changes(attr=original_node.attr) if constant is None else constant

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def _constant(self, node: cst.Attribute) -> cst.BaseExpression | None:
        """The literal for a captured number that is reached through a module or object."""
        value = evaluate(node, self.how.method.namespace, self.how.method.local_names)
        return literal(value) if isinstance(value, int | float | complex | np.generic) else None

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        name = original_node.value
        if name in self.how.renames:
            return self.how.renames[name]
        if (
            name not in self.how.method.local_names
            and original_node in self.types.nodes
            and name not in ("True", "False")
        ):
            value = evaluate(original_node, self.how.method.namespace, self.how.method.local_names)
            if isinstance(value, int | float | complex | np.generic) and value is not MISSING:
                return cst.Name(self._named(name, value))
        return updated_node

    def _named(self, name: str, value: object) -> str:
        """The module-level name for a captured number: its own, unless that stands for something else there."""
        constants, key = self.how.constants, (type(value), repr(value))
        name = apart(name)
        while (name in constants and (type(constants[name]), repr(constants[name])) != key) or (
            name in self.how.helpers or (name + "_" in constants and name in self.how.method.local_names)
        ):
            name += "_"
        constants[name] = value
        return name

    # --- operators -----------------------------------------------------------------------------------------------

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        left, right, result = (self._scalar(n) for n in (original_node.left, original_node.right, original_node))
        if left is None or right is None or result is None:
            return updated_node
        return self._binary(updated_node, left, right, result, original_node in self.how.joining)

    def _binary(
        self, node: cst.BinaryOperation, left: ScalarType, right: ScalarType, result: ScalarType, joins: bool = False
    ) -> cst.BaseExpression:
        if is_quotient_of_python(node, left, right):
            return call("python_quotient", converted(node.left, left, "int64"), converted(node.right, right, "int64"))
        function = "join_products" if joins else _careful(node, left, right, result)
        if function is not None:
            operands = (converted(node.left, left, result.dtype), converted(node.right, right, result.dtype))
            made = call(function, *operands)
            return cast(made, result.dtype) if result.narrow else made
        power = elementary_power(node, left, right, result)
        if power is not None:
            return power
        if result == INT and any(map(is_long, (node.left, node.right))):  # Numba makes floats of them
            wrapped = (cast(each, INT.dtype) if is_long(each) else each for each in (node.left, node.right))
            return node.with_changes(**dict(zip(("left", "right"), wrapped, strict=True)))
        if not _differs(left, right, result):
            return node
        left_text, right_text = node.left, node.right
        if not isinstance(node.operator, cst.LeftShift | cst.RightShift) or result.dtype not in SAME_IN_NUMBA:
            left_text = converted(node.left, left, result.dtype)
            right_text = converted(node.right, right, result.dtype)
        changed = node.with_changes(left=left_text, right=right_text)
        return cast(changed, result.dtype) if result.kind in "iu" and result.dtype != "int64" else changed

    def leave_UnaryOperation(
        self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation
    ) -> cst.BaseExpression:
        result = self._scalar(original_node)
        operand = self._scalar(original_node.expression)
        if result == INT and operand == BOOL:
            return updated_node.with_changes(expression=cast(updated_node.expression, INT.dtype))
        if result is None or isinstance(original_node.operator, cst.Not) or not result.narrow:
            return updated_node
        return cast(updated_node, result.dtype) if result.kind in "iu" else updated_node

    def leave_Comparison(self, original_node: cst.Comparison, updated_node: cst.Comparison) -> cst.BaseExpression:
        operands = [original_node.left, *(t.comparator for t in original_node.comparisons)]
        kinds = [self._scalar(o) for o in operands]
        known = [kind for kind in kinds if kind is not None]
        return compared(updated_node, known) if len(known) == len(kinds) else updated_node

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.BaseExpression:
        result = self._scalar(original_node)
        if result is None:
            return updated_node
        return updated_node.with_changes(
            body=self._as(updated_node.body, original_node.body, result),
            orelse=self._as(updated_node.orelse, original_node.orelse, result),
        )

    # --- calls ---------------------------------------------------------------------------------------------------

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        callee = self.types.calls.get(original_node)
        result = self.types.nodes.get(original_node)
        if callee is None:
            return updated_node
        number = number_of_text(original_node, self.how.method)
        if number is not None:
            return literal(number)
        if callee.kind == "helper":
            return updated_node.with_changes(func=cst.Name(callee.name))
        if isinstance(result, ScalarType) and callee.kind in ("builtin", "cast", "cmath", "method", "numpy"):
            of_complex = self._complex(original_node, updated_node, callee, result)
            if of_complex is not None:
                return of_complex
        if callee.kind == "builtin":
            if not isinstance(updated_node.func, cst.Name) or updated_node.func.value != callee.name:
                updated_node = updated_node.with_changes(func=cst.Name(callee.name))  # it goes by another name here
            if callee.name in ("min", "max") and isinstance(result, ScalarType):
                pairs = zip(updated_node.args, original_node.args, strict=True)
                args = [new.with_changes(value=self._as(new.value, old.value, result)) for new, old in pairs]
                return updated_node.with_changes(args=args)
            if callee.name in ("pow", "divmod", "round") and len(original_node.args) == 2:
                return self._of_two(original_node, updated_node, callee.name)
            if callee.name == "round" and isinstance(result, ScalarType) and len(original_node.args) == 1:
                kind = self._scalar(original_node.args[0].value)
                if kind is not None and kind.kind in "bui":  # Numba goes through float
                    return parenthesised(converted(updated_node.args[0].value, kind, result.dtype))
            if callee.name == "abs" and isinstance(result, ScalarType) and result.kind == "b":
                return parenthesised(updated_node.args[0].value)  # Numba makes an int of it
            if callee.name == "abs" and isinstance(result, ScalarType) and result.narrow and result.kind in "iu":
                return cast(updated_node, result.dtype)
            if callee.name == "int" and len(updated_node.args) == 1:
                return self._as_int(original_node.args[0].value, updated_node)
            if callee.name == "float" and len(updated_node.args) == 1:
                return self._as_float(original_node.args[0].value, updated_node)
            return updated_node
        if callee.kind == "math":
            kinds = [self._scalar(a.value) for a in original_node.args]
            own = elementary_call(callee.name, [a.value for a in updated_node.args], kinds, FLOAT_MATH)
            if own is not None:
                return own
            if callee.name in MATH_ELSEWHERE:
                function, dtype = MATH_ELSEWHERE[callee.name]
                self.how.uses_math |= function.startswith("math")
                sizes = dtype == "int64" and any(kind is not None and kind.dtype == "uint64" for kind in kinds)
                values = [a.value for a in updated_node.args]
                if sizes:
                    return cast(call_of(cst.parse_expression(function), *(call("size_of", v) for v in values)), dtype)
                values = [converted(value, kind, dtype) for value, kind in zip(values, kinds, strict=True)]
                return call_of(cst.parse_expression(function), *values)
            self.how.uses_math = True
            args = [
                new.with_changes(value=self._wide(new.value, old.value))
                for new, old in zip(updated_node.args, original_node.args, strict=True)
            ]
            return updated_node.with_changes(func=attribute("math", callee.name), args=args)
        if callee.kind in ("allocate", "like") and isinstance(result, ArrayType):
            return self._allocation(original_node, updated_node, callee.name, result)
        if callee.kind == "cast" and len(original_node.args) == 1:
            only = unsigned(updated_node.args[0].value, self._scalar(original_node.args[0].value), callee.name)
            if only is not None:
                return only
        if callee.kind == "cast":
            name = "bool_" if callee.name == "bool" else callee.name
            return updated_node.with_changes(func=attribute("np", name))
        if callee.kind == "numpy":
            return self._numpy(original_node, updated_node, callee.name, result)
        return updated_node

    def _operation(
        self,
        operator: type[cst.BaseBinaryOp],
        nodes: list[cst.BaseExpression],
        kinds: list[ScalarType],
        result: ScalarType,
    ) -> cst.BaseExpression:
        """An operator that was written as a call."""
        left, right = (parenthesised(n) if not isinstance(n, cst.Name | cst.Call) else n for n in nodes)
        if not result.weak and all(kind.weak for kind in kinds):
            kinds = [ScalarType(kind.dtype) for kind in kinds]
        return parenthesised(self._binary(cst.BinaryOperation(left, operator(), right), kinds[0], kinds[1], result))

    def _of_two(self, original: cst.Call, updated: cst.Call, name: str) -> cst.BaseExpression:
        """`pow(x, y)`, `divmod(x, y)` and `round(x, places)`"""
        before, after = [a.value for a in original.args], [a.value for a in updated.args]
        kinds = [kind for node in before if (kind := self._scalar(node)) is not None]
        result = self.types.nodes.get(original)
        if isinstance(result, TupleType):
            whole, rest = (part for part in result.elements if isinstance(part, ScalarType))
            quotient = self._operation(cst.FloorDivide, after, kinds, whole)
            return cst.Tuple([cst.Element(quotient), cst.Element(self._operation(cst.Modulo, after, kinds, rest))])
        assert isinstance(result, ScalarType)
        return rounded(after, kinds, result) if name == "round" else self._operation(cst.Power, after, kinds, result)

    def _complex(
        self, original: cst.Call, updated: cst.Call, callee: Callee, result: ScalarType
    ) -> cst.BaseExpression | None:
        if callee.kind == "method":
            assert isinstance(original.func, cst.Attribute) and isinstance(updated.func, cst.Attribute)
            before, after = [original.func.value], [updated.func.value]
        else:
            before, after = [a.value for a in original.args], [a.value for a in updated.args]
        kinds = [kind for node in before if (kind := self._scalar(node)) is not None]
        return complex_call(callee, after, kinds, result) if kinds and len(kinds) == len(before) else None

    def _as_float(self, argument: cst.BaseExpression, updated: cst.Call) -> cst.Call:
        """`float(x)`, which Numba leaves a float32 where `x` is one, and does not know of a bool."""
        kind = self._scalar(argument)
        widens = kind is not None and (kind.dtype == "float32" or kind.kind == "b")
        return cast(updated.args[0].value, FLOAT_MATH) if widens else updated

    def _as_int(self, argument: cst.BaseExpression, updated: cst.Call) -> cst.Call:
        """`int(x)`, which Numba leaves narrow or unsigned where `x` is."""
        kind = self._scalar(argument)
        whole = kind is not None and kind.kind in "bui" and kind.dtype != "int64"
        return cast(updated.args[0].value, "int64") if whole else updated

    def _numpy(self, original: cst.Call, updated: cst.Call, name: str, result: Type | None) -> cst.BaseExpression:
        before, after = [a.value for a in original.args], [a.value for a in updated.args]
        known = [kind for node in before if (kind := self._scalar(node)) is not None]
        if isinstance(result, ScalarType) and len(known) == len(before):
            if name in OPERATORS:
                return self._operation(OPERATORS[name], after, known, result)
            if name == "power":
                return self._operation(cst.Power, after, known, result)
            own = numpy_call(name, after, known, result) or elementary_call(name, after, known, result.dtype)
            if own is not None:
                return own
        changed = updated.with_changes(func=attribute("np", name))
        if not isinstance(result, ScalarType) or result.kind == "b":
            return changed
        kinds = [self._scalar(a.value) for a in original.args]
        if all(k is not None and not k.narrow for k in kinds):
            return changed
        args = [
            new.with_changes(value=converted(new.value, kind, result.dtype)) if kind is not None else new
            for new, kind in zip(updated.args, kinds, strict=True)
        ]
        changed = changed.with_changes(args=args)
        return cast(changed, result.dtype) if result.kind in "iu" and result.narrow else changed

    def _allocation(self, original: cst.Call, updated: cst.Call, name: str, result: ArrayType) -> cst.BaseExpression:
        dtype = attribute("np", "bool_" if result.dtype == "bool" else result.dtype)
        kept = [a for a in updated.args if a.keyword is None][: 2 if name in ("full", "full_like") else 1]
        bare = [a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in kept]
        if name == "copy" or (name.endswith("_like") and len(updated.args) == len(bare)):
            return updated.with_changes(func=attribute("np", name), args=bare)
        return updated.with_changes(func=attribute("np", name), args=[*bare, cst.Arg(dtype)])

    # --- accesses ------------------------------------------------------------------------------------------------

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
        sites = self.how.guarded.get(original_node)
        if sites is None or original_node in self.stores:
            return updated_node
        if self.how.slave is None:
            return self._checked(updated_node, sites)
        ending = [cst.parse_expression(text) for text in self.how.slave]
        indexes = index_tuple(updated_node)
        return call("load", updated_node.value, indexes, integer(sites[0].number), *ending)

    def _checked(self, node: cst.Subscript, sites: tuple[Site, ...]) -> cst.Subscript:
        parts = []
        for axis, index in enumerate(index_expressions(node)):
            length = cst.parse_expression(f"{cst.Module([]).code_for_node(node.value)}.shape[{axis}]")
            checked = call("index_of", index, length, integer(sites[axis].number))
            parts.append(cst.SubscriptElement(cst.Index(checked)))
        return node.with_changes(slice=parts)

    # --- statements ----------------------------------------------------------------------------------------------

    def visit_Assign(self, node: cst.Assign) -> None:
        self._note_store(node.targets[0].target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._note_store(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._note_store(node.target)

    def _note_store(self, target: cst.BaseExpression) -> None:
        if isinstance(target, cst.Subscript) and self.how.slave is not None:
            self.stores.add(target)
        elif isinstance(target, cst.Tuple):
            for element in target.elements:
                self._note_store(element.value)

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.BaseSmallStatement:
        target, value = original_node.targets[0].target, updated_node.value
        return self._assigned(target, updated_node.targets[0].target, original_node.value, value, updated_node)

    def leave_AnnAssign(self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign) -> cst.BaseSmallStatement:
        if updated_node.value is None or original_node.value is None:
            return cst.Pass()
        plain = cst.Assign([cst.AssignTarget(updated_node.target)], updated_node.value)
        return self._assigned(original_node.target, updated_node.target, original_node.value, updated_node.value, plain)

    def _assigned(
        self,
        target: cst.BaseExpression,
        new_target: cst.BaseExpression,
        old_value: cst.BaseExpression,
        value: cst.BaseExpression,
        statement: cst.Assign,
    ) -> cst.BaseSmallStatement:
        if isinstance(target, cst.Name):
            wanted = self.types.names.get(target.value)
            if isinstance(wanted, ScalarType):
                statement = statement.with_changes(value=self._as(value, old_value, wanted))
            return statement
        if isinstance(target, cst.Subscript):
            element = self._scalar(target)
            kept = unsigned(value, self._scalar(old_value), element.dtype) if element is not None else None
            if kept is not None:
                value, statement = kept, statement.with_changes(value=kept)
            return self._stored(target, new_target, value, statement)
        if isinstance(target, cst.Tuple) and isinstance(old_value, cst.Tuple) and isinstance(value, cst.Tuple):
            elements = []
            for name, old, new in zip(target.elements, old_value.elements, value.elements, strict=True):
                wanted = self.types.names.get(name.value.value) if isinstance(name.value, cst.Name) else None
                converted_value = (
                    self._as(new.value, old.value, wanted) if isinstance(wanted, ScalarType) else new.value
                )
                elements.append(new.with_changes(value=converted_value))
            return statement.with_changes(value=value.with_changes(elements=elements))
        return statement

    def _stored(
        self,
        target: cst.Subscript,
        new_target: cst.BaseExpression,
        value: cst.BaseExpression,
        statement: cst.BaseSmallStatement,
    ) -> cst.BaseSmallStatement:
        sites = self.how.guarded.get(target)
        if sites is None or not self.is_guarded(target) or not isinstance(new_target, cst.Subscript):
            return statement
        if self.how.slave is None:
            return statement
        ending = [cst.parse_expression(text) for text in self.how.slave]
        indexes = index_tuple(new_target)
        arguments = (new_target.value, indexes, value, integer(sites[0].number), *ending)
        return cst.Expr(call("store", *arguments))

    def leave_AugAssign(self, original_node: cst.AugAssign, updated_node: cst.AugAssign) -> cst.BaseSmallStatement:
        target, kind = original_node.target, AUGMENTED[type(original_node.operator)]
        left, right = self._scalar(target), self._scalar(original_node.value)
        result = self._scalar(original_node)
        if left is None or right is None or result is None:
            return updated_node
        guarded = self.is_guarded(target)
        wanted = self.types.names.get(target.value) if isinstance(target, cst.Name) else left
        same = isinstance(wanted, ScalarType) and wanted.dtype == result.dtype
        plain_operation = cst.BinaryOperation(updated_node.target, kind(), updated_node.value)
        joins = original_node in self.how.joining
        careful = joins or _careful(plain_operation, left, right, result) is not None
        careful |= is_quotient_of_python(plain_operation, left, right)
        careful |= elementary_power(plain_operation, left, right, result) is not None
        careful |= is_long(original_node.value)
        if not guarded and not _differs(left, right, result) and same and not careful:
            return updated_node
        read: cst.BaseExpression = updated_node.target
        if guarded and isinstance(target, cst.Subscript) and self.how.slave is not None:
            ending = [cst.parse_expression(text) for text in self.how.slave]
            assert isinstance(read, cst.Subscript)
            indexes = index_tuple(read)
            number = integer(self.how.guarded[target][0].number)
            read = call("load", read.value, indexes, number, *ending)
        operand = updated_node.value
        if isinstance(operand, cst.BinaryOperation | cst.IfExp | cst.BooleanOperation | cst.Comparison):
            operand = parenthesised(operand)
        value = self._binary(cst.BinaryOperation(read, kind(), operand), left, right, result, joins)
        if isinstance(target, cst.Name) and isinstance(wanted, ScalarType) and wanted.dtype != result.dtype:
            value = cast(value, wanted.dtype)
        plain = cst.Assign([cst.AssignTarget(updated_node.target)], value)
        return self._stored(target, updated_node.target, value, plain) if isinstance(target, cst.Subscript) else plain

    def leave_Raise(
        self, original_node: cst.Raise, updated_node: cst.Raise
    ) -> cst.FlattenSentinel[cst.BaseSmallStatement]:
        """The values are entered in the fault table, as a fault: the runtime makes the exception."""
        site = self.how.raises[raising_of(original_node, self.how.method)[0]]
        olds, news = (cst.ensure_type(node.exc, cst.Call).args for node in (original_node, updated_node))
        values = [part for old, new in zip(olds, news, strict=True) for part in self._numbers(old.value, new.value)]
        comma = cst.Comma() if len(values) == 1 else cst.MaybeSentinel.DEFAULT
        given = cst.Tuple([cst.Element(value, comma) for value in values])
        where = [cst.parse_expression(text) for text in self.how.slave or (self.how.table, "0", "(0, 0, 0)")]
        noted = call("note_raise", *where[:2], integer(site.number), where[2], given)
        leave = cst.parse_statement("return" if self.how.slave is not None else "raise IndexError(-1)")
        [left] = cst.ensure_type(leave, cst.SimpleStatementLine).body
        return cst.FlattenSentinel([cst.Expr(noted), left])

    def _numbers(self, old: cst.BaseExpression, new: cst.BaseExpression) -> list[cst.BaseExpression]:
        """A value, or the parts of one that is a tuple."""
        found = self.types.nodes.get(old)
        if not isinstance(found, TupleType):
            return [new]
        if isinstance(new, cst.Tuple):
            return [element.value for element in new.elements]
        indexes = (cst.SubscriptElement(cst.Index(integer(k))) for k in range(len(found.elements)))
        return [cst.Subscript(new, [index]) for index in indexes]

    def is_guarded(self, target: cst.BaseExpression) -> bool:
        """Whether an access as a target is still to be tested."""
        return target in self.how.guarded

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.BaseSmallStatement:
        wanted, old, new = self.types.result, original_node.value, updated_node.value
        if new is None or old is None:
            return updated_node
        if isinstance(wanted, ScalarType):
            return updated_node.with_changes(value=self._as(new, old, wanted))
        if isinstance(wanted, TupleType) and isinstance(old, cst.Tuple) and isinstance(new, cst.Tuple):
            triples = zip(new.elements, old.elements, wanted.elements, strict=True)
            parts = [
                n.with_changes(value=self._as(n.value, o.value, w)) if isinstance(w, ScalarType) else n
                for n, o, w in triples
            ]
            return updated_node.with_changes(value=new.with_changes(elements=parts))
        return updated_node

    # --- types ---------------------------------------------------------------------------------------------------

    def _scalar(self, node: cst.CSTNode) -> ScalarType | None:
        found = self.types.nodes.get(node)
        return found if isinstance(found, ScalarType) else None

    def _as(self, node: cst.BaseExpression, original: cst.BaseExpression, wanted: ScalarType) -> cst.BaseExpression:
        return converted(node, self._scalar(original), wanted.dtype)

    def _wide(self, node: cst.BaseExpression, original: cst.BaseExpression) -> cst.BaseExpression:
        kind = self._scalar(original)
        narrow_float = kind is not None and kind.kind == "f" and kind.dtype != FLOAT_MATH
        return cast(node, FLOAT_MATH) if narrow_float else node


def index_tuple(node: cst.Subscript) -> cst.Tuple:
    """The indexes of an access as a tuple of int64."""
    return cst.Tuple([cst.Element(cast(i, "int64")) for i in index_expressions(node)])


def _careful(node: cst.BinaryOperation, left: ScalarType, right: ScalarType, result: ScalarType) -> str | None:
    """The runtime function for an operation whose edge cases Numba and the processor treat in their own way."""
    if result.kind == "c":
        own = "python" if left.weak and right.weak else "complex"
        if isinstance(node.operator, cst.Multiply):
            return "complex_multiply" if own == "complex" and PRODUCTS_OF_PYTHON else None
        return {cst.Divide: f"{own}_divide", cst.Power: f"{own}_power"}.get(type(node.operator))
    constant = node.right
    while isinstance(constant, cst.Call) and len(constant.args) == 1:
        constant = constant.args[0].value
    if isinstance(constant, cst.Integer):
        bits = np.dtype(result.dtype).itemsize * 8
        fits = 0 <= constant.evaluated_value < bits
        if isinstance(node.operator, cst.LeftShift | cst.RightShift) and fits:
            return None
        if isinstance(node.operator, cst.FloorDivide) or (isinstance(node.operator, cst.Power) and fits):
            return None
    if isinstance(node.operator, cst.Power) and result.kind in "iu":
        return "integer_power"
    if isinstance(node.operator, cst.LeftShift):
        return "shift_left"
    if isinstance(node.operator, cst.RightShift):
        return "shift_right"
    if isinstance(node.operator, cst.FloorDivide) and result.dtype == "int64":
        return "floor_divide"
    return None


def is_quotient_of_python(node: cst.BinaryOperation, left: ScalarType, right: ScalarType) -> bool:
    """Whether Python divides two integers, some of which floats may not hold."""
    if not isinstance(node.operator, cst.Divide) or not all(each.weak and each.kind in "bi" for each in (left, right)):
        return False
    return not (is_near(node.left) and is_near(node.right))


def _differs(left: ScalarType, right: ScalarType, result: ScalarType) -> bool:
    """Whether Numba might compute this operation in another type than NumPy."""
    if result.kind == "b":
        return False
    return any(t.narrow or (t.kind == "b") for t in (left, right, result))


def converted(node: cst.BaseExpression, kind: ScalarType | None, dtype: str) -> cst.BaseExpression:
    """`node` of type `kind` as `dtype`; unchanged where it has that dtype."""
    return node if kind is None or kind.dtype == dtype else cast(node, dtype)


def cast(node: cst.BaseExpression, dtype: str) -> cst.Call:
    """`np.dtype(node)`"""
    return call_of(attribute("np", "bool_" if dtype == "bool" else dtype), node)


def parenthesised(node: cst.BaseExpression) -> cst.BaseExpression:
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def attribute(module: str, name: str) -> cst.Attribute:
    return cst.Attribute(cst.Name(module), cst.Name(name))


def integer(value: int) -> cst.BaseExpression:
    return cst.parse_expression(str(value))


def call(function: str, *arguments: cst.BaseExpression) -> cst.Call:
    return call_of(cst.Name(function), *arguments)


def call_of(function: cst.BaseExpression, *arguments: cst.BaseExpression) -> cst.Call:
    return cst.Call(function, [cst.Arg(a) for a in arguments])


def literal(value: object) -> cst.BaseExpression:
    """The text of a captured number."""
    if isinstance(value, np.generic):
        return cst.parse_expression(f"np.{type(value).__name__}({_float_text(value.item())})")
    return cst.parse_expression(_float_text(value))


def _float_text(value: object) -> str:
    if isinstance(value, complex):
        return f"complex({_float_text(value.real)}, {_float_text(value.imag)})"
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"inf": "np.inf", "-inf": "-np.inf"}.get(str(value), "np.nan")
    return repr(value)
