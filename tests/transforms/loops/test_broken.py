"""Bugs that are put into programs by hand: `verify` finds them, or else the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from somd import dist
from somd.transforms.loops.interpret import Interpreter
from somd.transforms.loops.making import INT64, operation, whole_number
from somd.transforms.loops.program import (
    PROVED,
    Assign,
    Cast,
    Constant,
    Element,
    If,
    Interval,
    Loop,
    Operation,
    Program,
    Region,
    Statement,
    Store,
    Variable,
)
from somd.transforms.loops.verify import InvalidProgram, verify
from somd.transforms.loops.witness import ProgramViolation
from tests.transforms.loops.building import changed, program_of

A = dist[np.ndarray]


def rows(a: A, small: np.ndarray, at: np.ndarray, k: int) -> np.ndarray:
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(1, a.shape[1]):
            t = a[i, j - 1] * small[j]
            if t > k:
                s += t
        out[i] = s + a[i, at[i]]
    return out


def total(a: A) -> float:
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


A_MATRIX, SMALL = np.arange(30.0).reshape(6, 5), np.arange(5, dtype=np.int8)
AT = np.array([0, -1, 2, 3, -5, 4])
ARGUMENTS = (A_MATRIX, SMALL, AT, 6)


@pytest.fixture(scope="module")
def program() -> Program:
    return program_of(rows, *ARGUMENTS)


def run(program: Program) -> Any:
    given = {parameter.name: value for parameter, value in zip(program.parameters, ARGUMENTS, strict=False)}
    return [Interpreter(program).run(given, order) for order in ("forwards", "backwards", 1)]


def test_whole(program: Program) -> None:
    verify(program)
    assert all(np.array_equal(found, rows(*ARGUMENTS)) for found in run(program))
    assert changed(program, lambda node: None) is program


def without_cast(node: Any) -> Any:
    return node.operand if isinstance(node, Cast) else None


def other_operator(node: Any) -> Any:
    return replace(node, operator="&") if isinstance(node, Operation) and node.type.kind == "f" else None


def wrong_type(node: Any) -> Any:
    return replace(node, type=INT64, range=None) if isinstance(node, Operation) and node.operator == ">" else None


def narrower(node: Any) -> Any:
    found = isinstance(node, Operation) and node.operator == "-"
    return replace(node, range=Interval(0, 3)) if found else None


def swapped(node: Any) -> Any:
    is_body = isinstance(node, tuple) and [type(each) for each in node] == [Assign, Loop, Store]
    return (node[2], node[1], node[0]) if is_body else None


def not_set(node: Any) -> Any:
    is_body = isinstance(node, tuple) and [type(each) for each in node] == [Assign, Loop, Store]
    return node[1:] if is_body else None


def undistributed(node: Any) -> Any:
    return replace(node, written=()) if isinstance(node, Region) else None


def free(node: Any) -> Any:
    return replace(node, order="free") if isinstance(node, Loop) and node.variable.name == "j" else None


def of_no_type(node: Any) -> Any:
    return replace(node, value=6.5) if isinstance(node, Constant) and node.type == INT64 and node.value == 1 else None


def one_index(node: Any) -> Any:
    is_row = isinstance(node, Element) and len(node.indices) == 2
    return replace(node, indices=node.indices[:1]) if is_row else None


@pytest.mark.parametrize(
    "bug",
    [
        without_cast, other_operator, wrong_type, narrower, swapped, not_set, undistributed, free, of_no_type,
        one_index,
    ],
    ids=lambda bug: bug.__name__,
)  # fmt: skip
def test_verify_finds(bug: Callable[[Any], Any], program: Program) -> None:
    broken = changed(program, bug)
    assert broken is not program
    with pytest.raises(InvalidProgram):
        verify(broken)


def one_trip_more(node: Any) -> Any:
    if isinstance(node, Loop) and node.variable.name == "j":
        return replace(node, stop=operation("+", node.stop, whole_number(1)))
    return None


def said_to_be_proved(node: Any) -> Any:
    return replace(node, access=PROVED) if isinstance(node, Element) and node.access != PROVED else None


def two_write(node: Any) -> Any:
    if isinstance(node, Store):
        return replace(node, element=replace(node.element, indices=(whole_number(0),)))
    return None


def beyond_its_interval(node: Any) -> Any:
    found = isinstance(node, Variable) and node.name == "k"
    return replace(node, range=Interval(0, 5)) if found else None


@pytest.mark.parametrize(
    "bug", [one_trip_more, said_to_be_proved, two_write, beyond_its_interval], ids=lambda bug: bug.__name__
)
def test_interpretation_finds(bug: Callable[[Any], Any], program: Program) -> None:
    broken = changed(program, bug)
    assert broken is not program
    verify(broken)
    with pytest.raises(ProgramViolation):
        run(broken)


def test_a_wrong_result_is_seen(program: Program) -> None:
    def other_branch(node: Any) -> Any:
        return replace(node, body=(), orelse=node.body) if isinstance(node, If) else None

    assert not np.array_equal(run(changed(program, other_branch))[0], rows(*ARGUMENTS))


def test_a_loop_in_any_order_hands_nothing_on() -> None:
    made = program_of(total, np.ones(5))
    verify(made)

    def forgotten(node: Any) -> Any:
        return replace(node, reductions=()) if isinstance(node, Region) else None

    with pytest.raises(InvalidProgram, match="`s` has no value"):
        verify(changed(made, forgotten))


def test_each_part_is_walked(program: Program) -> None:
    """Nodes that nobody looks at would be right whatever they are."""
    statements: list[Statement] = []

    def note(node: Any) -> Any:
        statements.extend([node] if isinstance(node, Assign | Store) else [])
        return None

    changed(program, note)
    for statement in statements:
        wrong = replace(statement, value=Constant(True, INT64, None))
        broken = changed(program, lambda node, old=statement, new=wrong: new if node is old else None)
        with pytest.raises(InvalidProgram):
            verify(broken)
