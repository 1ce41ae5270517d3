"""Arrays that a fence combines: `with sync(h, reduce="+"):` around loops that update `h` wherever data says.

Each part of the iterations updates a private copy, so the updates need no proof; all other accesses do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import libcst as cst

from somd.diagnostics.model import Diagnostic
from somd.language.operators import OPERATORS, SAME
from somd.transforms.access import Access
from somd.transforms.analysis.array_updates import other_mentions, updates_of
from somd.transforms.analysis.dependences import find_conflict
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.plan import combined_messages as messages
from somd.transforms.plan.context import Context
from somd.transforms.plan.rejected import Rejected
from somd.transforms.stages import Combined, Method
from somd.transforms.tree.loops import OWN, Fence, statements_of
from somd.transforms.tree.rewriting import inside


def accumulating(op: str) -> str:
    """The operator that the MIs' copies are combined with under `reduce=op`: differences are summed up."""
    return SAME.get(op, op)


def combined_arrays(node: cst.With, fence: Fence, context: Context) -> Mapping[str, str] | None:
    """The arrays that `fence` combines, with their operator; None if the block does something else with one of them,
    which is reported."""
    if fence.reduce is None or fence.reduce == OWN:
        return {}
    found: dict[str, str] = {}
    problems: list[Diagnostic] = []
    for name in fence.names:
        if name in context.kinds.ranks:
            found[name] = accumulating(fence.reduce)
            problems += _problems(name, node, fence.reduce, context.method)
    for problem in problems:
        context.collector.add(problem)
    return None if problems else found


def _problems(name: str, node: cst.With, op: str, method: Method) -> list[Diagnostic]:
    """What the block does with an array besides updating it by `op`: the first place of each kind."""
    body = statements_of(node.body)
    updates = updates_of(name, body, method)
    others = other_mentions(name, body, method)
    if others:
        return [messages.other_use(method, name, others[0], op, updates[0].node if updates else None)]
    if not updates:
        return [messages.not_updated(method, node.items[0], name, op)]
    wrong = [update for update in updates if update.op != accumulating(op)]
    return [messages.other_operator(method, name, wrong[0], op)] if wrong else []


def combined_in(loop: cst.For, accesses: Sequence[Access], context: Context, sets: Sets) -> tuple[Combined, ...]:
    """The arrays of which the iterations of `loop` need private copies: those whose updates may meet.

    Raises:
        Rejected: the array is used under a second name.
    """
    found: list[Combined] = []
    for name, op in context.combining.items():
        own = [a for a in accesses if a.array == name]
        updates = updates_of(name, (loop,), context.method)
        if not updates:
            continue
        second = _second_name(name, accesses, context)
        if second is not None:
            raise Rejected(messages.second_name(context.method, name, own[0], second))
        if not _independent(own, loop, context, sets):
            takings = tuple(sorted({taking for update in updates for taking in update.form.takings}))
            found.append(Combined(name, op, tuple(update.node for update in updates), takings))
    return tuple(found)


def _independent(accesses: Sequence[Access], loop: cst.For, context: Context, sets: Sets) -> bool:
    try:
        return find_conflict(accesses, loop, context.aliases, sets) is None
    except TooComplex:
        return False


def _second_name(name: str, accesses: Sequence[Access], context: Context) -> Access | None:
    return next((a for a in accesses if a.array != name and context.aliases.may_be_one(a.array, name)), None)


def check_short_circuit(combined: Sequence[Combined], guarded: Collection[cst.Subscript], context: Context) -> None:
    """In `h[e] = h[e] and v` no access in `v` may leave its array: a private copy evaluates `v` more often than plain
    Python does.

    Raises:
        Rejected: one may.
    """
    for each in combined:
        if not OPERATORS[each.op].skips:
            continue
        for node in each.updates:
            value = node.value if isinstance(node, cst.Assign) else None
            right = value.right if isinstance(value, cst.BooleanOperation) else None
            if right is not None and any(inside(access, (right,)) for access in guarded):
                raise Rejected(messages.guarded_short_circuit(context.method, node, each.array, each.op))
