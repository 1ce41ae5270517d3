"""Tests of lengths, what is computed of lengths, and numbers among arrays, before the loop that repeats them, where
nothing in it changes them.

    for t in range(n):                     if n > 0 and A.shape[0] != B.shape[0]: raise ...
        if A.shape[0] != B.shape[0]:  ->   for t in range(n):
            raise ...                          B[...] = A[...]
        B[...] = A[...]

In: a loop whose body has been lowered. Out: the tests and numbers, and the loop without them. What other statements
come before moves as well if those cannot raise or leave the loop: then less has been written when it raises, as with
indexes out of bounds. So phases follow each other in the loop with nothing in between, and may run as sweeps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from typing import cast

import libcst as cst
import numpy as np

from somd.transforms.analysis.accesses import index_expressions
from somd.transforms.analysis.affine import shape_reference
from somd.transforms.arrays.names import Names
from somd.transforms.tree.loops import integer_constant, range_of, statements_of
from somd.transforms.tree.names import assigned_names, names_read, values_read
from somd.transforms.tree.rewriting import code_of
from somd.transforms.tree.walking import nodes_in, nodes_of


def with_early_tests(
    loop: cst.For, tests: Collection[cst.CSTNode], names: Names, harmless: Callable[[cst.CSTNode], bool]
) -> list[cst.BaseStatement]:
    """The loop, behind those of the `tests` and numbers in its body that may be made before it; a line that is
    `harmless` binds a name and cannot fail."""
    header = range_of(loop)
    step = None if header is None else integer_constant(header.step, names.method)
    limits = () if header is None else header.limits
    plain = all(map(is_number, limits))
    if header is None or step is None or step <= 0 or not plain or not isinstance(loop.body, cst.IndentedBlock):
        return [loop]
    changed = assigned_names(loop)
    early: list[cst.BaseStatement] = []
    kept: list[cst.CSTNode] = []
    open_ = True
    turns = f"{code_of(header.stop)} > {code_of(header.start)}"
    for node in statements_of(loop.body):
        if open_ and node in tests and isinstance(node, cst.If) and not names_read(node.test) & changed:
            early.append(_before(node, turns, names))
            continue
        number = _number(node, names) if open_ else None
        if number is not None and not names_read(number[1]) & (changed | names.perhaps_unset):
            early.append(_if_needed(node, *number, turns, harmless, names))
            changed -= {number[0]}
            continue
        kept.append(node)
        open_ = open_ and (harmless(node) or _is_safe(node))  # a test that stays can raise before others
    if not early or not kept:
        return [loop]
    made = loop.with_changes(body=loop.body.with_changes(body=kept))
    names.place(made, loop)
    return [*early, made]


def lengths_before(
    body: cst.BaseSuite, bound: Collection[str], names: Names
) -> tuple[list[cst.BaseStatement], cst.BaseSuite]:
    """What the body of a loop computes of lengths that stay, with the body that is left; `bound` is what the loop binds
    besides. The shape of a sum's tree depends on nothing else."""
    lines = list(_lines(body)) if names.of_lengths else []
    own = {line: assigned_names(line) for line in lines}
    reads = {line for line in lines if any(map(_is_element, nodes_of(line, cst.Subscript)))}
    stay = names.of_lengths & set().union(*own.values())
    while True:
        changed = {*bound, *(each for found in own.values() for each in found - stay)}
        others = [line for line in lines if line in reads or names_read(line) & changed or own[line] - stay]
        less = set().union(*(own[line] for line in others))
        if not less & stay:
            break
        stay -= less
    early = [line for line in lines if own[line] and own[line] <= stay]
    if not early:
        return [], body
    gone = set(early)

    def left(suite: cst.BaseSuite) -> cst.BaseSuite:
        kept = [choice(each) if isinstance(each, cst.If) else each for each in statements_of(suite) if each not in gone]
        made = cst.IndentedBlock(cast(list[cst.BaseStatement], kept) or [names.line("pass", suite)])
        names.place(made, suite)
        return made

    def choice(node: cst.If) -> cst.If:
        other = node.orelse
        if other is not None:
            made = choice(other) if isinstance(other, cst.If) else names.changed(other, body=left(other.body))
            other = cast(cst.If | cst.Else, made)
        return cast(cst.If, names.changed(node, body=left(node.body), orelse=other))

    return early, left(body)


