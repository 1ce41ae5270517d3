"""What holds of scalars and lengths at a place of a method's body: in a loop that all parts take together, behind a
statement that raises otherwise, and behind an assignment.

What holds for the rest of a list of statements is what that rest cannot change: it assigns none of the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.analysis.accesses import loop_domain
from somd.transforms.analysis.affine import condition, negation, size, variable
from somd.transforms.analysis.facts import assignments_in, equalities
from somd.transforms.plan.context import Context
from somd.transforms.tree.loops import always_raises, range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, names_read


def facts_inside(node: cst.For, around: tuple[Affine, ...], context: Context) -> tuple[Affine, ...]:
    """What holds in the body of a uniform loop: the facts around that the body leaves alone, and its own range."""
    changed = changed_in([node.body], context)
    header = range_of(node)
    assert header is not None
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
    return [] if raised is None or raised.names & changed_in(rest, context) else [negation(raised)]


def assigned_before(node: cst.CSTNode, rest: Sequence[cst.CSTNode], context: Context) -> Iterator[Affine]:
    """What is known in `rest`, the statements behind one that assigns, of what it has assigned."""
    smalls = list(small_statements([node]))
    for k, small in enumerate(smalls):
        assigned = [
            formula
            for target, value in assignments_in(small)
            if assigned_names(small).isdisjoint(names_read(value))
            for formula in equalities(target.value, value, context.scope, context.kinds.ranks)
        ]
        if assigned:
            changed = changed_in((*smalls[k + 1 :], *rest), context)
            yield from (formula for formula in assigned if not formula.names & changed)


def changed_in(statements: Iterable[cst.CSTNode], context: Context) -> set[str]:
    """The isl names of scalars, and of the lengths of arrays, that statements may make others."""
    assigned = set[str]().union(*map(assigned_names, statements))
    ranks = context.kinds.ranks
    return {variable(name) for name in assigned}.union(
        size(name, axis) for name in assigned for axis in range(ranks.get(name, 0))
    )
