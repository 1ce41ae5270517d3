"""Types of a method for given argument types, by NumPy 2's rules.

In: a `Method` and the types of its parameters. Out: `Types`. A name has one type throughout; names that would need more
are refused (SOMD401), as are operations without a type (SOMD402 to SOMD405) and calls of what is not known (SOMD203).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import libcst as cst
import numpy as np

from somd.diagnostics.model import Collector, Diagnostic, Label
from somd.transforms.frontend.names_apart import names_apart
from somd.transforms.frontend.raises import raising_of
from somd.transforms.frontend.reached import Function, Reached
from somd.transforms.frontend.single_exit import always_returns
from somd.transforms.frontend.unset_names import check_values
from somd.transforms.reserved import BUILTINS, apart
from somd.transforms.stages import Method
from somd.transforms.tree.loops import else_statements, range_of, small_statements, statements_of
from somd.transforms.tree.names import names_read
from somd.transforms.types.array_values import IN_PLACE, applied, stored
from somd.transforms.types.expressions import Expressions
from somd.transforms.types.literals import plain
from somd.transforms.types.long_literals import check_long_literals, is_long
from somd.transforms.types.result_paths import mixed_return
from somd.transforms.types.scalars import (
    AUGMENTED,
    INT,
    ArrayType,
    Literal,
    NotTyped,
    ScalarType,
    TupleType,
    Type,
    joined,
    type_of_value,
)
from somd.transforms.types.several_types import names_of_several_types
from somd.transforms.types.typing_table import HelperInstance, HelpersOfArrays, HelpersRead, Types

MAX_ROUNDS = 20
#: Python's types of numbers, each of which holds those before it
PYTHONS = ("bool", "int", "float", "complex")


def infer_types(method: Method, arguments: Mapping[str, Type]) -> Types:
    """Types of all names and expressions of `method` when called with these argument types.

    Raises:
        SomdCompileError: SOMD203, SOMD204, SOMD4xx, all that were found.
    """
    return _infer(method, Types(names=dict(arguments)), arguments, ())


def with_names_apart(
    method: Method, arguments: Mapping[str, Type], read: HelpersRead | None = None
) -> tuple[Method, Callable[[], Types]]:
    """`method` with names of their own for variables that follow each other under one name, with several types; and
    what `infer_types` gives of it."""
    types = Types(names=dict(arguments), read={} if read is None else read)
    walk = _walked(method, types, arguments, ())
    unclear = any(each.code == "SOMD401" for each in walk.collector.diagnostics)
    names = names_of_several_types(
        {name: [kind for kind, _, _ in found] for name, found in walk.values.items()}, unclear
    )
    apart = names_apart(method, names) if names else method
    if apart is method:
        return method, lambda: _inferred(walk)
    return apart, lambda: infer_types(apart, arguments)


def _infer(method: Method, types: Types, arguments: Mapping[str, Type], active: tuple[object, ...]) -> Types:
    return _inferred(_walked(method, types, arguments, active))


def _inferred(walk: _Walk) -> Types:
    """The types that a walk has found, if nothing is wrong with them."""
    method, types, collector = walk.method, walk.types, walk.collector
    if types.of_arrays:
        raise HelpersOfArrays(types.of_arrays)
    check_long_literals(method, types, collector)
    collector.raise_if_errors()
    assert not walk.untyped, "what is returned has no type, and nothing says why"
    return types


def _walked(method: Method, types: Types, arguments: Mapping[str, Type], active: tuple[object, ...]) -> _Walk:
    """The last of the walks over a method that find the types of its names, and enter them in `types`."""
    for number in range(MAX_ROUNDS):
        before = dict(types.names)
        collector = Collector()
        walk = _Walk(method, types, arguments, collector, active)
        walk.first_round = number == 0
        walk.block(statements_of(method.function.body))
        walk.settle()
        if types.names == before:
            break
    return walk


class _Walk:
    def __init__(
        self,
        method: Method,
        types: Types,
        arguments: Mapping[str, Type],
        collector: Collector,
        active: tuple[object, ...],
    ) -> None:
        self.method = method
        self.types = types
        self.collector = collector
        self.active = active
        self.expressions = Expressions(method, types, collector, self.helper)
        self.values: dict[str, list[tuple[Type, Literal, cst.CSTNode]]] = {}
        self.returns: list[tuple[Type, cst.BaseExpression, cst.CSTNode]] = []
        self.first_round = False
        #: whether a value that is returned has no type
        self.untyped = False
        #: targets of values that are made of what the name was before
        self.derived: set[cst.CSTNode] = set()
        #: values that exceptions tell, with their statements and texts
        self.told: list[tuple[cst.BaseExpression, cst.Raise, str]] = []
        for name, given in arguments.items():
            self.values[name] = [(given, None, method.function.name)]

    def block(self, statements: Sequence[cst.CSTNode]) -> None:
        for node in small_statements(statements):
            self.statement(node)

    def statement(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Assign):
            for target in node.targets:
                self.assign(target.target, node.value)
        elif isinstance(node, cst.AnnAssign) and node.value is not None:
            self.assign(node.target, node.value)
        elif isinstance(node, cst.AugAssign):
            self.augmented(node)
        elif isinstance(node, cst.For):
            self.loop(node)
        elif isinstance(node, cst.While | cst.If):
            self.expressions.test(node.test)
            self.block(statements_of(node.body))
            if isinstance(node, cst.If):
                self.block(else_statements(node))
        elif isinstance(node, cst.With):
            self.block(statements_of(node.body))
        elif isinstance(node, cst.Return) and node.value is not None:
            found = self.expressions.any(node.value)
            self.untyped |= found is None
            if found is not None:
                self.returns.append((found, node.value, node))
        elif isinstance(node, cst.Raise):
            self.raised(node)
        elif isinstance(node, cst.Expr) and not isinstance(node.value, cst.BaseString):
            self.expressions.any(node.value)

    def raised(self, node: cst.Raise) -> None:
        """The values that a `raise` needs: numbers, and tuples of them."""
        name, raising = raising_of(node, self.method)
        kinds: list[Type] = []
        for argument, text in zip(cst.ensure_type(node.exc, cst.Call).args, raising.values, strict=True):
            found = self.expressions.any(argument.value)
            if found is None:
                return
            self.told.append((argument.value, node, text))
            if not numbers(found):
                message = f"`{text}`, a `{found}`, is no value that an exception can be made of"
                self.expressions.report(
                    "SOMD402", message, node, "name what it tells of it: an element, `len`, `shape`"
                )
                return
            kinds.append(found)
        self.types.raised[name] = tuple(kinds)

    def loop(self, node: cst.For) -> None:
        header = range_of(node)
        if header is None:
            return
        for limit in (header.start, header.stop, header.step):
            found = self.expressions.scalar(limit)
            if found is not None and found.kind not in "iu":
                self.expressions.report("SOMD402", f"`range` of a `{found}`", limit, "use integers")
        self.take(header.variable, INT, None, node.target)
        self.block(statements_of(node.body))

    def assign(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            if len(target.elements) != len(value.elements):
                message = f"{len(value.elements)} values for {len(target.elements)} names"
                self.expressions.report("SOMD402", message, target, "give each name one value")
            else:
                for left, right in zip(target.elements, value.elements, strict=True):
                    self.assign(left.value, right.value)
            return
        found = self.expressions.any(value)
        if found is None:
            return
        if isinstance(target, cst.Name) and target.value in names_read(value):
            self.derived.add(target)
        if isinstance(target, cst.Tuple):
            if isinstance(found, ArrayType):
                self.types.whole = True
                row = ArrayType(found.dtype, found.ndim - 1) if found.ndim > 1 else found.element
                for element in target.elements:
                    self.bind(element.value, row, None)
            elif isinstance(found, TupleType) and len(found.elements) == len(target.elements):
                for element, part in zip(target.elements, found.elements, strict=True):
                    self.bind(element.value, part, None)
            else:
                self.expressions.report(
                    "SOMD402", "this value cannot be unpacked so", target, "name the values one by one"
                )
            return
        others = _others(target, value)
        for other in others:
            kind = self.types.nodes.get(other)
            if kind is not None:
                self.bind(target, kind, self.expressions.literal(other))
        if not others:
            self.bind(target, found, self.expressions.literal(value))

    def bind(self, target: cst.BaseExpression, found: Type, literal: Literal) -> None:
        if isinstance(target, cst.Name):
            self.take(target.value, found, literal, target)
        elif isinstance(target, cst.Subscript):
            element = self.expressions.any(target)
            if isinstance(element, ArrayType):
                self.stored(element, found, target)
                self.held(element.element, literal, target)
            elif element is not None and not isinstance(found, ScalarType):
                self.expressions.report("SOMD402", "an array element takes a scalar", target, "write the loop out")
            elif isinstance(element, ScalarType) and isinstance(found, ScalarType):
                self.kept(element, found, target)
                self.held(element, literal, target)
        else:
            self.expressions.report("SOMD201", "this target is not supported", target, "assign to a name or an element")

    def stored(self, part: ArrayType, value: Type, node: cst.CSTNode) -> None:
        """Report a value that a part of an array cannot take."""
        try:
            stored(part, value)
        except NotTyped as error:
            message = f"`{value}` cannot be stored in `{part}`: {error}"
            self.expressions.report("SOMD402", message, node, "store a number, or an array of as many dimensions")

    def kept(self, element: ScalarType, value: ScalarType, node: cst.CSTNode) -> None:
        """Report a complex value that is stored in an array of real numbers."""
        if value.kind == "c" and element.kind != "c":
            message = f"a `{value}` does not fit into an array of `{element}`"
            self.expressions.report("SOMD402", message, node, "store `z.real` or `abs(z)`, or make the array complex")

    def held(self, element: ScalarType, literal: Literal, node: cst.CSTNode) -> None:
        """Report a number that is written out, and that an array of integers does not hold: NumPy raises."""
        if element.kind not in "iu" or not isinstance(literal, int | float) or not math.isfinite(literal):
            return
        limits, whole = np.iinfo(element.dtype), int(literal)
        if not limits.min <= whole <= limits.max and not is_long(cst.Integer(str(abs(whole)))):
            message = f"`{literal}` does not fit into an array of `{element}`: NumPy raises OverflowError"
            instead = f"store a number from {limits.min} to {limits.max}; one of NumPy's wraps: `np.int64(...)`"
            self.expressions.report("SOMD402", message, node, instead)

    def augmented(self, node: cst.AugAssign) -> None:
        operator = AUGMENTED.get(type(node.operator))
        left, right = self.expressions.any(node.target), self.expressions.any(node.value)
        if operator is None or left is None or right is None:
            return
        if isinstance(left, ArrayType):
            self.updated(node, left, right)
            return
        if not (isinstance(left, ScalarType) and isinstance(right, ScalarType)):
            message = "a scalar becomes an array here"
            self.expressions.report("SOMD402", message, node, "give the array a name of its own: `b = s + a`")
            return
        found = self.expressions.binary(operator, left, right, (node.target, node.value), node)
        if found is not None:
            self.types.nodes[node] = found
            if isinstance(node.target, cst.Name):
                self.derived.add(node.target)
                self.take(node.target.value, found, None, node.target)
            else:
                self.kept(left, found, node)

    def updated(self, node: cst.AugAssign, left: ArrayType, right: Type) -> None:
        """`a += e`, which writes into the array."""
        self.types.whole = True
        try:
            found = applied(IN_PLACE[type(node.operator)], (left, right), (None, self.expressions.literal(node.value)))
            if found != left:
                raise NotTyped(f"the result would be `{found}`")
        except NotTyped as error:
            message = f"NumPy does not do this in place in `{left}`: {error}"
            self.expressions.report("SOMD402", message, node, "convert the value, or make a new array")

    def take(self, name: str, found: Type, literal: Literal, node: cst.CSTNode) -> None:
        """Note that `name` takes a value. In the first round the name's type follows at once, so that a later statement
        sees what the earlier ones made of it; from then on the types of the round before hold."""
        self.values.setdefault(name, []).append((found, literal, node))
        if self.first_round:
            try:
                self.types.names[name] = self.shared(self.values[name]) if isinstance(found, ScalarType) else found
            except NotTyped:
                return

    def shared(self, values: Sequence[tuple[Type, Literal, cst.CSTNode]]) -> ScalarType:
        """The type of scalar values. A Python number that goes on as one of another kind, since more was added to it,
        is of that kind: that nothing may have been added is left aside."""
        made = joined((t, literal) for t, literal, _ in values if isinstance(t, ScalarType))
        if not made.weak or not made.literals:
            return made
        first = {t.kind for t, _, node in values if node not in self.derived and isinstance(t, ScalarType)}
        kept = any(isinstance(t, ScalarType) and t.literals for t, _, node in values)
        return made if len(first) > 1 or kept else ScalarType(made.dtype, True)

    def told_apart(self, node: cst.BaseExpression) -> list[Type]:
        """The types of Python's own that a value in an exception has on different paths."""
        values = self.values.get(node.value, []) if isinstance(node, cst.Name) else []
        return list(dict.fromkeys(kind for kind, _, _ in values if isinstance(kind, ScalarType) and kind.weak))

    def settle(self) -> None:
        """Give each name, and the result, the type that its values share."""
        for value, node, text in self.told:
            kinds = self.told_apart(value)
            if len(kinds) > 1:
                names = " and ".join(f"`{kind}`" for kind in kinds)
                message = f"`{text}` has different types on different paths, which the exception would tell: {names}"
                self.expressions.report("SOMD401", message, node, "give it one type: `float(x)`, or `0.0` for `0`")
        for name, values in self.values.items():
            found = self._join(values, f"`{name}`", name in self.method.param_names)
            if found is not None:
                self.types.names[name] = found
        if self.returns:
            found = self._result()
            if isinstance(found, TupleType) and len(found.elements) < 2:
                message = f"the result is a tuple with {len(found.elements) or 'no'} entry: that of a method has more"
                helps = "return the entry itself, and make the tuple in the caller"
                self.expressions.report("SOMD402", message, self.returns[-1][2], helps)
            elif found is not None:
                self.types.result = found
                if not self.active:
                    self._one_kind(found)
                    self._one_width()

    def _one_kind(self, found: Type) -> None:
        """Report a result that is Python's bool on some paths and NumPy's on others: they print, compare and negate
        differently, and generated code keeps no note of which one it has. So it is with int and float."""
        for part in found.elements if isinstance(found, TupleType) else (found,):
            if not isinstance(part, ScalarType):
                continue
            label = Label(self.method.position(self.returns[-1][2]), "here", True)
            if part.weak and part.literals:
                kinds = " and ".join(f"`{type_of_value(value)}`" for value in part.literals)
                message = f"the result is Python's `{part}` on some paths and {kinds} on others"
                helps = (
                    f"give it one type: return `{part}(...)` of it",
                    "write `0.0` for `0`, where it is a float else",
                )
                self.collector.add(Diagnostic("SOMD401", message, (label,), helps))
            elif part.kind == "b" and {False, True} <= set(part.literals):
                message = "the result is Python's bool on some paths and NumPy's on others"
                helps = ("return `bool(...)` of it", "let each operand be NumPy's: `np.bool_(...)`")
                self.collector.add(Diagnostic("SOMD401", message, (label,), helps))

    def _one_width(self) -> None:
        """Report a result that is a Python number on some paths and NumPy's of another kind or width on others."""
        found = mixed_return(statements_of(self.method.function.body), self.types)
        if found is not None:
            node, part = found
            names = " and ".join(f"`{each}`" for each in dict.fromkeys(map(type_of_value, part.literals)))
            message = f"the result is Python's {names} on some paths and NumPy's `{plain(part)}` on others"
            label = Label(self.method.position(node), "here", True)
            helps = (f"convert each of its values to one type: `np.{part.dtype}(...)`",)
            self.collector.add(Diagnostic("SOMD401", message, (label,), helps))

    def _result(self) -> Type | None:
        """The type that all `return` statements share; tuples written out are joined part by part."""
        displays = [value for _, value, _ in self.returns if isinstance(value, cst.Tuple)]
        kinds = [found for found, _, _ in self.returns]
        count = len(displays[0].elements) if displays else 0
        if len(displays) < len(kinds) or any(not isinstance(k, TupleType) or len(k.elements) != count for k in kinds):
            return self._join([(t, self.expressions.literal(v), n) for t, v, n in self.returns], "the result")
        parts: list[ScalarType | ArrayType] = []
        for k in range(count):
            values: list[tuple[Type, Literal, cst.CSTNode]] = []
            for found, value, node in self.returns:
                assert isinstance(found, TupleType) and isinstance(value, cst.Tuple)
                values.append((found.elements[k], self.expressions.literal(value.elements[k].value), node))
            part = self._join(values, f"part {k} of the result")
            if not isinstance(part, ScalarType | ArrayType):
                return None
            parts.append(part)
        return TupleType(tuple(parts))

    def _join(self, values: Sequence[tuple[Type, Literal, cst.CSTNode]], what: str, given: bool = False) -> Type | None:
        """The type that values share, or None, which is reported; of a parameter one is `given`."""
        kinds = {type(t) for t, _, _ in values}
        first = values[0][0]
        try:
            if kinds == {ScalarType}:
                return self.shared(values)
            if all(t == first for t, _, _ in values):
                return first
            names = dict.fromkeys(f"`{t}`" for t, _, _ in values)
            raise NotTyped(" and ".join(names))
        except NotTyped as error:
            labels = tuple(
                Label(self.method.position(node), f"`{t}` here", k == 0) for k, (t, _, node) in enumerate(values[:2])
            )
            helps = (_one_type([kind for kind, _, _ in values], given),)
            message = f"{what} has different types on different paths: {error}"
            self.collector.add(Diagnostic("SOMD401", message, labels, helps))
            return first if isinstance(first, ArrayType) else None

    def helper(self, function: Function, arguments: tuple[Type, ...], node: cst.Call) -> HelperInstance | None:
        """The instance of a helper function for these arguments, inferred when first met."""
        key = (function, arguments)
        if key in self.types.helpers:
            return self.types.helpers[key]
        if function in self.active:
            self.expressions.report("SOMD203", f"`{function.__name__}` calls itself", node, "write it as a loop")
            return None
        method = self.read(function, arguments)
        given = dict(zip(method.param_names, arguments, strict=True))
        types = Types(names=dict(given), helpers=self.types.helpers, read=self.types.read)
        try:
            types = _infer(method, types, given, (*self.active, function))
        except HelpersOfArrays as found:
            self.types.of_arrays |= {function, *found.functions}
            return None
        if types.whole or (types.result is not None and not numbers(types.result)):
            self.types.of_arrays.add(function)
            return None
        if types.result is not None and not always_returns(statements_of(method.function.body)):
            message = f"`{function.__name__}` may end without a `return`, and so give None"
            self.expressions.report("SOMD203", message, node, "let every path end with a `return`")
            return None
        if types.result is None:
            self.expressions.report("SOMD203", f"`{function.__name__}` returns nothing", node, "let it return numbers")
            return None
        taken = {instance.name for instance in self.types.helpers.values()} | self.method.local_names | BUILTINS
        if isinstance(function, Reached):
            taken |= function.reach.identifiers
        own = apart(function.__name__)
        name, count = own, 2
        while name in taken or name == self.method.name:
            name, count = f"{own}_{count}", count + 1
        instance = HelperInstance(name, method, arguments, types)
        self.types.helpers[key] = instance
        return instance

    def read(self, function: Function, arguments: tuple[Type, ...]) -> Method:
        """A helper as it is typed for these arguments. It is typed twice, the first time for names of several types,
        and so are those that it calls each time: each helper is read once all the same."""
        from somd.transforms.frontend.read import read_method

        key = (function, arguments)
        if key not in self.types.read:
            method = read_method(function)
            check_values(method)
            given = dict(zip(method.param_names, arguments, strict=True))
            self.types.read[key], _ = with_names_apart(method, given, self.types.read)
        return self.types.read[key]


