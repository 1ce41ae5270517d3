"""A method whose partial results are reduced by a function, or by itself: cut at the loop that makes them.

    before                     once, as in any method
    for i in range(...): ...   the last distributed loop: a phase in which every MI has its own copies of the scalars
    rest, return               `PartialResults`: run for each MI, on its copies

In: the statements of the method. Out: the three pieces, or a diagnostic that says why they are not these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.diagnostics.model import Collector, Diagnostic
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.frontend.raises import raises_in
from somd.transforms.plan import partial_messages
from somd.transforms.plan.candidates import contains_candidate
from somd.transforms.plan.context import Context, kinds_from_source
from somd.transforms.plan.formulas import touches_no_array
from somd.transforms.stages import Method, Nest, Phase
from somd.transforms.tree.loops import contains_fence, else_statements, fence_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, names_read

Inside = Callable[[cst.CSTNode], bool]


class NotCut(Exception):
    """The method does not have the form, for the reason in `diagnostic`."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class Cut:
    """The statements before the loop that makes partial results, the loop, and the rest of the method."""

    before: tuple[cst.CSTNode, ...]
    loop: cst.For
    rest: tuple[cst.BaseStatement, ...]


def cut_at_last_loop(statements: Sequence[cst.CSTNode], parallel_inside: Inside, context: Context) -> Cut | None:
    """The cut at the last distributed loop; None if there is no such loop at all.

    Raises:
        NotCut: the loop stands in another statement, or the rest is not scalar code that returns.
    """
    found = [k for k, node in enumerate(statements) if parallel_inside(node)]
    if not found:
        return None
    last = found[-1]
    node = statements[last]
    if isinstance(node, cst.With):
        fence = fence_of(node, context.method)
        inner = statements_of(node.body)
        if (
            fence is not None
            and fence.kind == "sync"
            and not (fence.names or fence.relaxed)
            and any(map(parallel_inside, inner))
        ):
            opened = (*statements[:last], *inner, *statements[last + 1 :])
            return cut_at_last_loop(opened, parallel_inside, context)
    if not isinstance(node, cst.For) or contains_fence(node, context.method):
        raise NotCut(partial_messages.partial_loop_inside(context.method, _loop_in(node)))
    rest = tuple(s for s in statements[last + 1 :] if isinstance(s, cst.BaseStatement))
    _check_rest(rest, node, context)
    return Cut(tuple(statements[:last]), node, rest)


def loops_with_copies(method: Method) -> tuple[cst.For, ...]:
    """The loops in which every MI is to have its own copies of scalars: counters there count an MI's iterations."""
    if method.combine is None:
        return ()
    nothing = Collector()
    context = Context(method, kinds_from_source(method), nothing)
    statements = statements_of(method.function.body)
    try:
        cut = cut_at_last_loop(statements, parallel_or_formula(statements, context), context)
    except NotCut:
        return ()
    return (cut.loop,) if cut is not None else ()


def parallel_inside(node: cst.CSTNode, context: Context) -> bool:
    """Whether `node` holds a candidate, or a fence."""
    return contains_candidate(node, context) or contains_fence(node, context.method)


def parallel_or_formula(statements: Sequence[cst.CSTNode], context: Context) -> Inside:
    """What tells the statements with a loop to cut from others: a candidate, or where none of `statements` holds one,
    any loop over a range that touches no array."""
    if any(parallel_inside(node, context) for node in statements):
        return lambda node: parallel_inside(node, context)
    return lambda node: isinstance(node, cst.For) and touches_no_array(node, context)


def _loop_in(node: cst.CSTNode) -> cst.CSTNode:
    """What a message points at: the header of the statement around the loop."""
    if isinstance(node, cst.For):
        return node.iter
    if isinstance(node, cst.While | cst.If):
        return node.test
    return node.items[0] if isinstance(node, cst.With) else node


def _check_rest(rest: Sequence[cst.BaseStatement], loop: cst.For, context: Context) -> None:
    """The rest runs once for each MI: it may not change arrays, and must return a value on every way."""
    method = context.method
    for access in accesses_of(rest, context.scope):
        if access.write:
            raise NotCut(partial_messages.rest_writes(method, access.node, access.array))
    bound = sorted(set().union(*(assigned_names(s) for s in rest)) & set(context.kinds.ranks)) if rest else []
    if bound:
        raise NotCut(partial_messages.rest_writes(method, rest[0], bound[0]))
    for node in raises_in(rest):
        raise NotCut(partial_messages.rest_raises(method, node))
    for statement in rest:
        if contains_fence(statement, method):
            raise NotCut(partial_messages.partial_loop_inside(method, statement))
    if not _returns(rest):
        raise NotCut(partial_messages.rest_without_return(method, loop))


def _returns(statements: Sequence[cst.CSTNode]) -> bool:
    """Whether every way through `statements` ends in a `return` with a value."""
    small = list(small_statements(statements))
    last = small[-1] if small else None
    if isinstance(last, cst.If):
        return _returns(statements_of(last.body)) and _returns(else_statements(last))
    return isinstance(last, cst.Return) and last.value is not None


def accumulated_before(
    before: Sequence[cst.CSTNode], phases: Sequence[Phase], parallel_inside: Inside
) -> frozenset[str]:
    """Scalars whose value before the loop comes from an earlier reduction: all MIs would start with all of it."""
    reduced = {n for p in phases for r in p.nest.reductions for n in (r.name, *r.companions)}
    reduced |= {name for p in phases for name in p.nest.copies}
    found: set[str] = set()
    for node in small_statements(before):
        if parallel_inside(node):
            found |= assigned_names(node) & reduced
        elif isinstance(node, cst.Assign | cst.AnnAssign) and node.value is not None:
            fresh = assigned_names(node) - names_read(node.value)
            found -= fresh
    return frozenset(found)


def check_copies(cut: Cut, nest: Nest, accumulated: Collection[str], context: Context) -> None:
    """The rest reads what the MIs made, and no copy starts from what another loop has accumulated already.

    Raises:
        NotCut: it does not hold.
    """
    spelled = context.method.spelled
    own = [name for s in small_statements(statements_of(cut.loop.body)) for name in assigned_names(s)]
    assert not any(name.startswith(f"{spelled[name]}__now") for name in own if name in spelled), "a copy is counted"
    read = read_from_before(cut.rest, context.method)
    if not read & set(nest.copies):
        raise NotCut(partial_messages.partials_unused(context.method, cut.loop))
    twice = sorted(set(nest.copies) & set(accumulated))
    if twice:
        raise NotCut(partial_messages.accumulated_twice(context.method, cut.loop, twice[0]))


def inputs_of_rest(cut: Cut, nest: Nest, context: Context) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The copies that the rest reads, and what else of the method it needs."""
    read = read_from_before(cut.rest, context.method) & context.method.local_names
    return tuple(n for n in nest.copies if n in read), tuple(sorted(read - set(nest.copies)))
