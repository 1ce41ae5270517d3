"""Calls and stores that NumPy takes in several forms, in the one that is known here.

    x.round(2)                                           ->   np.round(x, 2)
    x.clip(0.0, 1.0), np.clip(x, a_min=0.0, a_max=1.0)   ->   np.clip(x, 0.0, 1.0)
    np.clip(x, 0.0, None), x.clip(min=0.0)               ->   np.maximum(x, 0.0)
    q[i] = a, b, c                                       ->   q[i] = np.array([a, b, c], dtype=q.dtype)
    np.concatenate(([0.0], x))                           ->   np.concatenate((np.array([0.0]), x))
    np.angle(z, deg=True)                                ->   np.angle(z) * (180 / pi)
    a[:, [2, 0]]                                         ->   a[:, np.array([2, 0])]
    a.sort(axis=0); b.fill(1.0)                          ->   a[...] = np.sort(a, axis=0); b[...] = 1.0
    np.cumsum(a, dtype=np.float64)                       ->   np.cumsum(a.astype(np.float64))

In: a `Method`. Out: the `Method` with such calls. A limit beside None that is no constant stays: NumPy leaves out one
that the type of an integer does not hold.
"""

from __future__ import annotations

from dataclasses import replace

import libcst as cst
import numpy as np

from somd.transforms.stages import Method
from somd.transforms.tree.names import MISSING, evaluate, name_for
from somd.transforms.tree.rewriting import MethodRewriter, code_of

#: the parameters of `np.clip`, and which one a keyword means
_PARAMETERS = ("a", "a_min", "a_max", "out")
_KEYWORDS = {"min": "a_min", "max": "a_max", **{name: name for name in _PARAMETERS}}
#: functions that join arrays, and make arrays of the lists among them
_JOINING = (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)
#: sums and products that go on from element to element, and the types in which they may go on as if the array had them
_GOING_ON = (np.cumsum, np.cumprod)
_OWN_TYPES = tuple(map(np.dtype, ("int64", "float32", "float64", "complex64", "complex128")))


def plain_calls(method: Method) -> Method:
    """`method` with such calls and stores; others stay as they are."""
    rewriter = _Calls(method)
    made = rewriter.rewritten()
    return made if made is method else replace(made, namespace=rewriter.namespace)


