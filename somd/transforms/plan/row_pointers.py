"""Arrays that tell where the inner loops of iterations begin and end: `for k in range(start[i], start[i + 1])`.

In: a nest. Out: the name of such an array; it adds up what iterations cost, so parts of about equal work are found in
it by bisection. Nothing relies on what it holds.
"""

from __future__ import annotations

import libcst as cst

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.stages import Nest
from somd.transforms.tree.loops import opened_statements, range_of, small_statements
from somd.transforms.tree.names import assigned_names


def row_pointers(nest: Nest) -> str | None:
    """The array, not written in the nest, whose neighbouring elements bound a loop of the iteration."""
    dim = nest.dims[0]
    if dim.step != 1 or not dim.invariant:
        return None
    for node in opened_statements(nest.body):
        header = range_of(node) if isinstance(node, cst.For) else None
        if header is None:
            continue
        first, last = (_element(limit, nest) for limit in header.limits)
        if first is None or last is None or first[0] != last[0] or first[0] in nest.arrays_written:
            continue
        i = dim.variable
        if first[1] == i and last[1] in (f"{i}+1", f"1+{i}") and first[0] in nest.arrays_read:
            return first[0]
    return None


def _element(limit: cst.BaseExpression, nest: Nest) -> tuple[str, str] | None:
    """The array and the index of an element, which a local of the iteration may hold."""
    if isinstance(limit, cst.Name):
        setting = [node for node in opened_statements(nest.body) if limit.value in assigned_names(node)]
        top = [node for node in small_statements(nest.body) if isinstance(node, cst.Assign)]
        if len(setting) != 1 or not any(node is setting[0] for node in top):
            return None
        assign = cst.ensure_type(setting[0], cst.Assign)
        if len(assign.targets) != 1 or not isinstance(assign.targets[0].target, cst.Name):
            return None
        limit = assign.value
    if isinstance(limit, cst.Call) and len(limit.args) == 1 and isinstance(limit.func, cst.Name):
        limit = limit.args[0].value if limit.func.value == "int" else limit
    if not isinstance(limit, cst.Subscript) or not isinstance(limit.value, cst.Name):
        return None
    indexes = index_expressions(limit)
    if len(indexes) != 1:
        return None
    return limit.value.value, cst.Module([]).code_for_node(indexes[0]).replace(" ", "")
