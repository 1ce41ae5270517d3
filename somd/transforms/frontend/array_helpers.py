"""Which calls are written out in their caller: those of SOMD methods, and of helpers that take or make arrays or raise.

A helper of scalars alone stays a function of its own in the generated code.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from somd.transforms.analysis.allocations import is_allocation
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.raises import raises_in
from somd.transforms.frontend.reached import Function, Reached
from somd.transforms.frontend.read import read_method
from somd.transforms.stages import Method
from somd.transforms.tree.names import evaluate, names_read
from somd.transforms.tree.walking import Reader

Seen = dict[Function, bool]


def calls_in(node: cst.CSTNode) -> list[cst.Call]:
    """The calls in `node`, inner ones first."""
    found: list[cst.Call] = []

    class Calls(Reader):
        def leave_Call(self, original_node: cst.Call) -> None:
            found.append(original_node)

    node.visit(Calls())
    return found


def array_names(method: Method) -> frozenset[str]:
    """Names that stand for arrays as far as the text shows: indexed, asked for their shape, or bound to a new array."""
    found = {p.name for p in method.params if p.distributed}

    class Uses(Reader):
        def visit_Subscript(self, node: cst.Subscript) -> None:
            if isinstance(node.value, cst.Name):
                found.add(node.value.value)

        def visit_Attribute(self, node: cst.Attribute) -> None:
            if isinstance(node.value, cst.Name) and node.attr.value in ("shape", "size", "ndim", "copy"):
                found.add(node.value.value)

        def visit_Call(self, node: cst.Call) -> None:
            if isinstance(node.func, cst.Name) and node.func.value == "len":
                found.update(names_read(node.args[0].value) if node.args else ())

        def visit_Assign(self, node: cst.Assign) -> None:
            if is_allocation(node.value, method):
                found.update(t.target.value for t in node.targets if isinstance(t.target, cst.Name))

    method.function.body.visit(Uses())
    return frozenset(found & method.local_names)


def written_out(node: cst.Call, method: Method, arrays: frozenset[str], seen: Seen) -> Function | None:
    """The function of a call of `method` that is to be written out; None for every other call.

    `arrays` are the array names of `method`; `seen` keeps what is known of helpers.
    """
    function = called_function(node, method)
    if function is None:
        return None
    value = evaluate(node.func, method.namespace, method.local_names)
    if function is not value or (isinstance(function, Reached) and function.frame.somd):
        return function
    given = {a.value.value for a in node.args if isinstance(a.value, cst.Name)}
    return function if given & arrays or _of_arrays(function, seen) else None


def changes_arrays(function: Function, seen: Seen) -> bool:
    """Whether a function that is written out assigns elements of its parameters, or calls one that does."""
    if function not in seen:
        seen[function] = False
        method = read_method(function)
        arrays = array_names(method)
        inner: Seen = {}
        called = (written_out(call, method, arrays, inner) for call in calls_in(method.function.body))
        seen[function] = stores((method.function.body,), method.param_names) or any(
            each is not None and changes_arrays(each, seen) for each in called
        )
    return seen[function]


def may_raise(function: Function, seen: Seen) -> bool:
    """Whether a function that is written out has a `raise`, or calls one that has."""
    if function not in seen:
        seen[function] = False
        method = read_method(function)
        arrays = array_names(method)
        inner: Seen = {}
        called = (written_out(call, method, arrays, inner) for call in calls_in(method.function.body))
        own = bool(raises_in([method.function.body]))
        seen[function] = own or any(each is not None and may_raise(each, seen) for each in called)
    return seen[function]


def stores(body: Sequence[cst.CSTNode], arrays: Collection[str]) -> bool:
    """Whether elements of `arrays` are assigned."""
    found = False

    class Stores(Reader):
        def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
            self.target(node.target)

        def visit_AugAssign(self, node: cst.AugAssign) -> None:
            self.target(node.target)

        def target(self, node: cst.BaseExpression) -> None:
            nonlocal found
            if isinstance(node, cst.Tuple):
                for element in node.elements:
                    self.target(element.value)
            elif isinstance(node, cst.Subscript):
                found = found or (isinstance(node.value, cst.Name) and node.value.value in arrays)

    for statement in body:
        statement.visit(Stores())
    return found


def _of_arrays(function: Function, seen: Seen) -> bool:
    """Whether a helper takes arrays, makes some, raises, or calls a function that is to be written out."""
    if function not in seen:
        seen[function] = False
        method = read_method(function)
        arrays = array_names(method)
        takes = bool(arrays & set(method.param_names)) or bool(raises_in([method.function.body]))
        seen[function] = takes or any(
            is_allocation(call, method) or written_out(call, method, arrays, seen)
            for call in calls_in(method.function.body)
        )
    return seen[function]
