"""Loops inside an iteration change places where memory is then read along rows, and sums are no chains any more.

    >>> before_and_after(interchange, '''
    ... def products(a: A, b: np.ndarray, out: A):
    ...     for i in range(a.shape[0]):
    ...         row = np.zeros(b.shape[1])
    ...         for p in range(b.shape[1]):
    ...             for s in range(b.shape[0]):
    ...                 row[p] += a[i, s] * b[s, p]
    ...             out[i] += row[p]
    ... ''', a="float64[:, :]", b="float64[:, :]", out="float64[:]")
    row: float64[length(b, 1)] of 0.0
    for p from 0 to length(b, 1)
        for s from 0 to length(b, 0)
            row[p] = row[p] + (a[i, s] * b[s, p])
        out[i] = out[i] + row[p]
    ->
    row: float64[length(b, 1)] of 0.0
    for s from 0 to length(b, 0)
        for p from 0 to length(b, 1)
            row[p] = row[p] + (a[i, s] * b[s, p])
    for p from 0 to length(b, 1)
        out[i] = out[i] + row[p]

The loop that becomes the outer one keeps its order for each element: each trip of the other one has, in all its trips,
elements of its own of the arrays that are stored to, and scalars of its own. So each sum keeps its bits.

What else the outer loop does, before and behind the loop in it, gets a loop of its own first (*distribution*), where
isl finds no two trips of which the later one's earlier part and the earlier one's later part reach one element, one of
them storing. Loops change places where each access then lies in a row along the inner loop, or stays, and fewer jump.
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.loops.apart import have_their_own, reads_of
from somd.transforms.loops.program import (
    Constant,
    Element,
    Expression,
    HelperCall,
    Loop,
    Origin,
    Program,
    Rebind,
    Region,
    Statement,
    Store,
    Tested,
)
from somd.transforms.loops.ranges import joined, of_trips
from somd.transforms.loops.rewriting import each_region, with_bodies
from somd.transforms.loops.rows import is_steady, moves_with
from somd.transforms.loops.scopes import assigned, exposed_in, read
from somd.transforms.loops.varying import is_straight, limits
from somd.transforms.loops.walking import expressions_in, inside, statements_in
from somd.transforms.passes.meeting import apart

Block = tuple[Statement, ...]
#: what an access costs that is neither in a row along the innermost loop nor the same for all its trips, in such that
#: are; and an update of one element in all trips, each of which waits for the one before
JUMP = 8


def interchange(program: Program) -> Program:
    """The program with such loops in the other order."""

    def of_region(region: Region) -> Region:
        if region.aliased or region.relaxed or any(isinstance(node, Rebind) for node in statements_in(region.body)):
            return region
        made = with_bodies(region, lambda body: _Interchange(body).block(body))
        assert isinstance(made, Region)
        return made

    return each_region(program, of_region)


class _Interchange:
    """The loops of one body of a region."""

    def __init__(self, body: Block) -> None:
        #: how often each name is read in the body
        self.reads = reads_of(body)

    def block(self, body: Block) -> Block:
        made: list[Statement] = []
        for node in body:
            made += (self.changed(node) if isinstance(node, Loop) else ()) or (with_bodies(node, self.block),)
        return body if all(new is old for new, old in zip(made, body, strict=False)) else tuple(made)

    def changed(self, loop: Loop) -> Block:
        """The loop with the first of those in it around it that gains by that; nothing where there is none."""
        for k, inner in enumerate(loop.body):
            if not isinstance(inner, Loop) or not _gains(loop, inner) or not self.may_change(loop, inner):
                continue
            before, behind = loop.body[:k], loop.body[k + 1 :]
            parts = [part for part in (before, (inner,), behind) if part]
            if not self.may_part(loop, parts):
                continue
            bare = Origin(loop.origin.position)
            turned = replace(inner, body=(replace(loop, body=inner.body, origin=bare, hull=None),), hull=None)
            first = self.block((replace(loop, body=before),)) if before else ()
            last = self.block((replace(loop, body=behind, origin=bare),)) if behind else ()
            return (*first, turned, *last)
        return ()

    def may_change(self, loop: Loop, inner: Loop) -> bool:
        """Whether each trip of the outer loop has its own elements and scalars in all trips of the one in it."""
        changed, body = assigned((loop,)), inner.body
        own = assigned(body)
        if not claims_what_limits_say(inner):
            return False  # it was proved where the outer loop has trips
        simple = is_straight(loop.body) and not any(isinstance(node, Loop) for node in statements_in(body))
        steps = isinstance(loop.step, Constant) and isinstance(inner.step, Constant)
        steady = all(is_steady(each, changed) for each in (*limits(loop), *limits(inner)))
        if not simple or not steps or not steady or any(map(_may_fail, expressions_in(loop.body))):
            return False
        variables = {loop.variable.name, inner.variable.name}
        mine = reads_of(body)
        if exposed_in(body) & own or variables & own or any(mine[name] != self.reads[name] for name in own):
            return False
        return not any(self.reads[name] for name in variables) and have_their_own(
            replace(loop, body=(inner,)), loop.variable.name
        )

    def may_part(self, loop: Loop, parts: list[Block]) -> bool:
        """Whether each part of the body may be run for all trips before the next."""
        for k, late in enumerate(parts):
            for early in parts[:k]:
                sets, others = self.scalars(late), self.scalars(early)
                if sets[1] & (others[0] | others[1]) or others[1] & sets[0] or not apart(loop, late, early):
                    return False
        return True

    def scalars(self, part: Block) -> tuple[set[str], set[str]]:
        """The scalars that a part reads, and those that it sets and that are read anywhere."""
        return set(reads_of(part)), {name for name in assigned(part) if self.reads[name]}


def claims_what_limits_say(loop: Loop) -> bool:
    """Whether the interval of a loop's variable follows from its limits, wherever the loop stands."""
    start, stop, step = limits(loop)
    if start.range is None or stop.range is None or not isinstance(step, Constant):
        return False
    claimed = loop.variable.range
    return claimed is None or joined(of_trips(start.range, stop.range, step.value.real > 0), claimed) == claimed


def _may_fail(node: Expression) -> bool:
    return isinstance(node, HelperCall) or (isinstance(node, Element) and isinstance(node.access, Tested))


# --- whether it gains ---------------------------------------------------------------------------------------------


def _gains(loop: Loop, inner: Loop) -> bool:
    """Whether accesses lie along the outer loop, or stay, and cost less than along the one in it; sums are no reason to
    put the loop inside that they wait in."""
    elements = {each for each in expressions_in(inner.body) if isinstance(each, Element)}
    updated = {
        node.element
        for node in statements_in(inner.body)
        if isinstance(node, Store) and node.element in inside(node.value)
    }
    chains = {name: [each for each in updated if name not in read(*each.indices)] for name in _names(loop, inner)}
    costs = {name: [_cost(each, name) for each in elements] for name in chains}
    after, before = _names(loop, inner)
    if chains[after] or not elements or max(costs[after]) >= JUMP:
        return False
    return sum(costs[after]) < sum(costs[before]) + JUMP * len(chains[before])


def _names(*loops: Loop) -> tuple[str, ...]:
    return tuple(each.variable.name for each in loops)


def _cost(element: Element, variable: str) -> int:
    *others, last = element.indices
    if variable in read(*others):
        return JUMP
    if variable not in read(last):
        return 0
    return 1 if moves_with(last, variable) else JUMP