class _Calls(MethodRewriter):
    def __init__(self, method: Method) -> None:
        super().__init__(method)
        self.namespace: dict[str, object] = dict(method.namespace)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        function = evaluate(updated_node.func, self.method.namespace, self.method.local_names)
        if any(function is each for each in _JOINING):
            return self._joined(original_node, updated_node)
        updated_node = self._with_types(original_node, updated_node)
        if function is np.angle:
            return self._angle(original_node, updated_node)
        if any(function is each for each in _GOING_ON):
            return self._going_on(original_node, updated_node)
        if isinstance(updated_node.func, cst.Attribute) and self._rounds(updated_node.func, updated_node):
            return self._call("round", [cst.Arg(updated_node.func.value), *updated_node.args], original_node)
        given = self._given(updated_node)
        if given is None or "a" not in given:
            return updated_node
        both = given.get("a_min"), given.get("a_max")
        low, high = (None if each is None or _is_none(each) else each for each in both)
        if low is None and high is None:
            return updated_node
        limits = [each for each in (low, high) if each is not None]
        name = "clip" if len(limits) == 2 else "minimum" if low is None else "maximum"
        if len(limits) == 1 and not self._is_constant(limits[0]):
            name, limits = "clip", [given.get("a_min", cst.Name("None")), given.get("a_max", cst.Name("None"))]
        operands = [given["a"], *limits]
        arguments = [cst.Arg(each) for each in operands]
        if "out" in given and not _is_none(given["out"]):
            arguments.append(cst.Arg(given["out"], cst.Name("out")))
        return self._call(name, arguments, original_node)

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        target, value = updated_node.targets[0].target, updated_node.value
        row = isinstance(value, cst.Tuple | cst.List) and len(value.elements) > 0
        if len(updated_node.targets) > 1 or not row or not isinstance(target, cst.Subscript):
            return updated_node
        array, entries = target.value, cst.ensure_type(value, cst.Tuple | cst.List).elements  # type: ignore[arg-type]
        starred = any(isinstance(each, cst.StarredElement) for each in entries)
        if starred or not isinstance(array, cst.Name) or array.value not in self.method.local_names:
            return updated_node
        listed = cst.Arg(cst.List([cst.Element(each.value) for each in entries]))
        dtype = cst.Arg(cst.Attribute(cst.Name(array.value), cst.Name("dtype")), cst.Name("dtype"))
        return updated_node.with_changes(value=self._call("array", [listed, dtype], original_node.value))

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> cst.BaseSmallStatement:
        """An array that is sorted, or filled, in place."""
        node = updated_node.value
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            return updated_node
        method = node.func.attr.value
        array, given = node.func.value, [each.keyword and each.keyword.value for each in node.args]
        if not isinstance(array, cst.Name) or array.value not in self.method.local_names - self.method.kinds.keys():
            return updated_node
        filled = method == "fill" and given == [None] and self._is_constant(node.args[0].value)
        if not (filled or (method == "sort" and {*given} <= {"axis", "kind", None})):
            return updated_node
        if any(each.star for each in node.args):
            return updated_node
        whole = cst.Subscript(cst.Name(array.value), [cst.SubscriptElement(cst.Index(cst.Ellipsis()))])
        value = node.args[0].value if filled else None
        if value is None:
            value = self._call("sort", [cst.Arg(cst.Name(array.value)), *node.args], original_node.value)
        made = cst.Assign([cst.AssignTarget(whole)], value)
        self.place(made, self.positions[original_node.value])
        return made

    def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.Subscript:
        """Lists as indexes."""
        pairs = list(zip(original_node.slice, updated_node.slice, strict=True))
        if isinstance(updated_node.value, cst.Name) and updated_node.value.value in self.method.kinds:
            return updated_node
        if not any(isinstance(each.slice, cst.Index) and _is_list(each.slice, cst.List) for each in updated_node.slice):
            return updated_node
        made = [
            each.with_changes(slice=cst.Index(self._call("array", [cst.Arg(each.slice.value)], at.slice.value)))
            if isinstance(each.slice, cst.Index) and isinstance(at.slice, cst.Index) and _is_list(each.slice, cst.List)
            else each
            for at, each in pairs
        ]
        return updated_node.with_changes(slice=made)

    def _with_types(self, original: cst.Call, node: cst.Call) -> cst.Call:
        """A call with types of numbers in place of their names: `dtype="float32"`."""
        converts = isinstance(node.func, cst.Attribute) and node.func.attr.value == "astype"
        made = []
        for k, each in enumerate(node.args):
            named = each.keyword is not None and each.keyword.value == "dtype"
            text = each.value.evaluated_value if isinstance(each.value, cst.SimpleString) else None
            if not isinstance(text, str) or not (named or (converts and k == 0)):
                made.append(each)
                continue
            try:
                dtype = np.dtype(text)
            except TypeError:
                return node
            name = name_for(dtype.type, f"np_{dtype.name}", self.namespace, self.method.local_names)
            self.spelled[name] = code_of(each.value)
            made.append(each.with_changes(value=cst.Name(name)))
        if all(one is other for one, other in zip(made, node.args, strict=True)):
            return node
        node = node.with_changes(args=made)
        self.place(node, self.positions[original])
        return node

    def _going_on(self, original: cst.Call, node: cst.Call) -> cst.Call:
        """A running sum or product in a type of its own: of an array that has this type."""
        named = [each for each in node.args if each.keyword is not None and each.keyword.value == "dtype"]
        if len(named) != 1 or node.args[0] is named[0] or any(each.star for each in node.args):
            return node
        dtype = evaluate(named[0].value, self.namespace, self.method.local_names)
        if not (
            isinstance(dtype, np.dtype)
            or (isinstance(dtype, type) and issubclass(dtype, np.generic | int | float | complex))
        ):
            return node
        if np.dtype(dtype) not in _OWN_TYPES:
            return node
        array = cst.Attribute(self.enclosed(node.args[0].value), cst.Name("astype"))
        first = node.args[0].with_changes(value=cst.Call(array, [cst.Arg(named[0].value)]))
        made = node.with_changes(args=[first, *(each for each in node.args[1:] if each is not named[0])])
        self.place(made, self.positions[original])
        return made

    def _rounds(self, function: cst.Attribute, node: cst.Call) -> bool:
        """Whether an array, or a number of NumPy's, is rounded by its own method."""
        if function.attr.value != "round" or any(each.star or each.keyword is not None for each in node.args):
            return False
        own = evaluate(function, self.method.namespace, self.method.local_names)
        return own is MISSING and evaluate(function.value, self.method.namespace, self.method.local_names) is MISSING

    def _joined(self, original: cst.Call, node: cst.Call) -> cst.Call:
        """A call that joins arrays, with arrays in place of the lists among them."""
        parts = node.args[0].value if node.args and node.args[0].keyword is None and not node.args[0].star else None
        if not isinstance(parts, cst.Tuple | cst.List) or not any(map(_is_list, parts.elements)):
            return node
        written = cst.ensure_type(original.args[0].value, type(parts)).elements
        made = [
            each.with_changes(value=self._call("array", [cst.Arg(_as_list(each.value))], at.value))
            if _is_list(each)
            else each
            for each, at in zip(parts.elements, written, strict=True)
        ]
        first = node.args[0].with_changes(value=parts.with_changes(elements=made))
        return node.with_changes(args=[first, *node.args[1:]])

    def _angle(self, original: cst.Call, node: cst.Call) -> cst.BaseExpression:
        """A call of `np.angle` with `deg` as NumPy computes it: a product."""
        if len(node.args) != 2 or any(each.star for each in node.args) or node.args[0].keyword is not None:
            return node
        degrees, keyword = node.args[1].value, node.args[1].keyword
        if not (isinstance(degrees, cst.Name) and degrees.value in ("True", "False")):
            return node
        if keyword is not None and keyword.value != "deg":
            return node
        angle = self._call("angle", [cst.Arg(node.args[0].value)], original)
        if degrees.value == "False":
            return angle
        degrees_of = cst.Float(repr(180 / np.pi))
        made = cst.BinaryOperation(angle, cst.Multiply(), degrees_of, [cst.LeftParen()], [cst.RightParen()])
        self.place(made, self.positions[original])
        return made

    def _call(self, name: str, arguments: list[cst.Arg], at: cst.CSTNode) -> cst.Call:
        own = name_for(getattr(np, name), f"np_{name}", self.namespace, self.method.local_names)
        self.spelled[own] = f"np.{name}"
        made = cst.Call(cst.Name(own), arguments)
        self.place(made, self.positions[at])
        return made

    def _given(self, node: cst.Call) -> dict[str, cst.BaseExpression] | None:
        """The arguments of a call of `np.clip`, or of the method of an array, by the parameters; None for others."""
        function = evaluate(node.func, self.method.namespace, self.method.local_names)
        own: list[cst.BaseExpression] = []
        if function is not np.clip:
            if not isinstance(node.func, cst.Attribute) or node.func.attr.value != "clip" or function is not MISSING:
                return None
            if evaluate(node.func.value, self.method.namespace, self.method.local_names) is not MISSING:
                return None
            own = [node.func.value]
        own += [each.value for each in node.args if each.keyword is None]
        named = {each.keyword.value: each.value for each in node.args if each.keyword is not None}
        if any(each.star for each in node.args) or len(own) > len(_PARAMETERS) or not named.keys() <= _KEYWORDS.keys():
            return None
        found = dict(zip(_PARAMETERS, own, strict=False))
        others = {_KEYWORDS[name]: value for name, value in named.items()}
        twice = len(others) < len(named) or bool(found.keys() & others.keys())
        return None if twice else found | others

    def _is_constant(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            node = node.expression
        value = evaluate(node, self.method.namespace, self.method.local_names)
        return isinstance(node, cst.Integer | cst.Float) or type(value) in (int, float)


def _is_list(element: cst.BaseElement | cst.Index, *kinds: type[cst.CSTNode]) -> bool:
    """Whether an element is a list, or a tuple, of values."""
    value = element.value
    if isinstance(element, cst.StarredElement) or not isinstance(value, kinds or (cst.List, cst.Tuple)):
        return False
    if not isinstance(value, cst.List | cst.Tuple) or not value.elements:
        return False
    return not any(isinstance(each, cst.StarredElement) for each in value.elements)


def _as_list(node: cst.BaseExpression) -> cst.List:
    elements = cst.ensure_type(node, cst.List | cst.Tuple).elements  # type: ignore[arg-type]
    return node if isinstance(node, cst.List) else cst.List([cst.Element(each.value) for each in elements])


def _is_none(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"
