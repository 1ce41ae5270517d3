"""Gives each scalar that iterations have for themselves the interval of what is assigned to it.

    >>> before_and_after(value_ranges, '''
    ... def scramble(a: A, b: A):
    ...     for i in range(len(a)):
    ...         x = a[i] & 255
    ...         b[i] = x * 3 + 1
    ... ''', values=True, a="int64[:]", b="int64[:]")
    x in [0, 255]
    b[]: int64
    ->
    x in [0, 255]
    b[] in [1, 766]

An interval is that of all assignments of a name in the body, wherever they stand. What may leave the numbers of its
type may have wrapped, and is any number of it. `verify` holds what is read of such a name against what it is set to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from somd.transforms.loops.program import (
    Assign,
    Cast,
    Choice,
    Expression,
    Function,
    Interval,
    Operation,
    Program,
    Region,
    Statement,
    Unpack,
    Variable,
)
from somd.transforms.loops.ranges import fitted, joined, of_operation, whole
from somd.transforms.loops.rewriting import each_region, each_statement, with_bodies, with_expressions, with_operands
from somd.transforms.loops.scopes import assigned_ranges, given_to, own_scalars
from somd.transforms.loops.walking import operands, statements_in

Block = tuple[Statement, ...]
#: rounds over the assignments after which what still grows is taken to be anything
PATIENCE = 4
#: stands for a name that has no value yet
NOTHING = Interval(1, 0)


def value_ranges(program: Program) -> Program:
    """The program whose variables have the intervals of their values."""
    functions = tuple(_of_function(each) for each in program.functions)
    changed = any(new is not old for new, old in zip(functions, program.functions, strict=True))
    return each_region(replace(program, functions=functions) if changed else program, _of_region)


def _of_function(function: Function) -> Function:
    body = with_ranges(function.body, (parameter.name for parameter in function.parameters))
    return function if body is function.body else replace(function, body=body)


def _of_region(region: Region) -> Region:
    made = with_bodies(region, lambda body: with_ranges(body, given_to(region)))
    assert isinstance(made, Region)
    return made


def with_ranges(body: Block, given: Iterable[str]) -> Block:
    """The body of which the scalars, but for those `given`, have the intervals of what they are set to."""
    names = own_scalars(body, given)
    known = _learned(body, names)
    rewrite = _Rewrite({name: found for name, found in known.items() if found != NOTHING})
    return each_statement(body, lambda node: with_expressions(node, rewrite.expression))


def _learned(body: Block, names: frozenset[str]) -> dict[str, Interval]:
    """The interval of each integer among `names`, over all its assignments."""
    assignments = [node for node in statements_in(body) if isinstance(node, Assign) and node.target.name in names]
    unpacked = assigned_ranges(tuple(n for n in statements_in(body) if isinstance(n, Unpack)), names)
    known = {node.target.name: NOTHING for node in assignments if node.target.type.kind in "iu"}
    known |= {name: found for name, found in unpacked.items() if found is not None}
    before, turn = None, 0
    while known != before:
        before, turn = dict(known), turn + 1
        for node in assignments:
            name = node.target.name
            if name not in known:
                continue
            found = _of(node.value, known)
            if found == NOTHING:
                continue
            grown = found if known[name] == NOTHING else joined(known[name], found)
            if grown != known[name]:
                widest = whole(node.target.type)
                assert grown is not None and widest is not None
                known[name] = widest if turn > PATIENCE else grown
    return known


def _of(node: Expression, known: dict[str, Interval]) -> Interval | None:
    """The values of an expression; NOTHING where one of its variables has none yet."""
    if isinstance(node, Variable):
        return known.get(node.name, node.range)
    if not isinstance(node, Operation | Cast | Choice):
        return node.range
    parts = [_of(each, known) for each in (operands(node)[1:] if isinstance(node, Choice) else operands(node))]
    if NOTHING in parts:
        some = [part for part in parts if part != NOTHING]
        return some[0] if isinstance(node, Choice) and some else NOTHING if node.type.kind in "iu" else None
    return _made_of(node, parts)


def _made_of(node: Operation | Cast | Choice, parts: list[Interval | None]) -> Interval | None:
    if isinstance(node, Operation):
        return of_operation(node.operator, parts, node.type)
    if isinstance(node, Choice):
        return joined(*parts)
    return fitted(parts[0], node.type)


class _Rewrite:
    def __init__(self, known: dict[str, Interval]) -> None:
        self.known = known

    def expression(self, node: Expression) -> Expression:
        made = with_operands(node, self.expression)
        if isinstance(made, Variable):
            found = self.known.get(made.name, made.range)
        elif isinstance(made, Operation | Cast | Choice):
            parts = operands(made)[1:] if isinstance(made, Choice) else operands(made)
            found = _made_of(made, [each.range for each in parts])
        else:
            return made
        return made if found == made.range else replace(made, range=found)
