"""Which partitioner cuts a distributed loop, if one does.

What a partitioner makes of an array is asked for when the method is called, and cuts no more than the indexes that the
array has then. So it cuts loops whose iterations are such indexes; and what it promises of keys holds as long as these
stay as they were.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import loop_domain
from somd.transforms.analysis.affine import size, variable
from somd.transforms.analysis.bounds import hoistable, reached
from somd.transforms.analysis.dependences import keys_in
from somd.transforms.analysis.sets import Sets
from somd.transforms.plan import messages
from somd.transforms.plan.context import Context
from somd.transforms.plan.rejected import Rejected
from somd.transforms.stages import Plan, written_arrays
from somd.transforms.tree.loops import integer_constant, range_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.walking import nodes_of


def partition_of(
    accesses: Sequence[Access], loop: cst.For, reduces: bool, context: Context, sets: Sets
) -> tuple[str | None, str | None]:
    """The parameter whose partitioner cuts `loop`, which is one that it indexes directly along axis 0; and Python text
    that is true when it leaves out iterations of a loop that relies on it.

    Raises:
        Rejected: several partitioners would cut it, or one whose promise the loop needs cannot.
    """
    header = range_of(loop)
    assert header is not None
    name = variable(header.variable)
    roots = {
        context.partitions[a.array]
        for a in accesses
        if a.array in context.partitions and a.indices[0] is not None and a.indices[0].text == name
    }
    if len(roots) > 1:
        raise Rejected(messages.several_partitions(context.method, loop, sorted(roots)))
    root = next(iter(roots), None)
    step = integer_constant(header.step, context.method)
    backwards = reduces or step is None or step < 0
    usable = None if root is None or backwards or _rebound(root, context) else root
    if any(index is not None and keys_in(index) for a in accesses for index in a.indices if a.write):
        changed = {*context.changed_keys, *(a.array for a in accesses if a.write)}
        if usable is None or usable in changed:
            raise Rejected(messages.partition_not_usable(context.method, loop, root or ""))
        return usable, _left_out(usable, accesses, loop, context, sets)
    if usable is None or _left_out(usable, accesses, loop, context, sets) is not None:
        return None, None
    return usable, None


def _left_out(root: str, accesses: Sequence[Access], loop: cst.For, context: Context, sets: Sets) -> str | None:
    """Python text that is true when some iteration is no index of `root`; None if that cannot be, or raises."""
    domain = loop_domain(loop, context.scope)
    name, length = domain.variable, size(root, 0)
    outside = f"{name} < 0 or {name} >= {length}"
    if any(_asks_always(each, root, name) for each in accesses):
        outside = f"{name} < 0"
    return reached([name], [*domain.constraints, Affine(f"({outside})", frozenset({name, length}))], sets)


def _asks_always(access: Access, array: str, name: str) -> bool:
    """Whether each iteration has an element of `array` by its own index, so that those that have none raise before."""
    alone = access.array == array and len(access.loops) == 1 and not access.guards and hoistable(access)
    return alone and access.indices[0] is not None and access.indices[0].text == name


def _rebound(name: str, context: Context) -> bool:
    """Whether a name stands for other arrays than the one that is cut."""
    given = name in context.method.param_names
    bindings = nodes_of(context.method.function.body, cst.Assign, cst.AnnAssign, cst.AugAssign)
    return sum(name in assigned_names(each) for each in bindings) > (not given)


def changed_keys(plan: Plan, context: Context) -> frozenset[str]:
    """The arrays of keys that the method changes, by whatever name a call gives them."""
    one = context.kinds.aliases
    written = {one.get(name, name) for name in written_arrays(plan)}
    return frozenset(name for name in context.scope.keys if one.get(name, name) in written)
