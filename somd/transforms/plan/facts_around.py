"""What holds of scalars in a loop that all parts take together, and behind a statement that raises otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.analysis.accesses import loop_domain
from somd.transforms.analysis.affine import condition, negation, variable
from somd.transforms.plan.context import Context
from somd.transforms.tree.loops import always_raises, range_of, statements_of
from somd.transforms.tree.names import assigned_names, names_read


def facts_inside(node: cst.For, around: tuple[Affine, ...], context: Context) -> tuple[Affine, ...]:
    """What holds in the body of a uniform loop: the facts around that the body leaves alone, and its own range."""
    assigned = assigned_names(node.body)
    changed = {variable(name) for name in assigned}
    header = range_of(node)
    assert header is not None
    if assigned & set(context.kinds.ranks):
        return ()
    domain = loop_domain(node, context.scope)
    kept = [f for f in around if not f.names & (changed | {domain.variable})]
    if domain.variable in changed or domain.variable in {variable(n) for n in names_read(node.iter)}:
        return tuple(kept)
    return (*kept, *(c for c in domain.constraints if not c.names & changed))


def holds_behind(node: cst.CSTNode, rest: Sequence[cst.CSTNode], context: Context) -> list[Affine]:
    """What holds in `rest`, the statements behind one that raises otherwise."""
    if not isinstance(node, cst.If) or node.orelse is not None or not always_raises(statements_of(node.body)):
        return []
    raised = condition(node.test, context.scope)
    assigned = set().union(*(assigned_names(s) for s in rest))
    if raised is None or assigned & set(context.kinds.ranks):
        return []
    return [] if raised.names & {variable(name) for name in assigned} else [negation(raised)]
