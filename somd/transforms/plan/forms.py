"""The form that distributed loops must have."""

from __future__ import annotations

import libcst as cst

from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.library import library_function
from somd.transforms.plan import messages
from somd.transforms.plan.context import Context
from somd.transforms.plan.rejected import Rejected
from somd.transforms.tree.loops import exits_of, integer_constant, range_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import nodes_of


def check_form(loop: cst.For, outer: cst.For, dims: set[str], context: Context) -> None:
    """The form that a distributed loop must have: constant step, bounds of scalars, no way out of it.

    `dims` are the variables of the distributed loops between `outer` and `loop`, which its bounds may use.
    """
    header = range_of(loop)
    assert header is not None
    method = context.method
    step = integer_constant(header.step, method)
    if step is None or step == 0:
        raise Rejected(messages.step_not_constant(method, header.step))
    for limit in (header.start, header.stop):
        if accesses_of((cst.Expr(limit),), context.scope):
            raise Rejected(messages.array_in_bound(method, limit))
    changed = assigned_names(outer.body) - dims - {header.variable}
    if changed & (names_read(header.start) | names_read(header.stop)):
        raise Rejected(messages.bound_changes(method, loop))
    call = next((node for node in nodes_of(loop.body, cst.Call) if library_function(node, method) is not None), None)
    if call is not None:
        raise Rejected(messages.library_call(method, call))
    if header.variable in assigned_names(loop.body):
        raise Rejected(messages.variable_assigned(method, loop))
    exits = next((node for node in exits_of(loop) if not isinstance(node, cst.Continue)), None)
    if exits is not None:
        raise Rejected(messages.leaves_loop(method, exits))
