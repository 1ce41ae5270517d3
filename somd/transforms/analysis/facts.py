"""What holds for the scalars and shapes of a method, and from where on.

Lengths are not negative; a scalar assigned once from an affine expression of stable names equals it; an array allocated
once has the shape it was given. A name is stable when it is a parameter never assigned, or a local assigned once.

Before its assignment nothing is known of a name, and nothing that follows from it may be: `np.zeros(m)` tells that m is
not negative, but no loop before it may take that for granted, nor name the array where it could name m.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.analysis.affine import Scope, affine, size, variable
from somd.transforms.analysis.allocations import lengths_of
from somd.transforms.stages import Method
from somd.transforms.tree.loops import small_statements, statements_of
from somd.transforms.tree.names import evaluate, target_names
from somd.transforms.tree.walking import nodes_of


@dataclass(frozen=True)
class Fact:
    """A formula over scalars and lengths that holds behind a statement of the method's body; behind None, anywhere."""

    formula: Affine
    behind: cst.CSTNode | None = None


def facts_of(method: Method, scope: Scope, ranks: Mapping[str, int]) -> tuple[Fact, ...]:
    """What holds in the phases of the method, in source order."""
    lengths = [size(a, k) for a, rank in ranks.items() for k in range(rank)]
    found = [Fact(Affine(f"{length} >= 0", frozenset({length}))) for length in lengths]
    counts = assignment_counts(method)
    given = set(method.param_names)
    stable = {p for p in given if not counts[p]} | {n for n, c in counts.items() if c == 1 and n not in given}
    stable -= {stride.variable for stride in method.strided.values()}
    stable_names = {variable(n) for n in stable} | {size(a, k) for a in stable for k in range(ranks.get(a, 0))}
    for node, target, value in _top_level(method):
        if target.value in stable and (target.value not in method.param_names):
            for formula in equalities(target.value, value, scope, ranks):
                if formula.names <= stable_names:
                    found.append(Fact(formula, node))
    return tuple(found)


def assignment_counts(method: Method) -> Counter[str]:
    """How often each name is assigned, loops and augmented assignments counted too (loops as many)."""
    counts: Counter[str] = Counter()
    for node in nodes_of(method.function.body, cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For):
        times = 1 if isinstance(node, cst.AssignTarget | cst.AnnAssign) else 2
        counts.update(dict.fromkeys(target_names(node.target), times))
    return counts


def _top_level(method: Method) -> Iterator[tuple[cst.CSTNode, cst.Name, cst.BaseExpression]]:
    """The assignments that are run whenever the method is, each with the name and the value."""
    for node in _always_run(statements_of(method.function.body)):
        yield from ((node, *pair) for pair in assignments_in(node))


def assignments_in(node: cst.CSTNode) -> Iterator[tuple[cst.Name, cst.BaseExpression]]:
    """The names that a statement gives a value, which is written there or an element of a shape."""
    if isinstance(node, cst.Assign) and len(node.targets) == 1:
        target = node.targets[0].target
        if isinstance(target, cst.Name):
            yield target, node.value
        elif isinstance(target, cst.Tuple):
            yield from _unpacked(target, node.value)
    elif isinstance(node, cst.AnnAssign) and node.value is not None and isinstance(node.target, cst.Name):
        yield node.target, node.value


def _always_run(statements: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """The statements of a body, and of `with` blocks in it."""
    for node in small_statements(statements):
        yield node
        if isinstance(node, cst.With):
            yield from _always_run(statements_of(node.body))


def _unpacked(target: cst.Tuple, value: cst.BaseExpression) -> Iterator[tuple[cst.Name, cst.BaseExpression]]:
    names = [e.value for e in target.elements]
    if isinstance(value, cst.Attribute) and value.attr.value == "shape":
        for axis, name in enumerate(names):
            if isinstance(name, cst.Name):
                index = cst.SubscriptElement(cst.Index(cst.Integer(str(axis))))
                yield name, cst.Subscript(value, [index])


def equalities(name: str, value: cst.BaseExpression, scope: Scope, ranks: Mapping[str, int]) -> Iterator[Affine]:
    """What it tells of a name, or of the lengths of the array that it stands for, that it has a value."""
    if name in ranks:
        for axis, length in enumerate(lengths_of(value, scope, ranks)):
            if length is not None:
                yield Affine(f"{size(name, axis)} = {length.text}", length.names | {size(name, axis)})
    else:
        equal = affine(value, scope)
        sign, values = ("=", [equal]) if equal is not None else _bounds(value, scope)
        for each in values:
            if each is not None and name not in scope.inexact:
                yield Affine(f"{variable(name)} {sign} {each.text}", each.names | {variable(name)})


def _bounds(value: cst.BaseExpression, scope: Scope) -> tuple[str, list[Affine | None]]:
    """What `max` or `min` is not below, or not above. That it is one of them is left out: isl would tell apart all ways
    in which the lengths of a method may be negative or not."""
    if not isinstance(value, cst.Call) or any(each.keyword is not None or each.star for each in value.args):
        return "=", []
    function = evaluate(value.func, scope.method.namespace, scope.method.local_names)
    if len(value.args) < 2 or not (function is max or function is min):
        return "=", []
    return ">=" if function is max else "<=", [affine(each.value, scope) for each in value.args]
