"""What plans become as loop programs, printed; and that the interpreter does with them what plain Python does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import pytest

from somd import ByKey, dist, reduce, sync
from somd.transforms.loops.interpret import Interpreter, Order
from somd.transforms.loops.plan_to_loops import plan_to_loops
from somd.transforms.loops.printer import program_text
from somd.transforms.loops.program import Program
from somd.transforms.loops.verify import verify
from somd.transforms.loops.witness import ProgramViolation
from somd.transforms.stages import Phase
from tests.transforms.loops.building import compiled, program_of

A = dist[np.ndarray]
ORDERS: tuple[Order, ...] = ("forwards", "backwards", 1, 2, 3)


def smooth(a: A, b: A, steps: int):  # type: ignore[no-untyped-def]
    total = 0.0
    for _p in range(steps):
        with sync:
            for i in range(1, len(a) - 1):
                t = a[i - 1] + a[i + 1]  # both neighbours
                b[i] = t
        a, b = b, a
    for i in range(len(a)):
        if a[i] < 0:
            continue
        total += a[i]
    return total


def narrow(a: A, b: A, k: int):  # type: ignore[no-untyped-def]
    out = np.zeros(len(a), np.float32)
    for i in range(len(a)):
        out[i] = a[i] * 0.5 + b[i] if b[i] > k else np.float32(k / 3)
    return out


def extremum(a: A):  # type: ignore[no-untyped-def]
    best = a[0]
    at = 0
    for i in range(1, len(a)):
        if a[i] >= best:
            best = a[i]
            at = i
    return best, at


def merge_runs(partials: list[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    count, head, tail, best = partials[0]
    for length, first, last, longest_ in partials[1:]:
        best = max(best, longest_, tail + first)
        head = head + first if head == count else head
        tail = tail + last if last == length else last
        count += length
    return count, head, tail, best


def longest(a: A) -> Annotated[tuple[int, int, int, int], reduce(merge_runs)]:
    head = 0
    run = 0
    best = 0
    count = 0
    for i in range(len(a)):
        run = run + 1 if a[i] > 0 else 0
        best = max(best, run)
        count += 1
        head = run if run == count else head
    return count, head, run, best


def total(a: A) -> Annotated[int, reduce("self")]:
    s = 0
    for i in range(len(a)):
        s += a[i]
    return s


def leaves(a: A, b: A):  # type: ignore[no-untyped-def]
    for i in range(len(a)):
        b[i] = a[i + 1]


def shifted(a: A, b: A):  # type: ignore[no-untyped-def]
    for i in range(len(a) - 1):
        b[i] = a[i + 1]


def gather(a: A, b: A, at: np.ndarray):  # type: ignore[no-untyped-def]
    for i in range(len(b)):
        b[i] = a[at[i]]


def never(a: A):  # type: ignore[no-untyped-def]
    s = 3
    for i in range(len(a)):
        if 2 == 1:
            s = max(s, int(a[-1] + i))
    return s


def of_two_kinds(a: A, n: int):  # type: ignore[no-untyped-def]
    t = 0.5
    a[0] = t
    for t in range(n):
        for i in range(len(a)):
            a[i] = a[i] * 0.5 + t
    return n


def names_like_ours(a: A, b: A):  # type: ignore[no-untyped-def]
    for i in range(len(a)):
        value = (a[i], a[i] + 1.0)
        part, parts = value[1], value[0]
        b[i] = part * 2 - parts


def arrays_without_names(a: A, b: A):  # type: ignore[no-untyped-def]
    out = np.empty_like(np.zeros(len(a)))
    pair = (out, b)
    x, y = pair
    for i in range(len(a)):
        x[i] = a[i] + 1.0
        y[i] = a[i]
    return pair


PRINTED = {
    smooth: """\
program smooth(a: float64[:], b: float64[:], steps: int) -> float64
    total: float64 = 0.0
    for _p from 0 to steps, reach 1
        region 1, line 30
            takes a, b
            writes b
            fails at `b[i]`, line 32, if (length(a, 0) >= 3) and (length(a, 0) >= (length(b, 0) + 2))
            free i from 1 to length(a, 0) - 1
                # both neighbours
                t: float64 = a[i - 1] + a[i + 1]
                b[i] = t
        a, b = b, a
    region 2, line 34
        takes a
        writes
        reduces total by +
        free i from 0 to length(a, 0)
            if a[i] < 0.0
                continue
            total: float64 = total + a[i]
    return total
""",
    narrow: """\
program narrow(a: float32[:], b: int8[:], k: int) -> float32[:]
    out: float32[length(a, 0)] of float32(0.0)
    region 1, line 43
        takes a, b, out, k
        writes out
        fails at `b[i]`, line 44, if length(a, 0) >= (length(b, 0) + 1)
        free i from 0 to length(a, 0)
            out[i] = ((a[i] * float32(0.5)) + float32(b[i])) if (int64(b[i]) > k) else float32(k / 3)
    return out
""",
    extremum: """\
program extremum(a: int64[:]) -> (int64, int)
    best: int64 = a[test 0]
    at: int64 = 0
    region 1, line 51
        takes a
        writes
        reduces best, at by max, taking equal
        free i from 1 to length(a, 0)
            if a[i] >= best
                best: int64 = a[i]
                at: int64 = i
                best.taken'1: bool = True
    return best, at
