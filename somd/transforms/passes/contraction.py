"""Products that are added become one operation, which is rounded once: for methods with `fastmath` alone.

    >>> before_and_after(contraction, '''
    ... def damped(x: A, v: A, k: float, h: float):
    ...     for i in range(len(x)):
    ...         v[i] += h * (k * x[i])
    ...         x[i] = x[i] - h * v[i]
    ... ''', x="float64[:]", v="float64[:]", k="float64", h="float64")
    v[i] = v[i] + (h * (k * x[i]))
    x[i] = x[i] - (h * v[i])
    ->
    v[i] = fma(h, k * x[i], v[i])
    x[i] = fma(neg(h), v[i], x[i])

It comes before all other passes, so that whichever versions of a loop they make compute the same. What the trips of a
region accumulate, blocks of which have their own order, and scans stay as they are. For OpenCL, where there is one
kernel for a loop and its forms are told by sums, expressions are contracted where they are printed (`fused`).
"""

from __future__ import annotations

from dataclasses import replace

from somd.transforms.loops.making import fused
from somd.transforms.loops.program import Assign, Expression, Operation, Program, Region, Statement
from somd.transforms.loops.rewriting import (
    each_plain_region,
    each_statement,
    with_bodies,
    with_expressions,
    with_operands,
)


def contraction(program: Program) -> Program:
    """The program with such operations."""
    functions = tuple(
        replace(each, body=each_statement(each.body, lambda node: with_expressions(node, contracted)))
        for each in program.functions
    )
    return replace(each_plain_region(program, _contracted_region), functions=functions)


def _contracted_region(region: Region) -> Region:
    carried = {each.name for each in region.carried}

    def statement(node: Statement) -> Statement:
        if isinstance(node, Assign) and node.target.name in carried:
            return node
        return with_expressions(node, contracted)

    made = with_bodies(region, lambda body: each_statement(body, statement))
    assert isinstance(made, Region)
    return made


def contracted(node: Expression) -> Expression:
    """An expression with one operation for a product and a sum."""
    node = with_operands(node, contracted)
    return fused(node) if isinstance(node, Operation) else node
