"""A candidate loop -> `Nest`: its distributed dimensions, what it reads and writes, and the checks before it.

Raises `Rejected` with diagnostics when the loop may not be distributed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.language.operators import OPERATORS
from somd.transforms.access import Access, Affine, Relaxed
from somd.transforms.analysis.accesses import accesses_of, loop_domain
from somd.transforms.analysis.affine import affine
from somd.transforms.analysis.bounds import (
    as_asked,
    first_outside,
    hoistable,
    in_bounds,
    negative,
    of_statement,
    proved_lowest,
    violation,
)
from somd.transforms.analysis.dependences import find_conflict, may_be_negative
from somd.transforms.analysis.hulls import hull
from somd.transforms.analysis.python_text import name_text
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.plan import messages
from somd.transforms.plan.candidates import is_candidate
from somd.transforms.plan.combined import check_short_circuit, combined_in
from somd.transforms.plan.context import Context
from somd.transforms.plan.copies import classify_copies
from somd.transforms.plan.forms import check_form
from somd.transforms.plan.formulas import is_formula
from somd.transforms.plan.independent import independent_loops
from somd.transforms.plan.local_arrays import Locals, local_arrays
from somd.transforms.plan.near import Reckoning
from somd.transforms.plan.partitions import partition_of
from somd.transforms.plan.rejected import Rejected
from somd.transforms.plan.relaxation import relax
from somd.transforms.plan.scalars import Scalars, classify
from somd.transforms.plan.splitting_points import splitting_point
from somd.transforms.plan.views import corner_reads, derived_views
from somd.transforms.stages import FAR, Check, Dim, Near, Nest, Site
from somd.transforms.tree.loops import integer_constant, range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.rewriting import inside

MAX_DIMS = 3


@dataclass(frozen=True)
class Filled:
    """Arrays of which each iteration is known to reach elements of its own, but under the conditions `unless`."""

    arrays: frozenset[str]
    unless: tuple[str, ...]


def build_nest(
    loop: cst.For, around: tuple[Affine, ...], context: Context, copies: bool = False, filled: Filled | None = None
) -> Nest:
    """The nest of `loop`, proved independent up to reductions.

    With `copies` scalars may go from iteration to iteration in any way: every MI has its own, and runs in order.
    So it is with `filled`, for a scan.

    Raises:
        Rejected: it is not, or this cannot be proved.
        TooComplex: isl gave up.
    """
    context.stand_before(loop)
    check_form(loop, loop, set(), context)
    sets = Sets((*context.facts, *around))
    own = local_arrays(loop, context, sets)
    if own.diagnostics:
        raise Rejected(*own.diagnostics)
    scope = context.scope.with_known(dict.fromkeys(assigned_names(loop.body)))
    reckoning = Reckoning((*context.facts, *own.facts), around, context.kinds.strong)
    everything = reckoning.where_tested(accesses_of((loop,), scope.with_lengths(own.lengths)), context.aliases)
    accesses = tuple(a for a in everything if a.array not in own.names)
    combined = combined_in(loop, accesses, context, sets)
    private = {each.array for each in combined} | (frozenset() if filled is None else filled.arrays)
    proved = [a for a in accesses if a.array not in private]
    in_order_if: tuple[str, ...] = ()
    relaxed: Relaxed | None = None
    conflict = find_conflict(proved, loop, context.aliases, sets)
    if conflict is not None and context.relaxed is not None:
        relaxation = relax(loop, proved, context.relaxed, context, sets)
        relaxed, in_order_if = relaxation.relaxed, relaxation.in_order_if
    elif conflict is not None:
        in_order_if = _negative_indexes(proved, sets)
        if not in_order_if or find_conflict(proved, loop, context.aliases, sets, wraps=False) is not None:
            reason = messages.conflict(context.method, loop, conflict, relaxable=not combined)
            raise Rejected(reason, point=splitting_point(loop, conflict, proved, context, sets))
    in_order_if += () if filled is None else filled.unless
    copies |= filled is not None
    loops = [loop, *(() if copies else _grid(loop, proved, context, sets, wraps=not in_order_if))]
    body = statements_of(loops[-1].body)
    variables = {range_of(each).variable for each in loops}  # type: ignore[union-attr]
    scalars = classify_copies(loop, body, context) if copies else classify(loop, loops, body, context)
    if scalars.reasons:
        raise Rejected(*scalars.diagnostics)
    checks, guarded = _checks(accesses, context, sets)
    guarded |= _guards_inside(everything, own, context, Sets((*sets.context, *own.facts)))
    lowest, lowest_scalars = _lowest(everything, sets)
    for reduction in scalars.reductions:
        if OPERATORS[reduction.op].skips and any(inside(node, reduction.updates) for node in guarded):
            raise Rejected(messages.guarded_short_circuit(context.method, loop, reduction.name, reduction.op))
    check_short_circuit(combined, guarded, context)
    if context.relaxed is not None and relaxed is not None:
        for name in (*(each.array for each in combined), *scalars.copies):
            raise Rejected(messages.relaxed_combining(context.method, loop, name))
        context.relaxed.snapshots.update(relaxed.snapshots)
    reduces = bool(scalars.reductions or combined or filled)
    partition, left_out = partition_of(proved, loop, reduces, context, sets)
    in_order_if += () if left_out is None else (left_out,)
    if relaxed is not None and in_order_if and partition is not None:
        raise Rejected(messages.partition_not_usable(context.method, loop, partition))
    return Nest(
        dims=tuple(_dim(each, loops, k, context, sets) for k, each in enumerate(loops)),
        body=tuple(s for s in body if isinstance(s, cst.BaseStatement)),
        arrays_read=tuple(sorted({a.array for a in accesses if not a.write})),
        arrays_written=_changed(accesses, context),
        scalars=_inputs(loop, variables, scalars, context),
        privates=scalars.private,
        reductions=scalars.reductions,
        checks=checks,
        near=_near(reckoning.near(everything), loop, context),
        guarded=guarded,
        wrapping=frozenset(
            a.node for a in everything if any(may_be_negative(a, axis, sets) for axis in range(len(a.indices)))
        ),
        lowest=lowest,
        lowest_scalars=lowest_scalars,
        grid=any(p.dims is not None and len(p.dims) > 1 for p in context.method.marked),
        position=context.method.position(loop),
        partition=partition,
        combined=combined,
        in_order_if=in_order_if,
        arrays_asked=tuple(sorted((names_read(loop) & set(context.kinds.ranks)) - own.names)),
        views=derived_views(proved, _told_apart(variables, context), context, sets),
        local_arrays=own.arrays,
        copies=scalars.copies,
        corners=corner_reads(accesses, context, sets),
        relaxed=relaxed,
        # What is private to an iteration, or to a part, is not among the accesses that are looked at.
        independent=() if own.names or private else independent_loops(loops, proved, context, sets),
        accesses=accesses,
        facts=sets.context,
        aliased=bool(context.aliases.possible),
        raises=context.raise_sites(loop.body.body),
    )


def _changed(accesses: Sequence[Access], context: Context) -> tuple[str, ...]:
    """The arrays that are written, each by every name that it may have in the nest."""
    named = {a.array for a in accesses}
    return tuple(sorted(named & context.aliases.with_others(a.array for a in accesses if a.write)))


def _near(
    found: tuple[tuple[str, ...], tuple[str, ...]], loop: cst.For, context: Context
) -> tuple[Near | None, Near | None]:
    position = context.method.position(loop)
    first, last = (Near(n, context.site(position, ", ".join(n), FAR, "")) if n else None for n in found)
    return first, last


def _told_apart(variables: set[str], context: Context) -> list[str]:
    """The names of distributed loops' variables; for loops over trip numbers, what these stand for."""
    strided = context.method.strided
    return sorted(strided[name].variable if name in strided else name for name in variables)


