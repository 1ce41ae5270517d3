"""Types of NumPy's functions that are called as they are, between loops (`language/library.py`), found with samples.

In: a call of such a function. Out: the type of its result, and in `Types.calls` the text of the call with a name for
each array and number in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import libcst as cst
import numpy as np

from somd.language.array_functions import ArrayFunction
from somd.language.library import SHARING
from somd.transforms.analysis.parts import is_none
from somd.transforms.tree.names import MISSING, evaluate
from somd.transforms.types.array_values import TWO, typed_value
from somd.transforms.types.scalars import TRIALS, ArrayType, NotTyped, ScalarType, TupleType, Type, sample
from somd.transforms.types.typing_table import Callee, Given

if TYPE_CHECKING:
    from somd.transforms.types.expressions import Expressions

#: what a call stands for where samples do not have the lengths that it speaks of
LIKE_SHAPE = frozenset({"reshape", "resize", "broadcast_to"})


class LibraryCalls:
    """Types the library calls among `expressions`."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.method = expressions.method

    def call(self, node: cst.Call, name: str, owner: cst.BaseExpression | None = None) -> Type | None:
        """The type of a call; `owner` is the array of which it is a method."""
        self.expressions.types.whole = True
        values: list[cst.BaseExpression] = []
        parts: list[str] = []
        for argument in node.args:
            text = self.text(argument.value, values)
            if text is None:
                return None
            parts.append(text if argument.keyword is None else f"{argument.keyword.value}={text}")
        if any(a.keyword is not None and a.keyword.value == "out" for a in node.args) or any(a.star for a in node.args):
            self.expressions.report(
                "SOMD203", f"`np.{name}` takes no `out` here", node, "store its result: `a[...] = ...`"
            )
            return None
        head = f"np.{name}"
        if owner is not None:
            of = self.text(owner, values)
            if of is None:
                return None
            head = f"{of}.{name}"
        text = f"{head}({', '.join(parts)})"
        function = ArrayFunction(
            name, (), shares=name in SHARING or any(_not_copied(argument) for argument in node.args)
        )
        nodes = {f"given_{k}": (value,) for k, value in enumerate(values)}
        self.expressions.types.calls[node] = Callee("library", text, given=Given(function, nodes, {}))
        kinds = [self.expressions.types.nodes[value] for value in values]
        try:
            return library_type(text, tuple(kinds), self.rank(name, node, owner))
        except NotTyped as error:
            told = " and ".join(f"`{kind}`" for kind in kinds)
            message = f"`np.{name}` is not taken with {told or 'these arguments'}: {error}"
            self.expressions.report("SOMD203", message, node, "call it outside of the method, and pass its result")
            return None

    def text(self, node: cst.BaseExpression, values: list[cst.BaseExpression]) -> str | None:
        """The text of an argument, in which arrays and numbers are named; what is not typed has been reported."""
        if is_none(node, self.method):
            return "None"
        if isinstance(node, cst.SimpleString):
            return repr(node.evaluated_value)
        if isinstance(node, cst.Tuple | cst.List):
            parts = [self.text(each.value, values) for each in node.elements]
            inner = ", ".join(part for part in parts if part is not None)
            if None in parts:
                return None
            return f"[{inner}]" if isinstance(node, cst.List) else f"({inner}{',' if len(parts) == 1 else ''})"
        literal = self.expressions.literal(node)
        if literal is not None:
            return repr(literal)
        dtype = self.dtype(node)
        if dtype is not None:
            return dtype
        found = self.expressions.any(node)
        if isinstance(found, TupleType) and not any(isinstance(each, ArrayType) for each in found.elements):
            text = cst.Module([]).code_for_node(node)
            parts = [self.text(cst.parse_expression(f"{text}[{k}]"), values) for k in range(len(found.elements))]
            return None if None in parts else f"({''.join(f'{part}, ' for part in parts)})"
        if found is None:
            return None
        if not isinstance(found, ArrayType | ScalarType):
            self.expressions.report(
                "SOMD402", f"an array or a number is expected here, this is `{found}`", node, "name it"
            )
            return None
        values.append(node)
        return f"given_{len(values) - 1}"

    def dtype(self, node: cst.BaseExpression) -> str | None:
        """The text of a dtype: `np.float64`, `float`, `a.dtype`."""
        value = evaluate(node, self.method.namespace, self.method.local_names)
        if value is not MISSING and (isinstance(value, np.dtype) or (isinstance(value, type) and value is not object)):
            return f"np.{np.dtype(value).name if np.dtype(value).name != 'bool' else 'bool_'}"
        return None

    def rank(self, name: str, node: cst.Call, owner: cst.BaseExpression | None) -> int | None:
        """The number of axes of what is given a shape."""
        if name not in LIKE_SHAPE:
            return None
        shape: Sequence[cst.BaseExpression] = [a.value for a in node.args[owner is None :] if a.keyword is None]
        if len(shape) == 1 and isinstance(shape[0], cst.Tuple | cst.List):
            return len(shape[0].elements)
        found = self.expressions.any(shape[0]) if len(shape) == 1 else None
        return len(found.elements) if isinstance(found, TupleType) else len(shape)


def _not_copied(argument: cst.Arg) -> bool:
    """`copy=False`, or what is not known to be true"""
    named = argument.keyword is not None and argument.keyword.value == "copy"
    return named and not (isinstance(argument.value, cst.Name) and argument.value.value == "True")


@lru_cache(maxsize=1024)
def library_type(text: str, kinds: tuple[Type, ...], rank: int | None) -> Type:
    """The type of what a call gives for arguments of these types.

    Raises:
        NotTyped: it refuses all samples, or gives what a method cannot hold.
    """
    if rank is not None:
        first = next(kind for kind in kinds if isinstance(kind, ArrayType))
        return ArrayType(first.dtype, rank)
    names = ", ".join(f"given_{k}" for k in range(len(kinds)))
    function: Any = eval(f"lambda {names}: {text}", {"np": np})
    reason = ""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for trial in TRIALS:
            for length in (TWO, 4):
                try:
                    return _typed(function(*(_sample(kind, trial, length) for kind in kinds)))
                except (TypeError, ValueError, AttributeError, ArithmeticError, IndexError) as error:
                    reason = str(error)
    raise NotTyped(reason)


def _typed(found: Any) -> Type:
    if not isinstance(found, tuple):
        return typed_value(found)
    parts = [typed_value(part) for part in found]
    if any(isinstance(part, TupleType) for part in parts):
        raise NotTyped("a tuple in a tuple")
    return TupleType(tuple(part for part in parts if not isinstance(part, TupleType)))


def _sample(kind: Type, trial: float, length: int) -> Any:
    """A value of a type; a matrix that can be inverted, a vector that rises."""
    if isinstance(kind, ScalarType):
        return sample(kind, trial)
    assert isinstance(kind, ArrayType)
    made = np.zeros((length,) * kind.ndim)
    made[...] = np.eye(length) * 3 + 0.5 if kind.ndim > 1 else np.arange(length)
    if kind.element.kind in "iub":
        made = np.ceil(made)
    return made.astype(kind.dtype)
