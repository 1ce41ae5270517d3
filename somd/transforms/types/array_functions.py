"""Types of NumPy's functions of whole arrays (`language/array_functions.py`), found by running them on samples.

In: a call of such a function and the types of its arguments. Out: the type of the result, and in `Types.calls` what the
call gives for each parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import libcst as cst
import numpy as np

from somd.language.array_functions import (
    ARRAY,
    ARRAYS,
    CONSTANT,
    DTYPE,
    ENTRIES,
    INTEGER,
    OUT,
    PLACES,
    REQUIRED,
    SHAPE,
    WIDTHS,
    ArrayFunction,
)
from somd.transforms.analysis.parts import is_none
from somd.transforms.types.array_values import applied
from somd.transforms.types.scalars import ArrayType, Literal, NotTyped, ScalarType, TupleType, Type
from somd.transforms.types.typing_table import Callee, Given

if TYPE_CHECKING:
    from somd.transforms.types.expressions import Expressions


@dataclass(frozen=True)
class _Samples:
    """Calls a function with samples: `arguments` has for each parameter that is given a constant, or which samples."""

    function: Callable[..., Any]
    arguments: tuple[tuple[str, str, Any], ...]
    gives: bool

    def __call__(self, *samples: Any) -> Any:
        rest = list(samples)
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for name, kind, what in self.arguments:
            value = what
            if kind == ENTRIES:
                count, columns = what
                value, rest = tuple(rest[:count]), rest[count:]
                value = tuple(value[k : k + columns] for k in range(0, count, columns)) if columns else value
            elif kind == ARRAYS or (kind in (SHAPE, PLACES) and what > 0):
                value, rest = tuple(rest[:what]), rest[what:]
            elif kind != CONSTANT:
                value = rest.pop(0)
            if kind == WIDTHS:
                value, rest = 0, rest[what - 1 :]
            if kind == PLACES:  # samples of which may lie outside
                value = tuple(map(_first_place, value)) if what > 0 else _first_place(value)
            if name == "*":
                positional += value
            elif name:
                keywords[name] = value
            else:
                positional.append(value)
        found = self.function(*positional, **keywords)
        return found if self.gives else samples[0]


def _first_place(index: Any) -> Any:
    """Indexes as many as those of a sample, and of their type, all of which are 0."""
    return np.zeros_like(index) if isinstance(index, np.ndarray) else type(index)(0)


def _cross(a: Any, b: Any) -> Any:
    """What has the type of `np.cross` of vectors of three; samples have other lengths."""
    return np.multiply(a, b) - np.multiply(b, a)


def _cast_into(target: Any, value: Any) -> Any:
    np.copyto(target, value, casting="same_kind")
    return target


def _dtype_of(found: Type) -> str:
    return found.dtype if isinstance(found, ArrayType | ScalarType) else ""


def rows_of(node: cst.BaseExpression) -> list[cst.Tuple | cst.List]:
    """The rows of a matrix that is written out, which are as long as each other; none where it is no such."""
    elements = node.elements if isinstance(node, cst.Tuple | cst.List) else ()
    rows = [each.value for each in elements if isinstance(each.value, cst.Tuple | cst.List)]
    lengths = {len(row.elements) for row in rows}
    return rows if len(rows) == len(elements) and len(lengths) == 1 and 0 not in lengths else []


class ArrayFunctions:
    """Types the calls of functions of whole arrays among `expressions`."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.method = expressions.method

    def call(self, node: cst.Call, function: ArrayFunction, owner: cst.BaseExpression | None) -> Type | None:
        """The type of a call; `owner` is the array of which it is a method."""
        self.expressions.types.whole = True
        bound = self.bound(node, function, owner)
        if bound is None:
            return None
        found = self.arguments(function, bound)
        if found is None:
            return None
        nodes, constants, operands, arguments = found
        self.expressions.types.calls[node] = Callee("array", function.name, given=Given(function, nodes, constants))
        own = _cross if function.name == "cross" else function.function
        samples = _Samples(own, tuple(arguments), not function.writes)
        kinds = tuple(self.expressions.types.nodes[each] for each in operands)
        lengths = {p.name for p in function.parameters if p.kind in (SHAPE, PLACES, WIDTHS)}
        unlike = {each for name in lengths & set(nodes) for each in nodes[name]}  # samples have lengths of their own
        literals: tuple[Literal, ...] = tuple(None if o in unlike else self.expressions.literal(o) for o in operands)
        try:
            return applied(samples, kinds, literals)
        except NotTyped as error:
            told = " and ".join(f"`{kind}`" for kind in kinds)
            self.report("SOMD402", f"NumPy does not do this with {told}: {error}", node, "convert the arguments")
            return None

    def into(self, node: cst.Call, name: str, count: int) -> Type | None:
        """The type of `np.add(a, b, out=c, where=m)`, which stores what `np.add(a, b)` is: a function of so many."""
        self.expressions.types.whole = True
        own = [each for each in node.args if each.keyword is None]
        keys = {each.keyword.value: each.value for each in node.args if each.keyword is not None}
        if len(own) > count:
            keys["out"] = own[count].value
        others = sorted(set(keys) - {"out", "where"})
        if others or "out" not in keys or is_none(keys["out"], self.method):
            message = f"`np.{name}` takes `{others[0]}` not" if others else "`where` is taken beside `out`"
            self.report(
                "SOMD203", f"{message} here", node, "`out` and `where` are taken: `np.add(a, b, out=c, where=m)`"
            )
            return None
        value = cst.Call(node.func, [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in own[:count]])
        out, where = keys["out"], keys.get("where")
        found = [self.expressions.any(each) for each in (value, out, *([where] if where is not None else []))]
        kinds = [each for each in found if each is not None]
        if len(kinds) < len(found):
            return None
        if not isinstance(kinds[1], ArrayType) or (where is not None and _dtype_of(kinds[2]) != "bool"):
            message = "`out` is an array, and `where` an array of truth values"
            self.report("SOMD402", message, node, "make them so before")
            return None
        if where is not None and isinstance(kinds[2], ArrayType) and kinds[2].ndim > kinds[1].ndim:
            message = "NumPy raises ValueError here: `where` has more axes than `out`"
            self.report("SOMD402", message, node, "let `out` have the axes of `where`")
            return None
        nodes = {"value": (value,), "out": (out,), **({"where": (where,)} if where is not None else {})}
        made = ArrayFunction(OUT, ())
        self.expressions.types.calls[node] = Callee("array", OUT, given=Given(made, nodes, {}))
        try:
            return applied(_cast_into, (kinds[1], kinds[0]), (None, None))
        except NotTyped as error:
            message = f"NumPy does not store `{kinds[0]}` in `{kinds[1]}`: {error}"
            self.report("SOMD402", message, node, "let `out` be an array of such numbers")
            return None

    def bound(
        self, node: cst.Call, function: ArrayFunction, owner: cst.BaseExpression | None
    ) -> dict[str, cst.BaseExpression] | None:
        """The argument of each parameter that is given; what does not fit is reported."""
        found: dict[str, cst.BaseExpression] = {} if owner is None else {function.parameters[0].name: owner}
        positions = [p.name for p in function.parameters if not p.named and not p.rest and p.name not in found]
        variadic = next((p.name for p in function.parameters if p.rest), "")
        rest = [] if not variadic else [a for a in node.args if a.keyword is None][len(positions) :]
        found |= {variadic: cst.Tuple([cst.Element(a.value) for a in rest])} if rest else {}
        for argument in node.args:
            if argument in rest:
                continue
            name = argument.keyword.value if argument.keyword is not None else positions.pop(0) if positions else ""
            known = any(each.name == name for each in function.parameters)
            if not known or name in found:
                text = cst.Module([]).code_for_node(argument).strip(", ")
                taken = ", ".join(f"`{each.name}`" for each in function.parameters)
                self.report("SOMD203", f"`np.{function.name}` does not take `{text}` here", node, f"it takes {taken}")
                return None
            found[name] = argument.value
        missing = [each.name for each in function.parameters if each.default is REQUIRED and each.name not in found]
        if missing:
            self.report("SOMD203", f"`np.{function.name}` needs `{missing[0]}`", node, "give it")
            return None
        return found

    def arguments(
        self, function: ArrayFunction, bound: Mapping[str, cst.BaseExpression]
    ) -> (
        tuple[
            dict[str, tuple[cst.BaseExpression, ...]],
            dict[str, Any],
            list[cst.BaseExpression],
            list[tuple[str, str, Any]],
        ]
        | None
    ):
        """Nodes and constants of the parameters, what is sampled, and how the function is called with samples."""
        nodes: dict[str, tuple[cst.BaseExpression, ...]] = {}
        constants: dict[str, Any] = {}
        operands: list[cst.BaseExpression] = []
        arguments: list[tuple[str, str, Any]] = []
        positional = True
        for parameter in function.parameters:
            name, kind, node = parameter.name, parameter.kind, bound.get(parameter.name)
            positional = positional and node is not None and not parameter.named
            called = "" if positional else name
            if node is None:
                constants[name] = parameter.default
            elif kind in (CONSTANT, DTYPE) or is_none(node, self.method) or (kind == WIDTHS and self.is_constant(node)):
                value = self.constant(node, kind, name)
                if value is REQUIRED:
                    return None
                constants[name] = value
                arguments.append((called, CONSTANT, value))
            else:
                parts = self.parts(node, kind)
                if parts is None or not all(self.taken(each, kind) for each in parts):
                    return None
                nodes[name] = parts
                operands += parts
                several = kind == ARRAYS or (kind in (SHAPE, PLACES) and (len(parts) > 1 or parts[0] is not node))
                called = "*" if parameter.rest else called
                what: Any = len(parts) if several or kind == WIDTHS else 0
                if kind == ENTRIES:
                    rows = rows_of(node)
                    constants["columns"] = len(rows[0].elements) if rows else 0
                    what = (len(parts), constants["columns"])
                arguments.append((called, kind, what))
        return nodes, constants, operands, arguments

    def parts(self, node: cst.BaseExpression, kind: str) -> tuple[cst.BaseExpression, ...] | None:
        """The arguments that stand in one: those of a tuple."""
        if kind == PLACES and not isinstance(node, cst.Tuple):
            return (node,)
        if kind not in (ARRAYS, ENTRIES, SHAPE, PLACES, WIDTHS):
            return (node,)
        if kind == WIDTHS:
            rows = rows_of(node) or ([node] if isinstance(node, cst.Tuple | cst.List) else [])
            if any(len(row.elements) != 2 for row in rows):
                self.report(
                    "SOMD402", "two numbers for an axis are taken here", node, "write them so: `(before, behind)`"
                )
                return None
            return tuple(each.value for row in rows for each in row.elements) or (node,)
        if isinstance(node, cst.Tuple | cst.List) and node.elements:
            if kind == ENTRIES and (rows := rows_of(node)):
                return tuple(each.value for row in rows for each in row.elements)
            return tuple(each.value for each in node.elements)
        if kind == ENTRIES:
            way = "write its entries, copy an array by `a.copy()`, or make it outside of the method"
            self.report("SOMD402", "a new array is made of entries that are written out: `[x, y]`", node, way)
            return None
        if kind == SHAPE:
            found = self.expressions.any(node)
            text = cst.Module([]).code_for_node(node)
            count = len(found.elements) if isinstance(found, TupleType) else 0
            return tuple(cst.parse_expression(f"{text}[{k}]") for k in range(count)) or (node,)
        self.report("SOMD402", "several arrays are written out here", node, "write them in parentheses: `(a, b)`")
        return None

    def taken(self, node: cst.BaseExpression, kind: str) -> bool:
        """Whether an argument has a type that is taken; what has none that is known is not."""
        found = self.expressions.any(node)
        if kind in (ARRAY, ARRAYS, ENTRIES, PLACES):
            if found is not None and not isinstance(found, ArrayType | ScalarType):
                way = "pass an array"
                if kind == PLACES and isinstance(found, TupleType):
                    way = "write the indexes of the axes into the call: `np.add.at(a, (i, j), e)`"
                self.report("SOMD402", f"an array is expected here, this is `{found}`", node, way)
            return isinstance(found, ArrayType | ScalarType)
        scalar = self.expressions.as_scalar(found, node)
        if scalar is not None and kind in (INTEGER, SHAPE, WIDTHS) and scalar.kind not in "iu":
            self.report("SOMD402", f"an integer is expected here, this is `{scalar}`", node, "convert it with `int()`")
            return False
        return scalar is not None

    def constant(self, node: cst.BaseExpression, kind: str, name: str) -> Any:
        """The value of a constant; `REQUIRED` where it is none, which is reported."""
        if is_none(node, self.method):
            return None
        if kind == DTYPE:
            dtype = self.expressions.calls.dtype(node)
            return REQUIRED if dtype is None else dtype
        value = self.nested(node)
        if isinstance(value, cst.CSTNode):
            text = cst.Module([]).code_for_node(node)
            self.report("SOMD402", f"`{name}={text}` is not taken here", node, f"`{name}` is a constant")
            return REQUIRED
        return value

    def is_constant(self, node: cst.BaseExpression) -> bool:
        return not isinstance(self.nested(node), cst.CSTNode)

    def nested(self, node: cst.BaseExpression) -> Any:
        """The value of a constant, also of tuples in tuples; the node where it is none."""
        if isinstance(node, cst.Tuple | cst.List):
            parts = tuple(self.nested(each.value) for each in node.elements)
            return node if any(isinstance(part, cst.CSTNode) for part in parts) else parts
        value = self.expressions.reductions.constant(node)
        return self.text(node) if value is node else value

    def text(self, node: cst.BaseExpression) -> Any:
        """The text of a string that is written out; the node where it is none."""
        if isinstance(node, cst.SimpleString):
            return node.evaluated_value
        value = self.expressions.literal(node)
        return node if value is None else value

    def report(self, code: str, message: str, node: cst.CSTNode, help_text: str) -> None:
        self.expressions.report(code, message, node, help_text)
