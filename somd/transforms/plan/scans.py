"""A candidate loop whose iterations hand scalars on -> `Scan`: its blocks are run side by side, from carries.

    for i in range(n):              totals: what each block of iterations makes of s
        s = s + a[i]                then the value of s before each block, block after block
        out[i] = s                  then the iterations as they are, each block from its value

In: a loop that is not independent as it stands. Out: the two phases, and how each scalar is carried. It is required
that the iterations are independent but for these scalars, that each follows from its value before in a way that `SCANS`
has (`carried`), and that what it follows from is the same before the loop has run: a slice of the iteration that stores
nothing, and reads nothing that was stored before. What fails in the slice fails again in the iteration, if it counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.analysis.slices import NotSliced, Slice, slice_of
from somd.transforms.frontend.endless import may_not_end
from somd.transforms.plan.carried import scan_of
from somd.transforms.plan.context import Context
from somd.transforms.plan.copies import all_define
from somd.transforms.plan.counters import far_counter, filled_arrays
from somd.transforms.plan.nests import Filled, build_nest
from somd.transforms.stages import Carry, Nest, Phase, Scan
from somd.transforms.tree.loops import exits_of, range_of, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import nodes_in, nodes_of


class NoScan(Exception):
    """The loop is no scan."""


def build_scan(loop: cst.For, around: tuple[Affine, ...], context: Context, number: int) -> Scan:
    """The scan of `loop`, whose phases have `number` and the one behind it.

    Raises:
        NoScan: it is none.
        Rejected: its iterations are dependent otherwise.
        TooComplex: isl gave up.
    """
    if context.relaxed is not None or context.combining or context.method.combine is not None:
        raise NoScan
    body = statements_of(loop.body)
    kinds = _kinds(loop, body, context)
    names = frozenset(kinds)
    accesses = accesses_of((loop,), context.scope.with_known(dict.fromkeys(assigned_names(loop.body))))
    filled = filled_arrays(loop, names, accesses, context)
    slice_ = _slice(body, names)
    tests = dict.fromkeys(map(far_counter, filled.values()))
    nest = build_nest(loop, around, context, filled=Filled(frozenset(filled), tuple(tests)))
    carries = tuple(Carry(name, kinds.get(name)) for name in nest.copies)
    own = {*filled, *(local.name for local in nest.local_arrays)}
    if own & slice_.names or not same_before(slice_, loop, accesses, nest, context):
        raise NoScan
    return Scan(Phase(number, _totals(nest, slice_, accesses)), Phase(number + 1, nest), carries)


def _kinds(loop: cst.For, body: Sequence[cst.CSTNode], context: Context) -> dict[str, str]:
    """The scalars that iterations hand on, each with its kind of scan."""
    header, method = range_of(loop), context.method
    assert header is not None
    own = assigned_names(loop.body) - set(context.kinds.ranks) - {header.variable}
    set_always = frozenset[str]() if exits_of(loop) else all_define(body)
    live = context.liveness.after.get(loop, frozenset()) - set_always
    names = own & (read_from_before(body, method) | live)
    found: dict[str, str] = {}
    for name in sorted(names):
        slice_ = _slice(body, frozenset((name,)))
        kind = None if slice_.names & (names - {name}) else scan_of(name, slice_, method, context.kinds.dtypes)
        if kind is None:
            raise NoScan
        found[name] = kind
    if not found:
        raise NoScan
    return found


def _slice(body: Sequence[cst.CSTNode], names: frozenset[str]) -> Slice:
    try:
        return slice_of(body, names)
    except NotSliced:
        raise NoScan from None


def same_before(slice_: Slice, loop: cst.For, accesses: Sequence[Access], nest: Nest, context: Context) -> bool:
    """Whether the slice does before the loop what it does in it: what it reads has not been stored by then, and what
    the iteration tests first is nothing that it relies on."""
    kept = {node for statement in slice_.statements for node in nodes_in(statement)}
    repeated = list(nodes_of(loop.body, cst.For, cst.While))
    tests = slice_.raises or any(node in kept for node in nest.guarded)
    if tests and may_not_end(loop.body, context.method):
        return False  # a block behind an iteration that fails begins with anything, and might not end
    stored: list[Access] = []
    for access in accesses:
        if access.write:
            stored.append(access)
        elif access.node in kept and not _before(access, stored, accesses, repeated, context):
            return False
    return True


def _before(
    read: Access,
    stored: Iterable[Access],
    accesses: Iterable[Access],
    repeated: Iterable[cst.CSTNode],
    context: Context,
) -> bool:
    """Whether a read of an element comes before all stores to its array: those that the iteration came to before, and
    those of loops in the iteration that the read stands in."""
    around = {node for each in repeated if _holds(each, read.node) for node in nodes_in(each)}
    others = [*stored, *(a for a in accesses if a.write and a.node in around)]
    return not any(context.aliases.may_be_one(read.array, each.array) for each in others)


def _holds(outer: cst.CSTNode, node: cst.CSTNode) -> bool:
    return any(each is node for each in nodes_in(outer))


def _totals(nest: Nest, slice_: Slice, accesses: Collection[Access]) -> Nest:
    """The phase that runs the slice alone."""
    kept = {node for statement in slice_.statements for node in nodes_in(statement)}
    mine = tuple(access for access in accesses if access.node in kept)
    asked = slice_.names | names_read(nest.dims[0].node.iter)
    lowest = {cst.ensure_type(slice_.made.get(node, node), cst.For): value for node, value in nest.lowest.items()}
    return replace(
        nest,
        body=slice_.statements,
        arrays_read=tuple(sorted({access.array for access in mine})),
        arrays_written=(),
        arrays_asked=tuple(name for name in nest.arrays_asked if name in asked),
        copies=tuple(name for name in nest.copies if name in slice_.carried),
        accesses=mine,
        views={array: view for array, view in nest.views.items() if array in slice_.names},
        corners={},
        checks=(),
        near=(None, None),
        guarded={node: sites for node, sites in nest.guarded.items() if node in kept},
        raises=(),
        lowest=lowest,
        local_arrays=(),
        independent=(),
    )