""",
}
INTS, FLOATS, SMALL = np.arange(9) - 3, np.arange(9) * 0.5, np.arange(9, dtype=np.int8)
ARGUMENTS: dict[Callable[..., Any], tuple[object, ...]] = {
    smooth: (FLOATS, FLOATS * 2, 3),
    narrow: (FLOATS.astype(np.float32), SMALL, 4),
    extremum: (np.array([1, 5, 2, 5, 5, 0]),),
    longest: (np.array([1, 1, 0, 1, 1, 1, 0, 0, 1] * 3),),
    total: (INTS,),
    shifted: (FLOATS, FLOATS),
    never: (FLOATS,),
    of_two_kinds: (FLOATS, 3),
    arrays_without_names: (FLOATS, FLOATS * 0),
    names_like_ours: (FLOATS, FLOATS * 0),
    gather: (INTS, INTS, np.array([1, 0, -1, -9, 8, 3, 3, 2, 1])),
}


@pytest.mark.parametrize("function", PRINTED, ids=lambda function: function.__name__)
def test_printed(function: Callable[..., Any]) -> None:
    assert program_text(program_of(function, *ARGUMENTS[function])) == PRINTED[function]


@pytest.mark.parametrize("function", ARGUMENTS, ids=lambda function: function.__name__)
def test_in_every_order_as_plain_python(function: Callable[..., Any]) -> None:
    program = program_of(function, *ARGUMENTS[function])
    verify(program)
    names = [parameter.name for parameter in program.parameters]
    wanted = [np.copy(value) for value in ARGUMENTS[function]]
    scalars = [value.item() if not value.ndim else value for value in wanted]
    result = function(*scalars)
    for order in ORDERS:
        given = {name: np.copy(v) if np.ndim(v) else v for name, v in zip(names, ARGUMENTS[function], strict=True)}
        found = Interpreter(program).run(given, order)
        assert np.array_equal(found, result)
        for mine, theirs in zip(given.values(), scalars, strict=True):
            assert np.array_equal(np.asarray(mine), np.asarray(theirs))


def test_a_check_before_the_region() -> None:
    b = np.zeros(3)
    with pytest.raises(IndexError, match=r"a\[i \+ 1\]"):
        run(program_of(leaves, b, b), "forwards", np.ones(3), b)
    assert not b.any()


def test_the_lowest_failing_iteration_is_reported() -> None:
    program = program_of(gather, FLOATS, FLOATS, INTS)
    for order in ORDERS:
        with pytest.raises(IndexError, match="index 7"):
            run(program, order, np.ones(3), np.zeros(4), np.array([0, 7, 8, 9]))


def test_the_first_of_nothing() -> None:
    for a in (np.array([1]), np.array([], int)):
        for order in ORDERS:
            assert run(program_of(longest, a), order, a) == longest(a)
            assert run(program_of(total, a), order, a) == a.sum()


# --- plans that claim too much ---------------------------------------------------------------------------------------


def of_changed_plan(function: Callable[..., Any], *arguments: object, **changes: Any) -> Program:
    """The program of a plan whose phases have changed nests."""
    made = compiled(function, *arguments)
    body = [replace(s, nest=replace(s.nest, **changes)) if isinstance(s, Phase) else s for s in made.plan.body]
    return plan_to_loops(replace(made.plan, body=tuple(body)), made.types)


def run(program: Program, order: Order, *arguments: object, **options: Any) -> Any:
    names = [parameter.name for parameter in program.parameters]
    return Interpreter(program).run(dict(zip(names, arguments, strict=True)), order, **options)


@pytest.mark.parametrize("changes", [{"checks": ()}, {"checks": (), "arrays_read": (), "arrays_asked": ()}])
def test_a_plan_that_claims_too_much(changes: dict[str, Any]) -> None:
    with pytest.raises((ProgramViolation, KeyError)):
        run(of_changed_plan(leaves, FLOATS, FLOATS, **changes), 0, np.ones(3), np.ones(9))


def test_a_race_is_found() -> None:
    one = np.ones(5)
    with pytest.raises(ProgramViolation, match="another"):
        run(program_of(shifted, one, one), 0, one, one)


def test_a_scalar_that_leaks_is_found() -> None:
    program = of_changed_plan(extremum, INTS, reductions=())
    with pytest.raises(AssertionError, match="best"):
        verify(program)
    with pytest.raises(ProgramViolation, match="best"):
        run(program, 0, np.arange(5))


def test_a_negative_index_that_the_plan_rules_out() -> None:
    given = np.ones(3), np.zeros(2), np.array([0, -1])
    run(program_of(gather, *given), 0, *given)
    with pytest.raises(ProgramViolation, match="counts from the end"):
        run(of_changed_plan(gather, *given, wrapping=frozenset()), 0, *given)


def test_a_partitioner_decides_what_runs_in_order() -> None:
    program = of_changed_plan(leaves, FLOATS, FLOATS, partition="a")
    with pytest.raises(IndexError):
        run(program, 0, np.array([1.0, 1, 2, 2]), np.zeros(4), partitioners={"a": ByKey()})