def _is_element(node: cst.Subscript) -> bool:
    return shape_reference(node) is None


def _lines(suite: cst.BaseSuite) -> Iterator[cst.BaseStatement]:
    """The statements of a block, and those under conditions in it that ask lengths alone."""
    for node in statements_of(suite):
        if isinstance(node, cst.If) and not values_read(node.test):
            yield from _lines(node.body)
            if node.orelse is not None:
                yield from (
                    _lines(node.orelse.body)
                    if isinstance(node.orelse, cst.Else)
                    else _lines(cst.IndentedBlock([node.orelse]))
                )
        else:
            yield cast(cst.BaseStatement, node)


def is_number(limit: cst.BaseExpression) -> bool:
    """Whether a limit of a loop is a number or a length, which may as well be asked for before the loop."""
    length = isinstance(limit, cst.Call) and isinstance(limit.func, cst.Name) and limit.func.value == "len"
    named = length and isinstance(limit, cst.Call) and isinstance(limit.args[0].value, cst.Name)
    return named or isinstance(limit, cst.Name | cst.Integer) or shape_reference(limit) is not None


def _before(node: cst.If, turns: str, names: Names) -> cst.If:
    """A test that is made if the loop has a turn."""
    made = node.with_changes(test=cst.parse_expression(f"{turns} and ({code_of(node.test)})"))
    names.place(made, node)
    return made


def _number(node: cst.CSTNode, names: Names) -> tuple[str, cst.BaseExpression] | None:
    """The name and the value of a line that computes a number of other numbers and lengths."""
    if not isinstance(node, cst.SimpleStatementLine) or len(node.body) != 1 or not isinstance(node.body[0], cst.Assign):
        return None
    [target], value = node.body[0].targets, node.body[0].value
    if not isinstance(target.target, cst.Name) or target.target.value not in names.numbers:
        return None
    if any(map(_is_element, nodes_of(value, cst.Subscript))) or not all(
        _is_pure(n, names) for n in nodes_of(value, cst.Call)
    ):
        return None
    return target.target.value, value


def _is_pure(node: cst.Call, names: Names) -> bool:
    """Whether a call is one of a function of NumPy's or of `math`, or of a type, for numbers."""
    function = node.func
    if isinstance(function, cst.Attribute) and isinstance(function.value, cst.Name):
        return names.namespace.get(function.value.value) in (np, math)
    found = names.namespace.get(function.value) if isinstance(function, cst.Name) else None
    return found in (max, min) or (isinstance(found, type) and issubclass(found, np.generic))


def _if_needed(
    node: cst.CSTNode,
    name: str,
    value: cst.BaseExpression,
    turns: str,
    harmless: Callable[[cst.CSTNode], bool],
    names: Names,
) -> cst.BaseStatement:
    """The line of a number before the loop; one that may fail is computed if the loop has a turn."""
    if harmless(node):
        return cast(cst.BaseStatement, node)
    return names.line(f"{name} = {code_of(value)} if {turns} else {names.numbers[name]}", node)


def _is_safe(node: cst.CSTNode) -> bool:
    """Whether a statement is a nest of loops over elements whose indexes are those of parts, which exist."""
    if not isinstance(node, cst.For):
        return False
    for each in nodes_in(node):
        if isinstance(each, cst.Raise | cst.Break | cst.Return | cst.Continue | cst.While):
            return False
        if isinstance(each, cst.Subscript) and not (
            isinstance(each.value, cst.Attribute)
            or all(any(n.startswith("at__") for n in names_read(i)) for i in index_expressions(each))
        ):
            return False
        if isinstance(each, cst.Subscript) and any(
            isinstance(inner, cst.Subscript) and isinstance(inner.value, cst.Name)
            for index in index_expressions(each)
            for inner in nodes_in(index)
        ):
            return False
    return True
