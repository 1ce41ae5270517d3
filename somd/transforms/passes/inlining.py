"""Calls of helpers written out in the iterations of regions, so that what they compute can be told apart.

    >>> before_and_after(inlining, '''
    ... def weight(x, kind):
    ...     value = x * x
    ...     if kind == 1:
    ...         value = value + 0.5
    ...     return value * 2.0
    ...
    ... def weigh(a: A, b: A):
    ...     for i in range(len(a)):
    ...         b[i] = weight(a[i], 1) + weight(b[i], 0)
    ... ''', a="float64[:]", b="float64[:]")
    b[i] = weight(a[i], 1) + weight(b[i], 0)
    ->
    x''1: float64 = a[i]
    value''1: float64 = x''1 * x''1
    value''1: float64 = value''1 + 0.5
    x''2: float64 = b[i]
    value''2: float64 = x''2 * x''2
    b[i] = (value''1 * 2.0) + (value''2 * 2.0)

A helper is written out that has one way out, at its end, and that a statement evaluates in any case; its names become
new ones. Conditions on constants are decided. A body does not grow without end, and a statement with a test that may
fail stays as it is, for it would fail behind what is written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import libcst as cst
import numpy as np

from somd.transforms.loops.making import variable
from somd.transforms.loops.naming import NewNames
from somd.transforms.loops.operators import OPERATORS, number
from somd.transforms.loops.program import (
    NOWHERE,
    Assign,
    Choice,
    Constant,
    Evaluate,
    Expression,
    Function,
    HelperCall,
    If,
    Loop,
    Operation,
    Origin,
    Program,
    Region,
    Return,
    Statement,
    Store,
    Unpack,
    Variable,
    While,
)
from somd.transforms.loops.rewriting import (
    each_region,
    each_statement,
    renamed,
    with_bodies,
    with_expressions,
    with_operands,
    with_origin,
)
from somd.transforms.loops.scopes import assigned, read
from somd.transforms.loops.varying import is_straight
from somd.transforms.loops.walking import expressions, origin_of, tests_accesses

Block = tuple[Statement, ...]
#: statements that a body may grow by
ROOM: Final = 60


def inlining(program: Program) -> Program:
    """The program with calls in regions written out."""
    names = NewNames(program)

    def of_region(region: Region) -> Region:
        made = with_bodies(region, Inliner(program, names).block)
        assert isinstance(made, Region)
        return made

    return each_region(program, of_region)


class Inliner:
    """Writes out calls in one body; `names` gives the new names."""

    def __init__(self, program: Program, names: NewNames) -> None:
        self.functions = {each.name: each for each in program.functions if _has_one_end(each)}
        self.names = names
        self.grown = 0
        #: the line of the call at hand
        self.here = NOWHERE

    def block(self, body: Block) -> Block:
        """The statements with calls written out."""
        made: list[Statement] = []
        for node in body:
            if isinstance(node, If) and (decided := _decided(node.test)) is not None:
                made += self.block(node.body if decided else node.orelse)
            elif isinstance(node, If | Loop | While):
                made.append(with_bodies(node, self.block))
            else:
                made += self.line(node)
        same = len(made) == len(body) and all(new is old for new, old in zip(made, body, strict=True))
        return body if same else tuple(made)

    def line(self, node: Statement) -> Sequence[Statement]:
        """A statement without blocks, behind what is written out."""
        if not isinstance(node, Assign | Store | Evaluate | Unpack) or tests_accesses((node,)):
            return [node]
        self.here = Origin(node.origin.position)
        before: list[Statement] = []
        changed = with_expressions(node, lambda each: self.value(each, before))
        assert isinstance(changed, Assign | Store | Evaluate | Unpack)
        last = self.unpacked(changed, before) if isinstance(changed, Unpack) else [changed]
        if last[0] is node:
            return [node]
        made = [*before, *(replace(each, origin=replace(each.origin, comments=())) for each in last)]
        return [with_origin(made[0], comments=(*node.origin.comments, *origin_of(made[0]).comments)), *made[1:]]

    def unpacked(self, node: Unpack, before: list[Statement]) -> Sequence[Unpack | Assign]:
        """The parts of a call, each assigned to its name, unless one is needed behind the assignment of another."""
        function = self.functions.get(node.function)
        if function is None or not self.fits(function):
            return [node]
        made: list[Statement] = []
        parts = self.parts(function, node.operands, made)
        if any(not read(part).isdisjoint(t.name for t in node.targets[:k]) for k, part in enumerate(parts)):
            return [node]
        before += made
        return [Assign(target, part, self.here) for target, part in zip(node.targets, parts, strict=True)]

    def value(self, node: Expression, before: list[Statement]) -> Expression:
        """An expression without the calls that it evaluates in any case, `before` being what they became."""
        if isinstance(node, Choice):
            test = self.value(node.test, before)
            return node if test is node.test else replace(node, test=test)
        if isinstance(node, Operation) and node.operator in ("and", "or"):
            left = self.value(node.operands[0], before)
            return node if left is node.operands[0] else replace(node, operands=(left, *node.operands[1:]))
        made = with_operands(node, lambda each: self.value(each, before))
        function = self.functions.get(made.function) if isinstance(made, HelperCall) else None
        if not isinstance(made, HelperCall) or function is None or not self.fits(function):
            return made
        return self.parts(function, made.operands, before)[made.part or 0]

    def fits(self, function: Function) -> bool:
        """Whether there is room for a helper."""
        return self.grown + len(function.body) <= ROOM

    def parts(
        self, function: Function, operands: Sequence[Expression], before: list[Statement]
    ) -> tuple[Expression, ...]:
        """What a call returns, behind the statements of the function."""
        self.grown += len(function.body)
        local = assigned(function.body)
        names = {name: self.new(name) for name in sorted(local)}
        values: dict[str, Expression] = {}
        for parameter, operand in zip(function.parameters, operands, strict=True):
            if parameter.name not in local and isinstance(operand, Variable | Constant):
                values[parameter.name] = operand
                continue
            if parameter.name not in local:
                names[parameter.name] = self.new(parameter.name)
            before.append(Assign(variable(names[parameter.name], parameter.type), operand, self.here))
        body = _of_no_line(renamed(function.body, names, values))
        before += self.block(body[:-1])
        return tuple(self.value(each, before) for each in expressions(body[-1]))

    def new(self, name: str) -> str:
        """A name for a variable of a helper: with a second quote, for it is the user's, who may call it anything."""
        plain = name.strip("_").replace(".", "_")
        return self.names.name(f"{plain if plain[:1].isalpha() else f'v{plain}'}'")


def _has_one_end(function: Function) -> bool:
    """Whether a helper returns at its end and nowhere else."""
    ends = bool(function.body) and isinstance(function.body[-1], Return) and bool(function.body[-1].values)
    return ends and is_straight(function.body[:-1])


def _decided(test: Expression) -> bool | None:
    """What an operation on constants gives."""
    if not isinstance(test, Operation):
        return None
    values = [number(each.value, each.type.dtype) for each in test.operands if isinstance(each, Constant)]
    if len(values) < len(test.operands):
        return None
    with np.errstate(all="ignore"):
        return bool(OPERATORS[test.operator].meaning(*values))


def _of_no_line(body: Block) -> Block:
    """The statements without what says that several came from one, which two calls of a helper would do, too."""

    def statement(node: Statement) -> Statement:
        if isinstance(node, Assign | Unpack) and isinstance(node.origin.node, cst.Assign):
            return replace(node, origin=replace(node.origin, node=None))
        return node

    return each_statement(body, statement)
