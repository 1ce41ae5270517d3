"""Loops in which one scalar is handed on by a short chain, and much else does not wait for it.

    for i in range(n):
        e = math.exp(-x[i] * x[i])          the same whatever s is: all iterations side by side
        s = s + e / (1.0 + x[i])            one after the other
        out[i] = s                          side by side again

In: a loop that may not be distributed for the sake of a scalar. Out: the statement that hands it on, and those parts
of it that may be computed before. It is required that iterations are independent but for the scalar, that it changes in
one statement of the loop's own, and that what is computed before tests nothing and reads nothing stored by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.assignment import read_from_before
from somd.transforms.analysis.sets import TooComplex
from somd.transforms.analysis.slices import NotSliced, Slice, slice_of
from somd.transforms.frontend.chains import CHAINED, Chain
from somd.transforms.frontend.guessed_chains import step_of
from somd.transforms.frontend.raises import raises_in
from somd.transforms.plan.candidates import is_candidate
from somd.transforms.plan.context import Context
from somd.transforms.plan.nests import Filled, build_nest
from somd.transforms.plan.rejected import Rejected
from somd.transforms.plan.scans import same_before
from somd.transforms.plan.work import operations_of
from somd.transforms.stages import Nest
from somd.transforms.tree.loops import exits_of, integer_constant, range_of, small_statements, statements_of
from somd.transforms.tree.names import assigned_names, names_read
from somd.transforms.tree.walking import children_of, nodes_in
from somd.transforms.types.scalars import ScalarType

#: operations of an iteration from which it pays to compute them beside the chain, those where the chain is one of sums,
#: which is divided itself, and parts of the chain at most
WORTH, WORTH_OF_SUMS, MOST_TERMS = 24, 10, 4


def chain_of(loop: cst.For, around: tuple[Affine, ...], context: Context) -> Chain | None:
    """The chain of `loop`; None where it has none, or that is all it does."""
    method, header = context.method, range_of(loop)
    if header is None or method.has_form(CHAINED, loop) or not is_candidate(loop, context):
        return None
    asked = method.combine is not None or context.combining or context.relaxed is not None
    shadowed = {"abs", "min", "max", "range", "float", "int"} & set(method.local_names)
    if asked or shadowed or integer_constant(header.step, method) != 1 or exits_of(loop) or raises_in([loop]):
        return None
    changed, body = assigned_names(loop.body), statements_of(loop.body)
    live = context.liveness.after.get(loop, frozenset())
    bounds = names_read(header.start) | names_read(header.stop)
    names = (changed - set(context.kinds.ranks)) & (read_from_before(body, method) | live)
    if len(names) != 1 or header.variable in changed | live | bounds or changed & bounds:
        return None
    [name] = names
    setting = [node for node in nodes_in(loop.body) if _sets(node, name)]
    if len(setting) != 1 or not any(node is setting[0] for node in small_statements(body)):
        return None
    terms = tuple(_terms(setting[0], name, changed | {header.variable}))
    if not 0 < len(terms) <= MOST_TERMS or any(_reads_by(node, name) for node in nodes_in(setting[0])):
        return None
    dtypes = context.kinds.dtypes or {}
    keys: list[str | cst.CSTNode] = [name, *terms]
    if any("complex" in dtypes.get(each, "") for each in keys):
        return None
    work, sums = operations_of(body, method), _adds(setting[0], name, terms, dtypes)
    if work < (WORTH_OF_SUMS if sums else WORTH) or not _before_all(loop, setting[0], name, terms, around, context):
        return None
    return Chain(name, setting[0], terms, alone=work < WORTH, sums=sums)


def _adds(
    update: cst.CSTNode, name: str, terms: tuple[cst.BaseExpression, ...], dtypes: Mapping[str | cst.CSTNode, str]
) -> bool:
    """Whether a chain only adds its term, or takes it away."""
    kind, given = (ScalarType(dtypes.get(key, "float64"), weak=True) for key in (name, terms[0]))
    return len(terms) == 1 and step_of(update, name, terms[0], kind, given) is not None


def _sets(node: cst.CSTNode, name: str) -> bool:
    statement = isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign | cst.For)
    return statement and name in assigned_names(node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]))
        if isinstance(node, cst.For) else node)  # fmt: skip


def _terms(node: cst.CSTNode, name: str, own: set[str]) -> Iterator[cst.BaseExpression]:
    """The largest expressions in a statement that are the iteration's own and do not depend on the scalar."""
    if isinstance(node, cst.BaseExpression) and name not in names_read(node):
        if names_read(node) & own:
            yield node
        return
    if isinstance(node, cst.Assign | cst.AugAssign | cst.AnnAssign):
        parts: list[cst.CSTNode] = [node.value] if node.value is not None else []
    elif isinstance(node, cst.Call):
        parts = [argument.value for argument in node.args]
    else:
        parts = list(children_of(node))
    for part in parts:
        yield from _terms(part, name, own)


def _reads_by(node: cst.CSTNode, name: str) -> bool:
    """Whether an element is read at an index that depends on the scalar."""
    return isinstance(node, cst.Subscript) and name in names_read(node)


def _before_all(
    loop: cst.For,
    update: cst.CSTNode,
    name: str,
    terms: tuple[cst.BaseExpression, ...],
    around: tuple[Affine, ...],
    context: Context,
) -> bool:
    """Whether the terms may be computed before anything else of the loop."""
    sites = len(context.sites)
    try:
        nest: Nest = build_nest(loop, around, context, filled=Filled(frozenset(), ()))
        needed = frozenset().union(*(names_read(term) for term in terms)) & assigned_names(loop.body)
        slice_ = slice_of(statements_of(loop.body), needed) if needed else Slice(frozenset(), (), frozenset())
    except (Rejected, TooComplex, NotSliced):
        return False
    finally:
        del context.sites[sites:]
    if nest.in_order_if or nest.local_arrays or name in slice_.names:
        return False
    line = cst.SimpleStatementLine([update])  # type: ignore[list-item]
    whole = Slice(slice_.carried, (*slice_.statements, line), slice_.names)
    kept = {node for statement in whole.statements for node in nodes_in(statement)}
    accesses = accesses_of((loop,), context.scope.with_known(dict.fromkeys(assigned_names(loop.body))))
    return not any(node in kept for node in nest.guarded) and same_before(whole, loop, accesses, nest, context)
