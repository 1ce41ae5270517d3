"""Integers that are one of a few affine expressions, by conditions: `j + 1 if j < n - 1 else 0`, `min(j + 1, n - 1)`.

In: a libcst expression and a `Scope`. Out: its `Case`s, of which one holds wherever the expression is evaluated;
none where it has more than `MOST`, or a part that is not affine. An index with cases is as many accesses, each behind
the conditions of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import libcst as cst

from somd.transforms.access import Affine
from somd.transforms.analysis.affine import Scope, affine, condition, joined, negation
from somd.transforms.tree.names import evaluate

#: an index is as many accesses at most
MOST = 4


@dataclass(frozen=True)
class Case:
    """A value, and the conditions under which the expression has it."""

    guards: tuple[Affine, ...]
    value: Affine


Cases = tuple[Case, ...]


def cases_of(node: cst.BaseExpression, scope: Scope, named: Mapping[str, Cases]) -> Cases:
    """The cases of an expression, where `named` are those of scalars; a single one without conditions where it is
    affine, none where nothing is known."""
    found = affine(node, scope)
    if found is not None:
        return (Case((), found),)
    made = tuple(_several(node, scope, named))
    return made if len(made) <= MOST else ()


def indices_of(indices: Sequence[Cases]) -> Iterator[tuple[tuple[Affine, ...], tuple[Affine | None, ...]]]:
    """The indices of an access that may be one of several: what holds for each of them, and they; an index without
    cases is not known."""
    several: list[Sequence[Case | None]] = [each or (None,) for each in indices]
    if prod(map(len, several)) > MOST:
        several = [each if len(each) == 1 else (None,) for each in several]
    for one in product(*several):
        guards = tuple(guard for each in one if each is not None for guard in each.guards)
        yield guards, tuple(None if each is None else each.value for each in one)


def _several(node: cst.BaseExpression, scope: Scope, named: Mapping[str, Cases]) -> Iterator[Case]:
    if isinstance(node, cst.Name):
        yield from named.get(node.value, ())
    elif isinstance(node, cst.IfExp):
        test = condition(node.test, scope)
        body, other = (cases_of(each, scope, named) for each in (node.body, node.orelse))
        if test is not None:
            yield from either(test, body, other)
    elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add | cst.Subtract):
        for left, right in product(*(cases_of(each, scope, named) for each in (node.left, node.right))):
            yield Case((*left.guards, *right.guards), joined(left.value, right.value, node.operator))
    elif isinstance(node, cst.Call):
        yield from _least_or_greatest(node, scope, named)


def _least_or_greatest(node: cst.Call, scope: Scope, named: Mapping[str, Cases]) -> Iterator[Case]:
    """Those of Python's `min` or `max` of two."""
    function = evaluate(node.func, scope.method.namespace, scope.method.local_names)
    plain = len(node.args) == 2 and not any(each.keyword is not None or each.star for each in node.args)
    if not plain or not (function is min or function is max):
        return
    for one, other in product(*(cases_of(each.value, scope, named) for each in node.args)):
        sign = "<=" if function is min else ">="
        first = Affine(f"({one.value.text} {sign} {other.value.text})", one.value.names | other.value.names)
        guards = (*one.guards, *other.guards)
        yield Case((*guards, first), one.value)
        yield Case((*guards, negation(first)), other.value)


def either(test: Affine, body: Cases, orelse: Cases) -> Cases:
    """The cases of what is one thing where a test holds, and another where it does not."""
    made = [Case((test, *each.guards), each.value) for each in body]
    made += [Case((negation(test), *each.guards), each.value) for each in orelse]
    return tuple(made) if body and orelse and len(made) <= MOST else ()
