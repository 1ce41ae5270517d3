"""Whether a method has array statements, as far as its text shows: ranks and dtypes are known when it is called.

In: a `Method`. Out: names that stand for arrays, and yes or no. Yes means that only a call tells what the method does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst
import numpy as np

from somd.language.array_functions import METHODS as MORE_METHODS
from somd.language.array_functions import array_function
from somd.language.library import METHODS as OF_LIBRARY
from somd.language.library import library_name
from somd.transforms.analysis.parts import Mark, items_of
from somd.transforms.frontend.array_helpers import array_names
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.reached import Function
from somd.transforms.frontend.read import looked_at
from somd.transforms.stages import Method
from somd.transforms.tree.names import MISSING, assigned_names, called, evaluate
from somd.transforms.tree.walking import Reader, nodes_in, nodes_of
from somd.transforms.types.functions import ALLOCATE, ALLOCATE_LIKE, NUMPY, PARTS
from somd.transforms.types.reducing import METHODS, PRODUCTS, REDUCTIONS

#: functions of NumPy that are more than array statements
KNOWN = {**ALLOCATE, **ALLOCATE_LIKE, **NUMPY, **REDUCTIONS, **PRODUCTS}
#: attributes that arrays have, and what is made of numbers may have
_OF_ARRAYS = ("T", *PARTS, "flat")
_ARRAYS = ("ndarray", "NDArray", "ArrayLike")


def says_array_statements(method: Method) -> bool:
    """Whether the text shows a slice, rows of an array, or arithmetic on names that stand for arrays."""
    return _shows_parts(method) or _computes_with(method, arrays_in(method))


def may_have_array_statements(method: Method) -> bool:
    """Whether there would be some if parameters of which the text says nothing are arrays."""
    methods = [method, *_helpers(method, set())]
    return any(_computes_with(each, set(each.param_names)) for each in methods)


def _helpers(method: Method, seen: set[Function]) -> Iterator[Method]:
    """The helpers that a method calls, and those that these call."""
    for node in nodes_in(method.function.body):
        function = called_function(node, method) if isinstance(node, cst.Call) else None
        if function is not None and function not in seen:
            seen.add(function)
            helper = looked_at(function)
            yield helper
            yield from _helpers(helper, seen)


def arrays_in(method: Method) -> set[str]:
    """Names that stand for arrays: used as such, annotated so, or made from others."""
    params = method.function.params
    found = set(array_names(method))
    for param in (*params.posonly_params, *params.params, *params.kwonly_params):
        text = "" if param.annotation is None else cst.Module([]).code_for_node(param.annotation.annotation)
        if any(name in text for name in _ARRAYS):
            found.add(param.name.value)
    found -= set(method.kinds)
    assigns = list(nodes_of(method.function.body, cst.Assign))
    while True:
        more = {n for a in assigns if _operates(a.value, method, found) for n in assigned_names(a)} - found
        if not more:
            return found
        found |= more


def _shows_parts(method: Method) -> bool:
    counts: dict[str, int] = {}
    for node in nodes_in(method.function.body):
        if not isinstance(node, cst.Subscript):
            continue
        items = items_of(node, method)
        if any(isinstance(item, cst.Slice | Mark) for item in items):
            return True
        name = node.value.value if isinstance(node.value, cst.Name) else ""
        known = name in method.local_names and name not in method.kinds
        if known and counts.setdefault(name, len(items)) != len(items):
            return True
    return False


def _computes_with(method: Method, arrays: Collection[str]) -> bool:
    found = False

    class Uses(Reader):
        def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
            nonlocal found
            found = found or isinstance(node.operator, cst.MatrixMultiply)
            self.operands(node.left, node.right)

        def visit_UnaryOperation(self, node: cst.UnaryOperation) -> None:
            self.operands(node.expression)

        def visit_Comparison(self, node: cst.Comparison) -> None:
            self.operands(node.left, *(each.comparator for each in node.comparisons))

        def visit_AugAssign(self, node: cst.AugAssign) -> None:
            self.operands(node.target, node.value)

        def visit_Assign(self, node: cst.Assign) -> None:
            if any(isinstance(each.target, cst.Subscript) for each in node.targets):
                self.operands(node.value)

        def visit_Subscript(self, node: cst.Subscript) -> None:
            self.operands(*(item for item in items_of(node, method) if isinstance(item, cst.BaseExpression)))

        def visit_Attribute(self, node: cst.Attribute) -> None:
            if node.attr.value in _OF_ARRAYS:
                self.operands(node.value)

        def visit_Call(self, node: cst.Call) -> None:
            nonlocal found
            function = called(node, method.namespace, method.local_names)
            found = found or _is_of_arrays(function)
            if _is_elementwise(node, method):
                self.operands(*(each.value for each in node.args))
            if isinstance(node.func, cst.Attribute) and node.func.attr.value in (
                *METHODS,
                *MORE_METHODS,
                *OF_LIBRARY,
                "astype",
                "dot",
            ):
                row = node.func.value
                self.operands(row.value if isinstance(row, cst.Subscript) else row)

        def operands(self, *nodes: cst.BaseExpression) -> None:
            nonlocal found
            found = found or any(isinstance(node, cst.Name) and node.value in arrays for node in nodes)

    method.function.body.visit(Uses())
    return found


def _operates(node: cst.BaseExpression, method: Method, arrays: Collection[str]) -> bool:
    """Whether an expression is made of whole arrays, element by element."""
    if isinstance(node, cst.Name):
        return node.value in arrays
    if isinstance(node, cst.BinaryOperation):
        return _operates(node.left, method, arrays) or _operates(node.right, method, arrays)
    if isinstance(node, cst.UnaryOperation):
        return _operates(node.expression, method, arrays)
    if isinstance(node, cst.Comparison):
        return any(_operates(n, method, arrays) for n in (node.left, *(c.comparator for c in node.comparisons)))
    if isinstance(node, cst.Call) and _is_of_arrays(called(node, method.namespace, method.local_names)):
        return True
    if isinstance(node, cst.Call) and _is_elementwise(node, method):
        return any(_operates(each.value, method, arrays) for each in node.args)
    if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name) and node.value.value in arrays:
        return any(isinstance(item, cst.Slice | Mark) for item in items_of(node, method))
    return False


def _is_of_arrays(function: object) -> bool:
    """Whether a function of NumPy's makes something of whole arrays."""
    return array_function(function) is not None or (library_name(function) is not None and function not in KNOWN)


def _is_elementwise(node: cst.Call, method: Method) -> bool:
    function = evaluate(node.func, method.namespace, method.local_names)
    if function is MISSING or isinstance(function, np.ndarray):
        return False
    known_functions = (abs, *NUMPY, *REDUCTIONS, *PRODUCTS)
    return isinstance(function, np.ufunc) or any(function is each for each in known_functions)
