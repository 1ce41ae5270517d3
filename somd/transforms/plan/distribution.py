"""The parts of a loop that may be a loop each, where that lets some of them be distributed.

    for i in range(m):
        for j in range(n):
            t[i] += a[i, j] * x[j]          iterations of i are independent here
        for j in range(n):
            y[j] += a[i, j] * t[i]          and wait for each other here

In: a loop that may not be distributed. Out: its statements in parts, in an order in which each part may run for all
iterations before the next one; None where nothing gains by it. A statement must stay before another one if isl finds an
instance of it that runs earlier and reaches the same element, one of the two storing. Statements that wait for each
other stay together (a strongly connected component of dependences), and so do those that share a scalar, or store to
one element in one iteration. The statements of a part that still waits, if they stand in the same loops, may
have these in another order; it may be all that the loop has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import combinations, product
from typing import TypeVar

import libcst as cst

from somd.transforms.access import Access, Affine
from somd.transforms.analysis.accesses import accesses_of
from somd.transforms.analysis.affine import variable
from somd.transforms.analysis.dependences import OTHER, conflict_formulas, find_conflict, keys_in
from somd.transforms.analysis.sets import Sets, TooComplex
from somd.transforms.frontend.distribution import DISTRIBUTED, Part, leaves_of
from somd.transforms.plan.context import Context
from somd.transforms.plan.delays import only_elements
from somd.transforms.stages import Phase, Plan, Serial, Step, Uniform
from somd.transforms.tree.loops import integer_constant, range_of
from somd.transforms.tree.names import assigned_names, called, names_read
from somd.transforms.tree.rewriting import inside
from somd.transforms.tree.walking import nodes_of

#: more statements, or accesses, are not asked about
MOST_STATEMENTS, MOST_ACCESSES = 12, 40
Leaf = tuple[cst.CSTNode, tuple[cst.For, ...]]
Parts = tuple[Part, ...]
Asked = TypeVar("Asked", bound="Dependences")


def parts_of_loop(loop: cst.For, around: Sequence[Affine], context: Context) -> Parts | None:
    """The statements of `loop` in parts, some of which may be distributed."""
    if context.method.has_form(DISTRIBUTED, loop):
        return None
    try:
        distribution = dependences_in(loop, leaves_of(loop), around, context, _Distribution)
        return None if distribution is None else distribution.parts()
    except TooComplex:
        return None


def dependences_in(
    loop: cst.For, leaves: Sequence[Leaf], around: Sequence[Affine], context: Context, made: type[Asked]
) -> Asked | None:
    """What answers questions on the dependences among the statements of a loop, where these are plain, few, and known;
    nobody reads its names afterwards."""
    if not made.fewest <= len(leaves) <= MOST_STATEMENTS or not is_plain(loop, leaves, context):
        return None
    context.stand_before(loop)
    changed = assigned_names(loop.body)
    if changed & (context.liveness.after.get(loop, frozenset()) | names_read(loop.iter)):
        return None
    accesses = accesses_of((loop,), context.scope.with_known(dict.fromkeys(changed)))
    owners = [next((k for k, (leaf, _) in enumerate(leaves) if inside(a.node, (leaf,))), None) for a in accesses]
    if None in owners or len(accesses) > MOST_ACCESSES or any(map(is_odd, accesses)):
        return None
    mine = [[a for a, owner in zip(accesses, owners, strict=True) if owner == k] for k in range(len(leaves))]
    return made(loop, leaves, mine, Sets((*context.facts, *around)), context)


def turns(plan: Plan) -> int:
    """What begins anew in each turn of loops that all parts take together: phases and what the master does, by the
    number of loops around them; and loops in order."""

    def of(steps: Sequence[Step], depth: int) -> int:
        found = 0
        for step in steps:
            if isinstance(step, Phase):
                found += depth
            elif isinstance(step, Serial):
                found += depth + sum(1 for node in step.statements for _ in nodes_of(node, cst.For, cst.While))
            elif isinstance(step, Uniform):
                deeper = depth + (not isinstance(step.node, cst.If))
                found += of(step.body, deeper) + of(step.orelse, deeper)
        return found

    return of(plan.body, 0)


def is_plain(loop: cst.For, leaves: Sequence[Leaf], context: Context) -> bool:
    """Whether there are loops in the loop, and all that they do is assign scalars and elements; nothing raises."""
    method, ranks = context.method, set(context.kinds.ranks)
    asked = method.combine is not None or context.combining or context.relaxed is not None
    if asked or all(len(around) == 1 for _, around in leaves):
        return False
    loops = list(nodes_of(loop, cst.For))
    for each in loops:
        header = range_of(each)
        if header is None or each.orelse is not None or header.variable in method.strided:
            return False
        if integer_constant(header.step, method) not in (1, -1):
            return False
    variables = {variable_of(each) for each in loops}
    for leaf, around in leaves:
        if not isinstance(leaf, cst.SimpleStatementLine) or len(leaf.body) != 1:
            return False
        known = isinstance(leaf.body[0], cst.Assign | cst.AugAssign)
        if not known or assigned_names(leaf) & (variables | ranks):
            return False
        if _read(leaf) & variables - set(map(variable_of, around)):
            return False
    calls = nodes_of(loop, cst.Call)
    pure = all(not hasattr(called(each, method.namespace, method.local_names), "__code__") for each in calls)
    return pure and only_elements(loop, ranks)


def variable_of(loop: cst.For) -> str:
    """The name that counts the iterations of a loop over a range."""
    return cst.ensure_type(loop.target, cst.Name).value


def is_odd(access: Access) -> bool:
    """Whether it is not sure which element an access reaches: it may fail where it happens, too."""
    return any(index is None or keys_in(index) for index in access.indices)


def _read(leaf: cst.CSTNode) -> set[str]:
    return names_read(leaf) | assigned_names(leaf)


def may_meet(mine: Sequence[Access], others: Sequence[Access], when: Affine, sets: Sets, context: Context) -> bool:
    """Whether accesses of two kinds may reach one element, one of them storing, where that holds."""
    for first, second in product(mine, others):
        if (first.write or second.write) and context.aliases.may_be_one(first.array, second.array):
            variables, formulas = conflict_formulas(first, second, 0, sets, apart=False)
            if not sets.empty(variables, [*formulas, when]):
                return True
    return False


class Dependences:
    """Dependences among the statements of a loop: which of their instances may reach one element."""

    #: fewer statements are not asked about
    fewest = 2

    def __init__(
        self, loop: cst.For, leaves: Sequence[Leaf], accesses: list[list[Access]], sets: Sets, context: Context
    ) -> None:
        self.loop, self.leaves, self.accesses = loop, leaves, accesses
        self.sets, self.context = sets, context

    def earlier(self, one: int, other: int) -> Affine:
        """What holds where an instance of one statement runs before one of another."""
        common = [a for a, b in zip(self.leaves[one][1], self.leaves[other][1], strict=False) if a is b]
        ways: list[str] = []
        names: set[str] = set()
        alike: list[str] = []
        for loop in common:
            header = range_of(loop)
            assert header is not None
            name = variable(header.variable)
            sign = "<" if integer_constant(header.step, self.context.method) == 1 else ">"
            names |= {name, name + OTHER}
            ways.append(" and ".join((*alike, f"{name} {sign} {name}{OTHER}")))
            alike.append(f"{name} = {name}{OTHER}")
        if one < other:
            ways.append(" and ".join(alike))
        return Affine(" or ".join(f"({way})" for way in ways), frozenset(names))

    def meet(self, mine: Sequence[Access], others: Sequence[Access], when: Affine) -> bool:
        """Whether accesses of two statements may reach one element, one of them storing, where that holds."""
        return may_meet(mine, others, when, self.sets, self.context)


class _Distribution(Dependences):
    """In which parts these let the statements be."""

    fewest = 1

    def parts(self) -> Parts | None:
        """The parts, where there are several, one of which may be distributed, or where loops of the only one change
        places."""
        count = len(self.leaves)
        before = {(a, b) for a in range(count) for b in range(count) if a != b and self.comes_first(a, b)}
        together = {(a, b) for a, b in combinations(range(count), 2) if self.share(a, b)}
        groups = _components(count, before | together | {(b, a) for a, b in together})
        if len(groups) > 1 and not any(self.gains(group) for group in groups):
            return None
        merged = self.merged(_ordered(groups, before, self.is_independent))
        parts = tuple(Part(tuple(self.leaves[k][0] for k in sorted(group)), self.order(group)) for group in merged)
        return parts if len(parts) > 1 or parts[0].order else None

    def order(self, group: frozenset[int]) -> tuple[cst.For, ...]:
        """Another order of the loops around the statements of a part that waits, where all stand in the same ones:
        iterations of those that come before the loop then are independent for all iterations of the loop."""
        leaves, around = [self.leaves[k][0] for k in sorted(group)], self.leaves[min(group)][1]
        if any(self.leaves[k][1] != around or assigned_names(self.leaves[k][0]) for k in group):
            return ()
        inner = around[1:]
        variables = set(map(variable_of, around))
        if not inner or self.is_independent(group):
            return ()
        if not any(names_read(each.iter) & variables for each in inner):
            gains = all(map(self.stays, leaves))
            return (*inner, self.loop) if gains and self.are_apart(inner, group) else ()
        for k, each in enumerate(inner if len(group) == 1 else ()):
            if self.is_triangle(each, around) and self.are_apart(inner[: k + 1], group):
                return (each, *inner[:k], self.loop, *inner[k + 1 :])
        return ()

    def stays(self, leaf: cst.CSTNode) -> bool:
        """Whether plain arithmetic gives an element that is the same one in all turns of the loop: so it may stay in a
        register."""
        stored = [a for a in self.accesses[[one is leaf for one, _ in self.leaves].index(True)] if a.write]
        here = variable(variable_of(self.loop))
        steady = not any(index is None or here in index.names for a in stored for index in a.indices)
        return steady and not any(nodes_of(leaf, cst.Call, cst.IfExp, cst.Comparison, cst.BooleanOperation))

    def are_apart(self, loops: Sequence[cst.For], group: frozenset[int]) -> bool:
        """Whether iterations of loops inside are independent for all iterations of the loop."""
        mine = [access for k in sorted(group) for access in self.accesses[k]]
        names = [variable(variable_of(each)) for each in loops]
        differ = [Affine(f"{name} != {name}{OTHER}", frozenset({name, name + OTHER})) for name in names]
        return not any(self.meet(mine, mine, each) for each in differ)

    def is_triangle(self, inner: cst.For, around: Sequence[cst.For]) -> bool:
        """Whether a range ends where the loop is, and no other one has to do with the two."""
        outer, header = range_of(self.loop), range_of(inner)
        assert outer is not None and header is not None
        moved = {outer.variable, header.variable}
        first, own = (integer_constant(each, self.context.method) for each in (outer.start, header.start))
        ends = isinstance(header.stop, cst.Name) and header.stop.value == outer.variable
        steps = {integer_constant(each.step, self.context.method) for each in (outer, header)}
        read = [names_read(each.iter) for each in around if each is not inner and each is not self.loop]
        known = first is not None and own is not None and own + 1 >= first
        return ends and steps == {1} and known and not any(r & moved for r in read)

    def gains(self, group: Collection[int]) -> bool:
        """Whether iterations of a part that has loops in it are independent."""
        return any(len(self.leaves[k][1]) > 1 for k in group) and self.is_independent(group)

    def is_independent(self, group: Collection[int]) -> bool:
        found = [access for k in sorted(group) for access in self.accesses[k]]
        return find_conflict(found, self.loop, self.context.aliases, self.sets) is None

    def merged(self, groups: Sequence[frozenset[int]]) -> list[frozenset[int]]:
        """Parts one behind the other that are alike, as one: both wait, or both may be distributed, as may the two."""
        found: list[frozenset[int]] = []
        for group in groups:
            last = found[-1] if found else None
            if last is not None:
                alone = (self.is_independent(last), self.is_independent(group))
                if not any(alone) or (all(alone) and self.is_independent(last | group)):
                    found[-1] = last | group
                    continue
            found.append(group)
        return found

    def share(self, one: int, other: int) -> bool:
        """Whether two statements have a scalar in common that one of them sets, or store to one element."""
        ranks = set(self.context.kinds.ranks)
        mine, theirs = (self._scalars(k, ranks) for k in (one, other))
        if mine[0] & (theirs[0] | theirs[1]) or theirs[0] & mine[1]:
            return True
        here = variable(variable_of(self.loop))
        alike = Affine(f"{here} = {here}{OTHER}", frozenset({here, here + OTHER}))
        stored = [[a for a in self.accesses[k] if a.write] for k in (one, other)]
        return self.meet(stored[0], stored[1], alike)

    def _scalars(self, k: int, ranks: Collection[str]) -> tuple[set[str], set[str]]:
        """The scalars that a statement sets, and those that it, and the loops around it, read."""
        leaf, around = self.leaves[k]
        read = _read(leaf).union(*(names_read(each.iter) for each in around[1:]))
        return assigned_names(leaf), read - set(ranks)

    def comes_first(self, one: int, other: int) -> bool:
        """Whether an instance of a statement runs before one of another that reaches the same element."""
        return self.meet(self.accesses[one], self.accesses[other], self.earlier(one, other))


def _components(count: int, edges: Collection[tuple[int, int]]) -> list[frozenset[int]]:
    """The strongly connected components of so many nodes."""
    reach = [[a == b or (a, b) in edges for b in range(count)] for a in range(count)]
    for k in range(count):
        for a in range(count):
            if reach[a][k]:
                reach[a] = [known or more for known, more in zip(reach[a], reach[k], strict=True)]
    found = {frozenset(b for b in range(count) if reach[a][b] and reach[b][a]) for a in range(count)}
    return sorted(found, key=min)


def _ordered(
    groups: Sequence[frozenset[int]], edges: Collection[tuple[int, int]], kind: Callable[[frozenset[int]], bool]
) -> list[frozenset[int]]:
    """The components in an order in which none comes before one that it waits for; those of a kind side by side."""
    waiting, found = list(groups), list[frozenset[int]]()
    while waiting:
        free = [g for g in waiting if not any((a, b) in edges for h in waiting if h is not g for a in h for b in g)]
        alike = [g for g in free if found and kind(g) == kind(found[-1])]
        found.append((alike or free)[0])
        waiting.remove(found[-1])
    return found
