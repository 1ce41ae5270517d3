"""The reference back end gives what plain Python gives, and finds plans that claim too much."""

from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Annotated, Any

import numpy as np
import pytest

from somd import ByKey, dist, reduce, sync
from somd.transforms.pipeline import check
from somd.transforms.reference.run import run_reference
from somd.transforms.reference.witness import PlanViolation
from somd.transforms.stages import Nest, Phase, Plan


def plan_of(function: Callable[..., Any]) -> Plan:
    assert isinstance(function, FunctionType)
    return check(function)


def changed(plan: Plan, **changes: Any) -> Plan:
    """`plan`, whose only step is a phase, with a changed nest."""
    body = [replace(s, nest=replace(s.nest, **changes)) if isinstance(s, Phase) else s for s in plan.body]
    return replace(plan, body=tuple(body))


def nest_of(plan: Plan) -> Nest:
    return plan.phases()[0].nest


def smooth(a: dist[np.ndarray], b: dist[np.ndarray], steps: int):  # type: ignore[no-untyped-def]
    total = 0
    for _p in range(steps):
        with sync:
            for i in range(1, len(a) - 1):
                t = a[i - 1] + a[i + 1]
                b[i] = t
        a, b = b, a
    for i in range(len(a)):
        if a[i] < 0:
            continue
        total += a[i]
    return total


def extremum(a: dist[np.ndarray]):  # type: ignore[no-untyped-def]
    best = a[0]
    at = 0
    for i in range(1, len(a)):
        if a[i] > best:
            best = a[i]
            at = i
    return best, at


def merge_runs(partials: list[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    count, head, tail, best = partials[0]
    for length, first, last, longest in partials[1:]:
        best = max(best, longest, tail + first)
        head = head + first if head == count else head
        tail = tail + last if last == length else last
        count += length
    return count, head, tail, best


def longest(a: dist[np.ndarray]) -> Annotated[tuple[int, int, int, int], reduce(merge_runs)]:
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


def total(a: dist[np.ndarray]) -> Annotated[int, reduce("self")]:
    s = 0
    for i in range(len(a)):
        s += a[i]
    return s


def leaves(a: dist[np.ndarray], b: dist[np.ndarray]):  # type: ignore[no-untyped-def]
    for i in range(len(a)):
        b[i] = a[i + 1]


def shifted(a: dist[np.ndarray], b: dist[np.ndarray]):  # type: ignore[no-untyped-def]
    for i in range(len(a) - 1):
        b[i] = a[i + 1]


def gather(a: dist[np.ndarray], b: dist[np.ndarray], at: np.ndarray):  # type: ignore[no-untyped-def]
    for i in range(len(b)):
        b[i] = a[at[i]]


@pytest.mark.parametrize("seed", range(5))
def test_phases_fences_and_reductions(seed: int) -> None:
    given = {"a": np.arange(9) - 3, "b": np.arange(9) * 2, "steps": 3}
    wanted = {name: np.copy(value) for name, value in given.items()}
    result = smooth(wanted["a"], wanted["b"], 3)
    assert run_reference(plan_of(smooth), given, seed) == result
    assert (given["a"] == wanted["a"]).all() and (given["b"] == wanted["b"]).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_first_of_equal_maxima_wins(seed: int) -> None:
    a = np.array([1, 5, 2, 5, 5, 0])
    assert run_reference(plan_of(extremum), {"a": a}, seed) == (5, 1)


@pytest.mark.parametrize("seed", range(8))
def test_partial_results_in_rank_order(seed: int) -> None:
    for a in (np.array([1, 1, 0, 1, 1, 1, 0, 0, 1] * 3), np.array([1]), np.array([], int)):
        assert run_reference(plan_of(longest), {"a": a}, seed) == longest(a)
        assert run_reference(plan_of(total), {"a": a}, seed) == a.sum()


def test_a_check_before_the_phase() -> None:
    b = np.zeros(3)
    with pytest.raises(IndexError, match=r"a\[i \+ 1\]"):
        run_reference(plan_of(leaves), {"a": np.ones(3), "b": b}, 0)
    assert not b.any()


def test_the_lowest_failing_iteration_is_reported() -> None:
    given = {"a": np.ones(3), "b": np.zeros(4), "at": np.array([0, 7, 8, 9])}
    for seed in range(5):
        with pytest.raises(IndexError, match="index 7"):
            run_reference(plan_of(gather), given, seed)


@pytest.mark.parametrize("changes", [{"checks": ()}, {"checks": (), "arrays_read": (), "arrays_asked": ()}])
def test_a_plan_that_claims_too_much(changes: dict[str, Any]) -> None:
    plan = changed(plan_of(leaves), **changes)
    with pytest.raises(PlanViolation):
        run_reference(plan, {"a": np.ones(3), "b": np.ones(9)}, 0)


def test_a_race_is_found() -> None:
    one = np.ones(5)
    with pytest.raises(PlanViolation, match="another iteration"):
        run_reference(plan_of(shifted), {"a": one, "b": one}, 0)


def test_a_scalar_that_leaks_is_found() -> None:
    plan = plan_of(extremum)
    with pytest.raises(PlanViolation, match="best"):
        run_reference(changed(plan, reductions=()), {"a": np.ones(5)}, 0)


def test_a_negative_index_that_the_plan_rules_out() -> None:
    plan = plan_of(gather)
    assert nest_of(plan).wrapping
    given = {"a": np.ones(3), "b": np.zeros(2), "at": np.array([0, -1])}
    run_reference(plan, given, 0)
    with pytest.raises(PlanViolation, match="counts from the end"):
        run_reference(changed(plan, wrapping=frozenset()), given, 0)


def test_a_partitioner_decides_what_runs_in_order() -> None:
    plan = changed(plan_of(leaves), partition="a")
    given = {"a": np.array([1, 1, 2, 2]), "b": np.zeros(4)}
    with pytest.raises(IndexError):
        run_reference(plan, given, 0, {"a": ByKey()})