def _one_type(kinds: Sequence[Type], given: bool) -> str:
    """What makes one type of several: for a parameter, values under another name, as it keeps that of its argument."""
    if any(isinstance(kind, ArrayType) for kind in kinds):
        return "pass arrays of one dtype and number of dimensions, or give each a name of its own"
    if given or not all(isinstance(kind, ScalarType) for kind in kinds):
        return "give the values of each type a name of their own"
    scalars = [kind for kind in kinds if isinstance(kind, ScalarType)]
    dtypes = [kind.dtype for kind in scalars if not kind.weak]
    name = f"np.{np.result_type(*dtypes)}" if dtypes else max(map(str, scalars), key=PYTHONS.index)
    return f"convert each of its values to one type: `{name}(...)`"


def _others(target: cst.BaseExpression, value: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What a name may newly stand for after `name = name and e and f`, or `or`: `e` and `f`; empty for other forms."""
    operands: list[cst.BaseExpression] = []
    rest = value
    while isinstance(rest, cst.BooleanOperation) and type(rest.operator) is type(getattr(value, "operator", None)):
        operands.append(rest.right)
        rest = rest.left
    own = isinstance(target, cst.Name) and isinstance(rest, cst.Name) and rest.value == target.value
    return operands if own else []


def numbers(found: Type) -> bool:
    """Whether values of the type are a number, or a tuple of numbers."""
    if isinstance(found, TupleType):
        return all(isinstance(part, ScalarType) for part in found.elements)
    return isinstance(found, ScalarType)
