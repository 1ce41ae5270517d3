"""Makes loop programs of others: nodes with other parts, the rest as it was. What is unchanged stays the same node.

Conditions of checks, and what encloses loops (`hull`, `ordered_if`), are no expressions that passes rewrite.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from somd.transforms.loops.program import (
    Allocate,
    AllocateLike,
    Assign,
    Cast,
    Choice,
    Element,
    Evaluate,
    Expression,
    HelperCall,
    If,
    Lanes,
    LibraryCall,
    Loop,
    Operation,
    Partials,
    Program,
    Raise,
    Region,
    Return,
    Scan,
    Statement,
    Store,
    Unpack,
    Variable,
    While,
    Whole,
)

Block = tuple[Statement, ...]
Rewrite = Callable[[Expression], Expression]


def with_operands(node: Expression, change: Rewrite) -> Expression:
    """The expression with `change` made of each expression that it is made of."""
    if isinstance(node, Element):
        indices = _all(node.indices, change)
        return node if indices is node.indices else replace(node, indices=indices)
    if isinstance(node, Operation | HelperCall):
        operands = _all(node.operands, change)
        return node if operands is node.operands else replace(node, operands=operands)
    if isinstance(node, Cast):
        operand = change(node.operand)
        return node if operand is node.operand else replace(node, operand=operand)
    if isinstance(node, Choice):
        before = (node.test, node.yes, node.no)
        after = _all(before, change)
        return node if after is before else replace(node, test=after[0], yes=after[1], no=after[2])
    return node


def _all(nodes: tuple[Expression, ...], change: Rewrite) -> tuple[Expression, ...]:
    made = tuple(change(each) for each in nodes)
    return nodes if all(new is old for new, old in zip(made, nodes, strict=True)) else made


def with_expressions(node: Statement, change: Rewrite) -> Statement:
    """The statement with `change` made of each expression that it evaluates itself."""
    if isinstance(node, Assign | Evaluate):
        value = change(node.value)
        return node if value is node.value else replace(node, value=value)
    if isinstance(node, Store):
        element, value = with_operands(node.element, change), change(node.value)
        assert isinstance(element, Element)
        same = element is node.element and value is node.value
        return node if same else replace(node, element=element, value=value)
    if isinstance(node, Loop):
        before = (node.start, node.stop, node.step)
        after = _all(before, change)
        return node if after is before else replace(node, start=after[0], stop=after[1], step=after[2])
    if isinstance(node, While | If):
        test = change(node.test)
        return node if test is node.test else replace(node, test=test)
    return _with_several(node, change)


def _with_several(node: Statement, change: Rewrite) -> Statement:
    if isinstance(node, Unpack):
        operands = _all(node.operands, change)
        return node if operands is node.operands else replace(node, operands=operands)
    if isinstance(node, Raise):
        values = _all(node.values, change)
        return node if values is node.values else replace(node, values=values)
    if isinstance(node, LibraryCall):
        given = tuple(value if isinstance(value, Whole) else change(value) for value in node.values)
        return node if all(map(operator.is_, given, node.values)) else replace(node, values=given)
    if isinstance(node, Return):
        results = tuple(value if isinstance(value, Whole) else change(value) for value in node.values)
        same = all(new is old for new, old in zip(results, node.values, strict=True))
        return node if same else replace(node, values=results)
    if isinstance(node, Allocate):
        lengths = _all(node.lengths, change)
        fill = None if node.fill is None else change(node.fill)
        same = lengths is node.lengths and fill is node.fill
        return node if same else replace(node, lengths=lengths, fill=fill)
    if isinstance(node, AllocateLike) and node.fill is not None:
        fill = change(node.fill)
        return node if fill is node.fill else replace(node, fill=fill)
    return node


def with_bodies(node: Statement, change: Callable[[Block], Block]) -> Statement:
    """The statement with `change` made of each block in it; of a region, of what an iteration runs; of a scan, of its
    two regions."""
    if isinstance(node, If):
        body, orelse = change(node.body), change(node.orelse)
        return node if body is node.body and orelse is node.orelse else replace(node, body=body, orelse=orelse)
    if isinstance(node, Loop | While | Partials | Lanes):
        body = change(node.body)
        return node if body is node.body else replace(node, body=body)
    if isinstance(node, Region):
        body = change(node.body)
        return node if body is node.body else _with_body(node, body)
    if isinstance(node, Scan):
        totals, region = change((node.totals, node.region))
        assert isinstance(totals, Region) and isinstance(region, Region)
        same = totals is node.totals and region is node.region
        return node if same else replace(node, totals=totals, region=region)
    return node


def in_inner_loops(
    body: Block,
    change: Callable[[Assign | Store | Evaluate], list[Statement]],
    enters: Callable[[If], bool],
    outside: bool = False,
) -> Block:
    """The block with what `change` makes of each simple statement in a loop, of those outside of loops, too, if asked;
    an `if` that is not entered stays."""

    def block(statements: Block, often: bool) -> Block:
        made: list[Statement] = []
        for node in statements:
            if isinstance(node, Loop) or (isinstance(node, If) and enters(node)):
                inner = often or isinstance(node, Loop)
                made.append(with_bodies(node, lambda each, inner=inner: block(each, inner)))  # type: ignore[misc]
            elif often and isinstance(node, Assign | Store | Evaluate):
                made += change(node)
            else:
                made.append(node)
        return statements if all(new is old for new, old in zip(made, statements, strict=False)) else tuple(made)

    return block(body, outside)


def _with_body(region: Region, body: Block) -> Region:
    for loop in reversed(region.loops):
        body = (replace(loop, body=body),)
    [outermost] = body
    assert isinstance(outermost, Loop)
    return replace(region, loop=outermost)


def with_origin(node: Statement, **changes: Any) -> Statement:
    """The statement with another origin, as far as there is something to change."""
    origin = getattr(node, "origin", None)
    if origin is None or not any(changes.values()):
        return node
    return replace(node, origin=replace(origin, **changes))


def renamed(body: Block, names: Mapping[str, str], values: Mapping[str, Expression] | None = None) -> Block:
    """The block with other names of variables, and expressions in place of some that it does not set."""
    values = values or {}

    def expression(node: Expression) -> Expression:
        if not isinstance(node, Variable):
            return with_operands(node, expression)
        return values[node.name] if node.name in values else target(node)

    def target(node: Variable) -> Variable:
        return replace(node, name=names[node.name]) if node.name in names else node

    def statement(node: Statement) -> Statement:
        made = with_expressions(node, expression)
        if isinstance(made, Assign):
            return replace(made, target=target(made.target))
        if isinstance(made, Unpack):
            return replace(made, targets=tuple(map(target, made.targets)))
        if isinstance(made, Lanes):
            return replace(made, loaded=tuple(map(target, made.loaded)), stored=tuple(map(target, made.stored)))
        return replace(made, variable=target(made.variable)) if isinstance(made, Loop) else made

    return each_statement(body, statement)


def each_statement(body: Block, change: Callable[[Statement], Statement]) -> Block:
    """The block with `change` made of each statement, those inside others first."""

    def block(statements: Block) -> Block:
        made = tuple(change(with_bodies(each, block)) for each in statements)
        return statements if all(new is old for new, old in zip(made, statements, strict=True)) else made

    return block(body)


def each_region(program: Program, change: Callable[[Region], Region]) -> Program:
    """The program with `change` made of each region; of its pieces, where it has some."""

    def of_region(region: Region) -> Region:
        if not region.pieces:
            return change(region)
        pieces = tuple(map(of_region, region.pieces))
        same = all(new is old for new, old in zip(pieces, region.pieces, strict=True))
        return region if same else replace(region, pieces=pieces)

    return of_master(program, lambda node: of_region(node) if isinstance(node, Region) else None)


def each_plain_region(program: Program, change: Callable[[Region], Region]) -> Program:
    """The same, but for regions of scans."""

    def of_node(node: Statement) -> Statement | None:
        return change(node) if isinstance(node, Region) else node if isinstance(node, Scan) else None

    return of_master(program, of_node)


def each_loop_around_regions(program: Program, change: Callable[[Loop], Loop | None]) -> Program:
    """The program with `change` made of each loop of the master, of those in it where that gives None."""

    def of_loop(node: Statement) -> Statement | None:
        return change(node) if isinstance(node, Loop) else node if isinstance(node, Region) else None

    return of_master(program, of_loop)


def of_master(program: Program, change: Callable[[Statement], Statement | None]) -> Program:
    """The program with `change` made of each statement of the master; where it gives None, of those inside."""

    def statement(node: Statement) -> Statement:
        made = change(node)
        return with_bodies(node, block) if made is None else made

    def block(statements: Block) -> Block:
        made = tuple(map(statement, statements))
        return statements if all(new is old for new, old in zip(made, statements, strict=True)) else made

    body = block(program.body)
    return program if body is program.body else replace(program, body=body)
