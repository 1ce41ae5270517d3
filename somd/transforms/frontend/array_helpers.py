"""Which calls are written out in their caller: those of SOMD methods, and of helpers that take or make arrays or raise.

A helper of scalars alone stays a function of its own in the generated code.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from somd.transforms.analysis.allocations import is_allocation
from somd.transforms.frontend.nested import Nested
from somd.transforms.frontend.positional import called_function
from somd.transforms.frontend.raises import raises_in
from somd.transforms.frontend.reached import Function, Reached
from somd.transforms.frontend.read import looked_at
from somd.transforms.stages import Method
from somd.transforms.tree.names import assigned_names, evaluate, names_read, target_parts
from somd.transforms.tree.walking import Reader, nodes_in, nodes_of

Seen = dict[Function, bool]
#: what may give another name, or a part, of an array
VIEWS = (cst.Name, cst.Subscript, cst.Attribute, cst.Tuple, cst.IfExp)


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
    body, found = method.function.body, {p.name for p in method.params if p.distributed}
    found |= {node.value.value for node in nodes_of(body, cst.Subscript) if isinstance(node.value, cst.Name)}
    for asked in nodes_of(body, cst.Attribute):
        if isinstance(asked.value, cst.Name) and asked.attr.value in ("shape", "size", "ndim", "copy"):
            found.add(asked.value.value)
    for call in nodes_of(body, cst.Call):
        if isinstance(call.func, cst.Name) and call.func.value == "len":
            found.update(names_read(call.args[0].value) if call.args else ())
    for node in nodes_of(body, cst.Assign):
        if is_allocation(node.value, method):
            found.update(each.target.value for each in node.targets if isinstance(each.target, cst.Name))
    return frozenset(found & method.local_names)


def written_out(
    node: cst.Call, method: Method, arrays: frozenset[str], seen: Seen, also: Collection[Function] = ()
) -> Function | None:
    """The function of a call of `method` that is to be written out; None for every other call.

    `arrays` are the array names of `method`; `seen` keeps what is known of helpers; `also` are known to be of arrays.
    """
    function = called_function(node, method)
    if function is None:
        return None
    value = evaluate(node.func, method.namespace, method.local_names)
    if isinstance(function, Nested) or function in also:
        return function
    if function is not value or (isinstance(function, Reached) and function.frame.somd):
        return function
    given = {a.value.value for a in node.args if isinstance(a.value, cst.Name)}
    return function if given & arrays or _of_arrays(function, seen) else None


def changes_arrays(function: Function, seen: Seen) -> bool:
    """Whether a function that is written out assigns elements of its parameters, or calls one that does."""
    if function not in seen:
        seen[function] = False
        method = looked_at(function)
        arrays = array_names(method)
        inner: Seen = {}
        called = (written_out(call, method, arrays, inner) for call in calls_in(method.function.body))
        seen[function] = stores((method.function.body,), _reaching(method, function)) or any(
            each is not None and changes_arrays(each, seen) for each in called
        )
    return seen[function]


def _reaching(method: Method, function: Function) -> set[str]:
    """The names of a function that may reach arrays of its caller: its parameters, those of the function around it, and
    second names and parts of such."""
    found = {*method.param_names, *(function.around if isinstance(function, Nested) else ())}
    for node in nodes_in(method.function.body):
        if isinstance(node, cst.Assign) and isinstance(node.value, VIEWS):
            found |= assigned_names(node)
    return found


def may_raise(function: Function, seen: Seen) -> bool:
    """Whether a function that is written out has a `raise`, or calls one that has."""
    if function not in seen:
        seen[function] = False
        method = looked_at(function)
        arrays = array_names(method)
        inner: Seen = {}
        called = (written_out(call, method, arrays, inner) for call in calls_in(method.function.body))
        own = bool(raises_in([method.function.body]))
        seen[function] = own or any(each is not None and may_raise(each, seen) for each in called)
    return seen[function]


def stores(body: Sequence[cst.CSTNode], arrays: Collection[str]) -> bool:
    """Whether elements of `arrays` are assigned, or may be written by a call for nothing else."""
    return any(
        _stores(node, arrays)
        for statement in body
        for node in nodes_of(statement, cst.AssignTarget, cst.AugAssign, cst.Expr, cst.Arg)
    )


def _stores(node: cst.AssignTarget | cst.AugAssign | cst.Expr | cst.Arg, arrays: Collection[str]) -> bool:
    if isinstance(node, cst.Expr):
        return isinstance(node.value, cst.Call)
    if isinstance(node, cst.Arg):
        return node.keyword is not None and node.keyword.value == "out"
    parts: list[cst.CSTNode] = [*target_parts(node.target)]
    stored: list[cst.CSTNode] = [part.value for part in parts if isinstance(part, cst.Subscript)]
    stored += parts if isinstance(node, cst.AugAssign) else []
    return any(isinstance(each, cst.Name) and each.value in arrays for each in stored)


def _of_arrays(function: Function, seen: Seen) -> bool:
    """Whether a helper takes arrays, makes some, raises, or calls a function that is to be written out."""
    if function not in seen:
        seen[function] = False
        method = looked_at(function)
        arrays = array_names(method)
        takes = bool(arrays & set(method.param_names)) or bool(raises_in([method.function.body]))
        seen[function] = takes or any(
            is_allocation(call, method) or written_out(call, method, arrays, seen)
            for call in calls_in(method.function.body)
        )
    return seen[function]