def _negative_indexes(accesses: Sequence[Access], sets: Sets) -> tuple[str, ...]:
    """The conditions under which an index counts from the end."""
    axes = ((access, axis) for access in accesses for axis in range(len(access.indices)))
    found = (negative(access, axis, sets) for access, axis in axes)
    return tuple(dict.fromkeys(text for text in found if text is not None))


def _grid(loop: cst.For, accesses: Sequence[Access], context: Context, sets: Sets, wraps: bool) -> list[cst.For]:
    """The loops perfectly nested in `loop` that may be distributed together with it."""
    found: list[cst.For] = []
    current = loop
    dims = {range_of(loop).variable}  # type: ignore[union-attr]
    while len(found) < MAX_DIMS - 1:
        body = [s for s in small_statements(statements_of(current.body)) if not _idle(s)]
        if len(body) != 1 or not isinstance(body[0], cst.For):
            break
        inner = body[0]
        if not is_candidate(inner, context) and not (is_formula(loop, context) and range_of(inner)):
            break
        try:
            check_form(inner, loop, dims, context)
        except Rejected:
            break
        if find_conflict(accesses, inner, context.aliases, sets, wraps) is not None:
            break
        found.append(inner)
        dims.add(range_of(inner).variable)  # type: ignore[union-attr]
        current = inner
    return found


def _idle(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Pass) or (isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString))


def _dim(loop: cst.For, loops: Sequence[cst.For], k: int, context: Context, sets: Sets) -> Dim:
    header = range_of(loop)
    assert header is not None
    step = integer_constant(header.step, context.method)
    assert step is not None
    outer = {range_of(each).variable for each in loops[:k]}  # type: ignore[union-attr]
    invariant = not outer & (names_read(header.start) | names_read(header.stop))
    low = high = ""
    if not invariant:
        domains = [loop_domain(each, context.scope) for each in loops[: k + 1]]
        low, high = hull(domains, sets)
    first = affine(header.start, context.scope)
    return Dim(loop, header.variable, header.start, header.stop, step, invariant, low, high, first)


