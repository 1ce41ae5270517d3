"""Which names of arrays may stand for one array, at each place of a method.

A call may give one array for several parameters, and `a, c = c, a` hands arrays from name to name: what is one array is
then no matter of parameters, but of names at places. In: a method and the parameters that are one array. Out: for each
statement, what may be one array when it begins.

A *naming* tells which names stand for one array; it is followed through the statements, and there are several where
ways meet: behind `if p: a, c = c, a` one of two holds. What a naming tells is exact, so two names that are exchanged
again and again are not taken for one array.

    f(x, x, y) with a, b, c     before a, c = c, a: {a, b}      behind: {c, b}
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.analysis.affine import size
from somd.transforms.tree.loops import else_statements, small_statements, statements_of
from somd.transforms.tree.names import assigned_names
from somd.transforms.tree.walking import children_of

Pair = frozenset[str]
#: the names that stand for one array with others, by array
Naming = frozenset[frozenset[str]]
#: the most namings that are followed; with more, every two names that are exchanged or shared may be one array
MOST = 256


@dataclass(frozen=True)
class Aliases:
    """The pairs of names that may be one array at a place, and those that are one in any case."""

    possible: frozenset[Pair] = frozenset()
    certain: frozenset[Pair] = frozenset()

    def may_be_one(self, first: str, second: str) -> bool:
        """Whether two names, equal ones included, may stand for one array."""
        return first == second or frozenset((first, second)) in self.possible

    def with_others(self, names: Iterable[str]) -> frozenset[str]:
        """`names`, and all that may be one array with one of them."""
        wanted = frozenset(names)
        return wanted.union(*(pair for pair in self.possible if pair & wanted))

    def equal_lengths(self, ranks: Mapping[str, int]) -> tuple[Affine, ...]:
        """That what is one array has one shape."""
        pairs = sorted(sorted(pair) for pair in self.certain)
        return tuple(equal(a, b, axis) for a, b in pairs for axis in range(ranks.get(a, 0)))


def equal(first: str, second: str, axis: int) -> Affine:
    """The formula: two arrays have one length along `axis`."""
    names = size(first, axis), size(second, axis)
    return Affine(f"{names[0]} = {names[1]}", frozenset(names))


def aliases_of(
    body: Sequence[cst.CSTNode], arrays: Collection[str], same: Mapping[str, str]
) -> Mapping[cst.CSTNode, Aliases]:
    """For each statement of `body`, inner ones included, what may be one array when it begins; `same` has parameters
    that are one array, each with the one that stands for it. Empty where there are none."""
    if not same:
        return {}
    shared: dict[str, set[str]] = {}
    for name, other in same.items():
        shared.setdefault(other, {other}).add(name)
    follower = _Follower(frozenset(arrays), frozenset(same) | frozenset(same.values()))
    follower.block(body, frozenset({frozenset(map(frozenset, shared.values()))}))
    return {node: follower.told(namings) for node, namings in follower.before.items()}


class _Follower:
    """Follows namings through statements; `before` has those that were found before each."""

    def __init__(self, arrays: frozenset[str], shared: frozenset[str]) -> None:
        self.arrays = arrays
        self.touched = set(shared)
        self.before: dict[cst.CSTNode, frozenset[Naming]] = {}
        self.seen: list[set[Naming]] = []
        self.lost = False

    def told(self, namings: frozenset[Naming]) -> Aliases:
        """What namings, one of which holds, tell of pairs."""
        if self.lost:
            return Aliases(frozenset(map(frozenset, combinations(sorted(self.touched), 2))))
        pairs = [frozenset(_pairs(naming)) for naming in namings]
        return Aliases(frozenset().union(*pairs), pairs[0].intersection(*pairs) if pairs else frozenset())

    def block(self, statements: Sequence[cst.CSTNode], namings: frozenset[Naming]) -> frozenset[Naming]:
        """The namings behind `statements`."""
        for node in statements:
            for small in small_statements([node]):
                self.before[small] = self.before.get(small, frozenset()) | namings
                namings = self.statement(small, namings)
        return namings

    def statement(self, node: cst.CSTNode, namings: frozenset[Naming]) -> frozenset[Naming]:
        if isinstance(node, cst.If):
            taken = self.block(statements_of(node.body), namings)
            return taken | self.block(else_statements(node), namings)
        if isinstance(node, cst.For | cst.While):
            return self.loop(node, namings)
        if isinstance(node, cst.With):
            return self.block(statements_of(node.body), namings)
        bound = assigned_names(node) & self.arrays
        if not bound or isinstance(node, cst.AugAssign):  # `a += e` writes into the array that `a` is
            return namings
        self.touched |= bound
        if self.lost:
            return namings
        made = frozenset(self.bound(node, bound, naming) for naming in namings)
        self.lost = self.lost or len(made) > MOST
        for seen in self.seen:
            seen |= made
        return made

    def loop(self, node: cst.For | cst.While, namings: frozenset[Naming]) -> frozenset[Naming]:
        """Behind a loop anything may hold that holds somewhere in it: it may be left anywhere."""
        if not assigned_names(node.body) & self.arrays:
            self.block(statements_of(node.body), namings)
            return namings
        while True:
            self.seen.append(set(namings))
            behind = self.block(statements_of(node.body), namings)
            within = frozenset(self.seen.pop())
            found = within if _leaves(node.body) else behind
            if found <= namings or self.lost:
                return namings
            namings |= found

    def bound(self, node: cst.CSTNode, bound: Collection[str], naming: Naming) -> Naming:
        """The naming behind an assignment: names that are exchanged go over to other arrays, and all others that it
        binds are new arrays."""
        held = {name: name for name in self.arrays.difference(bound)}
        for target, value in _assignments(node):
            if isinstance(target, cst.Name) and isinstance(value, cst.Name):
                held[target.value] = value.value
        groups: dict[frozenset[str], set[str]] = {}
        for name, old in held.items():
            group = next((names for names in naming if old in names), frozenset((old,)))
            groups.setdefault(group, set()).add(name)
        return frozenset(frozenset(names) for names in groups.values() if len(names) > 1)


def _pairs(naming: Naming) -> Iterator[Pair]:
    for names in naming:
        yield from map(frozenset, combinations(sorted(names), 2))


def _assignments(node: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    if not isinstance(node, cst.Assign):
        return
    for each in node.targets:
        target, value = each.target, node.value
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            yield from zip((e.value for e in target.elements), (e.value for e in value.elements), strict=False)
        else:
            yield target, value


def _leaves(body: cst.CSTNode) -> bool:
    return isinstance(body, cst.Break | cst.Continue) or any(_leaves(child) for child in children_of(body))
