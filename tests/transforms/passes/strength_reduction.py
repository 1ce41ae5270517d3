"""Sums in the place of products by two: a pass that only tests have, made by the recipe of CONTRIBUTING.md.

    >>> before_and_after(strength_reduction, '''
    ... def twice(a: A):
    ...     for i in range(len(a)):
    ...         x = a[i] + 1.0
    ...         a[i] = 2.0 * x + 2.0 * a[i]
    ... ''', a="float64[:]")
    x: float64 = a[i] + 1.0
    a[i] = (2.0 * x) + (2.0 * a[i])
    ->
    x: float64 = a[i] + 1.0
    a[i] = (x + x) + (2.0 * a[i])

An element is read once, as before: only variables are written twice.
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.loops.making import operation
from somd.transforms.loops.program import Constant, Expression, Operation, Program, Region, Statement, Variable
from somd.transforms.loops.rewriting import each_region, each_statement, with_bodies, with_expressions, with_operands


def strength_reduction(program: Program) -> Program:
    """The program with `x + x` for `2 * x`."""
    return each_region(program, _of_region)


def _of_region(region: Region) -> Region:
    made = with_bodies(region, lambda body: each_statement(body, _of_statement))
    assert isinstance(made, Region)
    return made


def _of_statement(node: Statement) -> Statement:
    return with_expressions(node, _reduced)


def _reduced(node: Expression) -> Expression:
    node = with_operands(node, _reduced)
    if isinstance(node, Operation) and node.operator == "*":
        factor, value = node.operands
        if isinstance(factor, Constant) and factor.value == 2 and isinstance(value, Variable):
            return replace(operation("+", value, value), range=node.range)
    return node