def _inputs(loop: cst.For, variables: set[str], scalars: Scalars, context: Context) -> tuple[str, ...]:
    reduced = {name for r in scalars.reductions for name in (r.name, *r.companions)}
    own = variables | {*scalars.private, *scalars.copies} | reduced | set(context.kinds.ranks)
    read = names_read(loop.body) | names_read(loop.iter)
    return tuple(sorted((read & context.method.local_names) - own))


def _checks(
    accesses: Sequence[Access], context: Context, sets: Sets
) -> tuple[tuple[Check, ...], dict[cst.Subscript, tuple[Site, ...]]]:
    """The checks before the nest, and the accesses that are tested where they happen.

    What happens under conditions on data is not tested where it would leave its array only if one of the checks fails:
    the element may have been read before the condition.
    """
    checks: dict[str, Check] = {}
    guarded: dict[cst.Subscript, tuple[Site, ...]] = {}
    found = [_violations(access, sets) for access in accesses]
    before = [each or _asked_violations(access, sets) for access, each in zip(accesses, found, strict=True)]
    known = {bad for each in before for bad in each if bad is not None}
    for access, violations, early in zip(accesses, found, before, strict=True):
        text = context.text(access.node)
        for axis, bad in enumerate(early):
            if bad is not None and bad not in checks:
                first = first_outside(as_asked(access, axis), axis, sets)
                checks[bad] = Check(bad, context.site(access.position, access.array, axis, text, first))
        if (
            violations is None
            and access.node not in guarded
            and not _surely_inside(access, known, sets, context.method.within)
        ):
            axes = range(len(access.indices))
            guarded[access.node] = tuple(context.site(access.position, access.array, axis, text) for axis in axes)
    return tuple(checks.values()), guarded


def _violations(access: Access, sets: Sets) -> list[str | None] | None:
    """By axis, when an access leaves its array; None if that is to be tested where it happens."""
    try:
        return (
            [violation(as_asked(access, axis), axis, sets) for axis in range(len(access.indices))]
            if hoistable(access)
            else None
        )
    except TooComplex:
        return None


def _asked_violations(access: Access, sets: Sets) -> list[str | None]:
    """The same of an access that is tested where it happens, for what its statement asks of it before."""
    alone = [of_statement(access, axis) for axis in range(len(access.indices))]
    try:
        return [None if each is None else violation(each, axis, sets) for axis, each in enumerate(alone)]
    except TooComplex:
        return []


def _surely_inside(access: Access, checks: Collection[str], sets: Sets, within: Collection[str]) -> bool:
    """Whether an access lies inside its array wherever none of the checks fails."""
    try:
        return in_bounds(access, sets, checks, within)
    except TooComplex:
        return False


def _guards_inside(
    accesses: Sequence[Access], own: Locals, context: Context, sets: Sets
) -> dict[cst.Subscript, tuple[Site, ...]]:
    """The accesses to arrays of an iteration's own that are not proved to lie inside them: tested where they happen."""
    guarded: dict[cst.Subscript, tuple[Site, ...]] = {}
    for access in accesses:
        if access.array not in own.names or access.node in guarded:
            continue
        try:
            inside = in_bounds(access, sets)
        except TooComplex:
            inside = False
        if not inside:
            axes, text = range(len(access.indices)), context.text(access.node)
            guarded[access.node] = tuple(context.site(access.position, access.array, axis, text) for axis in axes)
    return guarded


def _lowest(accesses: Sequence[Access], sets: Sets) -> tuple[dict[cst.For, int], dict[str, int]]:
    """What loop variables (by loop) and uniform scalars in indexes are proved to be at least, where that is 0 or 1."""
    loops: dict[cst.For, int | None] = {}
    for access in accesses:
        for depth, domain in enumerate(access.loops):
            if domain.node not in loops:
                if domain.strided:
                    loops[domain.node] = 0
                    continue
                around = access.loops[: depth + 1]
                formulas = [c for each in around for c in each.constraints]
                names = [each.variable for each in around]
                loops[domain.node] = proved_lowest(names, formulas, domain.variable, sets)
    variables = {domain.variable for access in accesses for domain in access.loops}
    used = {n for a in accesses for index in a.indices if index is not None for n in index.names} - variables
    scalars = {n: proved_lowest([], [], n, sets) for n in sorted(used) if n.startswith("v_")}
    return (
        {node: value for node, value in loops.items() if value is not None},
        {name_text(name): value for name, value in scalars.items() if value is not None},
    )
