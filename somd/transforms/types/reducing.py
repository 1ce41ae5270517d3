"""Types of reductions of arrays and of products: `a.sum(axis=0)`, `np.max(a)`, `a @ b`, `np.dot(a, b)`.

In: a call and the types of its arguments. Out: the type that NumPy gives for samples, and what is reduced, with its
axes, in `Types.calls`. `axis` and `keepdims` are constants.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import libcst as cst
import numpy as np

from somd.transforms.tree.loops import integer_constant
from somd.transforms.types.array_values import applied
from somd.transforms.types.scalars import ArrayType, NotTyped, ScalarType, Type
from somd.transforms.types.typing_table import Callee

if TYPE_CHECKING:
    from somd.transforms.types.expressions import Expressions

_NAMES = "sum prod mean var std min max any all argmin argmax count_nonzero ptp"
REDUCTIONS: dict[Callable[..., Any], str] = {getattr(np, name): name for name in _NAMES.split()}
#: those that are methods of arrays as well
METHODS = frozenset(_NAMES.split()) - {"count_nonzero", "ptp"}
PRODUCTS: dict[Callable[..., Any], str] = {np.dot: "dot", np.matmul: "matmul"}


@dataclass(frozen=True)
class Reducing:
    """A reduction: its name, the axes (None for all), whether those stay as axes of length 1, and whether a number
    that it begins with is given."""

    name: str
    axes: tuple[int, ...] | None = None
    keepdims: bool = False
    ddof: int = 0
    initial: bool = False

    def __call__(self, array: Any, *initial: Any) -> Any:
        """What NumPy makes of a sample."""
        options: dict[str, Any] = {"axis": self.axes if self.axes is None or len(self.axes) > 1 else self.axes[0]}
        options |= {"keepdims": True} if self.keepdims else {}
        options |= {"ddof": self.ddof} if self.name in ("var", "std") else {}
        options |= {"initial": initial[0]} if initial else {}
        return getattr(np, self.name)(array, **options)


@cache
def _order(name: str, is_method: bool) -> tuple[str, ...]:
    """The names of what a reduction, or a method of an array, may be given beside the array by its place."""
    if is_method and name in ("any", "all"):
        return "axis", "dtype", "out", "keepdims"
    _, *others = inspect.signature(getattr(np, name)).parameters.values()
    return tuple(each.name for each in others if each.kind is not inspect.Parameter.KEYWORD_ONLY)


def _has_key(arguments: list[cst.Arg], name: str) -> bool:
    return any(each.keyword is not None and each.keyword.value == name for each in arguments)


def first_of(node: cst.Call) -> cst.BaseExpression:
    """The number that a reduction begins with."""
    return next(each.value for each in node.args if each.keyword is not None and each.keyword.value == "initial")


class Reductions:
    """Types the reductions and products among `expressions`."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.method = expressions.method

    def reduction(self, node: cst.Call, name: str, operand: cst.BaseExpression, rest: list[cst.Arg]) -> Type | None:
        """The type of a reduction of `operand`; `rest` are the other arguments."""
        found = self.expressions.any(operand)
        if found is None:
            return None
        if not isinstance(found, ArrayType):
            self.report(f"`{name}` reduces an array, this is `{found}`", node, "leave the call out")
            return None
        reducing = self.options(name, found, rest, node)
        if reducing is None:
            return None
        self.expressions.types.whole = True
        self.expressions.types.calls[node] = Callee("reduce", name, reducing=reducing)
        begins = [first_of(node)] if reducing.initial else []
        kinds = [self.expressions.types.nodes[each] for each in begins]
        try:
            return applied(reducing, (found, *kinds), (None, *map(self.expressions.literal, begins)))
        except NotTyped as error:
            self.report(f"NumPy does not do this with `{found}`: {error}", node, "convert the array")
            return None

    def options(self, name: str, found: ArrayType, rest: list[cst.Arg], node: cst.Call) -> Reducing | None:
        order = [*_order(name, len(rest) == len(node.args)), *[""] * len(rest)]
        given: Mapping[str, cst.BaseExpression] = {
            (order[k] if a.keyword is None else a.keyword.value): a.value for k, a in enumerate(rest)
        }
        axes: tuple[int, ...] | None = None
        keepdims, ddof, initial = False, 0, False
        for key, value in given.items():
            known = self.constant(value)
            if key == "axis" and known != () and (known is None or isinstance(known, int | tuple)):
                axes = (known,) if isinstance(known, int) else known
            elif key == "keepdims" and isinstance(known, bool):
                keepdims = known
            elif key == "ddof" and type(known) is int and name in ("var", "std"):
                ddof = known
            elif key == "initial" and name in ("max", "min") and self.begins(found, value) and _has_key(rest, key):
                initial = True
            elif key in ("dtype", "out") and known is None:
                continue
            elif key == "":
                self.report(f"`{name}` takes fewer arguments", node, "leave some out")
                return None
            else:
                helps = "`axis`, `keepdims` and `ddof` are taken, as constants"
                if key == "initial":
                    helps = "`max` and `min` take a number of the array's type, others a number behind: `a.sum() + x`"
                self.report(f"`{key}={cst.Module([]).code_for_node(value)}` is not taken here", node, helps)
                return None
        if axes is not None and all(-found.ndim <= axis < found.ndim for axis in axes):
            axes = tuple(axis % found.ndim for axis in axes)
        return Reducing(name, axes, keepdims, ddof, initial)

    def begins(self, found: ArrayType, node: cst.BaseExpression) -> bool:
        """Whether a reduction of such an array may begin with a number, which is one of its type as it stands."""
        kind, array = self.expressions.any(node), ScalarType(found.dtype)
        if not isinstance(kind, ScalarType) or array.kind not in "iuf" or kind.kind not in "iuf":
            return False
        if not kind.weak:
            return kind.dtype == found.dtype
        whole = kind.kind in "iu" and (found.dtype == "int64" or self.expressions.literal(node) is not None)
        return array.kind == "f" or whole

    def constant(self, node: cst.BaseExpression) -> Any:
        """The value of a constant; the node itself where it is none."""
        if isinstance(node, cst.Name) and node.value in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[node.value]
        if isinstance(node, cst.Tuple):
            parts = tuple(self.constant(each.value) for each in node.elements)
            return parts if all(type(part) is int for part in parts) else node
        value = integer_constant(node, self.method)
        return node if value is None else value

    def product(self, node: cst.BaseExpression, left: Type | None, right: Type | None, function: Any) -> Type | None:
        """The type of `left @ right`."""
        if left is None or right is None:
            return None
        ranks = [each.ndim if isinstance(each, ArrayType) else 0 for each in (left, right)]
        if 0 in ranks:
            message = f"a product of `{left}` and `{right}`: of arrays here"
            self.report(message, node, "write `*` for a product with a number")
            return None
        self.expressions.types.whole = True
        try:
            return applied(function, (left, right), (None, None))
        except NotTyped as error:
            self.report(f"NumPy does not do this with `{left}` and `{right}`: {error}", node, "convert one of them")
            return None

    def report(self, message: str, node: cst.CSTNode, help_text: str) -> None:
        self.expressions.report("SOMD402", message, node, help_text)
